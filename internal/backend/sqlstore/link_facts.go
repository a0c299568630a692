package sqlstore

import (
	"database/sql/driver"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/filetype"
	"vitrine/report"
)

func (t Tx) LinkFacts(a vitrine.AccountID) ([]vitrine.LinkFacts, error) {
	f := newFacts(t)
	err1 := f.read("account = $1 AND"+isFile, "1", []any{int64(a)})
	err2 := f.read("account = $1 AND"+isTrashed, "2", []any{int64(a)})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return f.list, f.Visit("version_of, version, kind, pages", " FROM links WHERE account = $1 AND version_of <> 0", []any{int64(a)},
		func(row []driver.Value) error {
			var kind filetype.Kind
			own(&kind, row[2].(string), f.kinds)
			f.addFile(vitrine.LinkID(row[0].(int64)), int(row[1].(int64)), fileOf(kind, int(row[3].(int64))))
			return nil
		})
}

func (t Tx) LinkFactsOf(ids []vitrine.LinkID) ([]vitrine.LinkFacts, error) {
	f := newFacts(t)
	err := sqldb.InBatches(ids, func(in string, args []any) error { return f.read("id "+in, eitherFact, args) })
	if err != nil {
		return nil, err
	}
	replaced := slices.Collect(maps.Keys(f.replaced))
	return f.list, t.GetMany("SELECT version, kind, pages FROM links WHERE version_of = $1 AND version_of <> 0", len(replaced),
		func(i int) []any { return []any{int64(replaced[i])} },
		func(i int, row sqldb.Scanner) error {
			var version, pages int
			var kind filetype.Kind
			if err := row.Scan(&version, &kind, &pages); err != nil {
				return t.Failed(err)
			}
			f.addFile(replaced[i], version, fileOf(kind, pages))
			return nil
		})
}

// facts reads what a report needs to know about links.
type facts struct {
	Tx
	list     []vitrine.LinkFacts
	replaced map[vitrine.LinkID]replacedLink
	kinds    map[string]string
}

// replacedLink is a link whose file was replaced.
type replacedLink struct{ place, version int } // in the list; its current one

func newFacts(t Tx) *facts {
	return &facts{Tx: t, replaced: map[vitrine.LinkID]replacedLink{}, kinds: map[string]string{}}
}

// Either of them holds for links that have facts: no versions, and not deleted
// or in the trash.
const (
	isFile    = " site = 0 AND version_of = 0 AND deleted_at IS NULL"
	isTrashed = " site = 0 AND version_of = 0 AND deleted_at IS NOT NULL AND trash_until IS NOT NULL"
)

// eitherFact is 1 for a link that is not deleted, 2 for one in the trash, and 0
// for one without facts.
const eitherFact = "CASE WHEN" + isFile + " THEN 1 WHEN" + isTrashed + " THEN 2 ELSE 0 END"

// read adds those of the links that a condition selects which have facts, as
// eitherFact or a number says. The condition names the index: with isFile, it
// is one of links that have facts.
func (f *facts) read(condition, fact string, args []any) error {
	return f.Visit("id, kind, pages, created_at, version, versions, CAST("+fact+" AS BIGINT)",
		" FROM links WHERE "+condition, args, func(row []driver.Value) error {
			if row[6].(int64) == 0 {
				return nil
			}
			l := vitrine.LinkFacts{ID: vitrine.LinkID(row[0].(int64)), Pages: int(row[2].(int64)),
				CreatedAt: time.UnixMilli(row[3].(int64)).UTC(), Trashed: row[6].(int64) == 2}
			own(&l.Kind, row[1].(string), f.kinds)
			if row[5].(int64) > 0 {
				f.replaced[l.ID] = replacedLink{len(f.list), int(row[4].(int64))}
			}
			f.list = append(f.list, l)
			return nil
		})
}

// addFile adds the file of an earlier version to a link of the list.
func (f *facts) addFile(link vitrine.LinkID, version int, file report.File) {
	of, found := f.replaced[link]
	if !found {
		return
	}
	l := &f.list[of.place]
	if l.Files == nil {
		l.Files = map[int]report.File{}
	}
	l.Files[version] = file
	l.Files[of.version] = fileOf(l.Kind, l.Pages)
}

func fileOf(k filetype.Kind, pages int) report.File {
	return report.File{Kind: string(k), Content: report.ContentOf(k), Pages: pages}
}

// own copies a word that is valid only during a visit. Equal words share their
// memory through known.
func own[T ~string](to *T, lent string, known map[string]string) {
	word, ok := known[lent]
	if !ok {
		word = strings.Clone(lent)
		known[word] = word
	}
	*to = T(word)
}
