package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"vitrine"
	"vitrine/report"
)

// Audit implements [vitrine.ViewLog]. The database recounts links, a group at a
// time, while others write. Links with differences are recounted under the
// write lock, because a batch may have been in progress.
func (l *ViewLog) Audit(ctx context.Context, all bool, fault func(string, bool)) error {
	other := func(text string) { fault(text, false) }
	var s state
	err := l.write(ctx, func(ctx context.Context, _ uint64) (steps []step,
		err error) { // carry out what is left in the journal first
		s, err = l.stateNow(ctx)
		return nil, err
	})
	if err != nil {
		return err
	}
	var links int64
	if _, err := l.c.one(ctx, "SELECT toInt64(count()) FROM links", func(r *reader) { links = r.int64() }); err != nil {
		return err
	}
	slices := links/auditBatch + 1
	for i := range slices {
		if err := l.auditLinks(ctx, s, fmt.Sprintf("positiveModulo(link, %d) = %d", slices, i), all,
			other); err != nil {
			return err
		}
	}
	if err := l.auditTallies(ctx, s, all, other); err != nil {
		return err
	}
	return l.auditDaily(ctx, s, all, func(text string) { fault(text, true) })
}

// auditBatch is the number of links recounted together; suspectsBatch is
// the same under the write lock.
const (
	auditBatch    = 100_000
	suspectsBatch = 1000
)

// auditLinks recounts the links that match a condition.
func (l *ViewLog) auditLinks(ctx context.Context, s state, where string, all bool, fault func(string)) error {
	suspects, err := l.c.recount(ctx, s, where)
	if err != nil || len(suspects) == 0 {
		return err
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(suspects)), suspectsBatch) {
		var faults map[vitrine.LinkID][]string
		err := l.write(ctx, func(ctx context.Context, _ uint64) ([]step, error) {
			s, err := l.stateNow(ctx)
			if err == nil {
				faults, err = l.c.recount(ctx, s, "link IN ("+list(some)+")")
			}
			return nil, err
		})
		if err != nil {
			return err
		}
		for _, link := range slices.Sorted(maps.Keys(faults)) {
			for _, f := range faults[link] {
				fault(fmt.Sprintf("view log, link %d: %s", link, f))
			}
		}
	}
	return nil
}

// recounted is a link with its stored counts and the counts of its rows.
type recounted struct {
	account          vitrine.AccountID
	counted          bool // it has a row in the table links
	views, downloads int64

	realViews, realDownloads, viewers int64
	faults                            []string
}

// recountQuery is a query and the function that reads its rows.
type recountQuery struct {
	sql  string
	each func(r *reader)
}

// recounts returns the queries that recount links.
func recounts(s state, where string, of func(link int64) *recounted) []recountQuery {
	kept := idsOf(s.forgotten, lastDay)
	return []recountQuery{
		{"SELECT link, account, views, downloads FROM links FINAL WHERE " + where, func(r *reader) {
			a := of(r.int64())
			a.counted, a.account, a.views, a.downloads = true, vitrine.AccountID(r.int64()), r.int64(), r.int64()
		}},
		{fmt.Sprintf("SELECT link, account, toInt64(countIf(bot = '')), toInt64(countIf(id < %d)) FROM opens FINAL WHERE %s GROUP BY link, account", kept.from, where), func(r *reader) {
			a := of(r.int64())
			a.owned(vitrine.AccountID(r.int64()), "opens")
			a.realViews += r.int64()
			if n := r.int64(); n > 0 {
				a.fault("%d views of expired days", n)
			}
		}},
		{"SELECT link, account, toInt64(count()) FROM downloads FINAL WHERE " + where + " GROUP BY link, account",
			func(r *reader) {
				a := of(r.int64())
				a.owned(vitrine.AccountID(r.int64()), "downloads")
				a.realDownloads += r.int64()
			}},
		{"SELECT link, account, sum(opens), toInt64(countIf(opens < 0)) FROM viewers FINAL WHERE " + where +
			" GROUP BY link, account", func(r *reader) {
			a := of(r.int64())
			a.owned(vitrine.AccountID(r.int64()), "viewers")
			a.viewers += r.int64()
			if n := r.int64(); n > 0 {
				a.fault("%d viewers have a negative number of views", n)
			}
		}},
		{viewersSQL(s, where), func(r *reader) {
			of(r.int64()).fault("%d viewers do not match its views", r.int64())
		}},
		{strayDownloadsSQL(kept, where), func(r *reader) {
			of(r.int64()).fault("download %d belongs to view %d, which does not exist or is a bot's", r.int64(),
				r.int64())
		}},
		{wrongSessionsSQL(where), func(r *reader) {
			of(r.int64()).fault("view %d has an impossible session", r.int64())
		}},
		{fmt.Sprintf("SELECT link, head FROM tallies FINAL WHERE %s AND link != 0 AND toInt32(day) < %d AND %s", where,
			s.forgotten, s.counted()), func(r *reader) {
			a, t := of(r.int64()), new(report.Tally)
			if addPieces(t, window{TallyQuery: vitrine.TallyQuery{From: report.NoDay, Brief: true}}, nil,
				[3][]byte{r.bytes()}) != nil && r.err == nil {
				a.fault("the tally of a day whose views have expired is damaged")
			}
			a.realViews += t.Views()
			a.realDownloads += t.Downloads()
		}},
	}
}

