package publish

import (
	"context"
	"errors"

	"vitrine"
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
		return errUploadUnknown
	}
	ended := false
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		ended = false
		u, err := tx.Upload(id)
		switch {
		case errors.Is(err, vitrine.ErrNotFound) || err == nil && (u.Account != a.ID || u.State == vitrine.UploadDone):
			return errUploadUnknown
		case err != nil || u.State == vitrine.UploadFailed:
			return err
		}
		ended = true
		u.State, u.Failure = vitrine.UploadFailed, errUploadUnknown
		return tx.PutUpload(u)
	})
	if err == nil && ended {
		s.discard(ctx, []vitrine.UploadID{id})
	}
	return err
}
