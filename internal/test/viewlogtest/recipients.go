package viewlogtest

import (
	"fmt"
	"maps"
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
		on := report.Condition{Dimension: report.OnRecipient, Value: report.RecipientText(n << 40)}
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
	for _, o := range m.list(link, max(firstDay, kept), lastDay) {
		if o.Counted() && o.Recipient != 0 {
			for _, of := range m.downloads[link] {
				o.Downloaded = o.Downloaded || of == vitrine.ViewID(o.ID)
			}
			all = append(all, o)
		}
	}
	for event, of := range m.downloads[link] {
		if of < 0 && report.DayOf(event.Ms()) >= kept {
			alone[vitrine.RecipientID(-of)]++
		}
	}
	got, err := t.log.Recipients(ctx, link, func(o *report.View) error {
		listed = append(listed, own(*o))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, fmt.Sprintf("views through recipients of link %d", link), listed, all)
	vitrinetest.Equal(t, fmt.Sprintf("downloads without a view of link %d", link), got, alone)
}
