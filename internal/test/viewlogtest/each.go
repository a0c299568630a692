package viewlogtest

import (
	"cmp"
	"fmt"
	"slices"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// compareEach checks that the views and download events of a window are those
// of the model, and that an error ends the reading.
func (t logTest) compareEach(m *memory, s vitrine.Scope, w report.Window) {
	t.Helper()
	from, to := w.Bounds()
	want, events := m.narrowViews(vitrine.TallyQuery{Scope: s, From: w.From, To: w.To,
		Lens: report.Lens{Steps: w.Steps}})
	var got []report.View
	var downloads []vitrine.Download
	first, last := vitrine.ViewIDAt(from, 0), vitrine.ViewIDAt(to, 0)
	err := t.log.Each(ctx, s, first, last, func(d vitrine.Download) error {
		if len(got) > 0 {
			t.Error("Each calls download after view")
		}
		downloads = append(downloads, d)
		return nil
	}, func(v *report.View) error {
		got = append(got, own(*v))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b report.View) int {
		return cmp.Or(cmp.Compare(b.ID, a.ID), cmp.Compare(b.Link, a.Link))
	})
	what := fmt.Sprintf(" of %+v from %d to %d", s, from, to)
	vitrinetest.Equal(t, "each view"+what, got, want)
	vitrinetest.Equal(t, "number of downloads"+what, len(downloads), len(events))
	for _, d := range downloads {
		of, there := m.downloads[d.Link][d.ID]
		if view, recipient := max(of, 0), vitrine.RecipientID(max(-of, 0)); !there || d.View != view ||
			d.Recipient != recipient || s.Link != 0 && d.Link != s.Link {
			t.Errorf("download %+v%s, want one of the view %d", d, what, of)
		}
	}
	if len(want) < 2 {
		return
	}
	calls := 0
	err = t.log.Each(ctx, s, first, last, func(vitrine.Download) error { return nil }, func(*report.View) error {
		calls++
		return vitrinetest.ErrAbandoned
	})
	vitrinetest.Equal(t, "calls of a function that fails", calls, 1)
	if err == nil {
		t.Error("the error of the function is lost")
	}
}
