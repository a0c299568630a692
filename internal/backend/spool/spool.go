// Package spool keeps batches of views in the files of a directory while the
// view log cannot take them.
//
// A file is a sequence of records (record.go). One process writes it, front to
// back. Its name is NUMBER.spool; higher numbers are later. When all of its
// batches are replayed, the file is removed, or kept as NUMBER.damaged if it
// was damaged. What the replay left over is in a later file by then.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/base/durable"
)

const (
	defaultMaxBytes = 1 << 30
	fileBytes       = 8 << 20 // a larger file is not continued; a replay needs memory for this and one record
	staysBytes      = 1 << 20 // a larger file stays unchanged if nothing of it was taken; smaller ones are joined
	joined          = 4096    // records are joined up to this many views, snapshots and downloads
	suffix          = ".spool"
	damagedSuffix   = ".damaged"
)

var fileName = regexp.MustCompile(`^(\d{12})(\.spool|\.damaged)$`)

// ErrFull is the error of a spool that has no room left within MaxBytes.
var ErrFull = errors.New("the spool is full")

// Spool implements [vitrine.Spool] in a directory. No other process may have
// the directory open.
type Spool struct {
	// MaxBytes bounds the size of all files together. Open sets it to 1 GiB; it
	// may be changed before the first use.
	MaxBytes int64

	dir string
	log *slog.Logger

	mu    sync.Mutex
	files []*file  // oldest first
	open  *os.File // the last of files, while it can be continued
	next  int64    // number of the next file
	size  int64

	stored, taken atomic.Int64 // entries, since Open

	reserve string // directory of the reserve; "": there is none
	pieces  int    // how many files it has

	replayed chan struct{} // closed when the running replay ends; nil if none is running
}

// file is a file that may have records.
type file struct {
	number   int64
	size     int64
	replayed int64 // how many of its bytes
	piece    bool  // of the reserve
	busy     bool  // it is being replayed
	since    time.Time
}

// Stats describes what a spool has, and what it has done since Open.
type Stats struct {
	Bytes, MaxBytes int64
	Oldest          time.Time // when the oldest file was begun; zero if there is none
	Stored, Taken   int64     // views, snapshots and downloads that were added, and that a replay handed over
}

// Stats returns the present numbers.
func (s *Spool) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := Stats{Bytes: s.size, MaxBytes: s.MaxBytes, Stored: s.stored.Load(), Taken: s.taken.Load()}
	if len(s.files) > 0 {
		n.Oldest = s.files[0].since
	}
	return n
}

// Open opens a directory, and makes it if it does not exist. It does not read
// what an earlier process left: that happens on replay, and damage is then
// logged.
func Open(dir string, log *slog.Logger) (*Spool, error) {
	s := &Spool{MaxBytes: defaultMaxBytes, dir: dir, log: log, next: 1}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = durable.SyncDir(filepath.Dir(dir))
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the spool: %w", err)
	}
	for _, e := range entries { // sorted by name
		m := fileName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		n, _ := strconv.ParseInt(m[1], 10, 64)
		s.next = n + 1 // the number of a damaged file is not used again either
		if m[2] != suffix {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("open the spool: %w", err)
		}
		s.files = append(s.files, &file{number: n, size: info.Size(), since: info.ModTime()})
		s.size += info.Size()
	}
	return s, nil
}

// Close closes the directory. Its records stay.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seal()
}

// Empty implements [vitrine.Spool].
func (s *Spool) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.files) == 0
}

// Size returns the size of all files together, in bytes.
func (s *Spool) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Append implements [vitrine.Spool].
func (s *Spool) Append(b vitrine.Batch) error {
	record, err := encode(b)
	if err != nil {
		return err
	}
	err = s.add(record, s.MaxBytes)
	if full(err) && s.awaitReplay() {
		err = s.add(record, s.MaxBytes)
	}
	if err == nil {
		s.stored.Add(int64(b.Len()))
	}
	return err
}

// awaitReplay waits until the running replay ends, and reports whether it has.
// On a full disk the replay may hold the last piece of the reserve, and ends
// soon.
func (s *Spool) awaitReplay() bool {
	s.mu.Lock()
	replayed := s.replayed
	s.mu.Unlock()
	if replayed == nil {
		return false
	}
	select {
	case <-replayed:
		return true
	case <-time.After(replayWait):
		return false
	}
}

// replayWait bounds how long awaitReplay, and so a page, waits for a replay.
const replayWait = 5 * time.Second

// add adds all records or none. It returns ErrFull if all files together would
// have more than most bytes.
func (s *Spool) add(records []byte, most int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+int64(len(records)) > most {
		return ErrFull
	}
	if err := s.resume(); err != nil {
		return err
	}
	err := s.put(records)
	if full(err) && s.pieces > 0 {
		return s.beginReserve(records)
	}
	return err
}

