package sqlstore

import (
	"errors"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

func (t Tx) AddGateCounts(l vitrine.LinkID, more vitrine.GateCounts) error {
	_, err := t.Exec(`INSERT INTO gates (link, shown, passed)
		SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM links WHERE id = $1 AND deleted_at IS NULL)
		OR EXISTS (SELECT 1 FROM albums WHERE id = $4 AND deleted_at IS NULL)
		ON CONFLICT (link) DO UPDATE SET shown = gates.shown + excluded.shown, passed = gates.passed + excluded.passed`,
		int64(l), more.Shown, more.Passed, -int64(l))
	return err
}

func (t Tx) GateCounts(l vitrine.LinkID) (c vitrine.GateCounts, err error) {
	err = t.Get([]any{&c.Shown, &c.Passed}, "SELECT shown, passed FROM gates WHERE link = $1", int64(l))
	if errors.Is(err, vitrine.ErrNotFound) {
		err = nil
	}
	return c, err
}

func (t Tx) DeleteGateCounts(l vitrine.LinkID) error {
	_, err := t.Exec("DELETE FROM gates WHERE link = $1", int64(l))
	return err
}

func (t Tx) LeftByReaders() (list []vitrine.LinkID, err error) {
	return list, t.Each(func(s sqldb.Scanner) error {
		var l vitrine.LinkID
		err := s.Scan(&l)
		list = append(list, l)
		return err
	}, `SELECT link FROM (SELECT link FROM places UNION SELECT link FROM known_readers UNION SELECT link FROM gates
		UNION SELECT link FROM recipients) AS rest
		WHERE NOT EXISTS (SELECT 1 FROM links WHERE id = rest.link AND (deleted_at IS NULL OR trash_until IS NOT NULL))
		AND NOT EXISTS (SELECT 1 FROM albums WHERE id = -rest.link AND deleted_at IS NULL) ORDER BY link`)
}
