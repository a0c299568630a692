package vitrine

import (
	"context"
	"errors"
	"io"
	"time"
)

// ScanTime is how long a video may wait for its scan before a person must look (contract, Link states).
const ScanTime = 30 * time.Minute

// ScanPending scans the links in processing and moves each to where the scan sends it. What is interrupted is done again by the
// next call: the state is the queue.
func (s *Uploads) ScanPending(ctx context.Context) error {
	var links []*Link
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		links, err = tx.Links(LinkQuery{State: StateProcessing})
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		if err := s.scan(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func (s *Uploads) scan(ctx context.Context, l *Link) error {
	left := ScanTime - s.Now().Sub(l.StateAt)
	if left <= 0 {
		_, err := s.settle(ctx, l, StateReview, ReasonScanSlow)
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	verdict, err := s.scanBlob(bounded, l)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return nil // tried again by the next call
	case verdict.Clean:
		_, err := s.settle(ctx, l, StateLive, "")
		return err
	}
	// Bytes that stay behind when this is interrupted are swept: their link has none.
	if moved, err := s.settle(ctx, l, StateDisabled, ReasonMalware); err != nil || !moved {
		return err
	}
	return s.Blobs.Delete(ctx, l.Upload)
}

func (s *Uploads) scanBlob(ctx context.Context, l *Link) (Verdict, error) {
	blob, err := s.Blobs.Open(ctx, l.Upload)
	if err != nil {
		return Verdict{}, err
	}
	defer blob.Close()
	return s.Scanner.Scan(ctx, io.NewSectionReader(blob, 0, blob.Size()), blob.Size())
}

// settle moves a link out of processing, and tells whether it was still there.
func (s *Uploads) settle(ctx context.Context, l *Link, to LinkState, reason string) (moved bool, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		now, err := tx.Link(l.ID)
		moved = err == nil && now.State == StateProcessing
		if !moved {
			return err
		}
		now.State, now.Reason, now.StateAt = to, reason, s.Now()
		if reason == ReasonMalware {
			now.HasBytes = false
		}
		return tx.PutLink(now)
	})
	return moved, err
}

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
