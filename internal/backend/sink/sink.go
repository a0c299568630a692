// Package sink copies views to a table of ClickHouse, for SQL and other tools.
// Nothing reads them from there, and no page waits for them.
//
// Each view is a row, with exactly what the list of visits has about it. A row
// is written again when its view changes; the table keeps the one with the
// highest change. So a copy that is repeated, or that two processes make at
// once, does no harm. The view log knows what is not copied yet
// (internal/backend/viewlog/changes.go).
package sink

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/viewlog"
	"vitrine/report"
)

// VisitsOf returns views of a link as its visits, and the facts of the link, or
// ErrNotFound if the link is deleted.
type VisitsOf func(ctx context.Context, link vitrine.LinkID,
	views []vitrine.ViewRecord) (report.Link, []report.VisitRow, error)

const (
	// Every is the interval of copies.
	Every = 10 * time.Second
	// sweepEvery is the interval in which rows of deleted links are deleted.
	sweepEvery = 30 * time.Minute
	// MostWaiting is how many bytes of changes may wait in the view log. If
	// there are more, the copy begins again.
	MostWaiting = 256 << 20
)

// batch is the number of changes that are copied with one INSERT.
var batch = 10_000

// Sink copies the views of a log.
type Sink struct {
	log    *viewlog.ViewLog
	visits VisitsOf
	client *client
	now    func() time.Time
	logger *slog.Logger

	number int64     // of the copy; 0: the table is to be looked at
	swept  time.Time // the last sweep
	away   bool      // the last attempt failed, and that is logged
}

// Check returns an error if an address cannot be one of a sink.
func Check(address string) error {
	_, err := parse(address)
	return err
}

// New returns a sink at an address.
func New(address string, log *viewlog.ViewLog, visits VisitsOf, now func() time.Time,
	logger *slog.Logger) (*Sink, error) {
	c, err := parse(address)
	return &Sink{log: log, visits: visits, client: c, now: now, logger: logger}, err
}

// Run copies what waits, and deletes rows of deleted links if it is time. While
// ClickHouse is away, views wait; Run logs that once, and returns nil.
func (s *Sink) Run(ctx context.Context) error {
	err := s.run(ctx)
	away := new(awayError)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &away):
		s.number = 0
		if !s.away {
			s.away = true
			s.logger.Warn("sink unavailable, views wait in the view log", "sink", s.client.url, "error", err)
		}
		return nil
	case err == nil && s.away:
		s.away = false
		s.logger.Info("sink is available again", "sink", s.client.url)
	}
	return err
}

func (s *Sink) run(ctx context.Context) error {
	if s.number == 0 {
		if err := s.find(ctx); err != nil {
			return err
		}
	}
	for more := true; more; {
		var err error
		more, err = s.log.Copy(ctx, s.number, batch, func(seq int64, views []vitrine.ViewRecord) error {
			return s.put(ctx, seq, views)
		})
		if errors.Is(err, viewlog.ErrCopyEnded) {
			s.number = 0
			return nil // the next run begins another one
		}
		if err != nil {
			return err
		}
		if now := s.now(); now.Sub(s.swept) >= sweepEvery { // the first copy may take hours
			if err := s.sweep(ctx); err != nil {
				return err
			}
			s.swept = now
		}
	}
	return nil
}

// find continues the copy in the table, or begins a new one.
func (s *Sink) find(ctx context.Context) error {
	p, err := s.log.Position(ctx)
	if err != nil {
		return err
	}
	state, err := s.log.CopyState(ctx)
	if err != nil {
		return err
	}
	number, err := s.client.number(ctx, p.Mark)
	if err != nil {
		return err
	}
	if number > 0 && number == state.Number {
		s.number = number
		return s.client.newer(ctx, p.Last)
	}
	// The log begins first: a table never says that it has a copy that the log
	// does not make.
	begun, err := s.log.BeginCopy(ctx, max(number, 0))
	if err != nil {
		return err
	}
	comment := " COMMENT '" + mark(p.Mark, begun) + "'"
	switch number {
	case -1:
		err = s.client.do(ctx, Table+comment, nil, nil)
	case 0:
		err = s.client.do(ctx, "ALTER TABLE visits MODIFY"+comment, nil, nil)
	default:
		err = s.client.newer(ctx, p.Last)
	}
	if err == nil {
		s.number = begun
		s.logger.Info("copying all views to the sink", "sink", s.client.url)
	}
	return err
}

