package storetest

import (
	"errors"
	"math"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func abuseReport(l *vitrine.Link, by vitrine.ReporterID, age time.Duration, note string) *vitrine.AbuseReport {
	return &vitrine.AbuseReport{Link: l.ID, Reporter: by, Reason: vitrine.AbusePhishing, Note: note,
		At: vitrinetest.Epoch.Add(-age)}
}

func (t storeTest) report(reports ...*vitrine.AbuseReport) {
	t.Helper()
	t.update(func(tx vitrine.Tx) error {
		for _, r := range reports {
			if err := tx.AddAbuseReport(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// reported checks the listed reports of a link.
func (t storeTest) reported(l *vitrine.Link, since time.Time, want ...*vitrine.AbuseReport) {
	t.Helper()
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.AbuseReports(l.ID, since)
		vitrinetest.Equal(t, "reports about "+string(l.Slug), got, want)
		return err
	})
}

// reportedBy checks the number of reports of a reporter.
func (t storeTest) reportedBy(by vitrine.ReporterID, since time.Time, n int64, oldest time.Time) {
	t.Helper()
	t.read(func(tx vitrine.Tx) error {
		got, at, err := tx.CountAbuseReports(by, since)
		if got != n || !at.Equal(oldest) {
			t.Errorf("%d reports by %x since %v, the oldest at %v, want %d at %v", got, by, since, at, n, oldest)
		}
		return err
	})
}

func (t storeTest) abuseReports() {
	const ann, bob = vitrine.ReporterID(math.MaxUint64), vitrine.ReporterID(1)
	a := t.account("owner@example.org")
	one, other := link(a, "one", 0), link(a, "other", 0)
	t.addLinks(one, other)
	t.reported(one, time.Time{})
	t.reportedBy(ann, time.Time{}, 0, time.Time{})

	first, bobs, elsewhere := abuseReport(one, ann, time.Hour, "näher ✓"), abuseReport(one, bob, time.Minute, ""),
		abuseReport(other, ann, time.Second, "elsewhere")
	t.report(first, bobs, elsewhere)
	t.reported(one, time.Time{}, bobs, first)
	t.reported(one, first.At, bobs, first)
	t.reported(one, first.At.Add(time.Millisecond), bobs)
	t.reported(other, time.Time{}, elsewhere)
	t.reportedBy(ann, time.Time{}, 2, first.At)
	t.reportedBy(ann, first.At.Add(time.Millisecond), 1, elsewhere.At)
	t.reportedBy(ann, vitrinetest.Epoch, 0, time.Time{})

	// Only the last report of a reporter is listed. All are counted.
	again := abuseReport(one, ann, 0, "again")
	again.Reason = vitrine.AbuseOther
	t.report(again)
	t.reported(one, time.Time{}, again, bobs)
	t.reportedBy(ann, time.Time{}, 3, first.At)
	t.reported(other, time.Time{}, elsewhere)

	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.DeleteAbuseReports(one.ID), tx.DeleteAbuseReports(999))
	})
	t.reported(one, time.Time{})
	t.reported(other, time.Time{}, elsewhere)
	t.reportedBy(bob, time.Time{}, 0, time.Time{})
}

func (t storeTest) abuseReportsForgotten() {
	a := t.account("owner@example.org")
	live, held := link(a, "live", 0), link(a, "held", 0)
	held.State = vitrine.StateReview
	t.addLinks(live, held)
	old, young, reason := abuseReport(live, 1, time.Hour, "old"), abuseReport(live, 2, time.Minute, "young"),
		abuseReport(held, 1, time.Hour, "why it is held")
	t.report(old, young, reason)
	expire := func(before time.Time, want int64) {
		t.Helper()
		t.update(func(tx vitrine.Tx) error {
			n, err := tx.ExpireAbuseReports(before)
			vitrinetest.Equal(t, "reports deleted", n, want)
			return err
		})
	}
	expire(old.At, 0)
	expire(young.At, 1)
	expire(young.At, 0)
	t.reported(live, time.Time{}, young)
	t.reported(held, time.Time{}, reason)
}
