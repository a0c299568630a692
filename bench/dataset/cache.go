package dataset

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Dir returns the directory for cached datasets: VITRINE_BENCH_DIR, or
// vitrine-bench in the user's cache directory.
func Dir() (string, error) {
	dir := os.Getenv("VITRINE_BENCH_DIR")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "vitrine-bench")
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// Files returns the paths of a dataset in the import format. It creates missing
// files. It deletes datasets with the same name and other parameters, such as
// yesterday's, because they are large.
func (p Params) Files() (links, opens string, err error) {
	dir, err := Dir()
	if err != nil {
		return "", "", err
	}
	old, err := filepath.Glob(filepath.Join(dir, p.Name+"-v*"))
	if err != nil {
		return "", "", err
	}
	for _, path := range old {
		if !strings.HasPrefix(filepath.Base(path), p.Key()+".") {
			if err := os.RemoveAll(path); err != nil {
				return "", "", err
			}
		}
	}
	links, opens = filepath.Join(dir, p.Key()+".links.ndjson"), filepath.Join(dir, p.Key()+".opens.ndjson")
	if err := keep(links, p.WriteLinks); err != nil {
		return "", "", err
	}
	return links, opens, keep(opens, p.WriteOpens)
}

// keep creates a file atomically if it is missing.
func keep(path string, write func(io.Writer) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), "unfinished-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 1<<20)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
