// Package tables reads and writes tables of a view log: the dictionary of the
// labels of views, the index of viewer days in segments (for each account,
// sorted runs of entries, each with a viewer, a link and a day), and the counts
// of links, which it recounts. It also has what the log keeps in memory:
// answers as long as they are valid, news, and a feed of what transactions
// change on running days, which updates copies in memory.
package tables

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
)

// Dict is the part of the dictionary that is in memory. Rows of the dictionary
// never change and are never deleted, so cached words stay valid when other
// processes add words.
type Dict struct {
	db *sqldb.DB
	// first holds the words with small numbers. They were added first, so most
	// views use them.
	first []atomic.Pointer[segment.Labels]

	mu        sync.Mutex
	Others    map[segment.WordID]*segment.Labels
	MaxOthers int

	Ids    map[string]segment.WordID // owned by the holder of the write connection
	MaxIDs int
}

// The number of words in memory.
const (
	FirstWords = 1 << 16
	OtherWords = 1 << 14
	WriteWords = 1 << 16
)

// wordsBatch is the number of words that are read together when one is
// missing.
const wordsBatch = 512

// NewDict returns a dictionary that keeps in memory the labels of the first
// numbers, of others besides, and the numbers of ids texts.
func NewDict(db *sqldb.DB, first, others, ids int) *Dict {
	return &Dict{db: db, first: make([]atomic.Pointer[segment.Labels], first),
		Others: map[segment.WordID]*segment.Labels{}, MaxOthers: others,
		Ids: map[string]segment.WordID{}, MaxIDs: ids}
}

// Word returns the labels of a number in a stored view.
func (w *Dict) Word(id segment.WordID) (*segment.Labels, error) {
	if id == 0 {
		return segment.Unknown, nil
	}
	if found := w.known(id); found != nil {
		return found, nil
	}
	found, err := w.load(id)
	if err == nil && found == nil {
		err = fmt.Errorf("word %d is missing: %w", id, segment.ErrDamaged)
	}
	return found, err
}

func (w *Dict) known(id segment.WordID) *segment.Labels {
	if id < segment.WordID(len(w.first)) {
		return w.first[id].Load()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Others[id]
}

func (w *Dict) keep(id segment.WordID, found *segment.Labels) {
	if id < segment.WordID(len(w.first)) {
		w.first[id].Store(found)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.Others) >= w.MaxOthers {
		clear(w.Others)
	}
	w.Others[id] = found
}

// load reads the word of a number and its neighbours. It returns nil if there
// is none. It uses its own connection, because the caller is reading a result
// on another one. Any later snapshot contains the words of an earlier one.
func (w *Dict) load(wanted segment.WordID) (found *segment.Labels, err error) {
	first := int64(wanted &^ (wordsBatch - 1))
	err = w.db.ReadAside(func(t *sqldb.Tx) error {
		return t.Each(func(s sqldb.Scanner) error {
			var id segment.WordID
			var stored []byte
			if err := s.Scan(&id, &stored); err != nil {
				return err
			}
			word, err := segment.ParseLabels(stored)
			if err != nil {
				return fmt.Errorf("word %d: %w", id, err)
			}
			w.keep(id, word)
			if id == wanted {
				found = word
			}
			return nil
		}, "SELECT id, word FROM words WHERE id >= $1 AND id < $2", first, first+wordsBatch)
	})
	return found, err
}

// LabelWriter finds the numbers of words in a write transaction, and adds new
// words.
type LabelWriter struct {
	words *Dict
	tx    *sqldb.Tx
	fresh map[string]segment.WordID // added by this transaction; valid elsewhere after its commit
	b     []byte
	// While Collects is set, unknown words are noted, not looked up, and have
	// no number yet.
	Collects bool
	Unknown  []string
	Noted    map[string]bool
	Misses   int
}

// Writer returns a writer of new words in a transaction. After its commit the
// dictionary knows them.
func (w *Dict) Writer(t *sqldb.Tx) *LabelWriter {
	ww := &LabelWriter{words: w, tx: t, fresh: map[string]segment.WordID{}}
	t.Committed = append(t.Committed, ww.keep)
	return ww
}

func (w *LabelWriter) keep() {
	if len(w.words.Ids)+len(w.fresh) > w.words.MaxIDs {
		clear(w.words.Ids)
	}
	for text, id := range w.fresh {
		w.words.Ids[text] = id
	}
}

func (w *LabelWriter) ID(kind byte, labels ...string) (segment.WordID, error) {
	empty := true
	for _, l := range labels {
		empty = empty && l == ""
	}
	if empty {
		return 0, nil
	}
	w.b = segment.AppendLabels(w.b[:0], kind, labels...)
	if id, ok := w.words.Ids[string(w.b)]; ok {
		return id, nil
	}
	if id, ok := w.fresh[string(w.b)]; ok {
		return id, nil
	}
	if w.Collects {
		w.note(string(w.b))
		return 0, nil
	}
	var id int64
	err := w.tx.Get([]any{&id}, selectWord, w.b)
	if errors.Is(err, vitrine.ErrNotFound) {
		err = w.tx.Get([]any{&id}, insertWord, w.b)
	}
	if err != nil {
		return 0, err
	}
	w.fresh[string(w.b)] = segment.WordID(id)
	return segment.WordID(id), nil
}

const (
	selectWord = "SELECT id FROM words WHERE word = $1"
	insertWord = "INSERT INTO words (word) VALUES ($1) RETURNING id"
)

func (w *LabelWriter) note(text string) {
	w.Misses++
	if !w.Noted[text] {
		w.Noted[text] = true
		w.Unknown = append(w.Unknown, text)
	}
}

// Learn finds the numbers of words and adds new words.
func (w *LabelWriter) Learn(texts []string) error {
	for _, query := range []string{selectWord, insertWord} {
		texts = slices.DeleteFunc(texts, func(text string) bool { return w.fresh[text] != 0 })
		err := w.tx.GetMany(query, len(texts), func(i int) []any { return []any{[]byte(texts[i])} },
			func(i int, row sqldb.Scanner) error {
				var id int64
				if err := row.Scan(&id); err != nil {
					return w.tx.Failed(err)
				}
				w.fresh[texts[i]] = segment.WordID(id)
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// Word returns the labels of a number that was stored before the transaction or
// added by it.
func (w *LabelWriter) Word(id segment.WordID) (*segment.Labels, error) {
	if id == 0 {
		return segment.Unknown, nil
	}
	if found := w.words.known(id); found != nil {
		return found, nil
	}
	for text, fresh := range w.fresh {
		if fresh == id {
			return segment.ParseLabels([]byte(text))
		}
	}
	return w.words.Word(id)
}
