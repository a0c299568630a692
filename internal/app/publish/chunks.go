package publish

import (
	"context"
	"errors"
	"io"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/links"
)

// Resumer stores the bytes of an upload in chunks, one behind the other. It and
// the signed PUT may be used at the same time: the first to store all bytes
// wins. Some [vitrine.Blobs] implement it. Their Delete and Sweep also apply to
// chunks.
type Resumer interface {
	// Received returns how many of the granted bytes are durable: all of them
	// once they are stored completely. Errors: CodeURLUsed after Delete.
	Received(ctx context.Context, g vitrine.PutGrant) (int64, error)

	// Append stores a chunk behind the first offset bytes, durably, and returns
	// how many have arrived then. verify, unless nil, is called at the end of
	// body; its error refuses the chunk. Of a chunk that breaks off, what
	// arrived stays, unless it has a verify. A bucket may keep up to 64 KiB
	// less of any chunk but the last, and refuses a smaller one with
	// CodeSizeMismatch. After any other error nothing of a chunk with a verify
	// stays, and of another one at most its beginning.
	// Errors: CodeOffsetMismatch, CodeTooManyBytes (nothing of the chunk stays;
	// in a bucket, whole parts do), CodeUploadInProgress (another chunk of the
	// key is arriving), CodeURLUsed (all bytes are or were stored),
	// CodeSizeMismatch (the chunk broke off), CodeUnavailable, and those of
	// body and verify.
	Append(ctx context.Context, g vitrine.PutGrant, offset int64, body io.Reader, verify func() error) (int64, error)

	// Unfinished calls f with each key whose chunks are not all of its bytes,
	// their size and when they last changed, for the audit.
	Unfinished(ctx context.Context, f func(key vitrine.UploadID, bytes int64, at time.Time) error) error
}

// Resumer returns the storage if it takes chunks, or nil.
func (s *Uploads) Resumer() Resumer {
	r, _ := s.Blobs.(Resumer)
	return r
}

// Append stores a chunk of an upload (Resumer.Append). Of the processes of an
// instance, one at a time appends to an upload.
func (s *Uploads) Append(ctx context.Context, g vitrine.PutGrant, offset int64, body io.Reader,
	verify func() error) (n int64, err error) {
	r := s.Resumer()
	if _, locks := r.(vitrine.Receiver); locks { // files have locks
		return r.Append(ctx, g, offset, body, verify)
	}
	inProgress := vitrine.Errorf(vitrine.CodeUploadInProgress,
		"Another chunk of this upload is arriving. Wait for its end.")
	if _, busy := s.appending.LoadOrStore(g.Key, true); busy {
		return 0, inProgress
	}
	defer s.appending.Delete(g.Key)
	held, err := s.Leases.Hold(ctx, "chunk "+string(g.Key), nil, func(ctx context.Context) error {
		n, err = r.Append(ctx, g, offset, body, verify)
		return err
	})
	if !held && err == nil {
		err = inProgress
	}
	if errors.Is(err, fleet.ErrLost) {
		err = vitrine.Unavailable(err)
	}
	return n, err
}

// renewEvery is how old the hold of an upload is when a chunk renews it.
const renewEvery = time.Minute

// Resumable returns an upload that arrives in chunks: an open one, or one that
// has become a link.
//
// Errors: CodeNotFound (the upload does not exist, has expired, was cancelled
// or was refused), CodeBanned.
func (s *Uploads) Resumable(ctx context.Context, id vitrine.UploadID) (u *vitrine.Upload, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u, err = s.resumable(tx, id)
		return err
	})
	return u, err
}

// ErrNoUpload is returned for the address of an upload in chunks at which there
// is none.
var ErrNoUpload = vitrine.Errorf(vitrine.CodeNotFound,
	"There is no unfinished upload at this address. Begin again with step 1.")

