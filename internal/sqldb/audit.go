package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"vitrine"
	"vitrine/report"
)

// Audit is vitrine.ViewLog's. It goes through the log once, link by link and then account by account, over one snapshot.
func (l *ViewLog) Audit(ctx context.Context, all bool, fault func(string)) error {
	return l.db.read(ctx, func(t *tx) error {
		if err := l.auditLinks(ctx, t, fault); err != nil {
			return err
		}
		wrong := func(_ vitrine.AccountID, _ report.Day, text string) { fault(text) }
		if err := auditVisits(ctx, t, fault, wrong); err != nil {
			return err
		}
		return l.auditTallies(ctx, t, all, wrong)
	})
}

func (l *ViewLog) auditLinks(ctx context.Context, t *tx, fault func(string)) error {
	link := int64(math.MinInt64)
	for {
		var next *int64
		err := t.get([]any{&next}, `SELECT min(link) FROM (
			SELECT min(link) AS link FROM links WHERE link > $1 UNION ALL SELECT min(link) FROM opens WHERE link > $1 UNION ALL
			SELECT min(link) FROM packs WHERE link > $1 UNION ALL SELECT min(link) FROM viewers WHERE link > $1 UNION ALL SELECT min(link) FROM downloads WHERE link > $1) AS every`, link)
		if err != nil || next == nil {
			return err
		}
		link = *next
		a := linkAudit{tx: t, opens: opener{words: l.words}, link: link}
		a.fault = func(format string, args ...any) {
			fault(fmt.Sprintf("view log, link %d: ", link) + fmt.Sprintf(format, args...))
		}
		if err := a.run(ctx); err != nil {
			return err
		}
	}
}

// linkAudit recounts one link.
type linkAudit struct {
	tx    *tx
	opens opener
	link  int64
	fault func(format string, args ...any)

	views, downloads int64
	// viewers sums a fingerprint of the viewer of each open that counts, so that they need not be remembered; seen is the same
	// from the table of viewers.
	viewers, seen uint64
}

func (a *linkAudit) run(ctx context.Context) error {
	var account, views, downloads int64
	err := a.tx.get([]any{&account, &views, &downloads}, "SELECT account, views, downloads FROM links WHERE link = $1", a.link)
	counted := err == nil
	if errors.Is(err, vitrine.ErrNotFound) {
		a.fault("it has opens or downloads, and no row of counts")
	} else if err != nil {
		return err
	}
	if counted && account < 0 {
		return nil // its erasure was cut off, and goes on
	}
	if err := a.readForgotten(vitrine.AccountID(account)); err != nil {
		return err
	}
	if err := a.readOpens(ctx); err != nil {
		return err
	}
	if err := a.readViewers(); err != nil {
		return err
	}
	if err := a.readDownloads(); err != nil {
		return err
	}
	if counted && views != a.views {
		a.fault("%d views are counted, its opens make %d", views, a.views)
	}
	if counted && downloads != a.downloads {
		a.fault("%d downloads are counted, there are %d", downloads, a.downloads)
	}
	if a.viewers != a.seen {
		a.fault("the viewers kept to tell who returns are not those of its opens")
	}
	return nil
}

func (a *linkAudit) readOpens(ctx context.Context) error {
	n := 0
	last := vitrine.ViewID(math.MinInt64)
	every := ids{math.MinInt64, math.MaxInt64}
	err := a.tx.packedRows(ofLink(vitrine.LinkID(a.link)), every, false, func(_ vitrine.LinkID, r *row) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if n > 1 && r.id <= last {
			a.fault("open %d stands in a pack after open %d", r.id, last)
		}
		last = r.id
		return a.open(r, true)
	})
	if errors.Is(err, errRecord) {
		a.fault("%v", err)
		err = nil
	}
	if err != nil {
		return err
	}
	return a.tx.visitOpens(func(link, id int64, open, session []byte) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r := row{id: vitrine.ViewID(id)}
		if err := r.decode(open, session); err != nil {
			a.fault("open %d: %v", id, err)
			return nil
		}
		return a.open(&r, false)
	}, " FROM opens o WHERE o.link = $1", []any{a.link})
}

