package spool

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/report"
)

// batch is one open, its snapshot and its download.
func batch(id int) vitrine.Batch {
	return vitrine.Batch{
		Opens: []vitrine.OpenRecord{{Account: 7, Open: report.Open{ID: int64(id), At: 5, Link: 1 << 60, Viewer: 1<<64 - 1, Country: "FR", City: "Orléans",
			Referrer: "<script>&\u2028", Device: "mobile", Bot: "crawler", QR: true}}},
		Snapshots: []vitrine.Snapshot{{Link: 1 << 60, Open: vitrine.ViewID(id), At: 6, Bot: vitrine.BotAutomation, Session: report.Session{EngagedMs: 1 << 40,
			Screen: "0-575", Downloaded: true, Pages: []report.PageTime{{Page: 3, Ms: 4}}, Played: 1, Reached: 2, Depth: 3}}},
		Downloads: []vitrine.Download{{ID: 9, Link: 1 << 60, Open: vitrine.ViewID(id)}},
	}
}

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

func add(t *testing.T, s *Spool, ids ...int) {
	t.Helper()
	for _, id := range ids {
		if err := s.Append(batch(id)); err != nil {
			t.Fatal(err)
		}
	}
}

// replay replays and returns the opens' IDs.
func replay(t *testing.T, s *Spool) (ids []int) {
	t.Helper()
	err := s.Replay(t.Context(), func(b vitrine.Batch) (vitrine.Batch, error) {
		for i, o := range b.Opens {
			ids = append(ids, int(o.ID))
			one := vitrine.Batch{Opens: b.Opens[i : i+1], Snapshots: b.Snapshots[i : i+1], Downloads: b.Downloads[i : i+1]}
			if !reflect.DeepEqual(one, batch(int(o.ID))) {
				t.Errorf("replayed %+v, want %+v", one, batch(int(o.ID)))
			}
		}
		return vitrine.Batch{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func want(t *testing.T, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("replayed %v, want %v", got, want)
	}
}

// names are the files of a directory.
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

func TestReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s, _ := open(t, dir)
	if !s.Empty() || names(t, dir) != nil {
		t.Error("a new spool is not empty")
	}
	want(t, replay(t, s))
	add(t, s, 1, 2, 3)
	if s.Empty() || s.Size() == 0 {
		t.Error("three batches, and it is empty")
	}
	want(t, replay(t, s), 1, 2, 3)
	if !s.Empty() || s.Size() != 0 || names(t, dir) != nil {
		t.Errorf("after a replay there are %d bytes, %v", s.Size(), names(t, dir))
	}
	want(t, replay(t, s))
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A process that ends, however it ends, leaves everything to the next.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s, _ := open(t, dir)
		if s.Empty() != (i == 0) {
			t.Errorf("opened %d times, empty: %v", i, s.Empty())
		}
		add(t, s, 2*i, 2*i+1)
	}
	s, log := open(t, dir)
	want(t, replay(t, s), 0, 1, 2, 3, 4, 5)
	if log.Len() > 0 {
		t.Error(log)
	}
}

// A replay that fails goes on from there, and what arrives during one is for the next.
func TestReplayFails(t *testing.T) {
	s, _ := open(t, t.TempDir())
	size := len(must(encode(batch(1000))))
	n := fileBytes/size + 100 // one file of several joins, and some more
	var big []byte
	for id := range n {
		big = append(big, must(encode(batch(id+1000)))...)
	}
	add(t, s, 999)
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
				add(t, s, 100_000+calls)
			}
			for _, o := range b.Opens {
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
	got = append(got, replay(t, s)...)
	sorted := slices.IsSorted(got)
	if before := len(got); !sorted || len(slices.Compact(got)) != before || before < n+3 || calls < 5 {
		t.Errorf("%d of %d opens, in order: %v, in %d calls", before, n, sorted, calls)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	add(t, s, 1)
	if err := s.Replay(ended, func(b vitrine.Batch) (vitrine.Batch, error) { t.Error("called"); return b, nil }); err != context.Canceled || s.Empty() {
		t.Errorf("with its context at its end: %v", err)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// file0 is the first file of a directory.
func file0(dir string) string { return filepath.Join(dir, "000000000001"+suffix) }

// A last record of any length that is not its whole one is cut off, and the log says so.
func TestTornTail(t *testing.T) {
	first, second := must(encode(batch(1))), must(encode(batch(2)))
	for n := range len(second) {
		dir := t.TempDir()
		if err := os.WriteFile(file0(dir), slices.Concat(first, second[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		s, log := open(t, dir)
		add(t, s, 3)
		want(t, replay(t, s), 1, 3)
		if said := strings.Contains(log.String(), "WARN") && strings.Contains(log.String(), "bytes="); said != (n > 0) {
			t.Errorf("%d bytes: %s", n, log)
		}
		if !s.Empty() || names(t, dir) != nil {
			t.Errorf("%d bytes: left behind: %v", n, names(t, dir))
		}
	}
}

// Whatever happens to a byte, nothing but its own record is lost by it, the file is kept, and its name is not used again.
func TestDamage(t *testing.T) {
	var whole []byte
	for id := range 3 {
		whole = append(whole, must(encode(batch(id)))...)
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
		add(t, s, 3)
		left := []int{0, 1, 2, 3}
		want(t, replay(t, s), slices.Delete(left, at/size, at/size+1)...)
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
		add(t, s, 4)
		if n := names(t, dir); len(n) != 2 || n[0] != filepath.Base(aside) || n[1] <= n[0] {
			t.Errorf("byte %d: files %v", at, n)
		}
	}
}

// What is not the spool's is left alone, and a file that someone took away stops nothing.
func TestRubbish(t *testing.T) {
	dir := t.TempDir()
	rubbish := []string{"00000000000x.spool", "1.spool", "notes.txt", "-00000000001.spool"}
	for _, name := range rubbish {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("rubbish"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "000000000004.spool"), bytes.Repeat([]byte("rubbish"+mark), 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	s, log := open(t, dir)
	add(t, s, 1)
	want(t, replay(t, s), 1)
	slices.Sort(rubbish)
	if got := names(t, dir); !slices.Equal(got, append(rubbish[:1:1], "000000000004.damaged", "00000000000x.spool", "1.spool", "notes.txt")) {
		t.Errorf("files: %v", got)
	}
	add(t, s, 2)
	if err := os.Remove(filepath.Join(dir, "000000000006.spool")); err != nil {
		t.Fatal(err)
	}
	want(t, replay(t, s))
	if !s.Empty() || !strings.Contains(log.String(), "is gone") {
		t.Errorf("a file is gone, and the log says %s", log)
	}
}

func TestMaxBytes(t *testing.T) {
	s, _ := open(t, t.TempDir())
	s.MaxBytes = 3 * int64(len(must(encode(batch(1)))))
	add(t, s, 1, 2, 3)
	if err := s.Append(batch(4)); !errors.Is(err, ErrFull) {
		t.Errorf("beyond its bound: %v", err)
	}
	want(t, replay(t, s), 1, 2, 3)
	add(t, s, 4)
}

// leave replays, leaves what is said of some opens, and returns all IDs that came, and how often f was called.
func leave(t *testing.T, s *Spool, left ...int) (ids []int, calls int) {
	t.Helper()
	err := s.Replay(t.Context(), func(b vitrine.Batch) (rest vitrine.Batch, err error) {
		calls++
		for i, s := range b.Snapshots {
			ids = append(ids, int(s.Open))
			if slices.Contains(left, int(s.Open)) {
				rest.Add(vitrine.Batch{Opens: b.Opens[i : i+1], Snapshots: b.Snapshots[i : i+1], Downloads: b.Downloads[i : i+1]})
			}
		}
		return rest, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, calls
}

// What a replay leaves comes again, with the next replay and in the next process, and nothing else does.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	add(t, s, 1, 2, 3, 4)
	for _, left := range [][]int{{1, 2, 3, 4}, {2, 4}, {2, 4}, {4}} {
		if leave(t, s, left...); s.Empty() || len(names(t, dir)) != 1 {
			t.Errorf("with %v left: empty: %v, files %v", left, s.Empty(), names(t, dir))
		}
		add(t, s, 5)
		got, _ := leave(t, s, append(left, 5)...)
		want(t, got, append(left, 5)...)
		got, _ = leave(t, s, left...)
		want(t, got, append(left, 5)...)
	}
	s, log := open(t, dir)
	add(t, s, 6)
	got, calls := leave(t, s, 4, 6) // small files become one
	want(t, got, 4, 6)
	if calls != 2 || len(names(t, dir)) != 1 {
		t.Errorf("%d calls, files %v", calls, names(t, dir))
	}
	want(t, replay(t, s), 4, 6)
	if !s.Empty() || s.Size() != 0 || names(t, dir) != nil || log.Len() > 0 {
		t.Errorf("left behind: %d bytes, %v, and the log says %q", s.Size(), names(t, dir), log)
	}
}

// A file of which nothing is taken stays as it is: what waits for days is not written again with each replay.
func TestLeaveAll(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	var ids []int
	size := len(must(encode(batch(1000))))
	for f := range 2 {
		var records []byte
		for id := 1000 * (f + 1); len(records) < staysBytes; id++ {
			records = append(records, must(encode(batch(id)))...)
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
		want(t, got, ids...)
		if now := names(t, dir); !slices.Equal(now, before) {
			t.Errorf("files %v, before there were %v", now, before)
		}
	}
	got, _ := leave(t, s, ids[1:]...) // the first file changes
	want(t, got, ids...)
	rest := append(slices.Clone(ids[len(ids)/2:]), ids[1:len(ids)/2]...)
	got, _ = leave(t, s, rest...)
	want(t, got, rest...)
	if now := names(t, dir); len(now) != 2 || now[0] != before[1] || s.Size() < int64(len(rest)*size*9/10) {
		t.Errorf("files %v, %d bytes; before there were %v", now, s.Size(), before)
	}
	want(t, replay(t, s), rest...)
}

// A replay that leaves something and then fails has lost nothing of it, and no memory of what it took grows into a loss.
func TestLeaveFails(t *testing.T) {
	s, _ := open(t, t.TempDir())
	var records []byte
	for id := range 3*joined + 1 {
		records = append(records, must(encode(batch(id)))...)
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
	got := replay(t, s)
	if first := joined/3 + 1; got[0] != first || len(got) != 3*joined+1-first {
		t.Errorf("%d batches come again, from %d on; want all from %d on", len(got), got[0], first)
	}
}

// In a damaged file, too, what is left is kept, once; and the file stays for anyone who wants to look at it.
func TestLeaveDamaged(t *testing.T) {
	dir := t.TempDir()
	all := slices.Concat(must(encode(batch(1))), must(encode(batch(2))), must(encode(batch(3))))
	all[len(all)/3+40] ^= 0x55
	if err := os.WriteFile(file0(dir), all, 0o600); err != nil {
		t.Fatal(err)
	}
	s, log := open(t, dir)
	got, _ := leave(t, s, 1, 3)
	want(t, got, 1, 3)
	if n := names(t, dir); len(n) != 2 || !strings.HasSuffix(n[0], damagedSuffix) || !strings.Contains(log.String(), "ERROR") {
		t.Errorf("files %v, and the log says %q", n, log)
	}
	log.Reset()
	got, _ = leave(t, s, 1)
	want(t, got, 1, 3)
	want(t, replay(t, s), 1)
	if log.Len() > 0 || !s.Empty() {
		t.Errorf("the log says %q; empty: %v", log, s.Empty())
	}
}

// Also when it is full, what is left of one file goes to another, and the room of what was taken is given back.
func TestLeaveFull(t *testing.T) {
	s, _ := open(t, t.TempDir())
	add(t, s, 1, 2, 3)
	s.MaxBytes = s.Size()
	got, _ := leave(t, s, 2, 3)
	want(t, got, 1, 2, 3)
	if s.Size() > s.MaxBytes*3/4 {
		t.Errorf("%d bytes of %d", s.Size(), s.MaxBytes)
	}
	add(t, s, 4)
	if err := s.Append(batch(5)); !errors.Is(err, ErrFull) {
		t.Errorf("beyond its bound: %v", err)
	}
	want(t, replay(t, s), 2, 3, 4)
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

// One appends, one replays: everything comes once, in order.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	const n = 500
	var adding sync.WaitGroup
	adding.Go(func() {
		for id := range n {
			if err := s.Append(batch(id)); err != nil {
				t.Error(err)
			}
		}
	})
	var got []int
	for len(got) < n && !t.Failed() {
		got = append(got, replay(t, s)...)
	}
	adding.Wait()
	for i, id := range got {
		if i != id {
			t.Fatalf("number %d is %d", i, id)
		}
	}
	if !s.Empty() || names(t, dir) != nil {
		t.Errorf("left behind: %v", names(t, dir))
	}
}

// FuzzReader puts rubbish around and between two records: both are read, nothing else is, and every byte is accounted for.
func FuzzReader(f *testing.F) {
	first, second := must(encode(batch(1))), must(encode(batch(2)))
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte("rubbish"), []byte(mark+mark[:2]), first[:20])
	f.Add([]byte(mark+"\x01\x00\x00\x00"), append(slices.Clone(first[:len(first)-1]), 'x'), make([]byte, 100))
	f.Add([]byte(nil), []byte(mark+"\xff\xff\xff\xff\xff\xff\xff\xff"), []byte(mark+"\xff\xff\xff\x7f0000"))
	f.Fuzz(func(t *testing.T, before, between, after []byte) {
		if len(before)+len(between)+len(after) > 1<<16 || strings.Contains(string(before)+" "+string(between)+" "+string(after), "}") {
			return // it may hold records of its own
		}
		data := slices.Concat(before, first, between, second, after)
		r := reader{data: data}
		var read []vitrine.Batch
		for b, ok := r.next(); ok; b, ok = r.next() {
			read = append(read, b)
		}
		if len(read) != 2 || !reflect.DeepEqual(read, []vitrine.Batch{batch(1), batch(2)}) {
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
