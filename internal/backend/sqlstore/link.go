package sqlstore

import (
	"database/sql/driver"
	"math"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

var links = newTable("links", func(l *vitrine.Link) []field {
	return []field{{"id", &l.ID}, {"account", &l.Account}, {"slug", &l.Slug}, {"title", &l.Title},
		{"upload", &l.Upload}, {"name", &l.Name}, {"type", &l.Type}, {"kind", &l.Kind}, {"size", &l.Size},
		{"sha256", &l.SHA256}, {"pages", &l.Pages}, {"outline", &l.Outline}, {"files", &l.Files},
		{"has_bytes", &l.HasBytes},
		{"scanned", &l.Scanned}, {"parts", &l.Parts}, {"preview", &l.Preview},
		{"key", &l.Key}, {"client", &l.Client}, {"allow_download", &l.AllowDownload}, {"state", &l.State},
		{"reason", &l.Reason}, {"detail", &l.Detail}, {"created_at", at(&l.CreatedAt)},
		{"state_at", orNone(&l.StateAt)}, {"expires_at", orNone(&l.ExpiresAt)}, {"deleted_at", orNone(&l.DeletedAt)},
		{"trash_until", orNone(&l.TrashUntil)},
		{"site", &l.Site}, {"version_of", &l.Of}, {"version", &l.Version}, {"versions", &l.Versions},
		{"pending", &l.Pending}, {"told", &l.Told}, {"bell", &l.Bell}, {"rung_on", &l.RungOn},
		{"access", accessText{&l.Access}},
		{"notes", &l.Notes}, {"labels", &l.Labels}, {"label_words", onlyWritten(l.Labels.SearchLabels())},
		{"words", onlyWritten(l.SearchWords())}} // by which links are searched
})

func (t Tx) Link(id vitrine.LinkID) (*vitrine.Link, error) { return links.one(t, "id = $1", int64(id)) }

func (t Tx) LinksByID(ids []vitrine.LinkID) ([]*vitrine.Link, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = int64(id)
	}
	return links.list(t, " WHERE id IN ("+sqldb.Placeholders(1, len(ids))+")", args...)
}

func (t Tx) Version(of vitrine.LinkID, n int) (*vitrine.Link, error) {
	return links.one(t, "version_of = $1 AND version = $2 AND version_of <> 0", int64(of), n)
}

func (t Tx) LinkBySlug(s vitrine.Slug) (*vitrine.Link, error) {
	return links.one(t, "slug = $1 AND slug <> ''", string(s))
}

func (t Tx) Links(q vitrine.LinkQuery) ([]*vitrine.Link, error) {
	w := selectedLinks(q)
	if !q.Before.CreatedAt.IsZero() {
		at := "created_at"
		if q.Sort == vitrine.SortDeleted {
			at = "deleted_at"
		}
		w.Where("("+at+", id) < ($%d, $%d)", sqldb.Ms(q.Before.CreatedAt), int64(q.Before.ID))
	}
	if q.After != 0 {
		w.Where("id > $%d", int64(q.After))
	}
	order := linkOrders[q.Sort]
	if !q.TrashEnds.IsZero() {
		order = " ORDER BY trash_until, id"
	}
	indexed := q.Sort == vitrine.SortNewest || q.Sort == vitrine.SortID || q.Sort == vitrine.SortDeleted
	if indexed && q.Offset == 0 && len(q.Words) == 0 {
		return links.list(t, w.End(order, q.Limit), w.Args...)
	}
	// An index selects the links; only the rows on the page are read.
	ids := "SELECT id FROM links" + w.End(order, max(q.Limit, 0))
	if q.Offset > 0 {
		if q.Limit == 0 {
			ids += w.Place(" LIMIT $%d", int64(math.MaxInt64))
		}
		ids += w.Place(" OFFSET $%d", q.Offset)
	}
	return links.list(t, " WHERE id IN ("+ids+")"+order, w.Args...)
}

func (t Tx) LinkIDs(q vitrine.LinkQuery) (ids []vitrine.LinkID, err error) {
	w := selectedLinks(q)
	err = t.Visit("id", " FROM links"+w.Text, w.Args, func(row []driver.Value) error {
		ids = append(ids, vitrine.LinkID(row[0].(int64)))
		return nil
	})
	return ids, err
}

var linkOrders = map[vitrine.LinkSort]string{
	vitrine.SortNewest:  " ORDER BY created_at DESC, id DESC",
	vitrine.SortOldest:  " ORDER BY created_at, id",
	vitrine.SortTitle:   " ORDER BY words, id",
	vitrine.SortSize:    " ORDER BY size DESC, id DESC",
	vitrine.SortID:      " ORDER BY id",
	vitrine.SortDeleted: " ORDER BY deleted_at DESC, id DESC",
}