func (s *Uploads) resumable(tx vitrine.Tx, id vitrine.UploadID) (*vitrine.Upload, error) {
	u, err := tx.Upload(id)
	if errors.Is(err, vitrine.ErrNotFound) {
		return nil, ErrNoUpload
	}
	if err != nil {
		return nil, err
	}
	a, err := tx.Account(u.Account)
	switch {
	case err != nil:
		return nil, err
	case a.Banned:
		return nil, vitrine.ErrBanned
	case u.State == vitrine.UploadFailed,
		u.State == vitrine.UploadOpen && s.Now().Sub(u.CreatedAt) >= vitrine.UploadLife:
		return nil, ErrNoUpload
	}
	return u, nil
}

// Chunk returns a body of a chunk of an upload, whose hold is renewed before it
// is read and while it is. Reading fails when the upload ends.
//
// Errors: those of Resumable, CodeURLUsed (the upload has become a link), and,
// if its hold has ended, the 403 and 429 rows of the contract.
func (s *Uploads) Chunk(ctx context.Context, id vitrine.UploadID, body io.Reader) (io.Reader, error) {
	b := &heldBody{ctx: ctx, uploads: s, id: id, body: body}
	return b, b.renew()
}

type heldBody struct {
	ctx     context.Context
	uploads *Uploads
	id      vitrine.UploadID
	body    io.Reader
	renewed time.Time
}

func (b *heldBody) Read(p []byte) (int, error) {
	if b.uploads.Now().Sub(b.renewed) >= renewEvery {
		if err := b.renew(); err != nil {
			return 0, err
		}
	}
	return b.body.Read(p)
}

func (b *heldBody) renew() error {
	b.renewed = b.uploads.Now()
	return b.uploads.renew(b.ctx, b.id)
}

// renew lets an open upload hold its slug, link slot and bytes for another
// UploadHold, at most until UploadLife after its start.
func (s *Uploads) renew(ctx context.Context, id vitrine.UploadID) error {
	now := s.Now()
	fresh := false
	err := s.Store.Read(ctx, func(tx vitrine.Tx) error {
		u, err := s.continued(tx, id)
		fresh = err == nil && holdOf(u, now).Sub(u.HoldUntil) < renewEvery
		return err
	})
	if err != nil || fresh {
		return err
	}
	var chosen []vitrine.SpareFile
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		chosen = nil
		u, err := s.continued(tx, id)
		if err != nil {
			return err
		}
		ended := !now.Before(u.HoldUntil)
		if ended {
			if err := s.admit(tx, u, now, false); err != nil {
				return err
			}
		}
		u.HoldUntil = holdOf(u, now)
		if err := tx.PutUpload(u); err != nil || !ended {
			return err
		}
		chosen, err = s.makeRoom(tx, u.Account)
		return err
	})
	if err == nil {
		err = links.PurgeSpare(context.WithoutCancel(ctx), s.Store, s.Blobs, chosen...)
	}
	return err
}

// continued returns an open upload.
func (s *Uploads) continued(tx vitrine.Tx, id vitrine.UploadID) (*vitrine.Upload, error) {
	u, err := s.resumable(tx, id)
	if err == nil && u.State != vitrine.UploadOpen {
		err = vitrine.Errorf(vitrine.CodeURLUsed, "This upload already has its file. Continue with step 3.")
	}
	return u, err
}

// holdOf returns until when an upload that is continued now holds something.
func holdOf(u *vitrine.Upload, now time.Time) time.Time {
	until, end := now.Add(vitrine.UploadHold), u.CreatedAt.Add(vitrine.UploadLife)
	if until.After(end) {
		return end
	}
	return until
}

// Terminate ends an upload as Cancel does, for a program that has its address.
func (s *Uploads) Terminate(ctx context.Context, id vitrine.UploadID) error {
	u, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Upload, error) { return s.continued(tx, id) })
	if err != nil {
		return err
	}
	return s.Cancel(ctx, &vitrine.Account{ID: u.Account}, string(id))
}
