package publish

import (
	"context"

	"vitrine"
)

// Uploads whose hold has ended do not count against the plan, but their bytes
// may still be stored. They stay while the plan's storage has room for them, so
// that a late Complete works. When an upload needs the room, the oldest of them
// are ended.

// endLapsedUploads ends the oldest uploads of an account whose hold has ended,
// until all its bytes fit into its plan. It returns the ended uploads. The
// caller must delete their bytes after the transaction.
func (s *Uploads) endLapsedUploads(tx vitrine.Tx, id vitrine.AccountID) (ended []vitrine.UploadID, err error) {
	a, err := tx.Account(id)
	if err != nil {
		return nil, err
	}
	most := s.Plans.LimitsOf(a).StorageBytes
	if most == 0 {
		return nil, nil
	}
	now := s.Now()
	_, bytes, err := tx.CountLinks(id)
	if err != nil {
		return nil, err
	}
	_, held, err := tx.Held(id, now, "")
	if err != nil {
		return nil, err
	}
	for {
		lapsed, oldest, err := tx.Lapsed(id, now)
		if err != nil || lapsed == 0 || bytes+held+lapsed <= most {
			return ended, err
		}
		oldest.State, oldest.Failure = vitrine.UploadFailed, errUploadUnknown
		if err := tx.PutUpload(oldest); err != nil {
			return nil, err
		}
		ended = append(ended, oldest.ID)
	}
}

// discard deletes the bytes of uploads that ended without a check. If that
// fails, they are swept with the upload.
func (s *Uploads) discard(ctx context.Context, ended []vitrine.UploadID) {
	for _, id := range ended {
		_ = s.Blobs.Delete(context.WithoutCancel(ctx), id)
	}
}
