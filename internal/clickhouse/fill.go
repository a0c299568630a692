package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"vitrine"
	"vitrine/report"
)

// ErrOtherData is returned for a log that contains data which is not from the
// log that it is filled from.
var ErrOtherData = errors.New("it contains other data")

// The size of a batch of Fill, in rows and in bytes.
var (
	fillRows  = 20_000
	fillBytes = 8 << 20
)

// filledName is the name in the state of the sum over everything that Fill
// wrote, as of the batch of its version.
const filledName = "filled"

// filledAttempt is the number of the attempt to which expired days written by
// Fill belong. Other attempts have random numbers.
const filledAttempt = 1

// Fill copies another log into this one, which must be empty or contain what an
// interrupted Fill of the same log left; Fill then continues. Nobody may write
// to either log. Fill writes the first batches of this log, and each batch has
// the same entries in every attempt. So the journal shows how many batches
// exist, and the sum over their rows shows whether the other log is unchanged.
// Fill calls told after each batch and finally counts the rows. Errors:
// ErrOtherData.
func (l *ViewLog) Fill(ctx context.Context, from vitrine.LogExporter, told func(rows, bytes int64)) error {
	f := filling{log: l, ctx: ctx, told: told, number: 1, forgotten: map[vitrine.LinkID]*forgottenLink{}}
	var err error
	if f.day, err = from.Forgotten(ctx); err != nil {
		return err
	}
	if f.there, f.want, err = l.filled(ctx); err != nil {
		return err
	}
	if err := from.Export(ctx, f.add); err != nil {
		return err
	}
	if err := f.flush(true); err != nil {
		return err
	}
	if f.number <= f.there {
		return ErrOtherData
	}
	return f.verify()
}

// Fillable returns ErrOtherData if Fill cannot begin or continue.
func (l *ViewLog) Fillable(ctx context.Context) error {
	_, _, err := l.filled(ctx)
	return err
}

// filled returns the number of batches, and the sum over them.
func (l *ViewLog) filled(ctx context.Context) (there uint64, sum int64, err error) {
	err = l.write(ctx, func(_ context.Context, number uint64) ([]step,
		error) { // carry out what is left in the journal first
		there = number - 1
		return nil, nil
	})
	if err != nil || there == 0 {
		return 0, 0, err
	}
	var version uint64
	_, err = l.c.one(ctx, "SELECT value, version FROM state FINAL WHERE name = '"+filledName+"'",
		func(r *reader) { sum, version = r.int64(), r.uint64() })
	if err == nil && version != there {
		err = ErrOtherData
	}
	return there, sum, err
}

// forgottenLink collects the expired days of a link.
type forgottenLink struct {
	views, seen int64  // counted views, and their viewers
	viewer      uint64 // one of the viewers
}

// filling is a Fill in progress.
type filling struct {
	log   *ViewLog
	ctx   context.Context
	told  func(rows, bytes int64)
	day   report.Day // earlier days have expired
	there uint64     // number of batches at the beginning
	want  int64      // sum over these batches

	number uint64 // of the current batch
	sum    int64  // over all earlier batches
	n      int    // rows of the current batch

	receipts, tallies, seen, views, downloads, links rows
	viewers                                          rows // for stepViewers

	account   vitrine.AccountID
	forgotten map[vitrine.LinkID]*forgottenLink // links of the account

	totals [5]int64 // rows of filledTables so far
	counts []vitrine.CountedLink
}

// filledTables lists the tables in which each exported entry is a row.
var filledTables = [5]string{"imports", "tallies", "seen", "opens", "downloads"}

