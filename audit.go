package vitrine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"
)

// Audit checks at rest what must never happen: that every link has the bytes it was made of, that one upload made one link,
// that nothing is stored that nobody owns, and that what is derived equals a recount.
type Audit struct {
	Store Store
	Blobs Blobs
	Log   ViewLog
	Now   func() time.Time
	// Deep reads all bytes and compares their SHA-256.
	Deep bool
	// All recounts every sum that the log keeps, not a sample.
	All bool
	// Tally is called in place of Run's fault for a stored tally, which
	// [ViewLog.Rebuild] makes again. It may be nil.
	Tally func(string)
}

// Run calls fault with a sentence for each thing that is wrong. An error means that the audit could not be done.
func (a *Audit) Run(ctx context.Context, fault func(string)) error {
	owned := map[UploadID]bool{}
	var links []*Link
	err := a.Store.Read(ctx, func(tx Tx) error {
		var err error
		if links, err = tx.Links(LinkQuery{}); err != nil {
			return err
		}
		for _, l := range links {
			if err := auditLink(tx, l, owned, fault); err != nil {
				return err
			}
		}
		if err := auditOldSlugs(tx, a.Now(), fault); err != nil {
			return err
		}
		if err := errors.Join(auditSites(tx, links, fault), auditAlbums(tx, fault), auditAccounts(tx, links, fault)); err != nil {
			return err
		}
		deleted, err := tx.Links(LinkQuery{WithBytes: true})
		for _, l := range deleted {
			owned[l.Upload] = true // removed by the next purge
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.HasBytes {
			if err := a.bytes(ctx, l, fault); err != nil {
				return err
			}
		}
	}
	if err := a.strays(ctx, owned, fault); err != nil {
		return err
	}
	if err := a.strangers(ctx, links, fault); err != nil {
		return err
	}
	return a.Log.Audit(ctx, a.All, func(text string, tally bool) {
		if tally && a.Tally != nil {
			a.Tally(text)
		} else {
			fault(text)
		}
	})
}

// auditLink checks a link's row against its account and its upload.
func auditLink(tx Tx, l *Link, owned map[UploadID]bool, fault func(string)) error {
	if _, err := tx.Account(l.Account); errors.Is(err, ErrNotFound) {
		fault(fmt.Sprintf("link %s: its account %d does not exist", l.Slug, l.Account))
	} else if err != nil {
		return err
	}
	if err := auditHistory(tx, l, fault); err != nil || l.Upload == "" {
		return err
	}
	if owned[l.Upload] {
		fault(fmt.Sprintf("link %s: upload %s made another link, too", l.Slug, l.Upload))
	}
	owned[l.Upload] = true
	u, err := tx.Upload(l.Upload)
	switch {
	case errors.Is(err, ErrNotFound):
		fault(fmt.Sprintf("link %s: its upload %s does not exist", l.Slug, l.Upload))
	case err != nil:
		return err
	case u.State != UploadDone || u.Link != l.ID:
		fault(fmt.Sprintf("link %s: its upload %s is %s and names link %d", l.Slug, u.ID, u.State, u.Link))
	case u.Size != l.Size:
		fault(fmt.Sprintf("link %s: %d bytes, but %d were announced", l.Slug, l.Size, u.Size))
	}
	return nil
}

// auditHistory checks that a link is in the state that its history ends with, and that it came into review or out of it in no other way
// than the contract's (contract, Link states).
func auditHistory(tx Tx, l *Link, fault func(string)) error {
	history, err := tx.Changes(ChangeQuery{Link: l.ID})
	if err != nil {
		return err
	}
	if len(history) == 0 {
		fault(fmt.Sprintf("link %s: it has no history", l.Slug))
		return nil
	}
	if last := history[0]; last.To != l.State || last.Reason != l.Reason {
		fault(fmt.Sprintf("link %s: it is %s (%s), but its history ends with %s (%s)", l.Slug, l.State, l.Reason, last.To, last.Reason))
	}
	for _, c := range history {
		person := c.By.Kind == ActorModerator || c.By.Kind == ActorOperator || c.By.Kind == ActorOwner
		if c.From == StateReview && c.To == StateLive && !person {
			fault(fmt.Sprintf("link %s: %s moved it from review to live, which only a person may", l.Slug, c.By.Kind))
		}
	}
	return nil
}

func (a *Audit) bytes(ctx context.Context, l *Link, fault func(string)) error {
	blob, err := a.Blobs.Open(ctx, l.Upload)
	if errors.Is(err, ErrNotFound) {
		return a.gone(ctx, l, "its bytes are gone", func(now *Link) bool { return now.HasBytes }, fault)
	}
	if err != nil {
		return err
	}
	defer blob.Close()
	if blob.Size() != l.Size {
		fault(fmt.Sprintf("link %s: %d bytes are stored, not %d", l.Slug, blob.Size(), l.Size))
	}
	for _, p := range l.Parts.All() {
		if err := a.part(ctx, l, p, fault); err != nil {
			return err
		}
	}
	if !a.Deep {
		return nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, blob); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != l.SHA256 {
		fault(fmt.Sprintf("link %s: the stored bytes have SHA-256 %s, not %s", l.Slug, got, l.SHA256))
	}
	return nil
}

func (a *Audit) part(ctx context.Context, l *Link, p Part, fault func(string)) error {
	part, err := a.Blobs.OpenPart(ctx, l.Upload, p)
	if errors.Is(err, ErrNotFound) {
		return a.gone(ctx, l, fmt.Sprintf("its part %s is gone", p), func(now *Link) bool { return now.HasBytes && now.Parts.Has(p) }, fault)
	}
	if err != nil {
		return err
	}
	return part.Close()
}

// gone speaks of what a link names and has not, unless the link, looked at again, is deleted or does not name it any more.
func (a *Audit) gone(ctx context.Context, l *Link, what string, names func(*Link) bool, fault func(string)) error {
	var now *Link
	err := a.Store.Read(ctx, func(tx Tx) (err error) {
		now, err = tx.Link(l.ID)
		return notFoundIsNil(err)
	})
	if err == nil && now != nil && now.DeletedAt.IsZero() && names(now) {
		fault(fmt.Sprintf("link %s: %s", l.Slug, what))
	}
	return err
}

// strays finds sealed bytes that belong to no link and to no upload that may still become one.
func (a *Audit) strays(ctx context.Context, owned map[UploadID]bool, fault func(string)) error {
	var stray []UploadID
	err := a.Blobs.Each(ctx, func(id UploadID, _ BlobInfo) error {
		if !owned[id] {
			stray = append(stray, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = StorageOwner{Store: a.Store, Blobs: a.Blobs}.Verify(ctx)
	waits := errors.Is(err, ErrOtherPlace) // then nothing is swept
	if err != nil && !waits {
		return err
	}
	return a.Store.Read(ctx, func(tx Tx) error {
		for _, id := range stray {
			u, err := tx.Upload(id)
			if err == nil && u.State == UploadDone {
				// Made, or being deleted, since the audit began.
				if l, err := tx.Link(u.Link); err == nil && l.HasBytes && l.Upload == id {
					continue
				}
			}
			switch {
			case err == nil && u.State == UploadOpen && (waits || a.Now().Sub(u.CreatedAt) < UploadLife+2*sweepGrace+placeEvery):
			case err == nil && u.State == UploadFailed: // swept with its upload
			case err == nil || errors.Is(err, ErrNotFound):
				fault(fmt.Sprintf("bytes %s belong to no link", id))
			default:
				return err
			}
		}
		return nil
	})
}
