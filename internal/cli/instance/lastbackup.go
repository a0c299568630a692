package instance

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine/internal/base/durable"
)

// BackupName is the file of a data directory that has the moment of its last
// backup.
const BackupName = "last-backup"

// NoteBackup stores the moment of the last backup of a data directory.
func NoteBackup(data string, moment time.Time) error {
	return durable.WriteFile(filepath.Join(data, BackupName), moment.UTC().Format(time.RFC3339)+"\n")
}

// LastBackup returns the moment of the last backup of a data directory, or the
// zero time if there was none.
func LastBackup(data string) (time.Time, error) {
	text, err := os.ReadFile(filepath.Join(data, BackupName))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
}
