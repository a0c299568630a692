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

// Folder registers the templates, styles and scripts of a package. dir is its
// directory below internal/web. It is called during initialization. Styles and
// scripts are named by their path below internal/web.
func Folder(dir string, files embed.FS) struct{} {
	folders = append(folders, folder{dir, files})
	return struct{}{}
}

//go:embed *.html *.css *.js *.svg styles components vendor
var files embed.FS

var _ = Folder("ui", files)

// sources is the directory internal/web to read files from, or "" to use those
// in the program.
var sources string

// ReadFrom reads templates, styles and scripts from dir, the directory
// internal/web of a checkout, whenever they change. It is for development and
// must be called before the first request. New files need a build.
func ReadFrom(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "ui", "layout.html")); err != nil {
		return fmt.Errorf("%s is not the directory internal/web of a checkout: %w", dir, err)
	}
	sources = dir
	return nil
}

// Developing reports whether files are read from a checkout. Nothing made from
// them may be cached then.
func Developing() bool { return sources != "" }

// read reads one file of a folder.
func (f folder) read(name string) ([]byte, error) {
	if sources != "" {
		return os.ReadFile(filepath.Join(sources, f.dir, filepath.FromSlash(name)))
	}
	return f.files.ReadFile(name)
}

// each calls do with each file of the folder that is not a template.
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

// templateFile is the file of a template.
type templateFile struct {
	folder folder
	path   string // below the folder
}

func (t templateFile) read() ([]byte, error) { return t.folder.read(t.path) }

// templateFiles maps the names of templates to their files. A template has the
// name of its file; one of a viewer has that of its folder before it.
var templateFiles = sync.OnceValue(func() map[string]templateFile {
	all := map[string]templateFile{}
	for _, f := range folders {
		f.walk(func(file string) {
			if path.Ext(file) != ".html" {
				return
			}
			name := path.Base(file)
			if f.dir == "viewer" {
				name = file
			}
			if _, ok := all[name]; ok {
				panic("two templates are called " + name)
			}
			all[name] = templateFile{f, file}
		})
	}
	return all
})

// changed returns when a file of a checkout last changed.
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
