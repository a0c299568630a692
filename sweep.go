package vitrine

import (
	"context"
	"errors"
	"time"
)

// sweepGrace is what an upload may be older than UploadLife before it is swept: a complete that began in time may be running.
const sweepGrace = time.Hour

// sweepAtOnce bounds the rows of one transaction.
const sweepAtOnce = 500

// Sweep removes uploads that never became a link, and what they left in storage.
func (s *Uploads) Sweep(ctx context.Context) error {
	before := s.Now().Add(-UploadLife - sweepGrace)
	for _, state := range []UploadState{UploadOpen, UploadFailed} {
		for {
			n, err := s.sweep(ctx, state, before)
			if err != nil {
				return err
			}
			if n < sweepAtOnce {
				break
			}
		}
	}
	if s.Now().Sub(s.swept) < straysEvery {
		return nil
	}
	err := s.Blobs.Sweep(ctx, before, func(id UploadID) (owned bool, err error) {
		err = s.Store.Read(ctx, func(tx Tx) error {
			owned, err = ownsBytes(tx, id)
			return err
		})
		return owned, err
	})
	if err == nil {
		s.swept = s.Now()
	}
	return err
}

// straysEvery is how often storage is gone through for bytes that nobody owns; only a crash leaves such.
const straysEvery = 24 * time.Hour

// ownsBytes tells whether an upload may still need its bytes: it is open, or its link has them.
func ownsBytes(tx Tx, id UploadID) (bool, error) {
	u, err := tx.Upload(id)
	if err != nil || u.State != UploadDone {
		return err == nil && u.State == UploadOpen, notFoundIsNil(err)
	}
	l, err := tx.Link(u.Link)
	return err == nil && l.Upload == id && l.HasBytes, notFoundIsNil(err)
}

func (s *Uploads) sweep(ctx context.Context, state UploadState, before time.Time) (int, error) {
	var stale []*Upload
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		stale, err = tx.StaleUploads(state, before, sweepAtOnce)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, u := range stale {
		gone := false
		err := s.Store.Update(ctx, func(tx Tx) error {
			now, err := tx.Upload(u.ID)
			if errors.Is(err, ErrNotFound) || err == nil && now.State == UploadDone {
				gone = false
				return nil
			}
			if err != nil {
				return err
			}
			gone = true
			return tx.DeleteUpload(u.ID)
		})
		if err != nil {
			return 0, err
		}
		if gone {
			if err := s.Blobs.Delete(ctx, u.ID); err != nil {
				return 0, err
			}
		}
	}
	return len(stale), nil
}
