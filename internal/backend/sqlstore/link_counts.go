package sqlstore

import (
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// linkCounts is what a link adds to the stored counts of its account.
type linkCounts struct {
	account      vitrine.AccountID
	links, bytes int64
}

// countsOf returns what a link counts for. A link that is deleted, or is nil,
// counts for nothing, and a version only for its bytes.
func countsOf(l *vitrine.Link) (c linkCounts) {
	if l == nil || !l.DeletedAt.IsZero() {
		return c
	}
	c.account = l.Account
	if l.Site == 0 && l.Of == 0 {
		c.links = 1
	}
	if l.HasBytes {
		c.bytes = l.Size
	}
	return c
}

// changeCounts changes the stored counts for a link that was another one
// before; nil means that there was none.
func (t Tx) changeCounts(was, is *vitrine.Link) error {
	before, after := countsOf(was), countsOf(is)
	if before == after {
		return nil
	}
	before.links, before.bytes = -before.links, -before.bytes
	for _, c := range []linkCounts{before, after} {
		if c.links == 0 && c.bytes == 0 {
			continue
		}
		_, err := t.Exec(`INSERT INTO link_counts (account, links, bytes) VALUES ($1, $2, $3) ON CONFLICT (account) DO UPDATE
			SET links = link_counts.links + excluded.links, bytes = link_counts.bytes + excluded.bytes`,
			int64(c.account), c.links, c.bytes)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t Tx) AddLink(l *vitrine.Link) error {
	l.Version = max(l.Version, 1)
	if err := links.add(t, l); err != nil {
		return err
	}
	return t.changeCounts(nil, l)
}

func (t Tx) PutLink(l *vitrine.Link) error {
	was, err := t.Link(l.ID)
	if err != nil {
		return err
	}
	if err := links.put(t, l); err != nil {
		return err
	}
	return t.changeCounts(was, l)
}

func (t Tx) CountLinks(a vitrine.AccountID) (n, bytes int64, err error) {
	err = t.Get([]any{&n, &bytes}, `SELECT (SELECT count(*) FROM sites WHERE account = $1 AND deleted_at IS NULL)
		+ coalesce((SELECT links FROM link_counts WHERE account = $2), 0),
		coalesce((SELECT bytes FROM link_counts WHERE account = $3), 0)`, int64(a), int64(a), int64(a))
	return n, bytes, err
}

func (t Tx) LinkTotals(a vitrine.AccountID) (n int64, oldest time.Time, err error) {
	err = t.Get([]any{&n, sqldb.Instant{Time: &oldest}}, `SELECT coalesce((SELECT links FROM link_counts WHERE account = $1), 0),
		(SELECT created_at FROM links WHERE account = $2 AND`+isFile+` ORDER BY created_at LIMIT 1)`,
		int64(a), int64(a))
	if err != nil {
		return 0, oldest, err
	}
	var trashed time.Time
	err = t.Get([]any{sqldb.Instant{Time: &trashed}}, "SELECT min(created_at) FROM links WHERE account = $1 AND"+isTrashed, int64(a))
	if !trashed.IsZero() && (oldest.IsZero() || trashed.Before(oldest)) {
		oldest = trashed
	}
	return n, oldest, err
}
