package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/base/durable"
)

// markerFile is the name of the marker file beside the blobs. It identifies
// this directory, so backups do not copy it.
const markerFile = "mark"

// A marker is first written to a temporary file. A temporary file older than
// unfinishedMarker is left over from a crash.
const (
	markerPrefix     = "mark-"
	unfinishedMarker = time.Hour
)

func (b *Blobs) markerPath() string { return filepath.Join(filepath.Dir(b.blobs), markerFile) }

// Marker implements [vitrine.Blobs].
func (b *Blobs) Marker(context.Context) (string, error) {
	text, err := os.ReadFile(b.markerPath())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	return strings.TrimSpace(string(text)), nil
}

// PutMarker implements [vitrine.Blobs]. It renames a complete and durable file
// to markerFile.
func (b *Blobs) PutMarker(ctx context.Context, token string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.putMarker(token); err != nil {
		return vitrine.Unavailable(err)
	}
	return nil
}

func (b *Blobs) putMarker(token string) error {
	if err := b.sweepMarkers(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(b.blobs), markerPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, durable.Sync(f), f.Close()); err == nil {
		err = durable.Rename(f.Name(), b.markerPath())
	}
	if err != nil {
		return errors.Join(err, remove(f.Name()))
	}
	return durable.SyncDir(filepath.Dir(b.blobs))
}

func (b *Blobs) sweepMarkers() error {
	return entries(context.Background(), filepath.Dir(b.blobs), func(name string, st fs.FileInfo) error {
		if !strings.HasPrefix(name, markerPrefix) || time.Since(st.ModTime()) < unfinishedMarker {
			return nil
		}
		return remove(filepath.Join(filepath.Dir(b.blobs), name))
	})
}
