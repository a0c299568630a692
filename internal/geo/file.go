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

// File is a city file that may be replaced while it is used, in any way:
// lookups read a copy of it that has no name. A nil File knows no cities.
type File struct {
	// Path is where the file is.
	Path string
	// Optional: the file may be missing, and may appear later.
	Optional bool
	// Temp is the directory of the copy. "": that of the system.
	Temp string
	// Room says how many bytes are left in a directory; -1: without a limit.
	// nil: that is not known.
	Room func(dir string) (bytes, files int64, err error)
	Log  *slog.Logger

	db     atomic.Pointer[database]
	seen   fs.FileInfo // of the file that was tried last; nil: none
	failed error       // why that one is not used
}

// spare is the room that a copy leaves: a disk must not be full because of it.
const spare = 64 << 20

// errCopy: the copy could not be made, which says nothing about the file.
var errCopy = errors.New("the city file cannot be copied")

// Open reads the file for the first time. It fails when the file cannot be
// used. That its copy cannot be made is logged; Refresh tries again.
func (f *File) Open(ctx context.Context) error {
	err := f.Refresh(ctx)
	if errors.Is(err, errCopy) {
		f.Log.Warn("no cities for now", "error", err)
		return nil
	}
	return err
}

// Refresh reads the file again if it has been replaced. When the new one cannot
// be used, it says so, and lookups read the one before. Calls must not overlap.
func (f *File) Refresh(ctx context.Context) error {
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
	if f.seen != nil && same(f.seen, now) {
		return f.failed
	}
	db, err := f.load(ctx, now)
	if errors.Is(err, errCopy) || ctx.Err() != nil {
		return err // tried again
	}
	f.seen, f.failed = now, nil
	if err != nil {
		f.failed = fmt.Errorf("city file %s: %w", f.Path, err)
		return f.failed
	}
	f.db.Store(db) // the one before is unmapped when nobody reads it
	f.Log.Info("city file loaded", "file", f.Path, "type", db.kind(), "built", db.built().Format(time.DateOnly))
	return nil
}

// same reports whether a file is the one that was seen.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// load opens a copy of the file.
func (f *File) load(ctx context.Context, before fs.FileInfo) (*database, error) {
	if before.IsDir() {
		return nil, errors.New("it is a directory")
	}
	if f.Temp != "" {
		if err := os.MkdirAll(f.Temp, 0o700); err != nil {
			return nil, fmt.Errorf("%w: %w", errCopy, err)
		}
	}
	if f.Room != nil {
		if room, _, err := f.Room(f.Temp); err == nil && room >= 0 && room < before.Size()+spare {
			return nil, fmt.Errorf("%w: there is no room for it in %s", errCopy, f.Temp)
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
	defer os.Remove(to.Name()) // it stays for as long as it is mapped
	_, err = io.Copy(to, reader{ctx, from})
	if err := errors.Join(err, to.Close()); err != nil {
		return nil, fmt.Errorf("%w: %w", errCopy, err)
	}
	if after, err := from.Stat(); err != nil || !same(before, after) {
		return nil, fmt.Errorf("%w: it is being written", errCopy)
	}
	return open(to.Name(), f.Path)
}

// reader reads until ctx ends.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// Place returns the place of an address, if the file knows it: the code of its
// country (ISO 3166-1 alpha-2) and the name of its city. A city always has a
// country.
func (f *File) Place(addr netip.Addr) (country, city string) {
	if f == nil {
		return "", ""
	}
	db := f.db.Load()
	addr = addr.Unmap().WithZone("")
	if db == nil || !public(addr) {
		return "", ""
	}
	country, city, err := db.place(addr)
	if err != nil {
		return "", "" // a damaged part of the file: the place is unknown
	}
	return country, city
}

// Loaded reports whether there is a file to look addresses up in, and who made
// it.
func (f *File) Loaded() (Source, bool) {
	if f == nil {
		return Source{}, false
	}
	if db := f.db.Load(); db != nil {
		return db.source, true
	}
	return Source{}, false
}

// Check opens a city file and says what it is, and when it was made.
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
