package sqlstore

import (
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
)

// TestQueues checks what waits, and that it is counted up to MostQueued.
func TestQueues(t *testing.T) {
	s := openTestStore(t, sqltest.NewPlace(t))
	at := vitrinetest.Epoch
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		a := &vitrine.Account{Email: "ann@example.org", ViewerKey: []byte("k"), CreatedAt: at}
		if err := tx.AddAccount(a); err != nil {
			return err
		}
		for n, state := range []vitrine.LinkState{vitrine.StateLive, vitrine.StateReview, vitrine.StateReview,
			vitrine.StateProcessing, vitrine.StateDisabled} {
			l := &vitrine.Link{Account: a.ID, Slug: vitrine.Slug(fmt.Sprintf("link-%d", n)), State: state,
				File:      vitrine.File{Name: "a.txt", Kind: "text", HasBytes: true, Preview: vitrine.PreviewDone},
				CreatedAt: at, StateAt: at.Add(time.Duration(n) * time.Minute)}
			if state == vitrine.StateLive {
				l.Preview = vitrine.PreviewDue
			}
			if err := tx.AddLink(l); err != nil {
				return err
			}
		}
		if err := tx.AddUpload(&vitrine.Upload{ID: vitrine.NewUploadID(), Account: a.ID, Name: "a.txt", Type: "text/plain",
			Size: 1, State: vitrine.UploadOpen, CreatedAt: at, HoldUntil: at}); err != nil {
			return err
		}
		for range MostQueued + 1 {
			if err := tx.AddLetter(&vitrine.Letter{CreatedAt: at.Add(time.Hour), NextAt: at}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Queues(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after := func(d time.Duration) int64 { return at.Add(d).UnixMilli() }
	for _, want := range []Queue{{"uploads", 1, after(0)}, {"scans", 1, after(3 * time.Minute)},
		{"review", 2, after(time.Minute)}, {"previews", 1, after(0)}, {"mails", MostQueued, after(time.Hour)},
		{"webhooks", 0, 0}} {
		found := false
		for _, q := range list {
			found = found || q == want
		}
		if !found {
			t.Errorf("want %+v, have %+v", want, list)
		}
	}
}
