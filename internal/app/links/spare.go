package links

import (
	"context"
	"errors"
	"time"

	"vitrine"
)

// Blobs is what this package uses of [vitrine.Blobs].
type Blobs interface {
	Delete(ctx context.Context, key vitrine.UploadID) error
}

// PurgeSpare deletes the bytes of spare files, and then takes the files off the
// list of [vitrine.SpareTx]. They count until then, so an account never stores
// more than its plan allows. A file whose bytes cannot be deleted stays on the
// list, so that it counts and another purge deletes it.
func PurgeSpare(ctx context.Context, store vitrine.Store, blobs Blobs, files ...vitrine.SpareFile) error {
	var failed []error
	for _, f := range files {
		err := blobs.Delete(ctx, f.Key)
		if err == nil {
			err = store.Update(ctx, func(tx vitrine.Tx) error { return strike(tx, f) })
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// strike takes a file off the list.
func strike(tx vitrine.Tx, f vitrine.SpareFile) error {
	if f.Link == 0 {
		u, err := tx.Upload(f.Key)
		if err != nil || u.State == vitrine.UploadOpen {
			return vitrine.NotFoundIsNil(err)
		}
		u.HoldUntil = time.Time{}
		return tx.PutUpload(u)
	}
	l, err := tx.Link(f.Link)
	if err != nil || l.Upload != f.Key || l.DeletedAt.IsZero() {
		return vitrine.NotFoundIsNil(err)
	}
	l.Upload = ""
	l.HasBytes = !l.OfLink() // the views of a link are purged again
	return tx.PutLink(l)
}

// MakeRoom chooses the oldest spare files of an account for PurgeSpare, until
// all that is stored for the account fits into most bytes (0: no limit). From
// the end of the transaction on, no upload becomes a link with a chosen file,
// and nobody reads it: transfers of a replaced version end.
func MakeRoom(tx vitrine.Tx, a vitrine.AccountID, most int64, now time.Time) (chosen []vitrine.SpareFile, err error) {
	if most == 0 {
		return nil, nil
	}
	u, err := UsageOf(tx, a, now, "")
	spare, failed := tx.CountSpare(a, now)
	if err := errors.Join(err, failed); err != nil || u.Bytes+u.HeldBytes+spare <= most {
		return nil, err
	}
	all, err := tx.Spare(a, now)
	for _, f := range all {
		if err != nil || u.Bytes+u.HeldBytes+spare <= most {
			break
		}
		spare -= f.Size
		chosen = append(chosen, f)
		err = end(tx, f)
	}
	return chosen, err
}

// end ends the use of a spare file.
func end(tx vitrine.Tx, f vitrine.SpareFile) error {
	if f.Link != 0 {
		l, err := tx.Link(f.Link)
		switch {
		case err != nil:
			return err
		case l.InTrash():
			return leaveTrash(tx, l)
		case l.State != vitrine.StateLive:
			return nil
		}
		hide(l)
		return tx.PutLink(l)
	}
	u, err := tx.Upload(f.Key)
	if err != nil || u.State != vitrine.UploadOpen {
		return err
	}
	u.State, u.Failure = vitrine.UploadFailed, vitrine.ErrUploadUnknown
	return tx.PutUpload(u)
}

// hide hides a deleted version from those who are reading it. It does not
// improve a worse state.
func hide(l *vitrine.Link) {
	if l.State == vitrine.StateLive {
		l.State, l.Reason = vitrine.StateDisabled, vitrine.ReasonOwner
	}
}
