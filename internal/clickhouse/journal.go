package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine"
)

// Every change of the log is a batch with a number: 1, 2, 3. The writer first
// decides what the batch does, based on all earlier batches. Then it writes the
// batch into the journal as one row. From this moment the batch has happened.
// Then the writer carries it out. Anyone can repeat the steps any number of
// times: rows carry the number of their batch, the highest number for a key
// counts, and the server ignores an insert with a known token. So the next
// writer first carries out the last batch of the journal, unless it is known to
// be done. Earlier batches are done, because otherwise the last one would not
// exist.
//
// The journal also resolves conflicts. If two writers decide about a batch with
// the same number, the server accepts the first of the inserts with one token.
// The other writer finds another row under its number and decides again.
// Options.Lock avoids such conflicts.

// step is one action of a batch.
type step struct {
	kind byte
	into string // stepInsert: the table and its columns
	data []byte // stepInsert: rows in RowBinary; stepViewers: links; otherwise two numbers
}

// The kinds of steps.
const (
	stepInsert  = 'i'
	stepErase   = 'e' // deletes a link: account, link
	stepForget  = 'f' // expires the months before a day: day, 0
	stepViewers = 'v' // counts the viewers of filled links: account, link, viewer, further views of the viewer
)

// appendSteps encodes steps for the journal.
func appendSteps(w *rows, steps []step) {
	w.length(len(steps))
	for _, s := range steps {
		w.b = append(w.b, s.kind)
		w.string(s.into)
		w.bytes(s.data)
	}
}

// intoTable matches what follows INSERT INTO.
var intoTable = regexp.MustCompile(`^[a-z]+ \([a-z_, ]+\)$`)

var errJournal = errors.New("the journal is damaged")

func readSteps(b []byte) (steps []step, err error) {
	take := func(n int) (v []byte) {
		if n < 0 || n > len(b) {
			err, b = errJournal, nil
			return nil
		}
		v, b = b[:n], b[n:]
		return v
	}
	length := func() int {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)) {
			err, b = errJournal, nil
			return 0
		}
		b = b[size:]
		return int(n)
	}
	for n := length(); n > 0 && err == nil; n-- {
		var s step
		if kind := take(1); kind != nil {
			s.kind = kind[0]
		}
		s.into, s.data = string(take(length())), take(length())
		if s.kind == stepInsert && !intoTable.MatchString(s.into) {
			err = errJournal
		}
		steps = append(steps, s)
	}
	if err == nil && len(b) > 0 {
		err = errJournal
	}
	return steps, err
}

// numbers encodes the data of a step that is not an insert.
func numbers(a, b int64) []byte {
	var w rows
	w.int64(a)
	w.int64(b)
	return w.b
}

// commitTime bounds the time to carry out a batch. The caller's context no
// longer matters then.
const commitTime = time.Minute

// takeTurn waits until nobody else writes: in this process, and in others if
// there is a lock for it.
func (l *ViewLog) takeTurn(ctx context.Context) (release func(), err error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	unlock, err := l.lock(ctx)
	if err != nil {
		<-l.turn
		return nil, failure(ctx, err)
	}
	return func() { unlock(); <-l.turn }, nil
}

// write calls decide with the number of the next batch and carries out the
// steps that it returns. It may call decide several times. It writes no batch
// if there are no steps.
func (l *ViewLog) write(ctx context.Context, decide func(ctx context.Context, number uint64) ([]step, error)) error {
	release, err := l.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	for {
		if err := l.finish(ctx); err != nil {
			return err
		}
		number := l.applied + 1
		steps, err := decide(ctx, number)
		if err != nil || len(steps) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// The caller can no longer cancel the batch.
		commit, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
		won, err := l.commit(commit, number, steps)
		cancel()
		if err != nil || won {
			return err
		}
	}
}

