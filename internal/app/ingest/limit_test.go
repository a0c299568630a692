package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/fixture"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// flooded is a log with limits, whose views are kept here.
type flooded struct {
	*ingest.Views
	t     *testing.T
	store *sqlstore.Store
	ids   *vitrine.ViewIDs
	now   time.Time
	views []report.View
}

func (f *flooded) Append(_ context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	for _, v := range b.Views {
		f.views = append(f.views, v.View)
	}
	return vitrine.Outcome{}, nil
}

func newFlooded(t *testing.T) *flooded {
	store, err := sqlstore.Open(filepath.Join(fixture.Databases(t), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	f := &flooded{t: t, store: store, ids: vitrine.NewViewIDs(), now: time.Date(2026, 5, 4, 12, 59, 0, 0, time.UTC)}
	f.Views = fixture.NewViews(f)
	f.Limits = ingest.NewLimits(store)
	f.Limits.LinkViews, f.Limits.AccountViews, f.Limits.Labels = 20, 50, 10
	t.Cleanup(func() { f.Close(); store.Close() })
	return f
}

// load adds n views of a link of account 1 from a network.
func (f *flooded) load(n int, from netip.Prefix, link int64, change func(int, *vitrine.ViewRecord)) (stored int) {
	f.t.Helper()
	for i := range n {
		v := &vitrine.ViewRecord{Account: 1, View: report.View{Link: link, Source: "Direct"}}
		if change != nil {
			change(i, v)
		}
		id, err := f.AddNext(f.t.Context(), f.ids, f.now, from, v)
		if err != nil {
			f.t.Fatal(err)
		}
		if id != 0 {
			stored++
		}
	}
	return stored
}

// excess returns the excess views of a scope, once they are written.
func (f *flooded) excess(of vitrine.Scope) int64 {
	f.t.Helper()
	if err := f.Limits.Write(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	day := report.DayOf(f.now.UnixMilli())
	n, err := vitrine.Read(f.t.Context(), f.store, func(tx vitrine.Tx) (int64, error) {
		return tx.Excess(of, report.Window{From: day - 1, To: day + 1})
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

var here, there = netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8:1::/48")

// TestLimits checks that each view is either stored or counted as excess, and
// that only the views of one network, of one link or account, in one hour count
// together.
func TestLimits(t *testing.T) {
	f := newFlooded(t)
	want := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d views are stored, want %d", what, got, want)
		}
	}
	want("one network", f.load(30, here, 1, nil), 20)
	want("another link", f.load(30, here, 2, nil), 20)
	want("a third link, within the limit of the account", f.load(30, here, 3, nil), 10)
	want("another account", f.load(30, here, 9, func(_ int, v *vitrine.ViewRecord) { v.Account = 2 }), 20)
	want("another network", f.load(30, there, 1, nil), 20)
	want("clients of a proxy that is not trusted", f.load(30, netip.Prefix{}, 1, nil), 30)
	f.now = f.now.Add(time.Minute)
	want("the next hour", f.load(30, here, 1, nil), 20)
	want("the log", len(f.views), 140)
	for link, n := range map[vitrine.LinkID]int64{1: 30, 2: 10, 3: 20, 0: 60} {
		if got := f.excess(vitrine.Scope{Account: 1, Link: link}); got != n {
			t.Errorf("link %d has %d excess views, want %d", link, got, n)
		}
	}
}

// TestLimitOfLabels checks that a network adds a bounded number of different
// labels of each kind that a sender chooses, and that all views count.
func TestLimitOfLabels(t *testing.T) {
	for name, text := range map[string]func(*report.View) *string{
		"source":   func(v *report.View) *string { return &v.Source },
		"referrer": func(v *report.View) *string { return &v.Referrer },
		"campaign": func(v *report.View) *string { return &v.Campaign },
		"medium":   func(v *report.View) *string { return &v.Medium },
		"content":  func(v *report.View) *string { return &v.Content },
		"term":     func(v *report.View) *string { return &v.Term },
		"program":  func(v *report.View) *string { return &v.Product },
	} {
		f := newFlooded(t)
		f.Limits.LinkViews, f.Limits.AccountViews = 1000, 1000
		random := func(i int, v *vitrine.ViewRecord) { *text(&v.View) = fmt.Sprint("word ", i) }
		n := f.load(100, here, 1, random) + f.load(100, here, 1, random) // of which none is new
		different := map[string]int{}
		for i := range f.views {
			different[*text(&f.views[i])]++
		}
		if n != 200 || len(different) > 11 || different["word 0"] != 2 {
			t.Errorf("%s: %d views with %d different labels, the first one %d times, want 200, at most 11, and 2",
				name, n, len(different), different["word 0"])
		}
		f.views = nil
		f.load(1, there, 1, func(_ int, v *vitrine.ViewRecord) { *text(&v.View) = "new" })
		if *text(&f.views[0]) != "new" {
			t.Errorf("%s: the label from another network is replaced", name)
		}
	}
}

// TestLimitOfDownloads checks that downloads without a view are bounded, too.
func TestLimitOfDownloads(t *testing.T) {
	f := newFlooded(t)
	log := &downloadLog{}
	f.Log = log
	for i := range 100 {
		d := &vitrine.Download{ID: vitrine.ViewID(i + 1), Link: 1, Account: 1}
		if err := f.DownloadAlone(t.Context(), f.now, here, d); err != nil {
			t.Fatal(err)
		}
	}
	if log.n != 20 {
		t.Errorf("%d downloads count, want 20", log.n)
	}
}

type downloadLog struct{ n int }

func (l *downloadLog) Append(_ context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	l.n += len(b.Downloads)
	return vitrine.Outcome{}, nil
}

// TestExcessWaits checks that excess views wait while the store fails.
func TestExcessWaits(t *testing.T) {
	f := newFlooded(t)
	f.load(30, here, 1, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Limits.Write(gone); !errors.Is(err, context.Canceled) {
		t.Fatalf("Write = %v, want an error", err)
	}
	f.load(5, here, 1, nil)
	if n := f.excess(vitrine.Scope{Account: 1, Link: 1}); n != 15 {
		t.Errorf("%d excess views, want 15", n)
	}
}

// failing is a store whose transactions fail, after a call of during.
type failing struct {
	vitrine.Store
	during func()
}

func (s failing) Update(context.Context, func(vitrine.Tx) error) error {
	s.during()
	return errDown
}

// TestExcessIsBounded checks that the excess views that wait for a store that
// fails are of a bounded number of links, however often it fails, and that more
// views of these links are still counted.
func TestExcessIsBounded(t *testing.T) {
	const most = 1 << 16
	f := newFlooded(t)
	f.Limits.AccountViews = 1
	link := int64(0)
	waiting := 0
	fill := func(n int) {
		for range n {
			link++
			_, err := f.AddNext(t.Context(), f.ids, f.now, here, &vitrine.ViewRecord{Account: 1, View: report.View{Link: link}})
			switch {
			case err == nil && link > 1:
				waiting++
			case err != nil && vitrine.CodeOf(err) != vitrine.CodeUnavailable:
				t.Fatal(err)
			}
		}
	}
	fill(most / 2)
	store := f.Limits.Store
	f.Limits.Store = failing{store, func() { fill(most) }}
	for range 2 {
		if err := f.Limits.Write(t.Context()); !errors.Is(err, errDown) {
			t.Fatalf("Write = %v, want an error", err)
		}
	}
	if waiting != most {
		t.Errorf("excess views of %d links wait, want %d", waiting, most)
	}
	if n := f.load(1, here, 2, nil); n != 0 { // not an error
		t.Error("another view of a link that has excess views is stored")
	}
}

// TestLimitOfLabelsOfADay checks that a network may add other labels the next
// day, but not the next hour.
func TestLimitOfLabelsOfADay(t *testing.T) {
	f := newFlooded(t)
	f.now = time.Date(2026, 5, 4, 22, 59, 0, 0, time.UTC)
	f.load(10, here, 1, func(i int, v *vitrine.ViewRecord) { v.Campaign = fmt.Sprint("word ", i) })
	for _, want := range []string{visitor.Other, visitor.Other, "new"} {
		f.load(1, here, 1, func(_ int, v *vitrine.ViewRecord) { v.Campaign = "new" })
		if got := f.views[len(f.views)-1].Campaign; got != want {
			t.Errorf("campaign at %v = %q, want %q", f.now, got, want)
		}
		f.now = f.now.Add(time.Hour)
	}
}

// TestLimitsMemory checks that limits use the same memory for any number of
// networks and labels, and still know a network after them.
func TestLimitsMemory(t *testing.T) {
	f := newFlooded(t)
	f.load(30, here, 1, nil)
	f.Log = &downloadLog{} // keeps nothing
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 20_000 {
		from := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 0}), 24)
		f.load(1, from, int64(i), func(_ int, v *vitrine.ViewRecord) { v.Account, v.Source = vitrine.AccountID(i+9), fmt.Sprint(i) })
	}
	if after := heap(); after > before+256<<10 {
		t.Errorf("20,000 networks take %d KiB", (after-before)>>10)
	}
	if n := f.load(5, here, 1, nil); n != 0 {
		t.Errorf("%d more views of the first network are stored, want none", n)
	}
}
