package clickhouse

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"vitrine"
)

// HighestIDs implements [vitrine.ViewLog]. Each maximum is the end of a table's
// sort order. The journal is read first, so that a batch that is applied
// concurrently is found in the journal or in the tables.
func (l *ViewLog) HighestIDs(ctx context.Context) (account vitrine.AccountID, link vitrine.LinkID, err error) {
	err = l.c.pending(ctx, func(s vitrine.Scope) {
		if s.Account < vitrine.FirstSitePage {
			account = max(account, s.Account)
		}
		if s.Link < vitrine.FirstSitePage {
			link = max(link, s.Link)
		}
	})
	if err != nil {
		return 0, 0, err
	}
	ends := []struct{ column, table string }{{"account", "opens"}, {"account", "downloads"}, {"account", "tallies"},
		{"account", "daily"},
		{"account", "late"}, {"account", "built"}, {"link", "links"}}
	var last []string
	for _, e := range ends {
		last = append(last, fmt.Sprintf("SELECT * FROM (SELECT '%s' AS what, %s AS n FROM %s WHERE n < %d ORDER BY n DESC LIMIT 1)",
			e.column, e.column, e.table, int64(vitrine.FirstSitePage)))
	}
	err = l.c.query(ctx, strings.Join(last, " UNION ALL "), func(r *reader) error {
		if what, n := r.string(), r.int64(); what == "link" {
			link = max(link, vitrine.LinkID(n))
		} else {
			account = max(account, vitrine.AccountID(n))
		}
		return nil
	})
	return account, link, err
}

// pending calls f with the links of the last batch of the journal, which may
// not be carried out yet.
func (c *client) pending(ctx context.Context, f func(vitrine.Scope)) error {
	var steps []step
	var damaged error
	_, err := c.one(ctx, "SELECT effect FROM journal WHERE done = 0 ORDER BY number DESC LIMIT 1", func(r *reader) {
		if b := r.bytes(); len(b) > 0 {
			steps, damaged = readSteps(append([]byte(nil), b...))
		}
	})
	if err == nil {
		err = damaged
	}
	if err != nil {
		return failure(ctx, err)
	}
	for _, s := range steps {
		if s.kind != stepInsert || s.into != insertLinks {
			continue
		}
		if len(s.data)%linkBytes != 0 {
			return failure(ctx, errJournal)
		}
		for b := s.data; len(b) > 0; b = b[linkBytes:] {
			f(vitrine.Scope{Link: vitrine.LinkID(binary.LittleEndian.Uint64(b)),
				Account: vitrine.AccountID(binary.LittleEndian.Uint64(b[8:]))})
		}
	}
	return nil
}

// insertLinks is the target of the rows of counted links. Each row has
// linkBytes bytes.
const (
	insertLinks = "links (link, account, views, downloads, version)"
	linkBytes   = 5 * 8
)

// EachScope implements [vitrine.ViewLog]. Each view has a row of counts for its
// link. An account can have more rows than that after its links are deleted.
func (l *ViewLog) EachScope(ctx context.Context, f func(vitrine.Scope) error) error {
	err := l.c.read(ctx, backgroundTime, "SELECT link, account FROM links FINAL ORDER BY link", func(r *reader) error {
		s := vitrine.Scope{Link: vitrine.LinkID(r.int64()), Account: vitrine.AccountID(r.int64())}
		if r.err != nil {
			return r.err
		}
		return f(s)
	})
	if err != nil {
		return err
	}
	var accounts []string
	for _, table := range []string{"links", "tallies", "daily", "late", "built"} {
		accounts = append(accounts, "SELECT DISTINCT account FROM "+table)
	}
	return l.c.read(ctx, backgroundTime, "SELECT DISTINCT account FROM ("+strings.Join(accounts, " UNION ALL ")+
		") ORDER BY account", func(r *reader) error {
		s := vitrine.Scope{Account: vitrine.AccountID(r.int64())}
		if r.err != nil {
			return r.err
		}
		return f(s)
	})
}
