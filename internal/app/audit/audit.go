// Package audit checks that the store, the files and the view log agree, for
// each link and day (docs/specification/promises.md).
package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/app/publish"
)

// Blobs is what this package uses of [vitrine.Blobs].
type Blobs interface {
	ownership.Blobs
	Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error)
	OpenPart(ctx context.Context, key vitrine.UploadID, p vitrine.Part) (vitrine.Blob, error)
}

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	EachScope(ctx context.Context, f func(vitrine.Scope) error) error
	Audit(ctx context.Context, all bool, fault func(text string, tally bool)) error
}

// Checker checks the promises against what is stored: every link has its bytes,
// an upload made at most one link, everything stored has an owner, and derived
// numbers equal a recount.
type Checker struct {
	Store vitrine.Store
	Blobs Blobs
	Log   Log
	Now   func() time.Time
	// Deep also reads all bytes and compares their SHA-256.
	Deep bool
	// All recounts every stored tally instead of a sample.
	All bool
	// Tally, if set, is called instead of fault for a wrong stored tally.
	// [vitrine.ViewLog.Rebuild] can replace such a tally.
	Tally func(string)
}

// Run calls fault with a sentence for each problem. It returns an error if the
// audit could not be completed.
func (a *Checker) Run(ctx context.Context, fault func(string)) error {
	owned := map[vitrine.UploadID]bool{}
	var kept []*vitrine.Link // in the trash, too
	err := a.Store.Read(ctx, func(tx vitrine.Tx) error {
		links, err := tx.Links(vitrine.LinkQuery{})
		if err != nil {
			return err
		}
		trashed, err := auditTrash(tx, a.Now(), fault)
		if err != nil {
			return err
		}
		kept = slices.Concat(links, trashed)
		for _, l := range kept {
			if err := auditLink(tx, l, owned, fault); err != nil {
				return err
			}
		}
		if err := errors.Join(auditOldSlugs(tx, a.Now(), fault), auditRecipients(tx, kept, fault),
			auditReaders(tx, kept, fault)); err != nil {
			return err
		}
		auditVersions(kept, fault)
		if err := errors.Join(auditSites(tx, links, fault), auditAlbums(tx, fault),
			auditAccounts(tx, kept, fault)); err != nil {
			return err
		}
		deleted, err := tx.Links(vitrine.LinkQuery{WithBytes: true})
		for _, l := range deleted {
			owned[l.Upload] = true // a purge deletes the bytes
		}
		return errors.Join(err, auditLinkCounts(tx, kept, fault), auditStorage(tx, links, deleted, a.Now(), fault))
	})
	if err != nil {
		return err
	}
	for _, l := range kept {
		if l.HasBytes {
			if err := a.bytes(ctx, l, fault); err != nil {
				return err
			}
		}
	}
	if err := a.auditUnownedBlobs(ctx, owned, fault); err != nil {
		return err
	}
	if err := a.auditUnfinished(ctx, fault); err != nil {
		return err
	}
	if err := a.auditUnknownScopes(ctx, kept, fault); err != nil {
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
func auditLink(tx vitrine.Tx, l *vitrine.Link, owned map[vitrine.UploadID]bool, fault func(string)) error {
	if _, err := tx.Account(l.Account); errors.Is(err, vitrine.ErrNotFound) {
		fault(fmt.Sprintf("link %s: its account %d does not exist", l.Slug, l.Account))
	} else if err != nil {
		return err
	}
	auditNotes(l, fault)
	if err := errors.Join(auditAccess(tx, l, fault), auditHistory(tx, l, fault)); err != nil || l.Upload == "" {
		return err
	}
	if owned[l.Upload] {
		fault(fmt.Sprintf("link %s: upload %s has another link, too", l.Slug, l.Upload))
	}
	owned[l.Upload] = true
	u, err := tx.Upload(l.Upload)
	switch {
	case errors.Is(err, vitrine.ErrNotFound):
		fault(fmt.Sprintf("link %s: its upload %s does not exist", l.Slug, l.Upload))
	case err != nil:
		return err
	case u.State != vitrine.UploadDone || u.Link != l.ID && (!l.OfLink() || u.Link != l.Of):
		fault(fmt.Sprintf("link %s: its upload %s is %s and names link %d", l.Slug, u.ID, u.State, u.Link))
	case u.Size != l.Size:
		fault(fmt.Sprintf("link %s: %d bytes, but %d were announced", l.Slug, l.Size, u.Size))
	}
	return nil
}

// auditHistory checks that a link is in the state in which its history ends,
// and that it entered and left review only as allowed (contract, Link states).
func auditHistory(tx vitrine.ChangeTx, l *vitrine.Link, fault func(string)) error {
	history, err := tx.Changes(vitrine.ChangeQuery{Link: l.ID})
	if err != nil {
		return err
	}
	if len(history) == 0 {
		fault(fmt.Sprintf("link %s: it has no history", l.Slug))
		return nil
	}
	if last := history[0]; l.InTrash() && !l.OfLink() {
		if last.To != "" {
			fault(fmt.Sprintf("link %s: it is in the trash, but its history ends with %s", l.Slug, last.To))
		}
	} else if last.To != l.State || last.Reason != l.Reason {
		fault(fmt.Sprintf("link %s: its state is %s (%s), but its history ends with %s (%s)", l.Slug, l.State, l.Reason,
			last.To, last.Reason))
	}
	for _, c := range history {
		moderator := c.By.Kind == vitrine.ActorModerator || c.By.Kind == vitrine.ActorAdministrator
		if c.From == vitrine.StateReview && c.To == vitrine.StateLive && !moderator {
			fault(fmt.Sprintf("link %s: %s moved it from review to live, which only a moderator may", l.Slug,
				c.By.Kind))
		}
	}
	return nil
}

func (a *Checker) bytes(ctx context.Context, l *vitrine.Link, fault func(string)) error {
	blob, err := a.Blobs.Open(ctx, l.Upload)
	if errors.Is(err, vitrine.ErrNotFound) {
		return a.reportMissing(ctx, l, "its bytes are missing", func(now *vitrine.Link) bool { return now.HasBytes },
			fault)
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

func (a *Checker) part(ctx context.Context, l *vitrine.Link, p vitrine.Part, fault func(string)) error {
	part, err := a.Blobs.OpenPart(ctx, l.Upload, p)
	if errors.Is(err, vitrine.ErrNotFound) {
		return a.reportMissing(ctx, l, fmt.Sprintf("its part %s is missing", p),
			func(now *vitrine.Link) bool { return now.HasBytes && now.Parts.Has(p) }, fault)
	}
	if err != nil {
		return err
	}
	return part.Close()
}

// reportMissing reports a missing file that a link names. It reads the link
// again first, because the link may have been deleted or changed during the
// audit.
func (a *Checker) reportMissing(ctx context.Context, l *vitrine.Link, what string, names func(*vitrine.Link) bool,
	fault func(string)) error {
	var current *vitrine.Link
	err := a.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		current, err = tx.Link(l.ID)
		return vitrine.NotFoundIsNil(err)
	})
	if err == nil && current != nil && current.Kept() && names(current) {
		fault(fmt.Sprintf("link %s: %s", l.Slug, what))
	}
	return err
}

// auditUnownedBlobs finds sealed bytes that belong to no link and to no pending
// upload.
func (a *Checker) auditUnownedBlobs(ctx context.Context, owned map[vitrine.UploadID]bool, fault func(string)) error {
	var stray []vitrine.UploadID
	err := a.Blobs.Each(ctx, func(id vitrine.UploadID, _ vitrine.BlobInfo) error {
		if !owned[id] {
			stray = append(stray, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = ownership.Storage{Store: a.Store, Blobs: a.Blobs}.Verify(ctx)
	waits := errors.Is(err, ownership.ErrOtherStorage) // the sweeper deletes nothing then
	if err != nil && !waits {
		return err
	}
	return a.Store.Read(ctx, func(tx vitrine.Tx) error {
		for _, id := range stray {
			u, err := tx.Upload(id)
			if err == nil && u.State == vitrine.UploadDone {
				// Created or deleted during the audit.
				if owns, err := ownership.OwnsBytes(tx, id); err != nil {
					return err
				} else if owns {
					continue
				}
			}
			counts := false
			if err == nil {
				counts, err = a.counts(ctx, u)
			}
			switch {
			case counts && (u.State != vitrine.UploadOpen || waits ||
				a.Now().Sub(u.CreatedAt) < vitrine.UploadLife+2*publish.SweepGrace+publish.CheckEvery):
			case err == nil || errors.Is(err, vitrine.ErrNotFound):
				fault(fmt.Sprintf("bytes %s belong to no link", id))
			default:
				return err
			}
		}
		return nil
	})
}
