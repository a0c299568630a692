// Package viewlogtest tests the contract of [vitrine.ViewLog].
package viewlogtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

var ctx = context.Background()

// Run tests a vitrine.ViewLog. open returns an empty one and closes it with the
// test. Each test ends with an audit.
//
// For a slow backend, pass a share above 1 to run only one of share random
// steps and windows.
func Run(t *testing.T, share int, open func(t *testing.T) vitrine.ViewLog) {
	for _, test := range []struct {
		name string
		run  func(logTest)
	}{
		{"Empty", logTest.empty},
		{"Fields", logTest.fields},
		{"SameView", logTest.sameView},
		{"OtherView", logTest.otherView},
		{"Returning", logTest.returning},
		{"Bots", logTest.bots},
		{"Snapshots", logTest.snapshots},
		{"SnapshotOfBot", logTest.snapshotOfBot},
		{"BotSnapshot", logTest.botSnapshot},
		{"BotSnapshotAgain", logTest.botSnapshotAgain},
		{"BotSnapshotReturning", logTest.botSnapshotReturning},
		{"Downloads", logTest.downloads},
		{"Order", logTest.order},
		{"Reclass", logTest.reclass},
		{"ReclassTogether", logTest.reclassTogether},
		{"Early", logTest.early},
		{"EarlyDeleted", logTest.earlyDeleted},
		{"Counts", logTest.counts},
		{"Clicks", logTest.clicks},
		{"Bands", logTest.bands},
		{"Parts", logTest.parts},
		{"Days", logTest.days},
		{"Scopes", logTest.scopes},
		{"Recent", logTest.recent},
		{"Views", logTest.views},
		{"ManyRecipients", logTest.manyRecipients},
		{"Cap", logTest.cap},
		{"NarrowCap", logTest.narrowCap},
		{"AlbumCap", logTest.albumCap},
		{"Import", logTest.imports},
		{"ImportProgress", logTest.importProgress},
		{"ImportCollisions", logTest.importCollisions},
		{"Expire", logTest.expire},
		{"DeleteLink", logTest.deleteLink},
		{"Known", logTest.known},
		{"Position", logTest.position},
		{"ParallelSame", logTest.parallelSame},
		{"ParallelOther", logTest.parallelOther},
		{"ParallelViewer", logTest.parallelViewer},
		{"Reload", logTest.reload},
		{"Cancelled", logTest.cancelled},
		{"Model", logTest.model},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := logTest{t, open(t), share}
			test.run(l)
			l.audit()
		})
	}
}

type logTest struct {
	*testing.T
	log   vitrine.ViewLog
	share int // run one of share repetitions
}

// times returns the number of repetitions for n in a full run.
func (t logTest) times(n int) int { return max(1, n/t.share) }

// day is the day of vitrinetest.Epoch.
var day = report.DayOf(vitrinetest.Epoch.UnixMilli())

const (
	firstDay = report.Day(0)
	lastDay  = report.Day(40_000)
)

// view returns a person's view of a link of account 1, at a time after Epoch.
func view(link vitrine.LinkID, after time.Duration, viewer uint64) vitrine.ViewRecord {
	at := vitrinetest.Epoch.Add(after).UnixMilli()
	return vitrine.ViewRecord{Account: 1, View: report.View{ID: int64(vitrine.ViewIDAt(at, 7)), At: at,
		Link: int64(link), Viewer: viewer, Country: "DE"}}
}

func bot(v vitrine.ViewRecord) vitrine.ViewRecord {
	v.Bot = "crawler"
	return v
}

func id(v vitrine.ViewRecord) vitrine.ViewID { return vitrine.ViewID(v.ID) }

// snapshot returns a snapshot of a view, at a time after the view.
func snapshot(v vitrine.ViewRecord, after time.Duration, s report.Session) vitrine.Snapshot {
	return vitrine.Snapshot{Link: vitrine.LinkID(v.Link), View: id(v), At: v.At + after.Milliseconds(), Session: s}
}

func automationSnapshot(v vitrine.ViewRecord) vitrine.Snapshot {
	s := snapshot(v, time.Second, report.Session{EngagedMs: 500, PresentMs: 1000})
	s.Bot = report.BotAutomation
	return s
}

func download(v vitrine.ViewRecord, after time.Duration) vitrine.Download {
	at := time.UnixMilli(v.At).Add(after).UnixMilli()
	return vitrine.Download{ID: vitrine.ViewIDAt(at, 3), Link: vitrine.LinkID(v.Link), View: id(v)}
}

