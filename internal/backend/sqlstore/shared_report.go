package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

const sharedReportColumns = "account, link, hash, label, password, created_at, expires_at"

func readSharedReport(s sqldb.Scanner) (*vitrine.SharedReport, error) {
	v := new(vitrine.SharedReport)
	var hash []byte
	err := s.Scan(&v.ID, &v.Account, &v.Link, &hash, &v.Label, &v.Password, sqldb.Instant{Time: &v.CreatedAt},
		sqldb.Instant{Time: &v.ExpiresAt})
	copy(v.Hash[:], hash)
	return v, err
}

func (t Tx) AddSharedReport(r *vitrine.SharedReport) error {
	return t.add(&r.ID, "INSERT INTO shared_reports ("+sharedReportColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7)",
		int64(r.Account), int64(r.Link), r.Hash[:], r.Label, r.Password, sqldb.Ms(r.CreatedAt),
		sqldb.MsOrNull(r.ExpiresAt))
}

func (t Tx) SharedReportByHash(hash [32]byte) (*vitrine.SharedReport, error) {
	return sqldb.One(t.Tx, readSharedReport, "SELECT id, "+sharedReportColumns+" FROM shared_reports WHERE hash = $1",
		hash[:])
}

func (t Tx) SharedReports(a vitrine.AccountID, l vitrine.LinkID) ([]*vitrine.SharedReport, error) {
	return sqldb.List(t.Tx, readSharedReport, "SELECT id, "+sharedReportColumns+
		" FROM shared_reports WHERE account = $1 AND link = $2 ORDER BY created_at DESC, id DESC", int64(a), int64(l))
}

func (t Tx) DeleteSharedReport(a vitrine.AccountID, id vitrine.SharedReportID) error {
	if id == 0 {
		_, err := t.Exec("DELETE FROM shared_reports WHERE account = $1", int64(a))
		return err
	}
	return t.Put("DELETE FROM shared_reports WHERE account = $1 AND id = $2", int64(a), int64(id))
}

func (t Tx) ExpireSharedReports(before time.Time) (int64, error) {
	return t.Exec("DELETE FROM shared_reports WHERE expires_at < $1", sqldb.Ms(before))
}
