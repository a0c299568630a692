// Package manifest lists the files of a backup, with their sizes and hashes.
package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/durable"
)

// FileName is written last into a backup: what has none is no backup.
const FileName = "manifest.json"

// Format is the form of the manifest and of what it describes.
const Format = 1

// Manifest says what is in a backup.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"` // the version that made it
	Began     time.Time `json:"began"`
	Moment    time.Time `json:"moment"` // that the databases are of: whatever was acknowledged before Began is in it, and nothing after Moment
	Ended     time.Time `json:"ended"`
	Accounts  int64     `json:"accounts"`
	Links     int64     `json:"links"` // that were ever made
	Opens     int64     `json:"opens"`
	Databases []File    `json:"databases"`
	Files     int64     `json:"files"`     // that are on display, or on their way there
	FileBytes int64     `json:"fileBytes"` // of files and of what was made of them
	// Damaged are files whose bytes were not those any more that were uploaded,
	// or that were gone.
	Damaged []string `json:"damaged,omitempty"`
}

// File is a database in a backup.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// HashFile reads a file.
func HashFile(dir, name string) (File, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return File{name, n, hex.EncodeToString(sum.Sum(nil))}, err
}

func (m *Manifest) Write(dir string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, durable.Sync(f), f.Close(), durable.SyncDir(dir))
}

// Read reads what is said of a backup.
func Read(dir string) (*Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no backup, or not a whole one: it has no %s", dir, FileName)
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s of %s is damaged: %w", FileName, dir, err)
	}
	if m.Format != Format {
		return nil, fmt.Errorf("the backup %s has format %d, and this program knows %d alone: restore it with vitrine %s", dir, m.Format, Format, m.Program)
	}
	return m, nil
}