// append stores a batch and returns the indexes of refused views.
func (t logTest) append(b vitrine.Batch) (refused []int) {
	t.Helper()
	refused, _ = t.outcome(b)
	return refused
}

// outcome stores a batch and returns the indexes of refused views and the early
// events.
func (t logTest) outcome(b vitrine.Batch) (refused []int, early vitrine.Batch) {
	t.Helper()
	o, err := t.log.Append(ctx, b)
	if err != nil {
		t.Fatalf("Append = %v, want nil", err)
	}
	if o.Refused != nil && len(o.Refused) != len(b.Views) {
		t.Fatalf("Append returns %d errors for %d views", len(o.Refused), len(b.Views))
	}
	for i, err := range o.Refused {
		if err == nil {
			continue
		}
		refused = append(refused, i)
		if !errors.Is(err, vitrine.ErrExists) {
			t.Errorf("view %d is refused with %v, want ErrExists", i, err)
		}
	}
	return refused, o.Early
}

func (t logTest) view(views ...vitrine.ViewRecord) {
	t.Helper()
	vitrinetest.Equal(t, "views refused", t.append(vitrine.Batch{Views: views}), nil)
}

// counted checks the counts of a link.
func (t logTest) counted(link vitrine.LinkID, views, downloads int64) {
	t.Helper()
	counts, err := t.log.Counts(ctx, []vitrine.LinkID{link})
	if err != nil {
		t.Fatalf("Counts = %v, want nil", err)
	}
	vitrinetest.Equal(t, fmt.Sprintf("counts of link %d", link), counts[link],
		vitrine.LinkCounts{Views: views, Downloads: downloads})
}

// totals checks the stored counts of an account.
func (t logTest) totals(a vitrine.AccountID, want vitrine.LinkCounts) {
	t.Helper()
	got, err := t.log.AccountTotals(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, fmt.Sprintf("counts of account %d", a), got, want)
}

// all returns copies of the views of a link, oldest first.
func (t logTest) all(link vitrine.LinkID) []report.View {
	t.Helper()
	return t.between(link, firstDay, lastDay)
}

func (t logTest) between(link vitrine.LinkID, from, to report.Day) (views []report.View) {
	t.Helper()
	err := t.log.Views(ctx, link, from, to, func(v *report.View) error {
		views = append(views, own(*v))
		return nil
	})
	if err != nil {
		t.Fatalf("Views = %v, want nil", err)
	}
	return views
}

// own returns a deep copy of a view. Empty pages become nil.
func own(v report.View) report.View {
	if v.Session != nil {
		s := *v.Session
		s.Pages = append([]report.PageTime(nil), s.Pages...)
		v.Session = &s
	}
	return v
}

// returns reports for each view of a link, oldest first, whether its viewer is
// returning.
func (t logTest) returns(link vitrine.LinkID) (r []bool) {
	t.Helper()
	for _, v := range t.all(link) {
		r = append(r, v.Returning)
	}
	return r
}

// recents returns the newest views with engagement data in a range of days.
func (t logTest) recents(link vitrine.LinkID, from, to report.Day, n int) []report.View {
	t.Helper()
	recent, err := t.log.Recent(ctx, vitrine.RecentQuery{Scope: vitrine.Scope{Link: link}, From: firstID(from),
		To: firstID(to), N: n,
		Engaged: true})
	if err != nil {
		t.Fatalf("Recent = %v, want nil", err)
	}
	return recent
}

// firstID returns the first ID of a day, clamped to the range of IDs.
func firstID(d report.Day) vitrine.ViewID {
	return vitrine.ViewIDAt(min(max(d, firstDay), lastDay).StartMs(), 0)
}

func (t logTest) tally(s vitrine.Scope, from, to report.Day, cap int) (*report.Tally, bool) {
	t.Helper()
	tally, truncated, err := t.log.Tally(ctx, vitrine.TallyQuery{Scope: s, From: from, To: to, Cap: cap})
	if err != nil {
		t.Fatalf("Tally = %v, want nil", err)
	}
	return tally, truncated
}

// events returns the number of download events of a tally in a range of days.
func events(tally *report.Tally, from, to report.Day) int64 {
	w := report.Window{Key: report.RangeAll, From: from, To: to}
	return report.ForLink(report.Link{}, w, tally, nil, nil).Totals.RangeDownloads
}

func (t logTest) audit() {
	t.Helper()
	if err := t.log.Audit(ctx, true, func(fault string, _ bool) { t.Errorf("audit: %s", fault) }); err != nil {
		t.Errorf("Audit = %v, want nil", err)
	}
}
