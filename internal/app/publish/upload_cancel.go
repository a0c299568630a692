package publish

import (
	"context"
	"errors"

	"vitrine"
	"vitrine/internal/app/links"
)

// Cancel ends an unfinished upload of the account at once: it releases the
// link, the storage and the slug that it holds, and deletes its bytes. An
// upload that has ended without a link stays as it is.
//
// Errors: CodeUploadNotFound for any other path, also that of an upload that
// has become a link.
func (s *Uploads) Cancel(ctx context.Context, a *vitrine.Account, path string) error {
	id, ok := vitrine.ParseUploadID(path)
	if !ok {
		return vitrine.ErrUploadUnknown
	}
	ended := false
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		ended = false
		u, err := tx.Upload(id)
		switch {
		case errors.Is(err, vitrine.ErrNotFound) || err == nil && (u.Account != a.ID || u.State == vitrine.UploadDone):
			return vitrine.ErrUploadUnknown
		case err != nil || u.State == vitrine.UploadFailed:
			return err
		}
		ended = true
		u.State, u.Failure, u.HoldUntil = vitrine.UploadFailed, vitrine.ErrUploadUnknown, s.Now()
		return tx.PutUpload(u)
	})
	if err == nil && ended {
		_ = links.PurgeSpare(context.WithoutCancel(ctx), s.Store, s.Blobs, vitrine.SpareFile{Key: id}) // or a later one does
	}
	return err
}
