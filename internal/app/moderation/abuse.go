package moderation

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype"
	"vitrine/internal/visitor"
)

// DefaultAbuseThreshold is the default of Threshold.
const DefaultAbuseThreshold = 3

// Bounds of reports.
const (
	MaxAbuseNote = 1000 // characters
	// hourlyReports is the most reports of one reporter within an hour, over
	// all links, and of everybody together whose address is not known.
	hourlyReports            = 5
	hourlyReportsOfEverybody = 100
	// hourlyHolds is the most links that reports alone may hold within an hour,
	// over the whole instance, until a moderator decides. Readers seldom report
	// as many; an attacker with a thousand addresses can, and must not disable
	// the instance. Further reports are stored, and a later one holds the link.
	hourlyHolds = 20
	// AbuseReportLife is how long reports about a live link are stored.
	AbuseReportLife = 180 * 24 * time.Hour
)

// AbuseReasons lists all reasons in the order of the form.
var AbuseReasons = []vitrine.AbuseReason{vitrine.AbuseMalware, vitrine.AbusePhishing, vitrine.AbuseCopyright,
	vitrine.AbuseIllegal, vitrine.AbusePrivate, vitrine.AbuseOther}

// abuseSecret names the secret in the Store that reporters are distinguished
// with.
const abuseSecret = "abuse reporters"

// AbuseReports implements reporting links.
type AbuseReports struct {
	Store vitrine.Store
	Now   func() time.Time
	// Threshold is how many reporters of one day (UTC), since the last decision
	// of a person, send a link to review, or 0 if reports alone never do.
	// Different days are not added up, because a reader has another ID on each
	// day.
	Threshold int
}

// everybody is the reporter whose address is not known: all clients of a proxy
// that is not trusted.
const everybody vitrine.ReporterID = 0

// Reporter returns the ID of the reporters at an address. An IPv4 address or
// IPv6 /48 has one ID for a day (UTC): with smaller networks, one subscriber
// could be 65536 reporters. The zero Addr is everybody.
func (s *AbuseReports) Reporter(ctx context.Context, from netip.Addr) (vitrine.ReporterID, error) {
	if !from.IsValid() {
		return everybody, nil
	}
	key, err := s.key(ctx)
	if err != nil {
		return 0, err
	}
	day := visitor.DayKey(key, dayOf(s.Now()))
	if from = from.Unmap(); from.Is6() {
		from = throttle.Subscriber(from).Addr()
	}
	return vitrine.ReporterID(visitor.ViewerID(day, from, "")), nil
}

// key reads the instance's secret, and creates it for the first report.
func (s *AbuseReports) key(ctx context.Context) (key []byte, err error) {
	read := func(tx vitrine.Tx) (err error) {
		key, err = tx.Secret(abuseSecret)
		return err
	}
	if err = s.Store.Read(ctx, read); !errors.Is(err, vitrine.ErrNotFound) {
		return key, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		err := read(tx)
		if !errors.Is(err, vitrine.ErrNotFound) {
			return err // another process was first
		}
		key = vitrine.RandomKey()
		return tx.PutSecret(abuseSecret, key)
	})
	return key, err
}

// Report stores a report. Of the reports by one reporter about one link, the
// last one counts, and earlier ones are emptied. If the link reaches the
// threshold, it moves to review in the same transaction
// (contract, Link states).
//
// Errors: CodeInvalidRequest (unknown reason, or the note is too long); the
// error of the public page if the link is not live; CodeRateLimited after
// hourlyReports.
func (s *AbuseReports) Report(ctx context.Context, link vitrine.LinkID, by vitrine.ReporterID,
	reason vitrine.AbuseReason, note string) error {
	return s.report(ctx, by, reason, note, func(tx vitrine.Tx) (*vitrine.Link, error) {
		l, err := tx.Link(link)
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil, vitrine.ErrNoLink
		}
		if err != nil {
			return nil, err
		}
		a, err := tx.Account(l.Account)
		if err != nil {
			return nil, err
		}
		return l, access.File{Link: l, Account: a}.Check(access.Asker{Reports: true}, s.Now())
	})
}

// ReportWebsite files a report about a website. The report is about the version
// that visitors see at that time.
func (s *AbuseReports) ReportWebsite(ctx context.Context, slug vitrine.Slug, by vitrine.ReporterID,
	reason vitrine.AbuseReason, note string) error {
	return s.report(ctx, by, reason, note, func(tx vitrine.Tx) (*vitrine.Link, error) {
		version, _, err := access.Website(tx, slug, s.Now())
		return version, err
	})
}

