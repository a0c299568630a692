// Package storageowner records which database owns a directory or bucket of
// files.
package storageowner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"vitrine"
)

// Blobs is what this package uses of [vitrine.Blobs].
type Blobs interface {
	Stat(ctx context.Context, key vitrine.UploadID) (vitrine.BlobInfo, error)
	Each(ctx context.Context, f func(vitrine.UploadID, vitrine.BlobInfo) error) error
	Mark(ctx context.Context) (string, error)
	PutMark(ctx context.Context, mark string) error
}

// Owner records which database owns a directory or a bucket of files, so
// that the sweeper never deletes the files of another database: of one that was
// named by mistake, of a copy that is being tried, or of a later state that was
// replaced by a backup.
//
// A marker in the storage holds a random token, and the store has a copy of it.
// [StorageOwner.Rotate] replaces both again and again. Storage without a marker
// belongs to nobody, unless the store knows a token and the newest files are
// missing as well: then it is the wrong storage, for example a volume that is
// not mounted. Storage with another token was used by another database since,
// or by a later state of this one. It is disputed and belongs to nobody until
// [StorageOwner.Claim]. So when two databases use one storage in turns, both
// notice.
//
// A new token is written to the store before it is written to the storage, so
// no crash makes the two differ. Processes of one store that rotate at the same
// time write the same token.
type Owner struct {
	Store vitrine.Store
	Blobs Blobs
}

// The names of the secrets, and the mark of a disputed place.
const (
	markSecret     = "mark"      // that the place has, or had before the next
	nextMarkSecret = "mark next" // that is being put; the same: none is
	disputed       = "DISPUTED"
)

// keepTries bounds how often other processes of the same store may come between
// the steps of Rotate or Claim.
const keepTries = 20

// ErrOther says that files are not this database's to sweep. Others that say
// so, and why, are ErrOther by errors.Is.
var ErrOther error = otherPlace("these files were last looked after by another database, or by a later state of this one")

const errPlaceBare = otherPlace("the place of the files has neither its mark nor the newest of the files that the database knows, like a volume that is not mounted")

type otherPlace string

func (e otherPlace) Error() string        { return string(e) }
func (e otherPlace) Is(target error) bool { return target == ErrOther }

// marks are what the store knows of the mark.
type marks struct{ current, next string }

// own reports whether a marker belongs to this database. An empty one does.
func (m marks) own(mark string) bool { return mark == "" || mark == m.current || mark == m.next }

func readMarks(tx vitrine.SecretTx) (m marks, err error) {
	for _, s := range []struct {
		name string
		text *string
	}{{markSecret, &m.current}, {nextMarkSecret, &m.next}} {
		text, err := tx.Secret(s.name)
		if err := vitrine.NotFoundIsNil(err); err != nil {
			return m, err
		}
		*s.text = string(text)
	}
	return m, nil
}

// Verify reports whether the place is this database's: nil, ErrOther, or that
// it cannot be told. It changes nothing.
func (p Owner) Verify(ctx context.Context) error {
	m, mark, err := p.read(ctx)
	if err == nil && mark == "" {
		return p.verifyEmpty(ctx, m)
	}
	if err != nil || m.own(mark) {
		return err
	}
	if err := pause(ctx, doubtFor); err != nil {
		return err
	}
	if m, mark, err = p.read(ctx); err != nil || m.own(mark) {
		return err
	}
	return ErrOther
}

// bareLinks is of how many files at least one is there in a place that is only
// without a mark.
const bareLinks = 5

// verifyEmpty returns errPlaceBare for storage without a marker if the store
// knows one and the newest published files are missing.
func (p Owner) verifyEmpty(ctx context.Context, m marks) error {
	if m.current == "" {
		return nil
	}
	var newest []*vitrine.Link
	err := p.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		newest, err = tx.Links(vitrine.LinkQuery{State: vitrine.StateLive, Limit: bareLinks})
		return err
	})
	for _, l := range newest {
		if err == nil {
			_, err = p.Blobs.Stat(ctx, l.Upload)
		}
		if !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		err = nil
	}
	if err != nil || len(newest) == 0 {
		return err
	}
	return errPlaceBare
}