// recount recounts the links that match a condition. It returns the faults of
// each link that has any.
func (c *client) recount(ctx context.Context, s state, where string) (map[vitrine.LinkID][]string, error) {
	links := map[vitrine.LinkID]*recounted{}
	of := func(link int64) *recounted {
		if links[vitrine.LinkID(link)] == nil {
			links[vitrine.LinkID(link)] = new(recounted)
		}
		return links[vitrine.LinkID(link)]
	}
	for _, q := range recounts(s, where, of) {
		err := c.read(ctx, backgroundTime, q.sql, func(r *reader) error {
			q.each(r)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	faults := map[vitrine.LinkID][]string{}
	for link, a := range links {
		a.compare()
		if len(a.faults) > 0 {
			faults[link] = a.faults
		}
	}
	return faults, nil
}

func (a *recounted) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// owned checks that rows belong to the link's account.
func (a *recounted) owned(account vitrine.AccountID, what string) {
	if a.counted && account != a.account {
		a.fault("its %s belong to account %d, but its counts to account %d", what, account, a.account)
	}
}

func (a *recounted) compare() {
	if !a.counted {
		a.fault("it has views, viewers or downloads, but no row of counts")
		return
	}
	if a.views != a.realViews {
		a.fault("the stored count of views is %d, but its rows give %d", a.views, a.realViews)
	}
	if a.downloads != a.realDownloads {
		a.fault("the stored count of downloads is %d, but there are %d", a.downloads, a.realDownloads)
	}
	if a.views != a.viewers {
		a.fault("the stored count of views is %d, but its viewers have %d", a.views, a.viewers)
	}
}

// viewersSQL selects, for each link, how many viewers are stored with a wrong
// number of views. Viewers with expired views may be stored with more.
func viewersSQL(s state, where string) string {
	wrong := "sum(n) != 0"
	if s.forgotten > 0 {
		wrong = "sum(n) > 0"
	}
	return fmt.Sprintf(`SELECT link, toInt64(count()) FROM (SELECT link, viewer FROM (
			SELECT link, viewer, toInt64(1) AS n FROM opens FINAL WHERE bot = '' AND %s UNION ALL SELECT link, viewer, -opens AS n FROM viewers FINAL WHERE %s)
		GROUP BY link, viewer HAVING %s) GROUP BY link`, where, where, wrong)
}

// maxFaults bounds the listed faults of a kind.
const maxFaults = 100

func strayDownloadsSQL(kept ids, where string) string {
	return fmt.Sprintf(`SELECT link, id, open FROM downloads FINAL WHERE %s AND open >= greatest(%d, 1)
		AND (link, open) NOT IN (SELECT link, id FROM opens FINAL WHERE bot = '' AND %s) LIMIT %d`, where, kept.from, where, maxFaults)
}

// wrongSessionsSQL selects impossible sessions. Fewer rules apply to imported
// sessions.
func wrongSessionsSQL(where string) string {
	const maxSessionMs = 4 * 60 * 60 * 1000 // the longest time one view can count (engagement, The server)
	return fmt.Sprintf(`SELECT link, id FROM opens FINAL WHERE %s AND session AND (engaged < 0 OR present < 0 OR NOT imported AND (engaged > present OR present > %d)
		OR played NOT BETWEEN 0 AND 1000000 OR reached NOT BETWEEN 0 AND 1000000 OR depth NOT BETWEEN 0 AND 1000000
		OR length(pages) != length(page_ms) OR arrayExists(p -> p < 1, pages) OR arrayExists(ms -> ms < 0, page_ms)
		OR arrayExists(i -> pages[i] <= pages[i - 1], range(2, toUInt32(length(pages)) + 1))) LIMIT %d`, where, maxSessionMs, maxFaults)
}

// auditTallies checks the tallies of expired days: all, or one in sixteen.
func (l *ViewLog) auditTallies(ctx context.Context, s state, all bool, fault func(string)) error {
	sample := ""
	if !all {
		sample = " AND cityHash64(link, day, now()) % 16 = 0"
	}
	sql := fmt.Sprintf("SELECT account, link, toInt32(day), labels, head, body, times FROM tallies FINAL WHERE %s%s",
		s.counted(), sample)
	return l.c.read(ctx, backgroundTime, sql, func(r *reader) error {
		account, link, day, labels := r.int64(), r.int64(), report.Day(r.int32()), r.strings()
		var pieces [3][]byte
		for i := range pieces {
			pieces[i] = slices.Clone(r.bytes())
		}
		if r.err != nil {
			return r.err
		}
		if err := addPieces(new(report.Tally), window{TallyQuery: vitrine.TallyQuery{From: report.NoDay}}, labels,
			pieces); err != nil {
			fault(fmt.Sprintf("view log, account %d, link %d: the tally of %v, whose views have expired: %v", account,
				link,
				day, err))
		}
		return nil
	})
}
