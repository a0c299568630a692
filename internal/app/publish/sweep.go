package publish

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/ownership"
)

// SweepGrace is how much older than UploadLife an upload must be before Sweep
// deletes it: a Complete that began in time may still be running.
const SweepGrace = time.Hour

// sweepBatch bounds the rows of one transaction.
const sweepBatch = 500

const (
	// CheckEvery is how often the owner of the storage is checked. Sweeping
	// happens only right after the check.
	CheckEvery = time.Hour
	// ownedFor is how long this database must have owned the storage without
	// interruption before Sweep deletes bytes without an owner. By then both
	// databases have checked twice, and a process on a copy of the database has
	// noticed it.
	ownedFor = 2 * CheckEvery
	// ChunksLife is how long after its last change a file of chunks is deleted
	// at the latest, also if a crash has hidden it from its upload's end.
	ChunksLife = vitrine.UploadLife + 2*SweepGrace + LeftoversEvery + ownedFor
	// LeftoversEvery is how often storage is searched for bytes without an
	// owner. Only a crash leaves any.
	LeftoversEvery = 24 * time.Hour
)

// Sweep deletes uploads that never became a link, and their bytes. If the
// storage belongs to another database, it deletes nothing and calls
// Uploads.Foreign with ownership.ErrOtherStorage. It works once in CheckEvery,
// however often it is called, except for what signed URLs that were used again
// have stored: that counts for nobody, and is deleted at each call.
func (s *Uploads) Sweep(ctx context.Context) error {
	now := s.Now()
	if b, ok := s.Blobs.(vitrine.Bucket); ok {
		if err := b.SweepRepeated(ctx); err != nil {
			return err
		}
	}
	if !s.ownerChecked.IsZero() && now.Sub(s.ownerChecked) < CheckEvery {
		return nil
	}
	err := ownership.Storage{Store: s.Store, Blobs: s.Blobs}.Rotate(ctx)
	if errors.Is(err, ownership.ErrOtherStorage) {
		s.ownerChecked, s.ownedSince = now, time.Time{}
		if s.Foreign != nil {
			s.Foreign(err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if s.ownedSince.IsZero() || now.Sub(s.ownerChecked) >= 2*CheckEvery { // another process checked it, or none has
		s.ownedSince = now
	}
	before := now.Add(-vitrine.UploadLife - SweepGrace)
	for _, state := range []vitrine.UploadState{vitrine.UploadOpen, vitrine.UploadFailed} {
		for {
			n, err := s.sweep(ctx, state, before)
			if err != nil {
				return err
			}
			if n < sweepBatch {
				break
			}
		}
	}
	if now.Sub(s.ownedSince) >= ownedFor && now.Sub(s.leftoversSwept) >= LeftoversEvery {
		owns := func(id vitrine.UploadID) (bool, error) {
			return ownership.Storage{Store: s.Store, Blobs: s.Blobs}.MayNeed(ctx, id)
		}
		if err := s.Blobs.Sweep(ctx, before, owns); err != nil {
			return err
		}
		s.leftoversSwept = now
	}
	s.ownerChecked = now
	return nil
}

func (s *Uploads) sweep(ctx context.Context, state vitrine.UploadState, before time.Time) (int, error) {
	stale, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Upload, error) {
		return tx.StaleUploads(state, before, sweepBatch)
	})
	if err != nil {
		return 0, err
	}
	for _, u := range stale {
		gone := false
		err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
			current, err := tx.Upload(u.ID)
			if errors.Is(err, vitrine.ErrNotFound) || err == nil && current.State == vitrine.UploadDone {
				gone = false
				return nil
			}
			if err != nil {
				return err
			}
			gone = true
			if current.State == vitrine.UploadOpen {
				current.State, current.Failure = vitrine.UploadFailed, vitrine.ErrUploadUnknown
			}
			if current.HoldUntil.IsZero() {
				return tx.DeleteUpload(u.ID)
			}
			return tx.PutUpload(current) // it counts until its bytes are deleted
		})
		if err != nil {
			return 0, err
		}
		if gone {
			if err := s.Blobs.Delete(ctx, u.ID); err != nil {
				return 0, err
			}
			if err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
				return vitrine.NotFoundIsNil(tx.DeleteUpload(u.ID))
			}); err != nil {
				return 0, err
			}
		}
	}
	return len(stale), nil
}
