package ui

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// folder is a directory below internal/web with templates, styles and scripts.
type folder struct {
	dir   string
	files embed.FS
}

var folders []folder

// Folder registers the templates, styles and scripts of a package, whose
// directory below internal/web is dir. It is called while packages are
// initialized. Names of templates are unique; styles and scripts go by their
// path below internal/web.
func Folder(dir string, files embed.FS) struct{} {
	folders = append(folders, folder{dir, files})
	return struct{}{}
}

//go:embed *.html *.css *.js *.svg styles components vendor
var files embed.FS

var _ = Folder("ui", files)

// sources is the directory internal/web whose files are read instead of those
// in the program; "" in production.
var sources string

// ReadFrom has templates, styles and scripts read from dir, which is the
// directory internal/web of a checkout, each time that they change. It is for
// development, and is called before the first request. A file that the program
// was built without needs a build.
func ReadFrom(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "ui", "layout.html")); err != nil {
		return fmt.Errorf("%s is not the directory internal/web of a checkout: %w", dir, err)
	}
	sources = dir
	return nil
}

// Developing reports whether files are read from a checkout: nothing that is
// made of them may be kept.
func Developing() bool { return sources != "" }

// read reads one file of a folder.
func (f folder) read(name string) ([]byte, error) {
	if sources != "" {
		return os.ReadFile(filepath.Join(sources, f.dir, filepath.FromSlash(name)))
	}
	return f.files.ReadFile(name)
}

// each calls do with each file of the folder that is no template.
func (f folder) each(do func(name string)) {
	f.walk(func(name string) {
		if path.Ext(name) != ".html" {
			do(name)
		}
	})
}

// walk calls do with each file of the folder.
func (f folder) walk(do func(name string)) {
	err := fs.WalkDir(f.files, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			do(p)
		}
		return err
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
}

// templateFolders is the folder of each template.
var templateFolders = sync.OnceValue(func() map[string]folder {
	all := map[string]folder{}
	for _, f := range folders {
		f.walk(func(name string) {
			if path.Ext(name) != ".html" {
				return
			}
			if _, ok := all[name]; ok {
				panic("two templates are called " + name)
			}
			all[name] = f
		})
	}
	return all
})

// changed is when a file of a checkout was changed last.
func changed() (last time.Time) {
	for _, f := range folders {
		f.each(func(name string) {
			if strings.HasPrefix(name, "vendor/") {
				return
			}
			if info, err := os.Stat(filepath.Join(sources, f.dir, filepath.FromSlash(name))); err == nil &&
				info.ModTime().After(last) {
				last = info.ModTime()
			}
		})
	}
	return last
}
