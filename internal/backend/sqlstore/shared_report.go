package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var sharedReports = newTable("shared_reports", func(r *vitrine.SharedReport) []field {
	return []field{{"id", &r.ID}, {"account", &r.Account}, {"link", &r.Link}, {"hash", digest(r.Hash[:])},
		{"label", &r.Label}, {"password", &r.Password}, {"query", &r.Query}, {"created_at", at(&r.CreatedAt)},
		{"expires_at", orNone(&r.ExpiresAt)}}
})

func (t Tx) AddSharedReport(r *vitrine.SharedReport) error { return sharedReports.add(t, r) }

func (t Tx) SharedReportByHash(hash [32]byte) (*vitrine.SharedReport, error) {
	return sharedReports.one(t, "hash = $1", hash[:])
}

func (t Tx) SharedReports(a vitrine.AccountID, l vitrine.LinkID) ([]*vitrine.SharedReport, error) {
	return sharedReports.list(t, " WHERE account = $1 AND link = $2 ORDER BY created_at DESC, id DESC", int64(a),
		int64(l))
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
