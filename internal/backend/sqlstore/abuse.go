package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

func readAbuseReport(s sqldb.Scanner) (*vitrine.AbuseReport, error) {
	r := new(vitrine.AbuseReport)
	var by int64
	err := s.Scan(&r.Link, &by, &r.Reason, &r.Note, sqldb.Instant{Time: &r.At})
	r.Reporter = vitrine.ReporterID(by)
	return r, err
}

func (t Tx) AddAbuseReport(r *vitrine.AbuseReport) error {
	_, err := t.Exec("UPDATE abuse_reports SET note = '', replaced = TRUE WHERE link = $1 AND reporter = $2 AND NOT replaced",
		int64(r.Link), int64(r.Reporter))
	if err != nil {
		return err
	}
	_, err = t.Exec("INSERT INTO abuse_reports (link, reporter, reason, note, at, replaced) VALUES ($1, $2, $3, $4, $5, FALSE)",
		int64(r.Link), int64(r.Reporter), string(r.Reason), r.Note, sqldb.Ms(r.At))
	return err
}

func (t Tx) AbuseReports(l vitrine.LinkID, since time.Time) ([]*vitrine.AbuseReport, error) {
	return sqldb.List(t.Tx, readAbuseReport, `SELECT link, reporter, reason, note, at FROM abuse_reports
		WHERE link = $1 AND at >= $2 AND NOT replaced ORDER BY at DESC, id DESC`, int64(l), sqldb.Ms(since))
}

func (t Tx) CountAbuseReports(by vitrine.ReporterID, since time.Time) (n int64, oldest time.Time, err error) {
	err = t.Get([]any{&n, sqldb.Instant{Time: &oldest}},
		"SELECT count(*), min(at) FROM abuse_reports WHERE reporter = $1 AND at >= $2", int64(by), sqldb.Ms(since))
	return n, oldest, err
}

func (t Tx) DeleteAbuseReports(l vitrine.LinkID) error {
	_, err := t.Exec("DELETE FROM abuse_reports WHERE link = $1", int64(l))
	return err
}

func (t Tx) ExpireAbuseReports(before time.Time) (int64, error) {
	return t.Exec(`DELETE FROM abuse_reports WHERE at < $1
		AND EXISTS (SELECT 1 FROM links WHERE id = abuse_reports.link AND state = 'live')`, sqldb.Ms(before))
}
