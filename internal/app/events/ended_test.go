package events_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/links"
	"vitrine/internal/test/fixture"
	"vitrine/report"
)

// counted is a log that counts the views that are read for events.
type counted struct {
	events.Log
	views *int
}

func (l counted) News(ctx context.Context, now time.Time, silent, unread time.Duration, most int, wanted wanted,
	put put) (bool, error) {
	return l.Log.News(ctx, now, silent, unread, most, wanted, func(v []vitrine.ViewRecord, d []vitrine.Download,
		e map[vitrine.LinkID][]vitrine.ViewID, c map[vitrine.LinkID]vitrine.LinkCounts) error {
		*l.views += len(v)
		return put(v, d, e, c)
	})
}

// TestTellReadsFew checks that the views of a link that was told are not read:
// their events have what the report says when they are listed.
func TestTellReadsFew(t *testing.T) {
	w := newWorld(fixture.New(t))
	l, views := w.Note("a note"), 0
	w.Service.Log = counted{w.Instance.Log, &views}
	first := w.view(l, report.View{Viewer: 99})
	w.Clock.Advance(5 * time.Second)
	w.beacon(l, first)
	w.wants("link.live", "view.first")
	views = 0
	var reading []vitrine.ViewID
	var ended, got []vitrine.EventKind
	for i := range 20 {
		reading = append(reading, w.view(l, report.View{Viewer: uint64(i)}))
		ended = append(ended, vitrine.EventView)
		for _, id := range reading[max(0, i-6):] { // each reads for a minute
			w.beacon(l, id)
		}
		w.Clock.Advance(10 * time.Second)
		w.Must(w.Tell(t.Context()))
	}
	for range 7 {
		w.Clock.Advance(10 * time.Minute)
		w.Must(w.Tell(t.Context()))
	}
	for _, e := range w.added() {
		got = append(got, e.Kind)
	}
	want := append([]vitrine.EventKind{vitrine.EventMilestone, vitrine.EventView}, ended...)
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) || views > 1 {
		t.Errorf("%d views were read for events %v, want at most that of the milestone", views, got)
	}
}

// TestEnded checks that the event of a view says what the report says when it
// is listed, that a view that was excluded before its event has none, and that
// one that was excluded later, or is gone, leaves its event empty.
func TestEnded(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("a note")
	w.wants("link.live")
	count := func(id vitrine.ViewID, reason string) {
		w.append(vitrine.Batch{Reclasses: []vitrine.Reclass{{Link: l.ID, View: id,
			Reclass: report.Reclass{Reason: reason, Count: reason == ""}}}})
	}
	// Rules change only what is said of views that a rule has excluded.
	read := func() vitrine.ViewID {
		id := w.view(l, report.View{Viewer: 1, Country: "DE", Bot: "crawler"})
		count(id, "")
		w.Clock.Advance(time.Minute)
		w.beacon(l, id)
		return id
	}
	kept, excluded, back, robot := read(), read(), read(), read()
	w.wants("view.first")
	count(excluded, "other")
	count(back, "other")
	count(back, "")
	w.beacon(l, back)
	w.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: l.ID, View: robot, At: w.Clock.Now().UnixMilli(),
		Bot: report.BotAutomation}}})
	w.Clock.Advance(40 * time.Minute)
	list := w.wants("view", "view")
	if list[0].Ref != int64(kept) || list[1].Ref != int64(back) {
		t.Errorf("events of the views %d and %d, want %d and %d", list[0].Ref, list[1].Ref, kept, back)
	}
	says := func(what string, want int64, engaged bool) {
		t.Helper()
		p, err := w.List(t.Context(), w.Account, events.Query{After: list[0].ID - 1, Limit: 1})
		w.Must(err)
		var n events.Numbers
		w.Must(json.Unmarshal(p.Events[0].Data, &n))
		if n.Views != want || (n.Visit != nil) != engaged || engaged && (n.Visit.EngagedMs != 60_000 || n.Visit.Country != "DE") {
			t.Errorf("%s: %s", what, p.Events[0].Data)
		}
	}
	says("when it ended", 2, true)
	count(kept, "other")
	says("excluded", 0, false)
	count(kept, "")
	says("included", 2, true)
	w.wants()
	read()
	w.Must(fixture.Second(w.Links.DeleteOwn(t.Context(), w.Account, string(l.Slug), links.Deletion{})))
	says("deleted", 0, false)
	w.Clock.Advance(40 * time.Minute)
	w.wants("link.deleted")
}