// Mark is the mark that the database knows the place by; "": none yet.
func (p Owner) Mark(ctx context.Context) (string, error) {
	var m marks
	err := p.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		m, err = readMarks(tx)
		return err
	})
	return m.current, err
}

func (p Owner) read(ctx context.Context) (m marks, mark string, err error) {
	err = p.Store.Read(ctx, func(tx vitrine.Tx) error {
		m, err = readMarks(tx)
		return err
	})
	if err == nil {
		mark, err = p.Blobs.Mark(ctx)
	}
	return m, mark, err
}

// Rotate looks after the place: it puts the next mark where the place is this
// database's, else it says that it is disputed and answers ErrOther.
func (p Owner) Rotate(ctx context.Context) error {
	var put, doubted string // marks: put by this call, and met by it
	for range keepTries {
		m, err := p.begin(ctx, "")
		if err != nil {
			return err
		}
		mark, err := p.Blobs.Mark(ctx)
		if err != nil {
			return err
		}
		if mark == "" {
			if err := p.verifyEmpty(ctx, m); err != nil {
				return err
			}
		}
		switch {
		case m.own(mark) || mark == put:
			put = m.next
			if done, err := p.put(ctx, m.next); done || err != nil {
				return err
			}
		case mark == disputed:
			return ErrOther
		case mark == doubted:
			if err := p.Blobs.PutMark(ctx, disputed); err != nil {
				return err
			}
			return ErrOther
		default:
			doubted = mark
			if err := pause(ctx, doubtFor); err != nil {
				return err
			}
		}
	}
	return p.errShared()
}

// doubtFor is how long a mark is doubted that the store does not know: a
// process of this database that has put its own too late, or has just put the
// next, says so by then.
const doubtFor = 300 * time.Millisecond

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Claim makes the place this database's, whosever it was.
func (p Owner) Claim(ctx context.Context) error {
	for range keepTries {
		m, err := p.begin(ctx, rand.Text())
		if err != nil {
			return err
		}
		if done, err := p.put(ctx, m.next); done || err != nil {
			return err
		}
	}
	return p.errShared()
}

func (p Owner) errShared() error {
	return vitrine.Unavailable(fmt.Errorf("the mark of the files: other processes came between, %d times", keepTries))
}

// begin has the store know which mark is put next: one that is given, else the
// one that it knows already, else a new one.
func (p Owner) begin(ctx context.Context, next string) (m marks, err error) {
	err = p.Store.Update(ctx, func(tx vitrine.Tx) error {
		if m, err = readMarks(tx); err != nil || next == "" && m.next != m.current {
			return err
		}
		if m.next = next; next == "" {
			m.next = rand.Text()
		}
		return tx.PutSecret(nextMarkSecret, []byte(m.next))
	})
	return m, err
}

// put puts the next mark and has the store know that it is there. done is false
// when the store has gone on to another meanwhile: then what was put now is too
// late, and is put right by another turn.
func (p Owner) put(ctx context.Context, next string) (done bool, err error) {
	if err := p.Blobs.PutMark(ctx, next); err != nil {
		return false, err
	}
	err = p.Store.Update(ctx, func(tx vitrine.Tx) error {
		now, err := readMarks(tx)
		if done = err == nil && (now.current == next || now.next == next); !done || now.current == next {
			return err
		}
		return tx.PutSecret(markSecret, []byte(next))
	})
	return done && err == nil, err
}

// CountUnowned counts the files that the database does not know, and their
// bytes.
func (p Owner) CountUnowned(ctx context.Context) (files, bytes int64, err error) {
	err = p.Blobs.Each(ctx, func(id vitrine.UploadID, info vitrine.BlobInfo) error {
		owned, err := p.Owns(ctx, id)
		if err == nil && !owned {
			files, bytes = files+1, bytes+info.Size
		}
		return err
	})
	return files, bytes, err
}

// Owns reports whether the database may still need the bytes of an upload.
func (p Owner) Owns(ctx context.Context, id vitrine.UploadID) (owned bool, err error) {
	err = p.Store.Read(ctx, func(tx vitrine.Tx) error {
		owned, err = vitrine.OwnsBytes(tx, id)
		return err
	})
	return owned, err
}