// readForgotten counts what is known of days whose opens are gone.
func (a *linkAudit) readForgotten(account vitrine.AccountID) error {
	s, err := a.tx.state(account)
	if err != nil {
		return err
	}
	return a.tx.each(func(row scanner) error {
		var day report.Day
		var head []byte
		if err := row.Scan(&day, &head); err != nil {
			return err
		}
		t := new(report.Tally)
		if report.CheckPiece(head) != nil || t.AddHead(head, report.NoDay) != nil {
			a.fault("the tally of %v, whose opens are gone, is damaged", day)
		}
		a.views += t.Views()
		a.downloads += t.Downloads()
		return nil
	}, "SELECT day, head FROM tallies WHERE account = $1 AND link = $2 AND level = 0 AND day < $3", int64(account), a.link, s.forgotten)
}

// open counts an open.
func (a *linkAudit) open(r *row, packed bool) error {
	o, err := a.opens.make(a.link, r)
	if errors.Is(err, errRecord) {
		a.fault("open %d: %v", r.id, err)
		return nil
	}
	if err != nil {
		return err
	}
	imported := r.flags&openImported != 0
	if o.Counted() {
		a.views++
		if !packed {
			a.viewers += fingerprint(o.Viewer)
		}
	}
	if o.Session != nil {
		if wrong := wrongSession(o.Session, imported); wrong != "" {
			a.fault("open %d: %s", r.id, wrong)
		}
	}
	return nil
}

func (a *linkAudit) readViewers() error {
	return a.tx.each(func(s scanner) error {
		var viewer, opens int64
		if err := s.Scan(&viewer, &opens); err != nil {
			return err
		}
		if opens < 1 {
			a.fault("a viewer is kept with %d opens", opens)
		}
		a.seen += uint64(opens) * fingerprint(uint64(viewer))
		return nil
	}, "SELECT viewer, opens FROM viewers WHERE link = $1", a.link)
}

func (a *linkAudit) readDownloads() error {
	type elsewhere struct{ id, of int64 }
	var packed []elsewhere // unless they are nowhere
	err := a.tx.each(func(s scanner) error {
		var id, of int64
		var open []byte
		if err := s.Scan(&id, &of, &open); err != nil {
			return err
		}
		a.downloads++
		var r openRecord
		switch {
		case open == nil:
			packed = append(packed, elsewhere{id, of})
		case r.decode(open) == nil && !r.human():
			a.fault("download %d belongs to open %d, which is a bot's", id, of)
		}
		return nil
	}, `SELECT d.id, d.open, o.open FROM downloads d LEFT JOIN opens o ON o.link = d.link AND o.id = d.open WHERE d.link = $1`, a.link)
	for _, d := range packed {
		if err == nil && !a.inPack(vitrine.ViewID(d.of)) {
			a.fault("download %d belongs to open %d, which does not exist", d.id, d.of)
		}
	}
	return err
}

// inPack tells whether a pack has an open, by a person.
func (a *linkAudit) inPack(id vitrine.ViewID) (found bool) {
	err := a.tx.packedRows(ofLink(vitrine.LinkID(a.link)), ids{id, id + 1}, true, func(_ vitrine.LinkID, r *row) error {
		found = r.human()
		return nil
	})
	return err == nil && found
}

// fingerprint spreads a viewer over all numbers, so that sums of different viewers differ.
func fingerprint(viewer uint64) uint64 {
	hi, lo := bits.Mul64(viewer^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	hi, lo = bits.Mul64(hi^lo^viewer, 0xa0761d6478bd642f)
	return hi ^ lo
}

// maxSessionMs is the longest time one open can count (engagement, The server).
const maxSessionMs = 4 * 60 * 60 * 1000

// wrongSession says what no session can be. Another system's history is held to less.
func wrongSession(s *report.Session, imported bool) string {
	const whole = 1_000_000
	share := func(n int64) bool { return 0 <= n && n <= whole }
	switch {
	case s.EngagedMs < 0 || s.PresentMs < 0:
		return "its times are negative"
	case !imported && s.EngagedMs > s.PresentMs:
		return fmt.Sprintf("it was engaged for %d ms and present for %d", s.EngagedMs, s.PresentMs)
	case !imported && s.PresentMs > maxSessionMs:
		return fmt.Sprintf("it was present for %d ms, longer than an open can count", s.PresentMs)
	case !share(s.Played) || !share(s.Reached) || !share(s.Depth):
		return "its progress is more than the whole"
	}
	page := 0
	for _, p := range s.Pages {
		if p.Page <= page || p.Ms < 0 {
			return fmt.Sprintf("its time on page %d stands in the wrong place or is negative", p.Page)
		}
		page = p.Page
	}
	return ""
}
