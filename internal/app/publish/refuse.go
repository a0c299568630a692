package publish

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/app/ownership"
)

// refuse ends an upload that a step refused and deletes its bytes. It returns
// cause, as later retries do, or why the refusal is not stored.
func (c *completion) refuse(ctx context.Context, cause error) error {
	made := false
	err := c.Store.Update(ctx, func(tx vitrine.Tx) error {
		made = false
		u, err := tx.Upload(c.upload.ID)
		if err != nil || u.State == vitrine.UploadFailed {
			return err
		}
		var e *vitrine.Error
		errors.As(cause, &e)
		if made = u.State == vitrine.UploadDone; made {
			return c.markForRescan(tx, u, e)
		}
		u.State, u.Failure, u.HoldUntil = vitrine.UploadFailed, e, c.Now()
		if h := refusal(u, e); h != nil {
			h.At = c.Now()
			if err := h.Add(tx, vitrine.EventUploadFailed); err != nil {
				return err
			}
		}
		return tx.PutUpload(u)
	})
	switch {
	case err != nil:
		return err
	case made:
		return errors.New("another process made the link that this one refused: " + cause.Error())
	}
	c.purge(ctx)
	return cause
}

// purge deletes the bytes of an upload that has ended without them. If that
// fails, they stay on the list of spare files, and a later purge deletes them.
func (c *completion) purge(ctx context.Context) {
	_ = links.PurgeSpare(ctx, c.Store, c.Blobs, vitrine.SpareFile{Key: c.upload.ID})
}

// refusal returns the entry in the history for a dangerous file, so that
// moderators see who sends such files. It is nil for any other failure.
func refusal(u *vitrine.Upload, e *vitrine.Error) *vitrine.Change {
	by := vitrine.Actor{Kind: vitrine.ActorInspection}
	switch e.Code {
	case vitrine.CodeMalware:
		by.Kind = vitrine.ActorScanner
	case vitrine.CodeUnsafeFile:
	default:
		return nil
	}
	return &vitrine.Change{By: by, Action: vitrine.ActionRefuse, Account: u.Account, Reason: e.Reason, Detail: u.Name,
		Note: e.Message}
}

// markForRescan marks a link to be scanned again if the scanner found malware
// here while another process made the link.
func (c *completion) markForRescan(tx vitrine.LinkTx, u *vitrine.Upload, e *vitrine.Error) error {
	if e.Code != vitrine.CodeMalware {
		return nil
	}
	l, err := ownership.LinkByUpload(tx, u)
	if err != nil {
		return vitrine.NotFoundIsNil(err)
	}
	l.Scanned = "doubted " + c.Now().UTC().Format(time.RFC3339Nano) // no signature version has this form
	return tx.PutLink(l)
}
