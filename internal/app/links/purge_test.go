package links_test

import (
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestPurgeFinishes checks that a delete that was cut off after its commit is
// finished by the next run in another process (promise 21), however recently
// that process has run, and that frequent runs do not purge again what they
// have purged, until more may have arrived.
func TestPurgeFinishes(t *testing.T) {
	s := fixture.New(t)
	l := s.Note("A text.")
	at := s.Clock.Now().UnixMilli()
	_, err := s.Log.Append(t.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: s.Account.ID,
		View: report.View{ID: int64(vitrine.ViewIDAt(at, 1)), At: at, Link: int64(l.ID), Viewer: 1}}}})
	s.Must(err)
	views := func() int64 {
		counts, err := s.Log.AccountCounts(t.Context(), s.Account.ID)
		s.Must(err)
		return counts[l.ID].Views
	}
	stored := func() bool {
		_, err := s.Blobs.Stat(t.Context(), l.Upload)
		return err == nil
	}
	var other fixture.Injector // of the process that finishes
	s.Must(s.Links.Purge(t.Context()))
	dies := &fixture.Injector{N: 1}
	s.Links.Log = dies.ViewLog(s.Log)
	s.Must(s.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
	if views() != 1 || !stored() {
		t.Fatal("the delete was not cut off")
	}
	s.Links.Log = other.ViewLog(s.Log)
	s.Clock.Advance(20 * time.Second)
	s.Must(s.Links.Purge(t.Context()))
	if views() != 0 || stored() {
		t.Errorf("after the next run: %d views, stored %v, want 0 and false", views(), stored())
	}
	once := other.Operations()
	for range 14 {
		s.Clock.Advance(20 * time.Second)
		s.Must(s.Links.Purge(t.Context()))
	}
	vitrinetest.Equal(t, "operations of frequent runs", other.Operations(), once)
	s.Clock.Advance(20 * time.Second)
	s.Must(s.Links.Purge(t.Context()))
	vitrinetest.Equal(t, "operations after five minutes", other.Operations(), 2*once)
	s.Clock.Advance(time.Hour)
	s.Must(s.Links.Purge(t.Context()))
	s.Must(s.Links.Purge(t.Context()))
	vitrinetest.Equal(t, "operations in the end", other.Operations(), 3*once)
}
