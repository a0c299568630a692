package sqldb

import (
	"time"

	"vitrine"
)

func readAbuseReport(s scanner) (*vitrine.AbuseReport, error) {
	r := new(vitrine.AbuseReport)
	var by int64
	err := s.Scan(&r.Link, &by, &r.Reason, &r.Note, instant{Time: &r.At})
	r.Reporter = vitrine.ReporterID(by)
	return r, err
}

func (t storeTx) AddAbuseReport(r *vitrine.AbuseReport) error {
	_, err := t.exec("UPDATE abuse_reports SET note = '', replaced = TRUE WHERE link = $1 AND reporter = $2 AND NOT replaced",
		int64(r.Link), int64(r.Reporter))
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO abuse_reports (link, reporter, reason, note, at, replaced) VALUES ($1, $2, $3, $4, $5, FALSE)",
		int64(r.Link), int64(r.Reporter), string(r.Reason), r.Note, ms(r.At))
	return err
}

func (t storeTx) AbuseReports(l vitrine.LinkID, since time.Time) ([]*vitrine.AbuseReport, error) {
	return list(t.tx, readAbuseReport, `SELECT link, reporter, reason, note, at FROM abuse_reports
		WHERE link = $1 AND at >= $2 AND NOT replaced ORDER BY at DESC, id DESC`, int64(l), ms(since))
}

func (t storeTx) CountAbuseReports(by vitrine.ReporterID, since time.Time) (n int64, oldest time.Time, err error) {
	err = t.get([]any{&n, instant{Time: &oldest}}, "SELECT count(*), min(at) FROM abuse_reports WHERE reporter = $1 AND at >= $2", int64(by), ms(since))
	return n, oldest, err
}

func (t storeTx) DeleteAbuseReports(l vitrine.LinkID) error {
	_, err := t.exec("DELETE FROM abuse_reports WHERE link = $1", int64(l))
	return err
}

func (t storeTx) ExpireAbuseReports(before time.Time) (int64, error) {
	return t.exec("DELETE FROM abuse_reports WHERE at < $1 AND link IN (SELECT id FROM links WHERE state = 'live')", ms(before))
}
