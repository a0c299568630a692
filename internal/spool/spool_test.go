package spool

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest/spooltest"
)

func open(t *testing.T, dir string) (*Spool, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	s, err := Open(dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, &log
}

// names returns the files of a directory.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSpool(t *testing.T) {
	spooltest.Run(t, func(t *testing.T, dir string) vitrine.Spool { s, _ := open(t, dir); return s })
}

// What is replayed leaves no file, and nothing is said of a spool in order.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s, _ := open(t, dir)
	if names(t, dir) != nil {
		t.Error("a new spool has files")
	}
	spooltest.Add(t, s, 1, 2, 3)
	if s.Size() == 0 {
		t.Error("three batches have no size")
	}
	s, log := open(t, dir)
	spooltest.Want(t, spooltest.Replay(t, s), 1, 2, 3)
	if s.Size() != 0 || names(t, dir) != nil || log.Len() > 0 {
		t.Errorf("after a replay there are %d bytes, %v; the log says %q", s.Size(), names(t, dir), log)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A replay that fails goes on from there, and what arrives during one is for
// the next.
func TestReplayFails(t *testing.T) {
	s, _ := open(t, t.TempDir())
	size := len(must(encode(spooltest.Batch(1000))))
	n := fileBytes/size + 100 // one file of several joins, and some more
	var big []byte
	for id := range n {
		big = append(big, must(encode(spooltest.Batch(id+1000)))...)
	}
	spooltest.Add(t, s, 999)
	if err := write(s.open, big); err != nil {
		t.Fatal(err)
	}
	s.last().size += int64(len(big))
	var got []int
	down, calls := errors.New("down"), 0
	for {
		err := s.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
			if calls++; calls%2 == 0 {
				return b, down
			}
			if calls < 6 {
				spooltest.Add(t, s, 100_000+calls)
			}
			for _, o := range b.Views {
				got = append(got, int(o.ID))
			}
			return vitrine.Batch{}, nil
		})
		if err == nil {
			break
		}
		if err != down || calls > 100 {
			t.Fatal(calls, err)
		}
	}
	got = append(got, spooltest.Replay(t, s)...)
	sorted := slices.IsSorted(got)
	if before := len(got); !sorted || len(slices.Compact(got)) != before || before < n+3 || calls < 5 {
		t.Errorf("%d of %d opens, in order: %v, in %d calls", before, n, sorted, calls)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// file0 returns the first file of a directory.
func file0(dir string) string { return filepath.Join(dir, "000000000001"+suffix) }

// A last record of any length that is not its whole one is cut off, and the log
// says so.
func TestTornTail(t *testing.T) {
	first, second := must(encode(spooltest.Batch(1))), must(encode(spooltest.Batch(2)))
	for n := range len(second) {
		dir := t.TempDir()
		if err := os.WriteFile(file0(dir), slices.Concat(first, second[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		s, log := open(t, dir)
		spooltest.Add(t, s, 3)
		spooltest.Want(t, spooltest.Replay(t, s), 1, 3)
		if said := strings.Contains(log.String(), "WARN") && strings.Contains(log.String(), "bytes="); said != (n > 0) {
			t.Errorf("%d bytes: %s", n, log)
		}
		if !s.Empty() || names(t, dir) != nil {
			t.Errorf("%d bytes: left behind: %v", n, names(t, dir))
		}
	}
}

// Whatever happens to a byte, nothing but its own record is lost by it, the
// file is kept, and its name is not used again.
func TestDamage(t *testing.T) {
	var whole []byte
	for id := range 3 {
		whole = append(whole, must(encode(spooltest.Batch(id)))...)
	}
	size := len(whole) / 3
	for at := 0; at < len(whole); at += 7 {
		dir := t.TempDir()
		damaged := slices.Clone(whole)
		damaged[at] ^= 0x55
		if err := os.WriteFile(file0(dir), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, log := open(t, dir)
		spooltest.Add(t, s, 3)
		left := []int{0, 1, 2, 3}
		spooltest.Want(t, spooltest.Replay(t, s), slices.Delete(left, at/size, at/size+1)...)
		if torn := at/size == 2 && strings.Contains(log.String(), "WARN"); torn {
			continue // its length says so
		}
		aside := strings.TrimSuffix(file0(dir), suffix) + damagedSuffix
		if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, damaged) {
			t.Errorf("byte %d: %v", at, err)
		}
		if !strings.Contains(log.String(), "ERROR") || !strings.Contains(log.String(), aside) {
			t.Errorf("byte %d: the log says %q", at, log)
		}
		s, _ = open(t, dir)
		spooltest.Add(t, s, 4)
		if n := names(t, dir); len(n) != 2 || n[0] != filepath.Base(aside) || n[1] <= n[0] {
			t.Errorf("byte %d: files %v", at, n)
		}
	}
}

// What is not the spool's is left alone, and a file that someone took away
// stops nothing.
func TestRubbish(t *testing.T) {
	dir := t.TempDir()
	rubbish := []string{"00000000000x.spool", "1.spool", "notes.txt", "-00000000001.spool"}
	for _, name := range rubbish {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("rubbish"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "000000000004.spool"), bytes.Repeat([]byte("rubbish"+recordMark), 1<<16),
		0o600); err != nil {
		t.Fatal(err)
	}
	s, log := open(t, dir)
	spooltest.Add(t, s, 1)
	spooltest.Want(t, spooltest.Replay(t, s), 1)
	slices.Sort(rubbish)
	if got := names(t, dir); !slices.Equal(got, append(rubbish[:1:1], "000000000004.damaged", "00000000000x.spool",
		"1.spool", "notes.txt")) {
		t.Errorf("files: %v", got)
	}
	spooltest.Add(t, s, 2)
	if err := os.Remove(filepath.Join(dir, "000000000006.spool")); err != nil {
		t.Fatal(err)
	}
	spooltest.Want(t, spooltest.Replay(t, s))
	if !s.Empty() || !strings.Contains(log.String(), "is gone") {
		t.Errorf("a file is gone, and the log says %s", log)
	}
}

func TestMaxBytes(t *testing.T) {
	s, _ := open(t, t.TempDir())
	s.MaxBytes = 3 * int64(len(must(encode(spooltest.Batch(1)))))
	spooltest.Add(t, s, 1, 2, 3)
	if err := s.Append(spooltest.Batch(4)); !errors.Is(err, ErrFull) {
		t.Errorf("beyond its bound: %v", err)
	}
	spooltest.Want(t, spooltest.Replay(t, s), 1, 2, 3)
	spooltest.Add(t, s, 4)
}

// leave replays, leaves what is said of some views, and returns all IDs that
// came, and how often f was called.
func leave(t *testing.T, s *Spool, left ...int) (ids []int, calls int) {
	t.Helper()
	err := s.Replay(t.Context(), func(b vitrine.Batch) (rest vitrine.Batch, err error) {
		calls++
		for i, s := range b.Snapshots {
			ids = append(ids, int(s.View))
			if slices.Contains(left, int(s.View)) {
				rest.Add(vitrine.Batch{Views: b.Views[i : i+1], Snapshots: b.Snapshots[i : i+1],
					Downloads: b.Downloads[i : i+1]})
			}
		}
		return rest, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, calls
}

// What replays leave of small files becomes one file.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	spooltest.Add(t, s, 4, 5)
	if leave(t, s, 4, 5); len(names(t, dir)) != 1 {
		t.Errorf("files %v", names(t, dir))
	}
	leave(t, s, 4)
	s, log := open(t, dir)
	spooltest.Add(t, s, 6)
	got, calls := leave(t, s, 4, 6) // small files become one
	spooltest.Want(t, got, 4, 6)
	if calls != 2 || len(names(t, dir)) != 1 {
		t.Errorf("%d calls, files %v", calls, names(t, dir))
	}
	spooltest.Want(t, spooltest.Replay(t, s), 4, 6)
	if !s.Empty() || s.Size() != 0 || names(t, dir) != nil || log.Len() > 0 {
		t.Errorf("left behind: %d bytes, %v, and the log says %q", s.Size(), names(t, dir), log)
	}
}

// A file of which nothing is taken stays as it is: what waits for days is not
// written again with each replay.
func TestLeaveAll(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	var ids []int
	size := len(must(encode(spooltest.Batch(1000))))
	for f := range 2 {
		var records []byte
		for id := 1000 * (f + 1); len(records) < staysBytes; id++ {
			records = append(records, must(encode(spooltest.Batch(id)))...)
			ids = append(ids, id)
		}
		if err := s.add(records, s.MaxBytes); err != nil {
			t.Fatal(err)
		}
		if err := s.seal(); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, dir)
	for range 3 {
		got, _ := leave(t, s, ids...)
		spooltest.Want(t, got, ids...)
		if now := names(t, dir); !slices.Equal(now, before) {
			t.Errorf("files %v, before there were %v", now, before)
		}
	}
	got, _ := leave(t, s, ids[1:]...) // the first file changes
	spooltest.Want(t, got, ids...)
	rest := append(slices.Clone(ids[len(ids)/2:]), ids[1:len(ids)/2]...)
	got, _ = leave(t, s, rest...)
	spooltest.Want(t, got, rest...)
	if now := names(t, dir); len(now) != 2 || now[0] != before[1] || s.Size() < int64(len(rest)*size*9/10) {
		t.Errorf("files %v, %d bytes; before there were %v", now, s.Size(), before)
	}
	spooltest.Want(t, spooltest.Replay(t, s), rest...)
}

// A replay that leaves something and then fails has lost nothing of it, and no
// memory of what it took grows into a loss.
func TestLeaveFails(t *testing.T) {
	s, _ := open(t, t.TempDir())
	var records []byte
	for id := range 3*joined + 1 {
		records = append(records, must(encode(spooltest.Batch(id)))...)
	}
	if err := s.add(records, s.MaxBytes); err != nil {
		t.Fatal(err)
	}
	calls, down := 0, errors.New("down")
	err := s.Replay(t.Context(), func(b vitrine.Batch) (rest vitrine.Batch, err error) {
		switch calls++; calls {
		case 2: // the first was taken whole
			return vitrine.Batch{Snapshots: b.Snapshots[:1]}, nil
		case 4:
			return b, down
		}
		return rest, nil
	})
	if err != down {
		t.Fatal(err)
	}
	got := spooltest.Replay(t, s)
	if first := joined/3 + 1; got[0] != first || len(got) != 3*joined+1-first {
		t.Errorf("%d batches come again, from %d on; want all from %d on", len(got), got[0], first)
	}
}

// In a damaged file, too, what is left is kept, once; and the file stays for
// anyone who wants to look at it.
func TestLeaveDamaged(t *testing.T) {
	dir := t.TempDir()
	all := slices.Concat(must(encode(spooltest.Batch(1))), must(encode(spooltest.Batch(2))),
		must(encode(spooltest.Batch(3))))
	all[len(all)/3+40] ^= 0x55
	if err := os.WriteFile(file0(dir), all, 0o600); err != nil {
		t.Fatal(err)
	}
	s, log := open(t, dir)
	got, _ := leave(t, s, 1, 3)
	spooltest.Want(t, got, 1, 3)
	if n := names(t, dir); len(n) != 2 || !strings.HasSuffix(n[0], damagedSuffix) ||
		!strings.Contains(log.String(), "ERROR") {
		t.Errorf("files %v, and the log says %q", n, log)
	}
	log.Reset()
	got, _ = leave(t, s, 1)
	spooltest.Want(t, got, 1, 3)
	spooltest.Want(t, spooltest.Replay(t, s), 1)
	if log.Len() > 0 || !s.Empty() {
		t.Errorf("the log says %q; empty: %v", log, s.Empty())
	}
}

// Also when it is full, what is left of one file goes to another, and the room
// of what was taken is given back.
func TestLeaveFull(t *testing.T) {
	s, _ := open(t, t.TempDir())
	spooltest.Add(t, s, 1, 2, 3)
	s.MaxBytes = s.Size()
	got, _ := leave(t, s, 2, 3)
	spooltest.Want(t, got, 1, 2, 3)
	if s.Size() > s.MaxBytes*3/4 {
		t.Errorf("%d bytes of %d", s.Size(), s.MaxBytes)
	}
	spooltest.Add(t, s, 4)
	if err := s.Append(spooltest.Batch(5)); !errors.Is(err, ErrFull) {
		t.Errorf("beyond its bound: %v", err)
	}
	spooltest.Want(t, spooltest.Replay(t, s), 2, 3, 4)
}

func TestOpenFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a file is opened as a directory")
	}
}

// FuzzReader puts rubbish around and between two records: both are read,
// nothing else is, and every byte is accounted for.
func FuzzReader(f *testing.F) {
	first, second := must(encode(spooltest.Batch(1))), must(encode(spooltest.Batch(2)))
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte("rubbish"), []byte(recordMark+recordMark[:2]), first[:20])
	f.Add([]byte(recordMark+"\x01\x00\x00\x00"), append(slices.Clone(first[:len(first)-1]), 'x'), make([]byte, 100))
	f.Add([]byte(nil), []byte(recordMark+"\xff\xff\xff\xff\xff\xff\xff\xff"), []byte(recordMark+"\xff\xff\xff\x7f0000"))
	f.Fuzz(func(t *testing.T, before, between, after []byte) {
		if len(before)+len(between)+len(after) > 1<<16 ||
			strings.Contains(string(before)+" "+string(between)+" "+string(after), "}") {
			return // it may hold records of its own
		}
		data := slices.Concat(before, first, between, second, after)
		r := reader{data: data}
		var read []vitrine.Batch
		for b, ok := r.next(); ok; b, ok = r.next() {
			read = append(read, b)
		}
		if len(read) != 2 || !reflect.DeepEqual(read, []vitrine.Batch{spooltest.Batch(1), spooltest.Batch(2)}) {
			t.Errorf("read %+v", read)
		}
		if got := len(first) + len(second) + r.torn + r.damaged; got != len(data) || r.torn > len(after) {
			t.Errorf("%d of %d bytes are accounted for, %d torn, %d damaged", got, len(data), r.torn, r.damaged)
		}
		if !torn(after) && r.damaged == 0 {
			t.Errorf("%q at the end is no damage", after)
		}
	})
}
