package viewlogtest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// adding returns the numbers of a report that add up over recipients.
func adding(w report.Window, tally *report.Tally) map[string]int64 {
	r := report.ForLink(report.Link{}, w, tally, nil, nil)
	t := r.Totals
	sums := map[string]int64{"views": t.Views, "sessions": t.Sessions, "engaged": t.TotalEngagedMs,
		"downloads": t.RangeDownloads, "qr": t.QRScans, "bots": t.BotsExcluded, "own": t.OwnExcluded,
		"atypical": t.Atypical}
	for _, p := range r.Series {
		sums[fmt.Sprint("views of ", p.Date, p.At)] = p.Views
	}
	for hour, n := range r.Timing.ByHour {
		sums[fmt.Sprint("views at ", hour)] = n
	}
	for _, b := range slices.Concat(r.Breakdowns.Devices, r.Breakdowns.OS, r.Breakdowns.Sources) {
		sums["views with "+b.Key] = b.Count
	}
	return sums
}

// compareRecipients checks that the reports of each recipient of a link and of
// its plain address add up to that of the link, and that the list of views
// through recipients has these.
func (t logTest) compareRecipients(m *memory, link vitrine.LinkID, w report.Window) {
	t.Helper()
	q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: m.accounts[link], Link: link}, From: w.From, To: w.To,
		Lens: report.Lens{Steps: w.Steps}}
	tally := func(f report.Filter) map[string]int64 {
		q.Filter = f
		got, _, err := t.log.Tally(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		return adding(w, got)
	}
	want, sum := tally(nil), map[string]int64{}
	for n := range int64(4) {
		on := report.Condition{Dimension: report.OnRecipient, Value: report.IDText(n << 40)}
		for name, v := range tally(report.Filter{on}) {
			sum[name] += v
		}
	}
	maps.DeleteFunc(sum, func(name string, v int64) bool { _, there := want[name]; return v == 0 && !there })
	vitrinetest.Equal(t, fmt.Sprintf("recipients and plain address of link %d", link), sum, want)

	var all, listed []report.View
	alone := map[vitrine.RecipientID]int64{}
	kept, err := t.log.RetainedFrom(ctx, m.accounts[link])
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range m.list(link, max(firstDay, kept), lastDay) {
		if view.Counted() && view.Recipient != 0 {
			for _, of := range m.downloads[link] {
				view.Downloaded = view.Downloaded || of == vitrine.ViewID(view.ID)
			}
			all = append(all, view)
		}
	}
	for event, of := range m.downloads[link] {
		if of < 0 && report.DayOf(event.Ms()) >= kept {
			alone[vitrine.RecipientID(-of)]++
		}
	}
	got, err := t.log.Recipients(ctx, link, func(view *report.View) error {
		listed = append(listed, own(*view))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(listed, func(a, b report.View) int { return cmp.Compare(a.ID, b.ID) })
	vitrinetest.Equal(t, fmt.Sprintf("views through recipients of link %d", link), listed, all)
	vitrinetest.Equal(t, fmt.Sprintf("downloads without a view of link %d", link), got, alone)
}

// manyRecipients reads a link at random through its plain address and those of
// 500 recipients. The reports of all these add up to that of the link, and each
// is the recount of its views and downloads.
func (t logTest) manyRecipients() {
	const link, recipients = 1, 500
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c, m := random{rand.New(rand.NewPCG(seed, 0))}, newMemory()
	id := func(n int) int64 { return int64(n) << 30 } // 0: the plain address
	for range t.times(8) {
		var b vitrine.Batch
		for range 250 {
			o := c.view()
			o.Account, o.Link, o.Recipient, o.Viewer = 1, link, id(c.IntN(recipients+1)), uint64(c.IntN(300))
			o.ID = int64(vitrine.ViewIDAt(o.At, c.IntN(1<<20)))
			b.Views = append(b.Views, o)
			if c.IntN(2) == 0 {
				b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: link, View: vitrine.ViewID(o.ID),
					At: o.At + c.Int64N(3_600_000), Session: c.session()})
			}
			if c.IntN(5) == 0 {
				b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewID(o.ID), Link: link,
					View: vitrine.ViewID(o.ID)})
			}
			if c.IntN(8) == 0 {
				b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(o.At, 1<<20+c.IntN(1<<20)),
					Link: link, Account: 1, Recipient: vitrine.RecipientID(id(c.IntN(recipients + 1)))})
			}
		}
		t.appendBoth(m, b)
		if err := t.log.RollUp(ctx, day+report.Day(c.IntN(modelDays+2))); err != nil {
			t.Fatal(err)
		}
	}
	w := report.Window{Key: report.RangeAll, From: day, To: day + modelDays + 1}
	q := vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1, Link: link}, From: w.From, To: w.To}
	tally := func(f report.Filter) map[string]int64 {
		q.Filter = f
		got, _, err := t.log.Tally(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		return adding(w, got)
	}
	sum := map[string]int64{}
	for n := range recipients + 1 {
		got := tally(report.Filter{{Dimension: report.OnRecipient, Value: report.IDText(id(n))}})
		vitrinetest.Equal(t, fmt.Sprint("recount of recipient ", n), got, adding(w, m.through(link, id(n))))
		for name, v := range got {
			sum[name] += v
		}
	}
	want := tally(nil)
	maps.DeleteFunc(sum, func(name string, v int64) bool { _, there := want[name]; return v == 0 && !there })
	vitrinetest.Equal(t, "recipients and plain address", sum, want)
}

// through returns the tally of what came through the address of a recipient of
// a link, or through the plain one (0), recounted from the views.
func (m *memory) through(link vitrine.LinkID, recipient int64) *report.Tally {
	var fold report.Fold
	of := map[vitrine.ViewID]int64{}
	for _, v := range m.list(link, firstDay, lastDay) {
		if of[vitrine.ViewID(v.ID)] = v.Recipient; v.Recipient == recipient {
			fold.Add(&v)
		}
	}
	for event, view := range m.downloads[link] {
		to, known := of[view]
		if !known {
			to = -int64(view)
		}
		if to == recipient {
			fold.AddDownload(report.DayOf(event.Ms()))
		}
	}
	return fold.Tally()
}