func (f *filling) add(entry vitrine.LogEntry) error {
	switch e := entry.(type) {
	case *vitrine.ImportReceipt:
		f.totals[0]++
		f.receipts.fixed(e.File[:])
		f.receipts.int64(e.Lines)
		f.receipts.int64(e.At.UnixMilli())
		f.receipts.uint64(f.number)
	case *vitrine.ExpiredDay:
		f.totals[1]++
		if e.Link != 0 {
			f.of(e.Scope).views += e.Tally.Views()
		}
		if err := f.tally(e); err != nil {
			return err
		}
	case *vitrine.LastSeen:
		f.totals[2]++
		if e.Link != 0 {
			of := f.of(e.Scope)
			of.seen++
			of.viewer = e.Viewer
		}
		f.seen.int64(int64(e.Account))
		f.seen.int64(int64(e.Link))
		f.seen.uint64(e.Viewer)
		f.seen.day(e.Day)
		f.seen.uint64(filledAttempt)
		f.seen.uint64(f.number)
	case *vitrine.LoggedView:
		f.totals[3]++
		row := viewRow{View: e.View, account: e.Account, startMs: e.StartMs, selfReported: e.SelfReported,
			imported: e.Imported,
			decided:  e.Decided, waits: e.Waits}
		row.append(&f.views, f.number)
	case *vitrine.LoggedDownload:
		f.totals[4]++
		for _, n := range []int64{int64(e.Account), int64(e.Link), int64(e.ID), int64(e.View)} {
			f.downloads.int64(n)
		}
		f.downloads.bool(false)
		f.downloads.uint64(f.number)
	case *vitrine.CountedLink:
		if err := f.link(e); err != nil {
			return err
		}
	default:
		return fmt.Errorf("the log cannot be filled with entries of type %T", entry)
	}
	if f.n++; f.n < fillRows && f.size() < fillBytes {
		return nil
	}
	return f.flush(false)
}

// of returns what is collected about the expired days of a link.
func (f *filling) of(s vitrine.Scope) *forgottenLink {
	if f.account != s.Account {
		f.account = s.Account
		clear(f.forgotten)
	}
	if f.forgotten[s.Link] == nil {
		f.forgotten[s.Link] = new(forgottenLink)
	}
	return f.forgotten[s.Link]
}

// link ends a link. The views of expired days can no longer be assigned to
// viewers, and nothing needs it: each viewer gets one view, and one viewer gets
// the rest.
func (f *filling) link(e *vitrine.CountedLink) error {
	f.counts = append(f.counts, *e)
	for _, n := range []int64{int64(e.Link), int64(e.Account), e.Views, e.Downloads} {
		f.links.int64(n)
	}
	f.links.uint64(f.number)
	of := f.of(e.Scope)
	rest := of.views - of.seen
	if rest < 0 || rest > 0 && of.seen == 0 {
		return fmt.Errorf("link %d has %d views on expired days, by %d viewers: run \"vitrine audit\" on the old log",
			e.Link, of.views, of.seen)
	}
	f.viewers.int64(int64(e.Account))
	f.viewers.int64(int64(e.Link))
	f.viewers.uint64(of.viewer)
	f.viewers.int64(rest)
	return nil
}

// steps returns what the batch does, without the state.
func (f *filling) steps() (steps []step) {
	for _, s := range []step{
		{stepInsert, "imports (file, lines, at, version)", f.receipts.b},
		{stepInsert, "tallies (account, link, day, attempt, version, labels, head, body, times)", f.tallies.b},
		{stepInsert, "seen (account, link, viewer, day, attempt, version)", f.seen.b},
		{stepInsert, insertViews, f.views.b},
		{stepInsert, "downloads (account, link, id, open, deleted, version)", f.downloads.b},
		{stepInsert, insertLinks, f.links.b},
		{stepViewers, "", f.viewers.b},
	} {
		if len(s.data) > 0 {
			steps = append(steps, s)
		}
	}
	return steps
}

func (f *filling) size() int {
	return len(f.receipts.b) + len(f.tallies.b) + len(f.seen.b) + len(f.views.b) + len(f.downloads.b) + len(f.links.b) +
		len(f.viewers.b)
}

