package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vitrine/client"
)

// Folder is a folder on the agent's machine whose files may be published: those
// in it and below it, except hidden ones and those in hidden folders. An agent
// does what the texts that it reads tell it, and keys are in hidden folders.
type Folder struct {
	given string // absolute
	path  string // without symbolic links
	root  *os.Root
}

// OpenFolder opens a folder.
func OpenFolder(dir string) (*Folder, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{given, path, root}, nil
}

// open opens a file by a path that is absolute or in the folder. Symbolic links
// are resolved first.
func (f *Folder) open(name string) (client.File, error) {
	if f == nil {
		return client.File{}, argumentError("path", "This program may read no files. Ask the person to start it with --root and the folder whose files may be published.")
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.path, path)
	}
	asked, ok := f.below(path)
	if !ok {
		return client.File{}, f.outside(name)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(f.path, asked))
	if err != nil {
		return client.File{}, unreadable(name, err)
	}
	rel, ok := f.below(path)
	if !ok {
		return client.File{}, f.outside(name)
	}
	if hidden(asked) || hidden(rel) {
		return client.File{}, argumentError("path", "%q is hidden or in a hidden folder. Such files are not published.", name)
	}
	file, err := f.openRegular(rel)
	if err != nil {
		return client.File{}, unreadable(name, err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return client.File{}, unreadable(name, err)
	}
	return client.File{Name: filepath.Base(asked), Size: info.Size(), Content: file}, nil
}

// openRegular opens a regular file that is not a symbolic link, also not one
// that took its place in between.
func (f *Folder) openRegular(rel string) (*os.File, error) {
	before, err := f.root.Lstat(rel)
	if err != nil {
		return nil, err
	}
	if before.IsDir() {
		return nil, errors.New("it is a folder: name a file in it")
	}
	if !before.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	file, err := f.root.Open(rel)
	if err != nil {
		return nil, err
	}
	if after, err := file.Stat(); err != nil || !os.SameFile(before, after) {
		file.Close()
		return nil, errors.New("it was changed while it was opened")
	}
	return file, nil
}

// below returns the path of a file relative to the folder.
func (f *Folder) below(path string) (rel string, ok bool) {
	for _, folder := range []string{f.path, f.given} {
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

func (f *Folder) outside(name string) error {
	return argumentError("path", "%q is outside %s, the folder whose files may be published. Ask the person to copy it there, or to start this program with --root and another folder.", name, f.given)
}

func unreadable(name string, err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err
	}
	return argumentError("path", "%q cannot be read: %v.", name, err)
}

// hidden reports whether a name in a path begins with a dot.
func hidden(rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	return false
}
