package sqldb

import (
	"database/sql/driver"
	"math"
	"strings"
	"time"

	"vitrine"
)

const linkColumns = `account, upload, slug, title, name, type, kind, size, sha256, pages, allow_download, state, reason,
	detail, scanned, created_at, state_at, deleted_at, has_bytes, parts, preview, site, files`

// Beside what is read back stands what links are searched by.
const linkWritten = linkColumns + ", words"

func linkValues(l *vitrine.Link) []any {
	return []any{int64(l.Account), string(l.Upload), string(l.Slug), l.Title, l.Name, l.Type, string(l.Kind), l.Size, l.SHA256, l.Pages,
		l.AllowDownload, string(l.State), l.Reason, l.Detail, l.Scanned, ms(l.CreatedAt), msOrNull(l.StateAt), msOrNull(l.DeletedAt), l.HasBytes,
		string(l.Parts), string(l.Preview), int64(l.Site), l.Files, l.SearchWords()}
}

func readLink(s scanner) (*vitrine.Link, error) {
	l := new(vitrine.Link)
	return l, s.Scan(&l.ID, &l.Account, &l.Upload, &l.Slug, &l.Title, &l.Name, &l.Type, &l.Kind, &l.Size, &l.SHA256, &l.Pages,
		&l.AllowDownload, &l.State, &l.Reason, &l.Detail, &l.Scanned, instant{Time: &l.CreatedAt}, instant{Time: &l.StateAt}, instant{Time: &l.DeletedAt}, &l.HasBytes,
		&l.Parts, &l.Preview, &l.Site, &l.Files)
}

func (t storeTx) AddLink(l *vitrine.Link) error {
	return t.add(&l.ID, "INSERT INTO links ("+linkWritten+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`, linkValues(l)...)
}

func (t storeTx) Link(id vitrine.LinkID) (*vitrine.Link, error) {
	return one(t.tx, readLink, "SELECT id, "+linkColumns+" FROM links WHERE id = $1", int64(id))
}

func (t storeTx) LinkBySlug(s vitrine.Slug) (*vitrine.Link, error) {
	return one(t.tx, readLink, "SELECT id, "+linkColumns+" FROM links WHERE slug = $1 AND slug <> ''", string(s))
}

func (t storeTx) PutLink(l *vitrine.Link) error {
	return t.put(`UPDATE links SET account = $1, upload = $2, slug = $3, title = $4, name = $5, type = $6, kind = $7, size = $8,
		sha256 = $9, pages = $10, allow_download = $11, state = $12, reason = $13, detail = $14, scanned = $15, created_at = $16,
		state_at = $17, deleted_at = $18, has_bytes = $19, parts = $20, preview = $21, site = $22, files = $23,
		words = $24 WHERE id = $25`, append(linkValues(l), int64(l.ID))...)
}

const selectLinks = "SELECT id, " + linkColumns + " FROM links"

func (t storeTx) Links(q vitrine.LinkQuery) ([]*vitrine.Link, error) {
	w := selectedLinks(q)
	if !q.Before.CreatedAt.IsZero() {
		w.where("(created_at, id) < ($%d, $%d)", ms(q.Before.CreatedAt), int64(q.Before.ID))
	}
	if q.After != 0 {
		w.where("id > $%d", int64(q.After))
	}
	order := linkOrders[q.Sort]
	if (q.Sort == vitrine.SortNewest || q.Sort == vitrine.SortID) && q.Offset == 0 && len(q.Words) == 0 {
		return list(t.tx, readLink, selectLinks+w.end(order, q.Limit), w.args...)
	}
	// Which ones is told from an index alone; rows are read of those on the page.
	ids := "SELECT id FROM links" + w.end(order, max(q.Limit, 0))
	if q.Offset > 0 {
		if q.Limit == 0 {
			ids += w.place(" LIMIT $%d", int64(math.MaxInt64))
		}
		ids += w.place(" OFFSET $%d", q.Offset)
	}
	return list(t.tx, readLink, selectLinks+" WHERE id IN ("+ids+")"+order, w.args...)
}

func (t storeTx) LinkIDs(q vitrine.LinkQuery) (ids []vitrine.LinkID, err error) {
	w := selectedLinks(q)
	err = t.visit("id", " FROM links"+w.text, w.args, func(row []driver.Value) error {
		ids = append(ids, vitrine.LinkID(row[0].(int64)))
		return nil
	})
	return ids, err
}

var linkOrders = map[vitrine.LinkSort]string{
	vitrine.SortNewest: " ORDER BY created_at DESC, id DESC",
	vitrine.SortOldest: " ORDER BY created_at, id",
	vitrine.SortTitle:  " ORDER BY words, id",
	vitrine.SortSize:   " ORDER BY size DESC, id DESC",
	vitrine.SortID:     " ORDER BY id",
}

// selectedLinks are the conditions of a query, its place in an order aside.
func selectedLinks(q vitrine.LinkQuery) *selection {
	w := &selection{}
	if q.WithBytes {
		w.where("deleted_at IS NOT NULL AND has_bytes")
	} else {
		w.where("deleted_at IS NULL")
	}
	if q.Account != 0 {
		w.where("account = $%d", int64(q.Account))
	}
	if q.PreviewDue {
		w.where("preview = '' AND state IN ('live', 'review') AND has_bytes")
	}
	if q.Site != 0 {
		w.where("site = $%d AND site <> 0", int64(q.Site))
	}
	if q.Files {
		w.where("site = 0")
	}
	if q.State != "" {
		w.where("state = $%d", string(q.State))
	}
	if q.Kind != "" {
		w.where("kind = $%d", string(q.Kind))
	}
	for _, word := range q.Words {
		w.where(`words LIKE $%d ESCAPE '\'`, "%"+likeText.Replace(word)+"%")
	}
	return w
}

