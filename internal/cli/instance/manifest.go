package instance

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

	"vitrine/internal/base/durable"
)

// ManifestName is the name of the manifest. It is written last, so a directory
// without it is not a complete backup.
const ManifestName = "manifest.json"

// ManifestFormat is the format version of the manifest and the backup.
const ManifestFormat = 1

// Manifest describes a backup.
type Manifest struct {
	Format    int            `json:"format"`
	Program   string         `json:"program"` // version that made the backup
	Began     time.Time      `json:"began"`
	Moment    time.Time      `json:"moment"` // of the database copy: has all that was acknowledged before Began
	Ended     time.Time      `json:"ended"`
	Accounts  int64          `json:"accounts"` // that are not closed
	Links     int64          `json:"links"`    // that are not deleted
	Views     int64          `json:"views"`
	Databases []ManifestFile `json:"databases"`
	Files     int64          `json:"files"`     // live or being processed
	FileBytes int64          `json:"fileBytes"` // of files and their parts
	// Damaged lists the files that were missing or did not match their hash.
	Damaged []string `json:"damaged,omitempty"`
}

// ManifestFile is a database file in a backup.
type ManifestFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// HashFile returns the size and SHA-256 of a file.
func HashFile(dir, name string) (ManifestFile, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return ManifestFile{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return ManifestFile{name, n, hex.EncodeToString(sum.Sum(nil))}, err
}

// Write writes the manifest to its file in a directory.
func (m *Manifest) Write(dir string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, ManifestName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, durable.Sync(f), f.Close(), durable.SyncDir(dir))
}

// HasManifest reports whether a directory has the manifest of a backup, rather
// than another file of that name.
func HasManifest(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, ManifestName))
	m := new(Manifest)
	return err == nil && json.Unmarshal(b, m) == nil && m.Format > 0 && len(m.Databases) > 0
}

// ReadManifest reads the manifest of a backup. It returns an error if the
// backup is incomplete, damaged or of another format.
func ReadManifest(dir string) (*Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if _, missing := os.Stat(dir); errors.Is(missing, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no directory %s", dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a complete backup: it has no %s", dir, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s of %s is damaged: %w", ManifestName, dir, err)
	}
	if m.Format == 0 || len(m.Databases) == 0 {
		return nil, fmt.Errorf("%s is not a backup: its %s is not one of Vitrine", dir, ManifestName)
	}
	if m.Format != ManifestFormat {
		return nil, fmt.Errorf("the backup %s has format %d, but this program only reads %d: restore it with vitrine %s", dir, m.Format, ManifestFormat, m.Program)
	}
	return m, nil
}