// newer returns an error if the table has changes that the log does not have:
// it would keep its rows.
func (c *client) newer(ctx context.Context, last int64) error {
	text, err := c.text(ctx, "SELECT max(change) FROM visits")
	if err != nil {
		return err
	}
	if change, err := strconv.ParseInt(text, 10, 64); err != nil || change > last {
		return &awayError{fmt.Errorf("the table visits is newer than the view log (change %s, and the log has %d), which was probably restored. Drop the table: then all views are copied again", text, last)}
	}
	return nil
}

// put inserts views, which are ordered by link, as of a change.
func (s *Sink) put(ctx context.Context, change int64, views []vitrine.ViewRecord) error {
	var lines bytes.Buffer
	for len(views) > 0 {
		n := 1
		for n < len(views) && views[n].Link == views[0].Link {
			n++
		}
		of, rows, err := s.visits(ctx, vitrine.LinkID(views[0].Link), views[:n])
		if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		for i := range rows {
			if err := addLine(&lines, views[0].Account, &of, change, &rows[i]); err != nil {
				return err
			}
		}
		views = views[n:]
	}
	if lines.Len() == 0 {
		return nil
	}
	return s.client.do(ctx, "INSERT INTO visits FORMAT JSONEachRow", &lines, nil)
}

// addLine adds a row: the line of the export, and in front of it whose it is.
func addLine(b *bytes.Buffer, account vitrine.AccountID, of *report.Link, change int64, visit *report.VisitRow) error {
	head, err := json.Marshal(map[string]any{"account": account, "link": of.ID, "linkId": of.PublicID, "slug": of.Slug,
		"change": change})
	if err != nil {
		return err
	}
	line, err := json.Marshal(visit)
	if err != nil {
		return err
	}
	b.Write(head[:len(head)-1])
	b.WriteByte(',')
	b.Write(line[1:])
	b.WriteByte('\n')
	return nil
}

// sweptLinks is the number of links whose rows one statement deletes.
const sweptLinks = 1000

// sweep deletes the rows of links that the log no longer has.
func (s *Sink) sweep(ctx context.Context) error {
	gone := map[vitrine.LinkID]bool{}
	err := s.client.do(ctx, "SELECT DISTINCT link FROM visits", nil, func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			link, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err != nil {
				return err
			}
			gone[vitrine.LinkID(link)] = true
		}
		return lines.Err()
	})
	if err == nil && len(gone) > 0 {
		err = s.log.EachScope(ctx, func(of vitrine.Scope) error { delete(gone, of.Link); return nil })
	}
	if err != nil {
		return err
	}
	var links []string
	for link := range gone {
		if links = append(links, strconv.FormatInt(int64(link), 10)); len(links) == sweptLinks {
			if err := s.erase(ctx, links); err != nil {
				return err
			}
			links = links[:0]
		}
	}
	return s.erase(ctx, links)
}

func (s *Sink) erase(ctx context.Context, links []string) error {
	if len(links) == 0 {
		return nil
	}
	return s.client.do(ctx, "DELETE FROM visits WHERE link IN ("+strings.Join(links, ", ")+")", nil, nil)
}

// Look returns an error if ClickHouse at an address cannot take the copy of a
// view log with a mark. It changes nothing.
func Look(ctx context.Context, address string, log int64) error {
	c, err := parse(address)
	if err == nil {
		_, err = c.number(ctx, log)
	}
	return err
}
