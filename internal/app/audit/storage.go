package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/app/publish"
)

// auditLinkCounts checks that what the store has counted for each account is
// what its links add up to. Only the oldest link may be in the trash.
func auditLinkCounts(tx vitrine.Tx, kept []*vitrine.Link, fault func(string)) error {
	type totals struct {
		links, bytes int64
		oldest       time.Time
	}
	want := map[vitrine.AccountID]totals{}
	for _, of := range []vitrine.AccountQuery{{}, {Closing: true}} {
		accounts, err := tx.Accounts(of)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			want[a.ID] = totals{}
		}
	}
	for _, l := range kept {
		w := want[l.Account]
		if l.HasBytes && !l.InTrash() {
			w.bytes += l.Size
		}
		if !l.OfSite() && !l.OfLink() {
			if !l.InTrash() {
				w.links++
			}
			if w.oldest.IsZero() || l.CreatedAt.Before(w.oldest) {
				w.oldest = l.CreatedAt
			}
		}
		want[l.Account] = w
	}
	for a, want := range want {
		var got totals
		var err1, err2 error
		got.links, got.oldest, err1 = tx.LinkTotals(a)
		_, got.bytes, err2 = tx.CountLinks(a)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if got != want {
			fault(fmt.Sprintf("account %d: %d links with %d bytes are counted, but it has %d with %d", a, got.links,
				got.bytes, want.links, want.bytes))
		}
	}
	return nil
}

// auditStorage checks that what an account stores is what counts against its
// plan: the bytes of its links, and the spare files until they are purged.
func auditStorage(tx vitrine.Tx, links, deleted []*vitrine.Link, now time.Time, fault func(string)) error {
	stored, spare := map[vitrine.AccountID]int64{}, map[vitrine.LinkID]vitrine.SpareFile{}
	for _, l := range links {
		if l.HasBytes {
			stored[l.Account] += l.Size
		}
	}
	for _, l := range deleted {
		stored[l.Account] += 0
		if l.Upload != "" {
			spare[l.ID] = l.SpareFile()
		}
	}
	for a, want := range stored {
		_, bytes, err1 := tx.CountLinks(a)
		counted, err2 := tx.CountSpare(a, now)
		list, err3 := tx.Spare(a, now)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		var sum int64
		for _, f := range list {
			sum += f.Size
			if spare[f.Link] == f {
				delete(spare, f.Link)
			}
		}
		if bytes != want || counted != sum {
			fault(fmt.Sprintf("account %d: it stores %d bytes and %d spare ones, but %d and %d count", a, want, sum, bytes,
				counted))
		}
	}
	for id, f := range spare {
		fault(fmt.Sprintf("link %d: it is deleted, and its %d bytes count for nobody", id, f.Size))
	}
	return nil
}

// counts reports whether bytes that belong to no link count for an account: the
// upload is open, or on the list of spare files. Bytes that are gone by now
// need not.
func (a *Checker) counts(ctx context.Context, u *vitrine.Upload) (bool, error) {
	if u.State == vitrine.UploadOpen || !u.HoldUntil.IsZero() {
		return true, nil
	}
	b, err := a.Blobs.Open(ctx, u.ID)
	if errors.Is(err, vitrine.ErrNotFound) {
		return true, nil
	}
	if err == nil {
		err = b.Close()
	}
	return false, err
}

// auditUnfinished finds chunks that belong to no upload that may continue, and
// that the sweeper should have deleted.
func (a *Checker) auditUnfinished(ctx context.Context, fault func(string)) error {
	r, ok := a.Blobs.(publish.Resumer)
	if !ok {
		return nil
	}
	var old []vitrine.SpareFile
	err := r.Unfinished(ctx, func(id vitrine.UploadID, bytes int64, at time.Time) error {
		if a.Now().Sub(at) >= publish.ChunksLife {
			old = append(old, vitrine.SpareFile{Key: id, Size: bytes, Since: at})
		}
		return nil
	})
	if err != nil || len(old) == 0 {
		return err
	}
	// The sweeper deletes nothing from the storage of another database.
	err = ownership.Storage{Store: a.Store, Blobs: a.Blobs}.Verify(ctx)
	if errors.Is(err, ownership.ErrOtherStorage) {
		return nil
	}
	for _, f := range old {
		fault(fmt.Sprintf("%d bytes of the unfinished upload %s were left behind on %s", f.Size, f.Key,
			f.Since.UTC().Format(time.DateOnly)))
	}
	return err
}