// commit writes a batch into the journal and carries it out. It reports false
// if another batch has the number already.
func (l *ViewLog) commit(ctx context.Context, number uint64, steps []step) (won bool, err error) {
	var nonce [8]byte
	rand.Read(nonce[:])
	writer := binary.LittleEndian.Uint64(nonce[:])
	var w, effect rows
	appendSteps(&effect, steps)
	w.uint64(number)
	w.bool(false)
	w.uint64(writer)
	w.bytes(effect.b)
	if err := l.c.insert(ctx, "journal (number, done, writer, effect)", w.b, fmt.Sprint("batch ", number)); err != nil {
		return false, err
	}
	mine, others := 0, 0
	err = l.c.query(ctx, fmt.Sprintf("SELECT writer FROM journal WHERE number >= %d", number), func(r *reader) error {
		if r.uint64() == writer {
			mine++
		} else {
			others++
		}
		return nil
	})
	switch {
	case err != nil || others > 0:
		return false, err
	case mine == 0:
		return false, vitrine.Unavailable(fmt.Errorf("ClickHouse treated batch %d of the journal as a repeated insert, but does not have it: the table was restored or lost its last rows. Delete its record of inserts, or restore the table completely", number))
	}
	return true, l.carryOut(ctx, number, steps)
}

// carryOut carries out the steps of a batch and marks it as done.
func (l *ViewLog) carryOut(ctx context.Context, number uint64, steps []step) error {
	var inserts sync.WaitGroup
	errs := make([]error, len(steps))
	for i, s := range steps {
		token := fmt.Sprintf("batch %d step %d", number, i)
		switch s.kind {
		case stepInsert:
			inserts.Go(func() { errs[i] = l.c.insert(ctx, s.into, s.data, token) })
		default:
			inserts.Wait()
			errs[i] = l.carryOutStep(ctx, number, s)
		}
	}
	inserts.Wait()
	if err := errors.Join(errs...); err != nil {
		return failure(ctx, err)
	}
	l.applied = number
	if changesState(steps) {
		l.known = nil
	}
	var w rows
	w.uint64(number)
	w.bool(true)
	// If this fails, the batch is carried out once more.
	_ = l.c.insert(ctx, "journal (number, done)", w.b, fmt.Sprint("done ", number))
	return nil
}

// changesState reports whether steps may change the state.
func changesState(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		return s.kind != stepInsert ||
			strings.HasPrefix(s.into, "state ")
	})
}

func (l *ViewLog) carryOutStep(ctx context.Context, number uint64, s step) error {
	if s.kind == stepViewers && len(s.data) > 0 && len(s.data)%32 == 0 {
		return l.c.countViewers(ctx, number, s.data)
	}
	if len(s.data) != 16 {
		return errJournal
	}
	a, b := int64(binary.LittleEndian.Uint64(s.data)), int64(binary.LittleEndian.Uint64(s.data[8:]))
	switch s.kind {
	case stepErase:
		return l.eraseRows(ctx, number, vitrine.AccountID(a), vitrine.LinkID(b))
	case stepForget:
		return l.dropMonths(ctx, a, number)
	}
	return errJournal
}

// finish carries out what is left in the journal. Then l.applied is its last
// batch.
func (l *ViewLog) finish(ctx context.Context) error {
	var number uint64
	var done bool
	_, err := l.c.one(ctx, "SELECT number, done FROM journal WHERE number = (SELECT max(number) FROM journal) ORDER BY done DESC LIMIT 1", func(r *reader) {
		number, done = r.uint64(), r.bool()
	})
	if err != nil {
		return err
	}
	if number < l.applied {
		return vitrine.Unavailable(fmt.Errorf("the journal ends with batch %d, but batch %d was carried out: the database was restored to an earlier moment, or is a replica that lags behind",
			number, l.applied))
	}
	if number == l.applied {
		return nil
	}
	if done {
		l.applied, l.known = number, nil
		return nil
	}
	var left []step
	var damaged error
	_, err = l.c.one(ctx, fmt.Sprintf("SELECT effect FROM journal WHERE number = %d AND done = 0 LIMIT 1", number),
		func(r *reader) {
			left, damaged = readSteps(append([]byte(nil), r.bytes()...))
		})
	if err = errors.Join(err, damaged); err != nil {
		return failure(ctx, err)
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	l.known = nil // other writers may have written earlier batches
	return l.carryOut(limited, number, left)
}
