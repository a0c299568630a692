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
	"vitrine/internal/test/porttest"
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

// names returns the names of the files in a directory.
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
	porttest.Spool(t, func(t *testing.T, dir string) vitrine.Spool { s, _ := open(t, dir); return s })
}

// TestFiles checks that replayed records leave no file, and that nothing is
// logged.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s, _ := open(t, dir)
	if names(t, dir) != nil {
		t.Error("a new spool has files")
	}
	porttest.SpoolAdd(t, s, 1, 2, 3)
	if s.Size() == 0 {
		t.Error("Size = 0 with three batches")
	}
	s, log := open(t, dir)
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 1, 2, 3)
	if s.Size() != 0 || names(t, dir) != nil || log.Len() > 0 {
		t.Errorf("after a replay: %d bytes, files %v; log: %q", s.Size(), names(t, dir), log)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode = %v, %v, want 0700", info.Mode(), err)
	}
}

// TestReplayFails checks that a failed replay continues from there, and that
// records appended during a replay are for the next one.
func TestReplayFails(t *testing.T) {
	s, _ := open(t, t.TempDir())
	size := len(must(encode(porttest.SpoolBatch(1000))))
	n := fileBytes/size + 100 // one file from several, and some more
	var big []byte
	for id := range n {
		big = append(big, must(encode(porttest.SpoolBatch(id+1000)))...)
	}
	porttest.SpoolAdd(t, s, 999)
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
				porttest.SpoolAdd(t, s, 100_000+calls)
			}
			for _, v := range b.Views {
				got = append(got, int(v.ID))
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
	got = append(got, porttest.SpoolReplay(t, s)...)
	sorted := slices.IsSorted(got)
	if before := len(got); !sorted || len(slices.Compact(got)) != before || before < n+3 || calls < 5 {
		t.Errorf("%d of %d views, in order: %v, in %d calls", before, n, sorted, calls)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// file0 returns the path of the first file of a directory.
func file0(dir string) string { return filepath.Join(dir, "000000000001"+suffix) }

// TestTornTail checks that an incomplete last record of any length is cut off
// and logged.
func TestTornTail(t *testing.T) {
	first, second := must(encode(porttest.SpoolBatch(1))), must(encode(porttest.SpoolBatch(2)))
	for n := range len(second) {
		dir := t.TempDir()
		if err := os.WriteFile(file0(dir), slices.Concat(first, second[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		s, log := open(t, dir)
		porttest.SpoolAdd(t, s, 3)
		porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 1, 3)
		if said := strings.Contains(log.String(), "WARN") && strings.Contains(log.String(), "bytes="); said != (n > 0) {
			t.Errorf("%d bytes: log %s", n, log)
		}
		if !s.Empty() || names(t, dir) != nil {
			t.Errorf("%d bytes: files left: %v", n, names(t, dir))
		}
	}
}

// TestDamage checks that a damaged byte loses only its own record, that the
// file is kept, and that its name is not used again.
func TestDamage(t *testing.T) {
	var whole []byte
	for id := range 3 {
		whole = append(whole, must(encode(porttest.SpoolBatch(id)))...)
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
		porttest.SpoolAdd(t, s, 3)
		left := []int{0, 1, 2, 3}
		porttest.SpoolWant(t, porttest.SpoolReplay(t, s), slices.Delete(left, at/size, at/size+1)...)
		if torn := at/size == 2 && strings.Contains(log.String(), "WARN"); torn {
			continue // its length says so
		}
		aside := strings.TrimSuffix(file0(dir), suffix) + damagedSuffix
		if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, damaged) {
			t.Errorf("byte %d: the damaged file was not kept: %v", at, err)
		}
		if !strings.Contains(log.String(), "ERROR") || !strings.Contains(log.String(), aside) {
			t.Errorf("byte %d: log %q", at, log)
		}
		s, _ = open(t, dir)
		porttest.SpoolAdd(t, s, 4)
		if n := names(t, dir); len(n) != 2 || n[0] != filepath.Base(aside) || n[1] <= n[0] {
			t.Errorf("byte %d: files %v", at, n)
		}
	}
}

// TestRubbish checks that files of other programs are left alone, and that a
// missing file does not stop the spool.
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
	porttest.SpoolAdd(t, s, 1)
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 1)
	slices.Sort(rubbish)
	if got := names(t, dir); !slices.Equal(got, append(rubbish[:1:1], "000000000004.damaged", "00000000000x.spool",
		"1.spool", "notes.txt")) {
		t.Errorf("files = %v", got)
	}
	porttest.SpoolAdd(t, s, 2)
	if err := os.Remove(filepath.Join(dir, "000000000006.spool")); err != nil {
		t.Fatal(err)
	}
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s))
	if !s.Empty() || !strings.Contains(log.String(), "is missing") {
		t.Errorf("log after a file was removed = %s", log)
	}
}

