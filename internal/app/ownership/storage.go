package ownership

import (
	"cmp"
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
	Marker(ctx context.Context) (string, error)
	PutMarker(ctx context.Context, token string) error
}

// Storage records which database owns a directory or a bucket of files, so that
// the sweeper never deletes the files of another database. That could happen
// with storage that was named by mistake, with a copy of a database, or after
// a backup replaced a later state of this database.
//
// A marker in the storage holds a random token, and the store has a copy of it.
// [Storage.Rotate] replaces both again and again. Storage without a marker may
// be used by any database. But if the store knows a token and the newest files
// are missing too, it is the wrong storage, for example a volume that is not
// mounted. Storage with another token was used by another database since, or by
// a later state of this one. It is disputed and belongs to no database until
// [Storage.Claim]. So when two databases use one storage in turns, both notice.
//
// A new token is written to the store before it is written to the storage, so
// no crash makes the two differ. Processes of one store that rotate at the same
// time write the same token.
type Storage struct {
	Store vitrine.Store
	Blobs Blobs

	// Doubt is how long a token that the store does not know is doubted. A
	// process of this database that wrote one too late, or has just written the
	// next, must have corrected it by then. 0 means disputeDelay.
	Doubt time.Duration
}

// The names under which the store keeps the tokens, and the token that marks
// disputed storage.
const (
	tokenSecret     = "mark"      // the token that the storage has
	nextTokenSecret = "mark next" // the token that is being written, or the same one
	disputed        = "DISPUTED"
)

// replacedTries bounds how often other processes of the same store may come
// between the steps of Rotate or Claim.
const replacedTries = 20

// ErrOtherStorage means that the storage does not belong to this database, so
// that nothing there may be swept. errors.Is reports errMissing as
// ErrOtherStorage.
var ErrOtherStorage error = notOwned("these files were last used by another database, or by a later state of this one")

const errMissing = notOwned("the storage has neither its marker nor the newest files that the database knows, as if a volume were not mounted")

type notOwned string

func (e notOwned) Error() string        { return string(e) }
func (e notOwned) Is(target error) bool { return target == ErrOtherStorage }

// tokens are the store's copies of the token.
type tokens struct{ current, next string }

// own reports whether a token in the storage is this database's. It is true for
// "", storage without a token.
func (m tokens) own(token string) bool { return token == "" || token == m.current || token == m.next }

func readTokens(tx vitrine.SecretTx) (m tokens, err error) {
	for _, s := range []struct {
		name string
		text *string
	}{{tokenSecret, &m.current}, {nextTokenSecret, &m.next}} {
		text, err := tx.Secret(s.name)
		if err := vitrine.NotFoundIsNil(err); err != nil {
			return m, err
		}
		*s.text = string(text)
	}
	return m, nil
}

// Verify returns nil if the storage is this database's, ErrOtherStorage if it
// is not, or the error that kept it from finding out. It changes nothing.
func (p Storage) Verify(ctx context.Context) error {
	m, token, err := p.read(ctx)
	if err == nil && token == "" {
		return p.verifyEmpty(ctx, m)
	}
	if err != nil || m.own(token) {
		return err
	}
	if stays, err := p.stays(ctx, token); err != nil || !stays {
		return err
	}
	return ErrOtherStorage
}

// stays reports whether the storage has another database's token for the whole
// time of doubt, and not only until a process of this database corrects it.
func (p Storage) stays(ctx context.Context, token string) (bool, error) {
	doubt := cmp.Or(p.Doubt, disputeDelay)
	for waited := time.Duration(0); waited < doubt; waited += lookAgain {
		if err := pause(ctx, lookAgain); err != nil {
			return false, err
		}
		m, found, err := p.read(ctx)
		if err != nil || m.own(found) {
			return false, err
		}
		if found != token { // another process is between its steps
			token, waited = found, 0
		}
	}
	return true, nil
}

// newestLinks is how many of the newest files verifyEmpty searches for. One is
// enough.
const newestLinks = 5