// flush writes the batch unless it exists. The last batch makes the expired
// days valid.
func (f *filling) flush(last bool) error {
	steps := f.steps()
	if last && f.day > 0 {
		steps = append(steps, putState("settled", int64(f.day), f.number),
			putState("forgotten", int64(f.day), f.number),
			putState(fmt.Sprint(attemptPrefix, filledAttempt), int64(f.day), f.number))
	}
	var w rows
	w.int64(f.sum)
	w.bool(last)
	appendSteps(&w, steps)
	sum := sha256.Sum256(w.b)
	f.sum = int64(binary.LittleEndian.Uint64(sum[:]))
	switch {
	case f.number == f.there && f.sum != f.want:
		return ErrOtherData
	case f.number > f.there:
		if err := f.write(append(steps, putState(filledName, f.sum, f.number))); err != nil {
			return err
		}
		f.told(int64(f.n), int64(f.size()))
	}
	f.number++
	f.n = 0
	for _, r := range []*rows{&f.receipts, &f.tallies, &f.seen, &f.views, &f.downloads, &f.links, &f.viewers} {
		r.b = r.b[:0]
	}
	return f.ctx.Err()
}

func (f *filling) write(steps []step) error {
	return f.log.write(f.ctx, func(_ context.Context, number uint64) ([]step, error) {
		if number != f.number {
			return nil, fmt.Errorf("%w: another program is writing to it", ErrOtherData)
		}
		return steps, nil
	})
}

// countViewers counts the views of each viewer of complete links: the stored
// views, and those of expired days.
func (c *client) countViewers(ctx context.Context, number uint64, links []byte) error {
	given := keySet("a Int64, l Int64, w UInt64, r Int64", rows{links})
	of := "(account, link) IN (SELECT a, l FROM " + given + ")"
	return c.work(ctx, fmt.Sprintf(`INSERT INTO viewers (link, viewer, account, opens, version) SELECT link, viewer, account, sum(n), %d FROM (
		SELECT link, viewer, account, toInt64(1) AS n FROM opens FINAL WHERE %s AND bot = ''
		UNION ALL SELECT link, viewer, account, toInt64(1) AS n FROM seen FINAL WHERE %s AND attempt = %d
		UNION ALL SELECT l AS link, w AS viewer, a AS account, r AS n FROM %s WHERE r != 0)
		GROUP BY link, viewer, account`, number, of, of, filledAttempt, given))
}

// verify counts the rows.
func (f *filling) verify() error {
	for i, table := range filledTables {
		var n int64
		if _, err := f.log.c.one(f.ctx, "SELECT toInt64(count()) FROM "+table+" FINAL",
			func(r *reader) { n = r.int64() }); err != nil {
			return err
		}
		if n != f.totals[i] {
			return fmt.Errorf("the copy differs: the table %s should have %d rows, but has %d", table, n,
				f.totals[i])
		}
	}
	left := f.counts
	err := f.log.c.query(f.ctx, "SELECT account, link, views, downloads FROM links FINAL ORDER BY account, link",
		func(r *reader) error {
			c := vitrine.CountedLink{Scope: vitrine.Scope{Account: vitrine.AccountID(r.int64()),
				Link: vitrine.LinkID(r.int64())}}
			c.Views, c.Downloads = r.int64(), r.int64()
			if r.err != nil {
				return r.err
			}
			if len(left) == 0 || left[0] != c {
				return fmt.Errorf("the copy differs: account %d, link %d has %d views and %d downloads in its counts",
					c.Account, c.Link, c.Views, c.Downloads)
			}
			left = left[1:]
			return nil
		})
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("the copy differs: link %d is missing", left[0].Link)
	}
	return err
}

// tally adds the row of an expired day. Equal tallies produce equal rows,
// regardless of the order of their labels.
func (f *filling) tally(e *vitrine.ExpiredDay) error {
	w, t := &f.tallies, e.Tally
	var labels []string
	_, err := t.AppendBody(nil, func(label string) (uint64, error) {
		labels = append(labels, label)
		return 0, nil
	})
	if err != nil {
		return err
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	body, err := t.AppendBody(nil, func(label string) (uint64, error) {
		i, _ := slices.BinarySearch(labels, label)
		return uint64(i), nil
	})
	if err != nil {
		return err
	}
	w.int64(int64(e.Account))
	w.int64(int64(e.Link))
	w.day(e.Day)
	w.uint64(filledAttempt)
	w.uint64(f.number)
	w.strings(labels)
	w.bytes(t.AppendHead(nil))
	w.bytes(body)
	w.bytes(t.AppendTimes(nil, report.AllTimes))
	return nil
}
