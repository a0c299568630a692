package publish

import (
	"context"
	"errors"
	"io"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

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

// Terminate ends an upload at the wish of whoever has its address, as Cancel
// does.
func (s *Uploads) Terminate(ctx context.Context, id vitrine.UploadID) error {
	u, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Upload, error) { return s.continued(tx, id) })
	if err != nil {
		return err
	}
	return s.Cancel(ctx, &vitrine.Account{ID: u.Account}, string(id))
}