func TestMaxBytes(t *testing.T) {
	s, _ := open(t, t.TempDir())
	s.MaxBytes = 3 * int64(len(must(encode(porttest.SpoolBatch(1)))))
	porttest.SpoolAdd(t, s, 1, 2, 3)
	if err := s.Append(porttest.SpoolBatch(4)); !errors.Is(err, ErrFull) {
		t.Errorf("Append beyond MaxBytes = %v, want ErrFull", err)
	}
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 1, 2, 3)
	porttest.SpoolAdd(t, s, 4)
}

// leave replays, leaves the events of some views, and returns all replayed IDs
// and the number of calls.
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

// TestLeave checks that records that replays leave in small files are joined in
// one file.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	porttest.SpoolAdd(t, s, 4, 5)
	if leave(t, s, 4, 5); len(names(t, dir)) != 1 {
		t.Errorf("files = %v, want one", names(t, dir))
	}
	leave(t, s, 4)
	s, log := open(t, dir)
	porttest.SpoolAdd(t, s, 6)
	got, calls := leave(t, s, 4, 6) // small files are joined
	porttest.SpoolWant(t, got, 4, 6)
	if calls != 2 || len(names(t, dir)) != 1 {
		t.Errorf("%d calls, files %v", calls, names(t, dir))
	}
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 4, 6)
	if !s.Empty() || s.Size() != 0 || names(t, dir) != nil || log.Len() > 0 {
		t.Errorf("left: %d bytes, files %v; log: %q", s.Size(), names(t, dir), log)
	}
}

// TestLeaveAll checks that a file of which nothing is accepted is not rewritten
// by each replay.
func TestLeaveAll(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	var ids []int
	size := len(must(encode(porttest.SpoolBatch(1000))))
	for f := range 2 {
		var records []byte
		for id := 1000 * (f + 1); len(records) < staysBytes; id++ {
			records = append(records, must(encode(porttest.SpoolBatch(id)))...)
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
		porttest.SpoolWant(t, got, ids...)
		if now := names(t, dir); !slices.Equal(now, before) {
			t.Errorf("files = %v, want %v", now, before)
		}
	}
	got, _ := leave(t, s, ids[1:]...) // the first file changes
	porttest.SpoolWant(t, got, ids...)
	rest := append(slices.Clone(ids[len(ids)/2:]), ids[1:len(ids)/2]...)
	got, _ = leave(t, s, rest...)
	porttest.SpoolWant(t, got, rest...)
	if now := names(t, dir); len(now) != 2 || now[0] != before[1] || s.Size() < int64(len(rest)*size*9/10) {
		t.Errorf("files = %v, %d bytes; before %v", now, s.Size(), before)
	}
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), rest...)
}

// TestLeaveFails checks that a replay that leaves records and then fails loses
// none of them.
func TestLeaveFails(t *testing.T) {
	s, _ := open(t, t.TempDir())
	var records []byte
	for id := range 3*joined + 1 {
		records = append(records, must(encode(porttest.SpoolBatch(id)))...)
	}
	if err := s.add(records, s.MaxBytes); err != nil {
		t.Fatal(err)
	}
	calls, down := 0, errors.New("down")
	err := s.Replay(t.Context(), func(b vitrine.Batch) (rest vitrine.Batch, err error) {
		switch calls++; calls {
		case 2: // the first file was accepted completely
			return vitrine.Batch{Snapshots: b.Snapshots[:1]}, nil
		case 4:
			return b, down
		}
		return rest, nil
	})
	if err != down {
		t.Fatal(err)
	}
	got := porttest.SpoolReplay(t, s)
	if first := joined/3 + 1; got[0] != first || len(got) != 3*joined+1-first {
		t.Errorf("%d batches replayed from %d on, want all from %d on", len(got), got[0], first)
	}
}

