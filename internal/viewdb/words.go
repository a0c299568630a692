package viewdb

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// labelDict is the dictionary of a log, as far as it is in memory. Rows of it
// never change and never go, so what is known stays true whatever other
// processes add.
type labelDict struct {
	db *sqldb.DB
	// first holds the words with small numbers: those that came first and so,
	// mostly, come most.
	first []atomic.Pointer[segment.Labels]

	mu        sync.Mutex
	others    map[segment.LabelID]*segment.Labels
	maxOthers int

	ids    map[string]segment.LabelID // belongs to anyone who has the writing connection
	maxIDs int
}

// How many words are in memory at most.
const (
	firstWords = 1 << 16
	otherWords = 1 << 14
	writeWords = 1 << 16
)

// wordsAtOnce are read when one is missing.
const wordsAtOnce = 256

func newWords(db *sqldb.DB, first, others, ids int) *labelDict {
	return &labelDict{db: db, first: make([]atomic.Pointer[segment.Labels], first), others: map[segment.LabelID]*segment.Labels{}, maxOthers: others,
		ids: map[string]segment.LabelID{}, maxIDs: ids}
}

// word tells the labels of a number that is in a stored open.
func (w *labelDict) word(id segment.LabelID) (*segment.Labels, error) {
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

func (w *labelDict) known(id segment.LabelID) *segment.Labels {
	if id < segment.LabelID(len(w.first)) {
		return w.first[id].Load()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.others[id]
}

func (w *labelDict) keep(id segment.LabelID, found *segment.Labels) {
	if id < segment.LabelID(len(w.first)) {
		w.first[id].Store(found)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.others) >= w.maxOthers {
		clear(w.others)
	}
	w.others[id] = found
}

// load reads the word of a number, and its neighbours with it; nil: it is not
// there. It has a connection of its own, since whoever needs a word is in the
// middle of an answer on another: any later snapshot has the words of an
// earlier one.
func (w *labelDict) load(wanted segment.LabelID) (found *segment.Labels, err error) {
	first := int64(wanted &^ (wordsAtOnce - 1))
	err = w.db.ReadAside(func(t *sqldb.Tx) error {
		return t.Each(func(s sqldb.Scanner) error {
			var id segment.LabelID
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
		}, "SELECT id, word FROM words WHERE id >= $1 AND id < $2", first, first+wordsAtOnce)
	})
	return found, err
}

// wordWriter finds the numbers of words in a transaction that writes, adding
// those that are new.
type wordWriter struct {
	words *labelDict
	tx    *sqldb.Tx
	fresh map[string]segment.LabelID // known since this transaction; true for others once it is committed
	b     []byte
	// While it collects, words that it does not know are noted instead of asked
	// for, and have no number yet.
	collects bool
	unknown  []string
	noted    map[string]bool
	misses   int
}

func (w *labelDict) writer(t *sqldb.Tx) *wordWriter {
	ww := &wordWriter{words: w, tx: t, fresh: map[string]segment.LabelID{}}
	t.Committed = append(t.Committed, ww.keep)
	return ww
}

func (w *wordWriter) keep() {
	if len(w.words.ids)+len(w.fresh) > w.words.maxIDs {
		clear(w.words.ids)
	}
	for text, id := range w.fresh {
		w.words.ids[text] = id
	}
}

func (w *wordWriter) id(kind byte, labels ...string) (segment.LabelID, error) {
	empty := true
	for _, l := range labels {
		empty = empty && l == ""
	}
	if empty {
		return 0, nil
	}
	w.b = segment.AppendLabels(w.b[:0], kind, labels...)
	if id, ok := w.words.ids[string(w.b)]; ok {
		return id, nil
	}
	if id, ok := w.fresh[string(w.b)]; ok {
		return id, nil
	}
	if w.collects {
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
	w.fresh[string(w.b)] = segment.LabelID(id)
	return segment.LabelID(id), nil
}

const (
	selectWord = "SELECT id FROM words WHERE word = $1"
	insertWord = "INSERT INTO words (word) VALUES ($1) RETURNING id"
)

func (w *wordWriter) note(text string) {
	w.misses++
	if !w.noted[text] {
		w.noted[text] = true
		w.unknown = append(w.unknown, text)
	}
}

// opens makes the records of opens. What words it does not know it asks for
// together.
func (w *wordWriter) opens(list []adding) (err error) {
	w.collects, w.noted, w.unknown = true, map[string]bool{}, nil
	var again []*adding
	for i := range list {
		before := w.misses
		if list[i].record, err = w.open(&list[i].Open); err != nil {
			break
		}
		if w.misses > before {
			again = append(again, &list[i])
		}
	}
	w.collects = false
	if err == nil {
		err = w.learn(w.unknown)
	}
	for _, a := range again {
		if err == nil {
			a.record, err = w.open(&a.Open)
		}
	}
	return err
}

// learn finds the numbers of words, adding those that are new.
func (w *wordWriter) learn(texts []string) error {
	for _, query := range []string{selectWord, insertWord} {
		texts = slices.DeleteFunc(texts, func(text string) bool { return w.fresh[text] != 0 })
		err := w.tx.GetMany(query, len(texts), func(i int) []any { return []any{[]byte(texts[i])} }, func(i int, row sqldb.Scanner) error {
			var id int64
			if err := row.Scan(&id); err != nil {
				return w.tx.Fail(err)
			}
			w.fresh[texts[i]] = segment.LabelID(id)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// word tells the labels of a number that the transaction reads: one stored
// before it, or added by it.
func (w *wordWriter) word(id segment.LabelID) (*segment.Labels, error) {
	if found := w.words.known(id); found != nil {
		return found, nil
	}
	for text, fresh := range w.fresh {
		if fresh == id {
			return segment.ParseLabels([]byte(text))
		}
	}
	return w.words.word(id)
}

// open makes the record of an open.
func (w *wordWriter) open(o *report.Open) (r segment.View, err error) {
	r.Viewer = o.Viewer
	if o.Returning {
		r.Flags |= segment.OpenReturning
	}
	if o.QR {
		r.Flags |= segment.OpenQR
	}
	if r.Place, err = w.id(segment.WordPlace, o.Country, o.City); err != nil {
		return r, err
	}
	if r.Origin, err = w.id(segment.WordOrigin, o.Referrer, o.Source); err != nil {
		return r, err
	}
	if r.Agent, err = w.id(segment.WordAgent, o.Device, o.Browser, o.OS); err != nil {
		return r, err
	}
	if o.Bot != "" {
		r.Flags |= segment.OpenBot
		r.Bot, err = w.id(segment.WordBot, o.Bot)
	}
	return r, err
}
