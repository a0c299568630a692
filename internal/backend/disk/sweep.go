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
)

// Sweep deletes stored bytes and entries of incoming that are older than before
// and whose keys are unknown to keep. They belong to uploads that ended without
// a delete. It also deletes hashes and parts without bytes, and chunks of
// stored bytes.
func (b *Blobs) Sweep(ctx context.Context, before time.Time, keep func(vitrine.UploadID) (bool, error)) error {
	// due reports whether a file of a key must be deleted.
	due := func(k vitrine.UploadID, st fs.FileInfo) (bool, error) {
		if valid(k) != nil || !st.ModTime().Before(before) {
			return false, nil
		}
		known, err := keep(k)
		return err == nil && !known, err
	}
	err := entries(ctx, b.incoming, func(name string, st fs.FileInfo) error {
		path := filepath.Join(b.incoming, name)
		if k, ok := strings.CutSuffix(name, partSuffix); ok {
			if due, err := due(vitrine.UploadID(k), st); err != nil || !due {
				return err
			}
			return removePart(path)
		}
		if k, ok := cutChunks(name); ok {
			if stored, err := b.state(k); err != nil || stored == keyFree {
				if due, err := due(k, st); err != nil || !due {
					return err
				}
			} else if !st.ModTime().Before(before) {
				return nil
			}
			return b.removeChunks(k)
		}
		k, _ := strings.CutSuffix(name, usedSuffix)
		if due, err := due(vitrine.UploadID(k), st); err != nil || !due {
			return err
		}
		return remove(path)
	})
	if err != nil {
		return err
	}
	return b.files(ctx, func(name string, st fs.FileInfo) error {
		if strings.Contains(name, partMark) {
			return b.sweepPart(name, func() bool { return st.ModTime().Before(before) })
		}
		id, isSum := strings.CutSuffix(name, sumSuffix)
		k := vitrine.UploadID(id)
		if valid(k) != nil || isSum && exists(b.path(k)) {
			return nil
		}
		if due, err := due(k, st); err != nil || !due {
			return err
		}
		if isSum {
			return remove(b.path(k) + sumSuffix)
		}
		return b.Delete(ctx, k)
	})
}

// exists reports whether a file exists. It returns true if that is unknown.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
