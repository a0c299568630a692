package viewdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/report"
)

// wordID is the number of a word; 0 is the word whose labels are all unknown.
type wordID uint64

// Kinds of words: which labels of an open stand together. They are kept together because they come together: a city with
// its country, a browser with its system.
const (
	wordPlace  = 'p' // country, city
	wordOrigin = 'o' // referrer, source
	wordAgent  = 'a' // device, browser, os
	wordBot    = 'b' // reason
	wordScreen = 's'
	wordLabel  = 'l' // of a tally
)

// labelSet is up to three labels. Its stored form is its kind and each label behind its length.
type labelSet struct {
	kind   byte
	labels [3]string
}

var unknown = new(labelSet)

func appendWord(b []byte, kind byte, labels ...string) []byte {
	b = append(b, kind)
	for _, l := range labels {
		b = binary.AppendUvarint(b, uint64(len(l)))
		b = append(b, l...)
	}
	return b
}

func parseWord(b []byte) (*labelSet, error) {
	if len(b) == 0 {
		return nil, errRecord
	}
	w := &labelSet{kind: b[0]}
	b = b[1:]
	for i := 0; len(b) > 0; i++ {
		n, size := binary.Uvarint(b)
		if i == len(w.labels) || size <= 0 || n > uint64(len(b)-size) {
			return nil, errRecord
		}
		w.labels[i] = string(b[size : size+int(n)])
		b = b[size+int(n):]
	}
	return w, nil
}

// labelDict is the dictionary of a log, as far as it is in memory. Rows of it never change and never go, so what is known stays
// true whatever other processes add.
type labelDict struct {
	db *sqldb.DB
	// first holds the words with small numbers: those that came first and so, mostly, come most.
	first []atomic.Pointer[labelSet]

	mu        sync.Mutex
	others    map[wordID]*labelSet
	maxOthers int

	ids    map[string]wordID // belongs to anyone who has the writing connection
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
	return &labelDict{db: db, first: make([]atomic.Pointer[labelSet], first), others: map[wordID]*labelSet{}, maxOthers: others,
		ids: map[string]wordID{}, maxIDs: ids}
}

// word tells the labels of a number that is in a stored open.
func (w *labelDict) word(id wordID) (*labelSet, error) {
	if id == 0 {
		return unknown, nil
	}
	if found := w.known(id); found != nil {
		return found, nil
	}
	found, err := w.load(id)
	if err == nil && found == nil {
		err = fmt.Errorf("word %d is missing: %w", id, errRecord)
	}
	return found, err
}

func (w *labelDict) known(id wordID) *labelSet {
	if id < wordID(len(w.first)) {
		return w.first[id].Load()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.others[id]
}

func (w *labelDict) keep(id wordID, found *labelSet) {
	if id < wordID(len(w.first)) {
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

// load reads the word of a number, and its neighbours with it; nil: it is not there. It has a connection of its own, since whoever
// needs a word is in the middle of an answer on another: any later snapshot has the words of an earlier one.
func (w *labelDict) load(wanted wordID) (found *labelSet, err error) {
	first := int64(wanted &^ (wordsAtOnce - 1))
	err = w.db.ReadAside(func(t *sqldb.Tx) error {
		return t.Each(func(s sqldb.Scanner) error {
			var id wordID
			var stored []byte
			if err := s.Scan(&id, &stored); err != nil {
				return err
			}
			word, err := parseWord(stored)
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

// wordWriter finds the numbers of words in a transaction that writes, adding those that are new.
type wordWriter struct {
	words *labelDict
	tx    logTx
	fresh map[string]wordID // known since this transaction; true for others once it is committed
	b     []byte
	// While it collects, words that it does not know are noted instead of asked for, and have no number yet.
	collects bool
	unknown  []string
	noted    map[string]bool
	misses   int
}

func (w *labelDict) writer(t logTx) *wordWriter {
	ww := &wordWriter{words: w, tx: t, fresh: map[string]wordID{}}
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

func (w *wordWriter) id(kind byte, labels ...string) (wordID, error) {
	empty := true
	for _, l := range labels {
		empty = empty && l == ""
	}
	if empty {
		return 0, nil
	}
	w.b = appendWord(w.b[:0], kind, labels...)
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
	w.fresh[string(w.b)] = wordID(id)
	return wordID(id), nil
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

// opens makes the records of opens. What words it does not know it asks for together.
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
			w.fresh[texts[i]] = wordID(id)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// word tells the labels of a number that the transaction reads: one stored before it, or added by it.
func (w *wordWriter) word(id wordID) (*labelSet, error) {
	if found := w.words.known(id); found != nil {
		return found, nil
	}
	for text, fresh := range w.fresh {
		if fresh == id {
			return parseWord([]byte(text))
		}
	}
	return w.words.word(id)
}

// open makes the record of an open.
func (w *wordWriter) open(o *report.Open) (r openRecord, err error) {
	r.viewer = o.Viewer
	if o.Returning {
		r.flags |= openReturning
	}
	if o.QR {
		r.flags |= openQR
	}
	if r.place, err = w.id(wordPlace, o.Country, o.City); err != nil {
		return r, err
	}
	if r.origin, err = w.id(wordOrigin, o.Referrer, o.Source); err != nil {
		return r, err
	}
	if r.agent, err = w.id(wordAgent, o.Device, o.Browser, o.OS); err != nil {
		return r, err
	}
	if o.Bot != "" {
		r.flags |= openBot
		r.bot, err = w.id(wordBot, o.Bot)
	}
	return r, err
}
