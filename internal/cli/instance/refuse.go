package instance

import (
	"fmt"
	"os"
	"path/filepath"
)

// Refuse returns an error for a data directory that must not be opened: a
// backup, or one that has lost its database.
func (p Places) Refuse() error {
	if err := p.RefuseBackup(); err != nil {
		return err
	}
	return p.storeGone()
}

// RefuseBackup returns an error if the data directory is a backup, or a file.
// An instance would change a backup, and a changed backup cannot be restored.
func (p Places) RefuseBackup() error {
	if info, err := os.Stat(p.Data); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, not a directory. Name the data directory with --data or VITRINE_DATA", p.Data)
	}
	if !HasManifest(p.Data) {
		return nil
	}
	return fmt.Errorf("%s is a backup (it has a %s), and must not change. Restore it into a new directory: \"vitrine admin restore BACKUP --data DIR\"",
		p.Data, ManifestName)
}

// storeGone returns an error if the embedded database is missing or empty
// although the directory has the views or the files of an instance. Opening it
// would create a new instance over them.
func (p Places) storeGone() error {
	if p.Database != "" || hasBytes(filepath.Join(p.Data, StoreFile)) {
		return nil
	}
	left := ""
	switch {
	case p.Views == "" && hasBytes(filepath.Join(p.Data, ViewsFile)):
		left = ViewsFile
	case p.Files == "" && hasBlobs(filepath.Join(p.Data, FilesDir)):
		left = FilesDir
	default:
		return nil
	}
	return fmt.Errorf("the database %s is missing or empty, but %s is there: it belongs to an instance whose accounts and links would be lost. Restore the last backup (\"vitrine admin restore\"), or put the database back. For a new instance, choose another directory",
		filepath.Join(p.Data, StoreFile), filepath.Join(p.Data, left))
}

// hasBytes reports whether a file exists and is not empty. If it cannot be
// read, it returns true: opening reports the reason.
func hasBytes(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Size() > 0 || err != nil && !os.IsNotExist(err)
}

// hasBlobs reports whether a directory has stored files.
func hasBlobs(dir string) bool {
	all, _ := os.ReadDir(filepath.Join(dir, "blobs"))
	return len(all) > 0
}

// OtherOwner returns the hint for ownership.ErrOtherStorage.
func OtherOwner(err error) string {
	return err.Error() + ". Check --files, and whether another server uses them, for example on a copy of the database. If so, stop that server or give it its own storage. Then, or if this database was restored to an earlier moment, run \"vitrine admin repair files\""
}
