package spool

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"vitrine"
	"vitrine/report"
)

// TestHighest checks that the highest IDs are those of all records, in whatever
// order they came, and of the readable ones in a damaged file.
func TestHighest(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	is := func(when string, account vitrine.AccountID, link vitrine.LinkID) {
		t.Helper()
		a, l, err := s.HighestIDs(t.Context())
		if err != nil || a != account || l != link {
			t.Errorf("%s: %d and %d, %v, want %d and %d", when, a, l, err, account, link)
		}
	}
	is("nothing", 0, 0)
	open := func(a vitrine.AccountID, l vitrine.LinkID) vitrine.Batch {
		return vitrine.Batch{Views: []vitrine.ViewRecord{{Account: a, View: report.View{ID: 1, Link: int64(l)}}}}
	}
	err = errors.Join(s.Append(open(7, 3)), s.Append(open(2, 9)),
		s.Append(vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: 4}}}))
	is("opens and a beacon", 7, 9)
	err = errors.Join(err, s.Append(vitrine.Batch{Downloads: []vitrine.Download{{Link: 12}}}))
	is("and a download", 7, 12)
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.spool"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	data[headerSize+3] ^= 1 // in the first record
	if err := os.WriteFile(files[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	is("the first damaged", 2, 12)
}