// verifyEmpty returns errMissing for storage without a marker if the store
// knows a token and the newest published files are missing.
func (p Storage) verifyEmpty(ctx context.Context, m tokens) error {
	if m.current == "" {
		return nil
	}
	newest, err := vitrine.Read(ctx, p.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.Links(vitrine.LinkQuery{State: vitrine.StateLive, Files: true, Limit: newestLinks})
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
	return errMissing
}

// Token returns the token that the storage should have, or "" before the first.
func (p Storage) Token(ctx context.Context) (string, error) {
	m, err := vitrine.Read(ctx, p.Store, func(tx vitrine.Tx) (tokens, error) {
		return readTokens(tx)
	})
	return m.current, err
}

func (p Storage) read(ctx context.Context) (m tokens, token string, err error) {
	m, err = vitrine.Read(ctx, p.Store, func(tx vitrine.Tx) (tokens, error) {
		return readTokens(tx)
	})
	if err == nil {
		token, err = p.Blobs.Marker(ctx)
	}
	return m, token, err
}

// Rotate writes the next token if the storage is this database's. Otherwise it
// marks the storage as disputed and returns ErrOtherStorage.
func (p Storage) Rotate(ctx context.Context) error {
	var put, doubted string // the tokens that this call wrote and doubted
	for range replacedTries {
		m, err := p.begin(ctx, "")
		if err != nil {
			return err
		}
		found, err := p.Blobs.Marker(ctx)
		if err != nil {
			return err
		}
		if found == "" {
			if err := p.verifyEmpty(ctx, m); err != nil {
				return err
			}
		}
		switch decide(m, found, put, doubted) {
		case rotate:
			put = m.next
			if done, err := p.put(ctx, m.next); done || err != nil {
				return err
			}
		case doubt:
			doubted = found
			if _, err := p.stays(ctx, found); err != nil {
				return err
			}
		case dispute:
			if err := p.Blobs.PutMarker(ctx, disputed); err != nil {
				return err
			}
			return ErrOtherStorage
		case refuse:
			return ErrOtherStorage
		}
	}
	return p.errShared()
}

// A step is what Rotate does about the token that it found.
type step int

const (
	rotate  step = iota // write the next token
	doubt               // look again after disputeDelay
	dispute             // mark the storage as disputed
	refuse              // it is disputed already
)

// decide returns the next step of Rotate. found is the token in the storage,
// put the one that this call wrote last, and doubted the one that it has
// doubted. A token of another database is doubted once before it is disputed.
func decide(m tokens, found, put, doubted string) step {
	switch {
	case m.own(found), found == put:
		return rotate
	case found == disputed:
		return refuse
	case found == doubted:
		return dispute
	default:
		return doubt
	}
}

const (
	disputeDelay = 300 * time.Millisecond
	lookAgain    = 50 * time.Millisecond // while a token is doubted
)

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

// Claim makes the storage this database's, regardless of the previous owner.
func (p Storage) Claim(ctx context.Context) error {
	for range replacedTries {
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

func (p Storage) errShared() error {
	return vitrine.Unavailable(fmt.Errorf("other processes rotated the marker of the storage %d times at the same time",
		replacedTries))
}

// begin records the token that will be written next: next if it is not "",
// otherwise the recorded one, or a new one.
func (p Storage) begin(ctx context.Context, next string) (m tokens, err error) {
	err = p.Store.Update(ctx, func(tx vitrine.Tx) error {
		if m, err = readTokens(tx); err != nil || next == "" && m.next != m.current {
			return err
		}
		if m.next = next; next == "" {
			m.next = rand.Text()
		}
		return tx.PutSecret(nextTokenSecret, []byte(m.next))
	})
	return m, err
}

// put writes the next token and records that it is there. done is false if
// another token is the next by now, even if this one is still the current one:
// it may have overwritten the other one, and another try corrects it.
func (p Storage) put(ctx context.Context, next string) (done bool, err error) {
	if err := p.Blobs.PutMarker(ctx, next); err != nil {
		return false, err
	}
	err = p.Store.Update(ctx, func(tx vitrine.Tx) error {
		stored, err := readTokens(tx)
		if done = err == nil && stored.next == next; !done || stored.current == next {
			return err
		}
		return tx.PutSecret(tokenSecret, []byte(next))
	})
	return done && err == nil, err
}

// CountUnowned counts the files that the database does not know, and their
// bytes.
func (p Storage) CountUnowned(ctx context.Context) (files, bytes int64, err error) {
	err = p.Blobs.Each(ctx, func(id vitrine.UploadID, info vitrine.BlobInfo) error {
		owned, err := p.MayNeed(ctx, id)
		if err == nil && !owned {
			files, bytes = files+1, bytes+info.Size
		}
		return err
	})
	return files, bytes, err
}

// MayNeed reports whether the database may still need the bytes of an upload.
func (p Storage) MayNeed(ctx context.Context, id vitrine.UploadID) (owned bool, err error) {
	return vitrine.Read(ctx, p.Store, func(tx vitrine.Tx) (bool, error) {
		return OwnsBytes(tx, id)
	})
}
