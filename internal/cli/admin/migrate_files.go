package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/cli/instance"

	"golang.org/x/sync/errgroup"
)

// owned lists the files that the database refers to.
func (m *migration) owned(ctx context.Context) (all []ownedBlob, err error) {
	err = m.from.store.Read(ctx, func(tx vitrine.Tx) error {
		all = all[:0]
		return ownedBlobs(tx, func(o ownedBlob) error { all = append(all, o); return nil })
	})
	return all, err
}

// filesFit returns an error if the target storage has other files.
func (m *migration) filesFit(ctx context.Context) error {
	all, err := m.owned(ctx)
	if err != nil {
		return err
	}
	if mark, err := m.to.blobs.Marker(ctx); err != nil {
		return err
	} else if known, err := (ownership.Storage{Store: m.from.store}).Token(ctx); err != nil {
		return err
	} else if mark != "" && known == "" {
		return fmt.Errorf("%s cannot be filled: %w (it belongs to another instance)", instance.Redacted(m.to.FilesPlace()),
			sqldb.ErrOtherData)
	}
	ours := make(map[vitrine.UploadID]bool, len(all))
	for _, o := range all {
		ours[o.Key] = true
	}
	return m.to.blobs.Each(ctx, func(k vitrine.UploadID, _ vitrine.BlobInfo) error {
		if !ours[k] {
			return fmt.Errorf("%s cannot be filled: %w (%s)", instance.Redacted(m.to.FilesPlace()),
				sqldb.ErrOtherData, k)
		}
		return nil
	})
}

// mark writes the database's storage marker to the target storage. Both
// databases have the same marker, and all files in the target are known
// (filesFit).
func (m *migration) mark(ctx context.Context) error {
	mark, err := ownership.Storage{Store: m.to.store}.Token(ctx)
	if err != nil || mark == "" { // the database has no marker
		return err
	}
	return m.to.blobs.PutMarker(ctx, mark)
}

// files copies all files, several at a time.
func (m *migration) files(ctx context.Context) error {
	all, err := m.owned(ctx)
	if err != nil {
		return err
	}
	var size int64
	for _, o := range all {
		size += o.Size
	}
	m.meter.Begin("files", size)
	var mu sync.Mutex
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(m.atOnce)
	for _, o := range all {
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() error {
			n, there, err := m.file(ctx, o)
			if err != nil {
				return fmt.Errorf("copy file %s: %w", o.Key, err)
			}
			mu.Lock()
			defer mu.Unlock()
			m.meter.Add(o.Size)
			m.result.FileBytes += n
			if there {
				m.result.Files++
			} else if !o.Upload {
				m.result.Damaged = append(m.result.Damaged, string(o.Key))
			}
			return nil
		})
	}
	return workers.Wait()
}

// file copies a file with its parts. It returns the number of bytes read and
// whether the source is complete and matches its stored hash.
func (m *migration) file(ctx context.Context, o ownedBlob) (n int64, there bool, err error) {
	if o.Upload { // a received upload may not be sealed yet
		if _, err := m.from.blobs.Seal(ctx, o.Key); errors.Is(err, vitrine.ErrNotFound) {
			return 0, false, nil
		} else if err != nil {
			return 0, false, err
		}
	}
	from, err := m.from.blobs.Open(ctx, o.Key)
	if errors.Is(err, vitrine.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer from.Close()
	body := &hashed{r: from, sum: sha256.New()}
	if err := m.to.blobs.Import(ctx, o.Key, from.Size(), body); err != nil {
		return 0, false, err
	}
	sum := hex.EncodeToString(body.sum.Sum(nil))
	if body.n != from.Size() { // the target already had the file
		if sum, err = m.targetSHA256(ctx, o.Key); err != nil {
			return 0, false, err
		}
	}
	if err := m.verifyCopy(ctx, o.Key, from.Size(), sum); err != nil {
		return 0, false, err
	}
	n, there = body.n, o.Upload || sum == o.SHA256
	for _, p := range o.Parts.All() {
		more, whole, err := m.part(ctx, o.Key, p)
		if err != nil {
			return 0, false, err
		}
		n, there = n+more, there && whole
	}
	return n, there, nil
}

// verifyCopy returns an error if the target file differs from size and sum.
func (m *migration) verifyCopy(ctx context.Context, k vitrine.UploadID, size int64, sum string) error {
	info, err := m.to.blobs.Stat(ctx, k)
	if err != nil {
		return fmt.Errorf("read the copy: %w", err)
	}
	if info.Size != size || info.SHA256 != "" && info.SHA256 != sum {
		return fmt.Errorf("the copy has %d bytes with SHA-256 %q, not %d with %s", info.Size, info.SHA256, size, sum)
	}
	return nil
}

// targetSHA256 returns the SHA-256 of a file in the target.
func (m *migration) targetSHA256(ctx context.Context, k vitrine.UploadID) (string, error) {
	b, err := m.to.blobs.Open(ctx, k)
	if err != nil {
		return "", err
	}
	defer b.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, b)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// part copies a part unless the target has one of the same size. It returns the
// number of bytes read and whether the source has the part.
func (m *migration) part(ctx context.Context, k vitrine.UploadID, p vitrine.Part) (n int64, there bool, err error) {
	from, err := m.from.blobs.OpenPart(ctx, k, p)
	if errors.Is(err, vitrine.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer from.Close()
	if old, err := m.to.blobs.OpenPart(ctx, k, p); err == nil {
		same := old.Size() == from.Size()
		if err := old.Close(); err != nil || same {
			return 0, true, err
		}
	} else if !errors.Is(err, vitrine.ErrNotFound) {
		return 0, false, err
	}
	return from.Size(), true, m.to.blobs.PutPart(ctx, k, p, from)
}

// hashed is a reader that counts and hashes the bytes read.
type hashed struct {
	r   io.Reader
	n   int64
	sum hash.Hash
}

func (h *hashed) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.n += int64(n)
	h.sum.Write(p[:n])
	return n, err
}
