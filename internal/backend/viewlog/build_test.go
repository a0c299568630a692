package viewlog

import (
	"errors"
	"testing"

	"vitrine"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/internal/test/sqltest"
	"vitrine/report"
)

// twoLogs opens one log twice, like two processes, with views of 20 days that
// are not rolled up.
func twoLogs(t *testing.T) (one, other *ViewLog) {
	t.Helper()
	place := sqltest.NewPlace(t)
	var logs [2]*ViewLog
	for i := range logs {
		l, err := Open(place)
		if err != nil {
			t.Fatal(err)
		}
		l.least = minViews{1, 1, 1}
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
		logs[i] = l
	}
	for day := range report.Day(20) {
		for link := range int64(3) {
			appendViews(t, logs[0], on(firstTestDay+day, link, 1+link, uint64(day%5)))
		}
	}
	return logs[0], logs[1]
}

// TestRollUpIsLocked checks that RollUp does nothing while another process
// builds rollups.
func TestRollUpIsLocked(t *testing.T) {
	one, other := twoLogs(t)
	unlock, err := one.db.Lock(t.Context(), "rollup", false)
	if err != nil {
		t.Fatal(err)
	}
	upTo := func() report.Day {
		var s state
		err := other.read(t.Context(), func(t logTx) (err error) {
			s, err = t.state(1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return s.rolledUpUntil
	}
	rollUp(t, other, firstTestDay+20)
	if got := upTo(); got != 0 {
		t.Errorf("rolled up before %v while another process had the lock, want 0", got)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	rollUp(t, other, firstTestDay+20)
	if got := upTo(); got != firstTestDay+20 {
		t.Errorf("rolled up before %v after the lock was free", got)
	}
	clean(t, one)
}

// TestBuildClearedByAnother checks that a process that lost its lock, while
// another one deleted what it had built, stops instead of marking days without
// rollups as built.
func TestBuildClearedByAnother(t *testing.T) {
	one, other := twoLogs(t)
	ctx := t.Context()
	for more := true; more; {
		err := one.update(ctx, func(t logTx, c *tables.Changes) (err error) {
			more, err = compactSome(t, 1, firstTestDay+20)
			c.Reset(1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	first := building{log: one, ctx: ctx, account: 1, whole: dayTallies{}, counts: map[vitrine.LinkID][]int64{}}
	if done, err := first.begin(); err != nil || done {
		t.Fatalf("begin = %v, %v", done, err)
	}
	facts, err := first.viewerDays()
	if err == nil {
		err = first.views(facts)
	}
	if err == nil {
		first.queue(first.scope(0), first.whole)
		err = first.flush() // all rollups are stored, but the days are not marked yet
	}
	if err != nil {
		t.Fatal(err)
	}
	second := building{log: other, ctx: ctx, account: 1}
	if done, err := second.begin(); err != nil || done { // deletes them
		t.Fatalf("begin = %v, %v", done, err)
	}
	err = first.write(func(t logTx) error { return first.advance(t, first.days.to) })
	if !errors.Is(err, errChanged) {
		t.Errorf("the first attempt continued: %v, want errChanged", err)
	}
	if err := second.run(); err != nil {
		t.Fatal(err)
	}
	rollUp(t, one, firstTestDay+20)
	clean(t, other)
}