// selectedLinks returns the conditions of a query, without its cursor.
func selectedLinks(q vitrine.LinkQuery) *sqldb.Selection {
	w := &sqldb.Selection{}
	switch {
	case q.Trash:
		w.Where("deleted_at IS NOT NULL AND trash_until IS NOT NULL")
		if !q.TrashEnds.IsZero() {
			w.Where("trash_until <= $%d", sqldb.Ms(q.TrashEnds))
		}
	case q.WithBytes && q.NoTrash:
		w.Where("deleted_at IS NOT NULL AND has_bytes AND trash_until IS NULL")
	case q.WithBytes:
		w.Where("deleted_at IS NOT NULL AND has_bytes")
	default:
		w.Where("deleted_at IS NULL")
	}
	if q.Account != 0 {
		w.Where("account = $%d", int64(q.Account))
	}
	if q.Key != 0 {
		w.Where("key = $%d AND key <> 0", int64(q.Key))
	}
	if q.PreviewDue {
		w.Where("preview = '' AND state IN ('live', 'review') AND has_bytes")
	}
	if q.Site != 0 {
		w.Where("site = $%d AND site <> 0", int64(q.Site))
	}
	if q.Of != 0 {
		w.Where("version_of = $%d AND version_of <> 0", int64(q.Of))
	}
	if q.Files {
		w.Where("site = 0 AND version_of = 0")
	}
	switch {
	case q.State == vitrine.StateLive && !q.Now.IsZero():
		w.Where("state = $%d AND (expires_at IS NULL OR expires_at > $%d)", string(q.State), sqldb.Ms(q.Now))
	case q.State == vitrine.StateDisabled && !q.Now.IsZero():
		w.Where("(state = $%d OR state = 'live' AND expires_at <= $%d)", string(q.State), sqldb.Ms(q.Now))
	case q.State != "":
		w.Where("state = $%d", string(q.State))
	}
	if q.Kind != "" {
		w.Where("kind = $%d", string(q.Kind))
	}
	if q.Label != "" {
		w.Where(`label_words LIKE $%d ESCAPE '\' AND labels <> ''`, "%"+likeText.Replace(vitrine.LabelWord(q.Label))+"%")
	}
	for _, word := range q.Words {
		w.Where(`words LIKE $%d ESCAPE '\'`, "%"+likeText.Replace(word)+"%")
	}
	return w
}

// likeText escapes a text for LIKE.
var likeText = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

func (t Tx) LinksBySHA256(sum string, n int) ([]*vitrine.Link, error) {
	w := sqldb.Selection{}
	w.Where("sha256 = $%d AND sha256 <> ''", sum)
	return links.list(t, w.End(" ORDER BY created_at DESC, id DESC", n), w.Args...)
}

func (t Tx) Review(q vitrine.ReviewQuery) ([]*vitrine.Link, error) {
	w := sqldb.Selection{}
	w.Where("state = 'review' AND deleted_at IS NULL")
	if q.Reason != "" {
		w.Where("reason = $%d", q.Reason)
	}
	if q.After.ID != 0 {
		w.Where("(state_at, id) > ($%d, $%d)", sqldb.Ms(q.After.Since), int64(q.After.ID))
	}
	return links.list(t, w.End(" ORDER BY state_at, id", q.Limit), w.Args...)
}

func (t Tx) CountReview() (map[string]int64, error) {
	counts := map[string]int64{}
	return counts, t.Each(func(s sqldb.Scanner) error {
		var reason string
		var n int64
		err := s.Scan(&reason, &n)
		counts[reason] = n
		return err
	}, "SELECT reason, count(*) FROM links WHERE state = 'review' AND deleted_at IS NULL GROUP BY reason")
}

func (t Tx) ScanDue(state vitrine.LinkState, signatures string, after vitrine.LinkID, n int) ([]*vitrine.Link, error) {
	w := sqldb.Selection{}
	w.Where("deleted_at IS NULL AND has_bytes AND state = $%d", string(state))
	w.Where("id > $%d", int64(after))
	if signatures != "" || state != vitrine.StateProcessing { // without a scanner nothing is ever scanned, so all are due
		w.Where("scanned <> $%d", signatures)
	}
	return links.list(t, w.End(" ORDER BY id", n), w.Args...)
}

func (t Tx) BytesRefused(sum string) (bad bool, err error) {
	err = t.Get([]any{&bad}, `SELECT EXISTS (SELECT 1 FROM links WHERE sha256 = $1 AND sha256 <> ''
		AND (state = 'disabled' AND reason IN ('malware', 'moderator') OR state = 'review' AND reason IN ('malware', 'abuse_reports')))`, sum)
	return bad, err
}

func (t Tx) LinksExpired(now time.Time, n int) ([]*vitrine.Link, error) {
	w := sqldb.Selection{}
	w.Where("expires_at IS NOT NULL AND state = 'live' AND deleted_at IS NULL AND expires_at <= $%d", sqldb.Ms(now))
	return links.list(t, w.End(" ORDER BY expires_at, id", n), w.Args...)
}

func (t Tx) Labels(a vitrine.AccountID) (all []vitrine.Labels, err error) {
	return all, t.Each(func(s sqldb.Scanner) error {
		var l vitrine.Labels
		err := s.Scan(&l)
		all = append(all, l)
		return err
	}, "SELECT DISTINCT labels FROM links WHERE account = $1 AND labels <> '' AND deleted_at IS NULL", int64(a))
}

func (t Tx) LinksByKey(a vitrine.AccountID) (map[vitrine.KeyID]int64, error) {
	counts := map[vitrine.KeyID]int64{}
	return counts, t.Each(func(s sqldb.Scanner) error {
		var key vitrine.KeyID
		var n int64
		err := s.Scan(&key, &n)
		counts[key] = n
		return err
	}, "SELECT key, count(*) FROM links WHERE account = $1 AND key <> 0 AND version_of = 0 AND deleted_at IS NULL GROUP BY key", int64(a))
}

func (t Tx) ReleaseSlugs(deletedBefore time.Time) (n int64, err error) {
	for _, table := range []string{"links", "sites", "albums"} {
		released, err := t.Exec("UPDATE "+table+" SET slug = '' WHERE deleted_at IS NOT NULL AND deleted_at < $1 AND slug <> ''", sqldb.Ms(deletedBefore))
		if n += released; err != nil {
			return 0, err
		}
	}
	return n, nil
}