// report stores a report about the public link that find returns.
func (s *AbuseReports) report(ctx context.Context, by vitrine.ReporterID, reason vitrine.AbuseReason, note string,
	find func(vitrine.Tx) (*vitrine.Link, error)) error {
	if !slices.Contains(AbuseReasons, reason) {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "reason",
			Message: "Choose what is wrong with it."}
	}
	note = filetype.OneLine(note)
	if utf8.RuneCountInString(note) > MaxAbuseNote {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "note",
			Message: "The description is longer than 1000 characters. Shorten it."}
	}
	if reason == vitrine.AbuseOther && note == "" {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "note",
			Message: "Describe what is wrong with it."}
	}
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := find(tx)
		if err != nil {
			return err
		}
		now := s.Now()
		if err := mayReport(tx, by, now); err != nil {
			return err
		}
		if err := tx.AddAbuseReport(&vitrine.AbuseReport{Link: l.ID, Reporter: by, Reason: reason, Note: note,
			At: now}); err != nil {
			return err
		}
		return s.hold(tx, l, now)
	})
	return err
}

// mayReport refuses a reporter who has sent enough within the hour.
func mayReport(tx vitrine.AbuseReportTx, by vitrine.ReporterID, now time.Time) error {
	most := int64(hourlyReports)
	if by == everybody {
		most = hourlyReportsOfEverybody
	}
	n, oldest, err := tx.CountAbuseReports(by, now.Add(-time.Hour))
	if err != nil || n < most {
		return err
	}
	return &vitrine.Error{Code: vitrine.CodeRateLimited, RetryAfter: max(oldest.Add(time.Hour).Sub(now), time.Second),
		Message: "Too many reports were sent from your network in the last hour."}
}

// dayOf returns the day (UTC) on which a reporter has one ID.
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// hold moves a live link to review when enough people have reported it on one
// day since a moderator last decided about it, unless reports have already
// moved the maximum number of links per hour.
func (s *AbuseReports) hold(tx vitrine.Tx, l *vitrine.Link, now time.Time) error {
	if s.Threshold <= 0 {
		return nil
	}
	since, err := lastDecided(tx, l)
	if err != nil {
		return err
	}
	reports, err := tx.AbuseReports(l.ID, since)
	if err != nil || mostReportersOfDay(reports) < s.Threshold {
		return err
	}
	held, err := heldByReports(tx, now.Add(-time.Hour))
	if err != nil || held >= hourlyHolds {
		return err
	}
	return l.Transition(tx, now, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorReaders},
		Action: vitrine.ActionHold, To: vitrine.StateReview, Reason: vitrine.ReasonAbuse})
}

// lastDecided returns when a moderator or the administrator last decided about
// a link, otherwise when it was created.
func lastDecided(tx vitrine.ChangeTx, l *vitrine.Link) (time.Time, error) {
	at := l.CreatedAt
	err := links.EachChange(tx, l.ID, func(c *vitrine.Change) bool {
		decided := (c.By.Kind == vitrine.ActorModerator || c.By.Kind == vitrine.ActorAdministrator) &&
			c.Action != vitrine.ActionDate
		if decided {
			at = c.At
		}
		return !decided
	})
	return at, err
}

// mostReportersOfDay returns the number of reporters on the day with the most.
// There is one report of each reporter.
func mostReportersOfDay(reports []*vitrine.AbuseReport) (most int) {
	days := map[string]int{}
	for _, r := range reports {
		days[dayOf(r.At)]++
		most = max(most, days[dayOf(r.At)])
	}
	return most
}

// heldByReports counts the links that reports have sent to review after a time,
// and that wait there.
func heldByReports(tx vitrine.ReviewTx, after time.Time) (n int, err error) {
	waiting, err := tx.Review(vitrine.ReviewQuery{Reason: vitrine.ReasonAbuse,
		After: vitrine.ReviewCursor{Since: after, ID: 1}, Limit: hourlyHolds})
	return len(waiting), err
}

// Expire deletes old reports. Those about a link in review or disabled remain,
// because they are the reason.
func (s *AbuseReports) Expire(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, err := tx.ExpireAbuseReports(s.Now().Add(-AbuseReportLife))
		return err
	})
}
