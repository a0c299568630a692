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
	"vitrine/internal/durable"
)

// markFile is beside the blobs. It is of this directory alone: no backup has
// it.
const markFile = "mark"

// A mark on its way has a name of its own that begins so; one that is older
// than unfinishedMark is what a crash has left.
const (
	markPrefix     = "mark-"
	unfinishedMark = time.Hour
)

func (b *Blobs) markPath() string { return filepath.Join(filepath.Dir(b.blobs), markFile) }

// Mark implements [vitrine.Blobs].
func (b *Blobs) Mark(context.Context) (string, error) {
	text, err := os.ReadFile(b.markPath())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", vitrine.Unavailable(err)
	}
	return strings.TrimSpace(string(text)), nil
}

// PutMark is vitrine.Blobs's: a file that is whole and durable gets the name of
// the mark.
func (b *Blobs) PutMark(ctx context.Context, mark string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.putMark(mark); err != nil {
		return vitrine.Unavailable(err)
	}
	return nil
}

func (b *Blobs) putMark(mark string) error {
	if err := b.sweepMarks(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(b.blobs), markPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(mark + "\n")
	if err = errors.Join(err, durable.Sync(f), f.Close()); err == nil {
		err = durable.Rename(f.Name(), b.markPath())
	}
	if err != nil {
		return errors.Join(err, remove(f.Name()))
	}
	return durable.SyncDir(filepath.Dir(b.blobs))
}

func (b *Blobs) sweepMarks() error {
	return entries(context.Background(), filepath.Dir(b.blobs), func(name string, st fs.FileInfo) error {
		if !strings.HasPrefix(name, markPrefix) || time.Since(st.ModTime()) < unfinishedMark {
			return nil
		}
		return remove(filepath.Join(filepath.Dir(b.blobs), name))
	})
}
