// Package durable makes changes of files survive a crash of the machine.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Step is called before each step that makes something durable, and after it:
// here, at commits of databases, and at requests that write elsewhere. It does
// nothing. A test replaces it, before anything else runs, to end the process
// at a step.
var Step = func(what string) {}

// Sync makes the content of a file durable.
func Sync(f *os.File) error {
	Step("sync " + f.Name())
	err := f.Sync()
	Step("synced " + f.Name())
	return err
}

// SyncDir makes the names in a directory durable. Windows does that by itself.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(Sync(d), d.Close())
}

// Rename gives a file or directory another name. SyncDir makes that durable.
func Rename(from, to string) error {
	Step("rename " + to)
	err := os.Rename(from, to)
	Step("renamed " + to)
	return err
}

// WriteFile replaces a file by one with some text. If it fails, the file is as
// before. The text is first in a file beside it, whose name ends with ".new".
func WriteFile(path, text string) (err error) {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = Sync(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}
