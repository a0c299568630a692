package geo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"sync/atomic"
	"time"
)

// DefaultName is the name of the city file in a data directory.
const DefaultName = "cities.mmdb"

// File is a city file that may be replaced in any way while it is used. Lookups
// read an unnamed copy. A nil File knows no cities.
type File struct {
	// Path is the path of the file.
	Path string
	// If Optional is set, the file may be missing and may appear later.
	Optional bool
	// Temp is the directory for the copy. If empty, the system's temporary
	// directory is used.
	Temp string
	// Room returns the free space of a directory in bytes and files, -1 without
	// a limit. If Room is nil, the free space is not checked.
	Room func(dir string) (bytes, files int64, err error)
	Log  *slog.Logger

	db     atomic.Pointer[database]
	seen   fs.FileInfo // the file that was last tried, or nil
	failed error       // why that file is not used
}

// minFree is the space that must stay free after the copy.
const minFree = 64 << 20

// errCopy is returned if the copy could not be made. The file itself may be
// valid.
var errCopy = errors.New("the city file cannot be copied")

// Open reads the file for the first time. It fails if the file cannot be used.
// If only the copy fails, Open logs that, and Refresh tries again. Open deletes
// what interrupted downloads left.
func (f *File) Open(ctx context.Context) error {
	sweep(f.Path)
	err := f.Refresh(ctx)
	if errors.Is(err, errCopy) {
		f.Log.Warn("city file not loaded, trying again", "error", err)
		return nil
	}
	return err
}

// Refresh reads the file again if it was replaced. If the new file cannot be
// used, it returns an error, and lookups continue to use the old one. Calls
// must not overlap.
func (f *File) Refresh(context.Context) error {
	now, err := os.Stat(f.Path)
	if f.Optional && errors.Is(err, fs.ErrNotExist) {
		if f.db.Swap(nil) != nil {
			f.Log.Info("city file was removed", "file", f.Path)
		}
		f.seen, f.failed = nil, nil
		return nil
	}
	if err != nil {
		f.seen = nil
		return fmt.Errorf("city file: %w", err)
	}
	if f.seen != nil && sameFile(f.seen, now) {
		return f.failed
	}
	db, err := f.load(now)
	if errors.Is(err, errCopy) {
		return err // the next Refresh tries again
	}
	f.seen, f.failed = now, nil
	if err != nil {
		f.failed = fmt.Errorf("city file %s: %w", f.Path, err)
		return f.failed
	}
	f.db.Store(db) // the old database is unmapped when it has no more readers
	f.Log.Info("city file loaded", "file", f.Path, "type", db.kind(), "built", db.built().Format(time.DateOnly))
	return nil
}

// sameFile reports whether two results describe the same file.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// load copies the file and opens the copy.
func (f *File) load(before fs.FileInfo) (*database, error) {
	if before.IsDir() {
		return nil, errors.New("it is a directory")
	}
	if f.Temp != "" {
		if err := os.MkdirAll(f.Temp, 0o700); err != nil {
			return nil, fmt.Errorf("%w: %w", errCopy, err)
		}
	}
	if f.Room != nil {
		if room, _, err := f.Room(f.Temp); err == nil && room >= 0 && room < before.Size()+minFree {
			return nil, fmt.Errorf("%w: there is no space for it in %s", errCopy, f.Temp)
		}
	}
	from, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := os.CreateTemp(f.Temp, "cities-*")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCopy, err)
	}
	defer os.Remove(to.Name()) // the mapping keeps the data
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		return nil, fmt.Errorf("%w: %w", errCopy, err)
	}
	if after, err := from.Stat(); err != nil || !sameFile(before, after) {
		return nil, fmt.Errorf("%w: it is being written", errCopy)
	}
	return open(to.Name(), f.Path)
}

// Place returns the country code (ISO 3166-1 alpha-2) and the city name of an
// address, or "" if they are unknown. A city always has a country.
func (f *File) Place(addr netip.Addr) (country, city string) {
	if f == nil {
		return "", ""
	}
	db := f.db.Load()
	addr = addr.Unmap().WithZone("")
	if db == nil || !mayContain(addr) {
		return "", ""
	}
	country, city, err := db.place(addr)
	if err != nil {
		return "", "" // this part of the file is damaged, so the location is unknown
	}
	return country, city
}

// Loaded returns the source of the loaded file, and whether a file is loaded.
func (f *File) Loaded() (Source, bool) {
	if f == nil {
		return Source{}, false
	}
	if db := f.db.Load(); db != nil {
		return db.source, true
	}
	return Source{}, false
}

// Check opens a city file and returns its kind and build time.
func Check(path string) (kind string, built time.Time, err error) {
	if st, err := os.Stat(path); err != nil {
		return "", built, err
	} else if st.IsDir() {
		return "", built, errors.New("it is a directory")
	}
	db, err := open(path, path)
	if err != nil {
		return "", built, err
	}
	defer db.reader.Close()
	return db.kind(), db.built(), nil
}
