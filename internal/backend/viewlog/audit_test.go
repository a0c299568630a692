package viewlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

func faults(t *testing.T, l *ViewLog) (list []string) {
	t.Helper()
	if err := l.Audit(t.Context(), true, func(fault string, _ bool) { list = append(list, fault) }); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestAuditOfExpiredView checks that a download is no fault if the view of its
// page was on the day before, and has expired.
func TestAuditOfExpiredView(t *testing.T) {
	const d = firstTestDay + 63 // the last of days that expire together
	l := openTestLog(t)
	v, late := on(d, 86_390_000, 1, 1), on(d+1, 20_000, 1, 2)
	appendViews(t, l, v, late)
	if _, err := l.Append(t.Context(), vitrine.Batch{Downloads: []vitrine.Download{{Account: 1, Link: 1,
		ID: vitrine.ViewIDAt((d+1).StartMs()+10_000, 0), View: vitrine.ViewID(v.ID)}}}); err != nil {
		t.Fatal(err)
	}
	rollUp(t, l, d+100)
	if err := l.Expire(t.Context(), d+1); err != nil {
		t.Fatal(err)
	}
	from, err := l.RetainedFrom(t.Context(), 1)
	if err != nil || from != d+1 {
		t.Fatalf("views are kept from %v on, want %v: %v", from, d+1, err)
	}
	clean(t, l)
	tamper(t, l, "UPDATE downloads SET view = $1", int64(late.ID)+1)
	if got := fmt.Sprint(faults(t, l)); !strings.Contains(got, "which does not exist") {
		t.Errorf("faults of a view that never was: %s", got)
	}
}

func tamper(t *testing.T, l *ViewLog, query string, args ...any) {
	t.Helper()
	err := l.transact(t.Context(), func(tx logTx) error {
		n, err := tx.Exec(query, args...)
		if err == nil && n == 0 {
			t.Errorf("%s changes no row", query)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAuditFinds checks that the audit finds each change in the database that
// the log did not make, and names the right link.
func TestAuditFinds(t *testing.T) {
	for _, c := range []struct {
		name, change, want string
		args               []any
	}{
		{"nothing", "UPDATE links SET account = account", "", nil},
		{"views", "UPDATE links SET views = views + 1 WHERE link = 1",
			"link 1: the stored count of views is 4, but its rows give 3",
			nil},
		{"downloads", "UPDATE links SET downloads = 0 WHERE link = 1",
			"link 1: the stored count of downloads is 0, but there are 1",
			nil},
		{"counts", "DELETE FROM links WHERE link = 1", "link 1: it has views or downloads, but no row of counts", nil},
		{"an account's counts", "UPDATE account_counts SET downloads = 7",
			"account 1: 4 views and 7 downloads are stored, but its links have 4 and 1", nil},
		{"an account without counts", "DELETE FROM account_counts",
			"account 1: 0 views and 0 downloads are stored, but its links have 4 and 1", nil},
		{"counts of no account", "INSERT INTO account_counts (account, views, downloads) VALUES (9, 1, 0)",
			"account 9: 1 views and 0 downloads are stored, but its links have 0 and 0", nil},
		{"a view", "DELETE FROM views WHERE link = 1 AND id = $1",
			"link 1: the stored count of views is 3, but its rows give 2",
			[]any{from(1, "").ID}},
		{"a blob", "UPDATE views SET record = substr(record, 1, 9) WHERE link = 1 AND id = $1", "the record is damaged",
			[]any{from(1, "").ID}},
		{"a session", "UPDATE views SET session = $2 WHERE link = 1 AND id = $1", "the record is damaged",
			[]any{from(1, "").ID, []byte{1}}},
		{"a word", "DELETE FROM words", "is missing", nil},
		{"a viewer", "DELETE FROM viewers WHERE viewer = 2", "the stored viewers do not match", nil},
		{"a state out of order", "INSERT INTO accounts (account, version, compacted_until, rolled_up_until, stale_from, building_until, retained_from) VALUES (9, 1, 5, 9, 0, 0, 0)",
			"account 9: its days are out of order", nil},
		{"a viewer's views", "UPDATE viewers SET views = 2 WHERE viewer = 2", "the stored viewers do not match",
			nil},
		{"a viewer without views", "INSERT INTO viewers (link, viewer, views) VALUES (1, 77, 0)",
			"a viewer is stored with 0 views", nil},
		{"another viewer", "UPDATE viewers SET viewer = 99 WHERE viewer = 2", "the stored viewers do not match",
			nil},
		{"a stray viewer", "INSERT INTO viewers (link, viewer, views) VALUES (7, 1, 1)",
			"link 7: it has views or downloads, but no row of counts", nil},
		{"a download's view", "UPDATE downloads SET view = 5", "belongs to view 5, which does not exist", nil},
		{"a download of a bot", "UPDATE downloads SET view = $1", "which is a bot's", []any{from(4, "").ID}},
		{"an endless session", "UPDATE views SET session = $2 WHERE link = 1 AND id = $1",
			"longer than a view can count",
			[]any{from(1, "").ID, (&segment.Session{Session: report.Session{PresentMs: segment.MaxSessionMs +
				1}}).Append(nil, 0)}},
		{"a session of more than all", "UPDATE views SET session = $2 WHERE link = 1 AND id = $1",
			"more than 100%",
			[]any{from(1, "").ID, (&segment.Session{Session: report.Session{Depth: 1_000_001}}).Append(nil, 0)}},
		{"engaged while away", "UPDATE views SET session = $2 WHERE link = 1 AND id = $1",
			"engaged for 2 ms and present for 1",
			[]any{from(1, "").ID, (&segment.Session{Session: report.Session{EngagedMs: 2, PresentMs: 1}}).Append(nil,
				0)}},
		{"negative time", "UPDATE views SET session = $2 WHERE link = 1 AND id = $1", "negative",
			[]any{from(1, "").ID, (&segment.Session{Session: report.Session{EngagedMs: -2}}).Append(nil, 0)}},
		{"pages in disorder", "UPDATE views SET session = $2 WHERE link = 1 AND id = $1",
			"time on page 2 is negative or out of order",
			[]any{from(1, "").ID, (&segment.Session{Session: report.Session{Pages: []report.PageTime{{Page: 3},
				{Page: 2}}}}).Append(nil, 0)}},
	} {
		l := openTestLog(t)
		bot := from(4, "e")
		bot.Bot = "crawler"
		other := from(1, "x")
		other.Link = 2
		download := vitrine.Download{ID: 1, Link: 1, View: vitrine.ViewID(from(1, "").ID)}
		views := []vitrine.ViewRecord{from(1, "a"), from(2, "b"), from(3, "c"), bot, other}
		_, err := l.Append(t.Context(), vitrine.Batch{Views: views, Downloads: []vitrine.Download{download}})
		if err != nil {
			t.Fatal(err)
		}
		if got := faults(t, l); got != nil {
			t.Fatalf("%s: audit before = %v", c.name, got)
		}
		tamper(t, l, c.change, c.args...)
		l.words = tables.NewDict(l.db, 10, 10, 10) // like another process without cached words
		got := faults(t, l)
		if (c.want == "") != (got == nil) || !strings.Contains(strings.Join(got, "\n"), c.want) {
			t.Errorf("%s: audit = %q, want %q", c.name, got, c.want)
		}
	}
}

// TestDeleteLinkInSteps checks that a link does not count from the first step
// of its deletion on, that the audit finds no fault if the deletion is
// interrupted, and that the next one completes it.
func TestDeleteLinkInSteps(t *testing.T) {
	l := openTestLog(t)
	const n = 2*deleteBatch + 500
	views := make([]vitrine.ViewRecord, n)
	for i := range views {
		views[i] = from(i, "a")
	}
	appendViews(t, l, views...)
	step := func() (more bool) {
		t.Helper()
		err := l.update(t.Context(), func(t logTx, c *tables.Changes) (err error) {
			more, err = deleteStep(t, c, 1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return more
	}
	steps := 1
	for ; step(); steps++ {
		counts, err := l.Counts(t.Context(), []vitrine.LinkID{1})
		if err != nil || counts[1].Views > 1 {
			t.Errorf("counts of a link that is being deleted = %v, %v", counts, err)
		}
		tally, _, err := l.Tally(t.Context(), vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, To: 40_000})
		if err != nil || tally.Views() != 0 {
			t.Errorf("%d views of its account, %v, want 0", tally.Views(), err)
		}
		if got := faults(t, l); got != nil {
			t.Errorf("audit = %v", got)
		}
		appendViews(t, l, from(n+steps, "late")) // its page was still open
	}
	if steps < 3 {
		t.Errorf("%d views were deleted in %d steps, want at least 3", n, steps)
	}
	if got := sources(t, l); got != nil {
		t.Errorf("%d views are left", len(got))
	}
	for _, table := range []string{"views", "viewers", "links"} {
		var rows int64
		err := l.read(t.Context(), func(t logTx) error { return t.Get([]any{&rows}, "SELECT count(*) FROM "+table) })
		if err != nil || rows != 0 {
			t.Errorf("%s has %d rows, %v, want 0", table, rows, err)
		}
	}
	if err := l.DeleteLink(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// TestViewerDayEnds checks that a long answer ends with its context, and that a
// panic during one leaves the log usable.
func TestViewerDayEnds(t *testing.T) {
	l := openTestLog(t)
	views := make([]vitrine.ViewRecord, 3*checkEvery)
	for i := range views {
		views[i] = from(i, "a")
	}
	appendViews(t, l, views...)
	for range 2 * sqldb.SqliteReaders {
		rows := 0
		visit := func(f sqldb.Visitor) error {
			return l.read(context.Background(), func(t logTx) error {
				return t.VisitViews(f, " FROM views o WHERE o.link = $1", []any{1})
			})
		}
		failed := errors.New("failed")
		if err := visit(func(_, _ int64, _, _ []byte) error { rows++; return failed }); err != failed || rows != 1 {
			t.Fatalf("visit with a failing function = %v after %d rows", err, rows)
		}
		func() {
			defer func() {
				if r := recover(); r != "oh" {
					t.Fatalf("recovered %v, want oh", r)
				}
			}()
			_ = visit(func(_, _ int64, _, _ []byte) error { panic("oh") })
		}()
	}
	ctx := &dyingContext{Context: t.Context(), lives: 3}
	if _, _, err := l.Tally(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, To: 40_000}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled Tally = %v, want context.Canceled", err)
	}
	tally, _, err := l.Tally(t.Context(), vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, To: 40_000})
	if err != nil || tally.Views() != int64(len(views)) {
		t.Errorf("Tally afterwards = %d views, %v", tally.Views(), err)
	}
}

// dyingContext is cancelled after its Err was called a few times.
type dyingContext struct {
	context.Context
	lives int
}

func (c *dyingContext) Err() error {
	if c.lives--; c.lives < 0 {
		return context.Canceled
	}
	return nil
}