// TestLeaveDamaged checks that remaining records of a damaged file are kept
// once, and that the file is kept for inspection.
func TestLeaveDamaged(t *testing.T) {
	dir := t.TempDir()
	all := slices.Concat(must(encode(porttest.SpoolBatch(1))), must(encode(porttest.SpoolBatch(2))),
		must(encode(porttest.SpoolBatch(3))))
	all[len(all)/3+40] ^= 0x55
	if err := os.WriteFile(file0(dir), all, 0o600); err != nil {
		t.Fatal(err)
	}
	s, log := open(t, dir)
	got, _ := leave(t, s, 1, 3)
	porttest.SpoolWant(t, got, 1, 3)
	if n := names(t, dir); len(n) != 2 || !strings.HasSuffix(n[0], damagedSuffix) ||
		!strings.Contains(log.String(), "ERROR") {
		t.Errorf("files %v; log: %q", n, log)
	}
	log.Reset()
	got, _ = leave(t, s, 1)
	porttest.SpoolWant(t, got, 1, 3)
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 1)
	if log.Len() > 0 || !s.Empty() {
		t.Errorf("log: %q; Empty = %v", log, s.Empty())
	}
}

// TestLeaveFull checks that also in a full spool the remaining records of a
// file are moved to another, and that the freed space is counted.
func TestLeaveFull(t *testing.T) {
	s, _ := open(t, t.TempDir())
	porttest.SpoolAdd(t, s, 1, 2, 3)
	s.MaxBytes = s.Size()
	got, _ := leave(t, s, 2, 3)
	porttest.SpoolWant(t, got, 1, 2, 3)
	if s.Size() > s.MaxBytes*3/4 {
		t.Errorf("%d bytes of %d", s.Size(), s.MaxBytes)
	}
	porttest.SpoolAdd(t, s, 4)
	if err := s.Append(porttest.SpoolBatch(5)); !errors.Is(err, ErrFull) {
		t.Errorf("Append beyond MaxBytes = %v, want ErrFull", err)
	}
	porttest.SpoolWant(t, porttest.SpoolReplay(t, s), 2, 3, 4)
}

func TestOpenFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("Open of a file succeeds, want an error")
	}
}

// FuzzReader puts garbage around and between two records. Both must be read,
// nothing else, and every byte must be accounted for.
func FuzzReader(f *testing.F) {
	first, second := must(encode(porttest.SpoolBatch(1))), must(encode(porttest.SpoolBatch(2)))
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte("rubbish"), []byte(recordMark+recordMark[:2]), first[:20])
	f.Add([]byte(recordMark+"\x01\x00\x00\x00"), append(slices.Clone(first[:len(first)-1]), 'x'), make([]byte, 100))
	f.Add([]byte(nil), []byte(recordMark+"\xff\xff\xff\xff\xff\xff\xff\xff"), []byte(recordMark+"\xff\xff\xff\x7f0000"))
	f.Fuzz(func(t *testing.T, before, between, after []byte) {
		if len(before)+len(between)+len(after) > 1<<16 ||
			strings.Contains(string(before)+" "+string(between)+" "+string(after), "}") {
			return // the garbage may contain records
		}
		data := slices.Concat(before, first, between, second, after)
		r := reader{data: data}
		var read []vitrine.Batch
		for b, ok := r.next(); ok; b, ok = r.next() {
			read = append(read, b)
		}
		if len(read) != 2 || !reflect.DeepEqual(read, []vitrine.Batch{porttest.SpoolBatch(1), porttest.SpoolBatch(2)}) {
			t.Errorf("read %+v, want the two batches", read)
		}
		if got := len(first) + len(second) + r.torn + r.damaged; got != len(data) || r.torn > len(after) {
			t.Errorf("%d of %d bytes are accounted for, %d torn, %d damaged", got, len(data), r.torn, r.damaged)
		}
		if !torn(after) && r.damaged == 0 {
			t.Errorf("%q at the end does not count as damage", after)
		}
	})
}