// put adds records to the last file, or to a new one.
func (s *Spool) put(records []byte) error {
	if s.open != nil && s.last().size >= fileBytes {
		if err := s.seal(); err != nil {
			return err
		}
	}
	if s.open == nil {
		return s.begin(records)
	}
	f := s.last()
	if err := write(s.open, records); err != nil {
		// The content on the disk is unknown after an error, so the file is not
		// continued. The reader skips an incomplete record at its end.
		return errors.Join(err, s.open.Truncate(f.size), s.seal())
	}
	f.size += int64(len(records))
	s.size += int64(len(records))
	return nil
}

// begin makes a file of records, and continues with it.
func (s *Spool) begin(records []byte) error {
	f := &file{number: s.next, size: int64(len(records)), since: time.Now()}
	w, err := os.OpenFile(s.path(f, suffix), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	s.next++
	return s.fill(w, f, records)
}

// fill writes the first records of a file, and continues with it.
func (s *Spool) fill(w *os.File, f *file, records []byte) error {
	err := write(w, records)
	if err == nil {
		err = durable.SyncDir(s.dir)
	}
	if err != nil {
		return errors.Join(err, w.Close(), os.Remove(w.Name()))
	}
	s.open, s.files, s.size = w, append(s.files, f), s.size+f.size
	return nil
}

func (s *Spool) last() *file { return s.files[len(s.files)-1] }

func (s *Spool) path(f *file, suffix string) string {
	return filepath.Join(s.dir, fmt.Sprintf("%012d%s", f.number, suffix))
}

// seal ends the writing of a file.
func (s *Spool) seal() error {
	if s.open == nil {
		return nil
	}
	w := s.open
	s.open = nil
	return w.Close()
}

func write(w *os.File, records []byte) error {
	if _, err := w.Write(records); err != nil {
		return err
	}
	return durable.Sync(w)
}

// Replay implements [vitrine.Spool].
func (s *Spool) Replay(ctx context.Context, f func(vitrine.Batch) (left vitrine.Batch, err error)) error {
	s.mu.Lock()
	err := s.seal() // what comes from now on goes to another file
	files := slices.Clone(s.files)
	for _, f := range files {
		f.busy = true
	}
	replayed := make(chan struct{})
	s.replayed = replayed
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range files {
			f.busy = false
		}
		s.replenish()
		s.replayed = nil
		close(replayed)
	}()
	if err != nil {
		return err
	}
	for _, each := range files {
		if err := s.replay(ctx, each, len(files) == 1, f); err != nil {
			return err
		}
	}
	return nil
}

// replay replays a file from where the last replay ended, and removes it. It
// first writes the remaining records to another file. If that fails, the file
// stays, and all of it is replayed again.
func (s *Spool) replay(ctx context.Context, file *file, only bool, f func(vitrine.Batch) (vitrine.Batch, error)) error {
	data, err := os.ReadFile(s.path(file, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		// Nothing can be done about it, and later files must not wait for ever.
		s.log.Error("a file of the spool is missing; its views are lost", "file", s.path(file, suffix))
		s.forget(file)
		return nil
	}
	if err != nil {
		return err
	}
	r := reader{data: data, at: int(min(file.replayed, int64(len(data))))}
	var left []byte // records
	taken := false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, ok := r.join()
		if !ok {
			break
		}
		some := b.Len()
		rest, err := f(b)
		if err != nil {
			return err
		}
		s.taken.Add(int64(some - rest.Len()))
		if taken = taken || rest.Len() < some; rest.Len() > 0 {
			record, err := encode(rest)
			if err != nil {
				return err
			}
			left = append(left, record...)
		}
		if r.damaged == 0 && left == nil { // otherwise the next replay must read it again
			file.replayed = int64(r.at)
		}
	}
	if left != nil {
		if !taken && r.damaged == 0 && (only || file.size >= staysBytes) {
			return nil
		}
		if err := s.add(left, s.MaxBytes+file.size); err != nil { // the file's room is free right after
			s.log.Warn("the rest of a spool file cannot be written to a new file; the file is kept",
				"file", s.path(file, suffix), "error", err)
			return nil
		}
	}
	if err := s.removeReplayed(file, &r); err != nil {
		return err
	}
	s.forget(file)
	return nil
}

// forget removes a file from the list.
func (s *Spool) forget(gone *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = slices.DeleteFunc(s.files, func(f *file) bool { return f == gone })
	s.size -= gone.size
}

// removeReplayed removes a file, or renames it if a part of it could not be
// read. If power fails before that is durable, the file is replayed again.
func (s *Spool) removeReplayed(file *file, r *reader) error {
	path, aside := s.path(file, suffix), s.path(file, damagedSuffix)
	if r.damaged > 0 {
		s.log.Error("a file of the spool is damaged: the readable part is in the log, and the file is kept",
			"file", aside, "damaged_bytes", r.damaged)
		return durable.Rename(path, aside)
	}
	if r.torn > 0 {
		s.log.Warn("the last record of a spool file is incomplete and was never acknowledged; it is removed", "file",
			path, "bytes", r.torn)
	}
	return os.Remove(path)
}
