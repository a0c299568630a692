package analytics_test

import (
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestValueOfNoView checks that a filter with a value that no view has is
// refused with as few statements as there are few views: the log is asked once,
// not for each view.
func TestValueOfNoView(t *testing.T) {
	dir := fixture.Databases(t)
	store, err := sqlstore.Open(filepath.Join(dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log, err := viewlog.Open(filepath.Join(dir, "views.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	account := &vitrine.Account{Email: "ann@example.org", Plan: vitrine.PlanPro, ViewerKey: []byte("k"),
		CreatedAt: vitrinetest.Epoch}
	link := &vitrine.Link{File: vitrine.File{Kind: filetype.PDF, Name: "a.pdf"}, State: vitrine.StateLive,
		CreatedAt: vitrinetest.Epoch, StateAt: vitrinetest.Epoch, Slug: "spring"}
	err = store.Update(t.Context(), func(tx vitrine.Tx) error {
		if err := tx.AddAccount(account); err != nil {
			return err
		}
		link.Account = account.ID
		return tx.AddLink(link)
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &analytics.Service{Store: store, Log: log, Signer: signer.New([]byte("k")),
		Now: func() time.Time { return vitrinetest.Epoch.Add(time.Hour) }}
	q, err := analytics.ParseQuery(url.Values{"filter": {"country:is:Germany"}})
	if err != nil {
		t.Fatal(err)
	}
	views := 0
	statements := func(n int) (count int) {
		var b vitrine.Batch
		for ; views < n; views++ {
			id := vitrine.ViewIDAt(vitrinetest.Epoch.UnixMilli()+int64(views), 0)
			b.Views = append(b.Views, vitrine.ViewRecord{Account: account.ID, View: report.View{ID: int64(id),
				At: id.Ms(), Link: int64(link.ID), Viewer: uint64(views), Country: "DE"}})
		}
		if _, err := log.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		ctx := sqldb.WithHook(t.Context(), func(string) error { count++; return nil })
		if _, err := s.Account(ctx, account, q); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("a report of views from a name of a country = %v, want %s", err, vitrine.CodeInvalidRequest)
		}
		return count
	}
	few, many := statements(10), statements(1000)
	if few == 0 || many > few {
		t.Errorf("%d statements for 10 views, %d for 1,000", few, many)
	}
}