// likeText spells a text out so that LIKE finds it as it is.
var likeText = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

func (t storeTx) LinksBySHA256(sum string, n int) ([]*vitrine.Link, error) {
	w := selection{}
	w.where("sha256 = $%d AND sha256 <> ''", sum)
	return list(t.tx, readLink, selectLinks+w.end(" ORDER BY created_at DESC, id DESC", n), w.args...)
}

func (t storeTx) Review(q vitrine.ReviewQuery) ([]*vitrine.Link, error) {
	w := selection{}
	w.where("state = 'review' AND deleted_at IS NULL")
	if q.Reason != "" {
		w.where("reason = $%d", q.Reason)
	}
	if q.After.ID != 0 {
		w.where("(state_at, id) > ($%d, $%d)", ms(q.After.Since), int64(q.After.ID))
	}
	return list(t.tx, readLink, selectLinks+w.end(" ORDER BY state_at, id", q.Limit), w.args...)
}

func (t storeTx) CountReview() (map[string]int64, error) {
	counts := map[string]int64{}
	return counts, t.each(func(s scanner) error {
		var reason string
		var n int64
		err := s.Scan(&reason, &n)
		counts[reason] = n
		return err
	}, "SELECT reason, count(*) FROM links WHERE state = 'review' AND deleted_at IS NULL GROUP BY reason")
}

func (t storeTx) ScanDue(state vitrine.LinkState, signatures string, after vitrine.LinkID, n int) ([]*vitrine.Link, error) {
	w := selection{}
	w.where("deleted_at IS NULL AND has_bytes AND state = $%d", string(state))
	w.where("id > $%d", int64(after))
	if signatures != "" || state != vitrine.StateProcessing { // without a scanner nothing is ever scanned, and all of them are due
		w.where("scanned <> $%d", signatures)
	}
	return list(t.tx, readLink, selectLinks+w.end(" ORDER BY id", n), w.args...)
}

func (t storeTx) BytesRefused(sum string) (bad bool, err error) {
	err = t.get([]any{&bad}, `SELECT EXISTS (SELECT 1 FROM links WHERE sha256 = $1 AND sha256 <> ''
		AND (state = 'disabled' AND reason IN ('malware', 'moderator') OR state = 'review' AND reason IN ('malware', 'abuse_reports')))`, sum)
	return bad, err
}

func (t storeTx) LinkFacts(a vitrine.AccountID) (list []vitrine.LinkFacts, err error) {
	kinds := map[string]string{}
	err = t.visit("id, kind, pages, created_at", " FROM links WHERE deleted_at IS NULL AND site = 0 AND account = $1", []any{int64(a)}, func(row []driver.Value) error {
		f := vitrine.LinkFacts{ID: vitrine.LinkID(row[0].(int64)), Pages: int(row[2].(int64)), CreatedAt: time.UnixMilli(row[3].(int64)).UTC()}
		own(&f.Kind, row[1].(string), kinds)
		list = append(list, f)
		return nil
	})
	return list, err
}

// own sets a word to one that a visit has lent; words that were there before share their memory.
func own[T ~string](to *T, lent string, known map[string]string) {
	word, ok := known[lent]
	if !ok {
		word = strings.Clone(lent)
		known[word] = word
	}
	*to = T(word)
}

func (t storeTx) CountLinks(a vitrine.AccountID) (n, bytes int64, err error) {
	err = t.get([]any{&n, &bytes}, `SELECT (SELECT count(*) FROM sites WHERE account = $1 AND deleted_at IS NULL) + count(CASE WHEN site = 0 THEN 1 END),
		CAST(coalesce(sum(CASE WHEN has_bytes THEN size ELSE 0 END), 0) AS BIGINT)
		FROM links WHERE account = $2 AND deleted_at IS NULL`, int64(a), int64(a))
	return n, bytes, err
}

func (t storeTx) ReleaseSlugs(deletedBefore time.Time) (n int64, err error) {
	for _, table := range []string{"links", "sites", "albums"} {
		released, err := t.exec("UPDATE "+table+" SET slug = '' WHERE deleted_at IS NOT NULL AND deleted_at < $1 AND slug <> ''", ms(deletedBefore))
		if n += released; err != nil {
			return 0, err
		}
	}
	return n, nil
}
