package clamav

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// scanner returns a scanner for one test, which must leave no connections and
// goroutines.
func scanner(t testing.TB, o Options) *Scanner {
	t.Helper()
	before := sockets()
	s, err := New(o)
	must(t, err)
	t.Cleanup(func() {
		must(t, s.Close())
		if after := sockets(); after > before {
			t.Errorf("%d connections were left open", after-before)
		}
		for range 1000 { // a goroutine may have ended without being gone yet
			if !strings.Contains(stacks(), "clamav.(*session)") {
				return
			}
			runtime.Gosched()
		}
		t.Errorf("goroutines were left running:\n%s", stacks())
	})
	return s
}

func stacks() string {
	var b strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&b, 2)
	return b.String()
}

// sockets returns the number of open sockets of the process, if the system
// reports it.
func sockets() (n int) {
	all, _ := os.ReadDir("/proc/self/fd")
	for _, e := range all {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

func scan(t testing.TB, s *Scanner, content []byte) (vitrine.Verdict, error) {
	t.Helper()
	return s.Scan(t.Context(), bytes.NewReader(content), int64(len(content)))
}

// expect checks the result of a scan: clean (""), malware (a signature),
// suspicious (a signature with "?"), or a limit ("limit").
func expect(t testing.TB, s *Scanner, name string, content []byte, want string) {
	t.Helper()
	v, err := scan(t, s, content)
	if want == "limit" {
		if !errors.Is(err, vitrine.ErrScanLimit) || v != (vitrine.Verdict{}) {
			t.Errorf("%s: %+v, %v, want a limit", name, v, err)
		}
		return
	}
	expected := vitrine.Verdict{Result: vitrine.ScanMalware, Signature: want}
	if want == "" {
		expected.Result = vitrine.ScanClean
	} else if suspicious, ok := strings.CutPrefix(want, "?"); ok {
		expected = vitrine.Verdict{Result: vitrine.ScanSuspicious, Signature: suspicious}
	}
	if err != nil || v != expected {
		t.Errorf("%s: %+v, %v, want %+v", name, v, err, expected)
	}
}

const (
	eicarFound  = "Eicar-Test-Signature.UNOFFICIAL"
	markerFound = "Vitrine.Test.Marker.UNOFFICIAL"
)

// random returns size bytes in which the scanner finds nothing. The same seed
// gives the same bytes.
func random(seed uint64, size int64) io.Reader {
	return io.LimitReader(rand.NewChaCha8([32]byte{byte(seed)}), size)
}

func randomBytes(t testing.TB, seed uint64, size int64) []byte {
	t.Helper()
	b, err := io.ReadAll(random(seed, size))
	must(t, err)
	return b
}

func TestScan(t *testing.T) {
	d := vitrinetest.Clamd(t, "DetectPUA yes", "AlertEncryptedArchive yes")
	hashed := randomBytes(t, 7, 5000)
	d.Database(t, "local.hsb", fmt.Appendf(nil, "%x:%d:Vitrine.Test.Hash\n", sha256.Sum256(hashed), len(hashed)))
	d.Database(t, "local.ndu", []byte(vitrinetest.ClamdSignature("PUA.Vitrine.Test", "vitrine-pua-text")))
	d.Reload(t)
	eicar := vitrinetest.EICAR()
	marked := append(randomBytes(t, 1, 3<<20), vitrinetest.ClamdMarker...)
	encrypted := zipped(t, file{"a", eicar})
	for _, at := range []int{6, bytes.Index(encrypted, []byte("PK\x01\x02")) +
		8} { // the encryption flag, in both headers
		encrypted[at] |= 1
	}
	for _, address := range []string{"unix:" + d.Socket, "tcp:" + d.TCP} {
		s := scanner(t, Options{Addresses: []string{address}})
		for _, c := range []struct {
			name    string
			content []byte
			want    string
		}{
			{"empty", nil, ""},
			{"a byte", []byte("a"), ""},
			{"a chunk", randomBytes(t, 2, chunk), ""},
			{"a chunk and a byte", randomBytes(t, 2, chunk+1), ""},
			{"clean docx", docx(t, file{"word/media/a.bin", []byte("nothing")}), ""},
			{"EICAR", eicar, eicarFound},
			{"in ZIP", zipped(t, file{"a.txt", []byte("a")}, file{"eicar.com", eicar}), eicarFound},
			{"in ZIP in ZIP", zipped(t, file{"a.zip", zipped(t, file{"eicar.com", eicar})}), eicarFound},
			{"in tar.gz", gzipped(t, tarred(t, file{"a/eicar.com", eicar})), eicarFound},
			{"in docx", docx(t, file{"word/embeddings/a.bin", eicar}), eicarFound},
			{"in a PDF's attachment", pdf(t, eicar), eicarFound},
			{"marker at the end", marked, markerFound},
			{"hash", hashed, "Vitrine.Test.Hash.UNOFFICIAL"},
			{"hash of one byte less", hashed[:len(hashed)-1], ""},
			{"unwanted", []byte("this is vitrine-pua-text"), "?PUA.Vitrine.Test.UNOFFICIAL"},
			{"encrypted", encrypted, "?Heuristics.Encrypted.Zip"},
			{"nested", probe(), "limit"},
		} {
			expect(t, s, address+": "+c.name, c.content, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	const mib = 1 << 20
	d := vitrinetest.Clamd(t, "StreamMaxLength 3M", "MaxFileSize 2M", "MaxScanSize 2M", "MaxFiles 50", "MaxRecursion 5")
	var many []file
	for i := range 60 {
		many = append(many, file{fmt.Sprint(i), fmt.Append(nil, "file", i)})
	}
	packed := func(n int) []byte {
		b := fmt.Append(nil, "nested ", n) // clamd would know it as clean when it is inside another file
		for range n {
			b = gzipped(t, b)
		}
		return b
	}
	for _, address := range []string{"unix:" + d.Socket, "tcp:" + d.TCP} {
		s := scanner(t, Options{Addresses: []string{address}})
		for _, c := range []struct {
			name    string
			content []byte
			want    string
		}{
			{"exactly MaxFileSize", randomBytes(t, 3, 2*mib), ""},
			{"one over MaxFileSize", randomBytes(t, 3, 2*mib+1), "limit"},
			{"exactly StreamMaxLength", randomBytes(t, 3, 3*mib), "limit"}, // of MaxFileSize
			{"one over StreamMaxLength", randomBytes(t, 3, 3*mib+1), "limit"},
			{"far over StreamMaxLength", randomBytes(t, 3, 20*mib), "limit"},
			{"one file of a ZIP over MaxFileSize", zipped(t, file{"a", make([]byte, 3*mib)}), "limit"},
			{"the files of a ZIP over MaxScanSize",
				zipped(t, file{"a", make([]byte, 1.5*mib)}, file{"b", make([]byte, 1.5*mib)}), "limit"},
			{"more files than MaxFiles", zipped(t, many...), "limit"},
			{"nested less than MaxRecursion", packed(3), ""},
			{"nested more than MaxRecursion", packed(6), "limit"},
			{"clean after all that", []byte("nothing"), ""},
		} {
			expect(t, s, address+": "+c.name, c.content, c.want)
			expect(t, s, address+": again "+c.name, c.content, c.want)
		}
	}
	d.Kill(t)
	d.Set(t, "StreamMaxLength 2M", "MaxFileSize 4M", "MaxScanSize 40M")
	d.Start(t)
	s := scanner(t, Options{Addresses: []string{d.Socket}})
	expect(t, s, "exactly StreamMaxLength", randomBytes(t, 3, 2*mib), "")
	expect(t, s, "one over StreamMaxLength", randomBytes(t, 3, 2*mib+1), "limit")
}

// TestAlertsOff checks that no answer of a daemon that reports files beyond its
// limits as clean is accepted, even if it was reconfigured while the scanner
// runs.
func TestAlertsOff(t *testing.T) {
	const key = "AlertExceedsMax yes"
	d := vitrinetest.Clamd(t, "AlertExceedsMax no")
	s := scanner(t, Options{Addresses: []string{d.Socket}})
	refused := func(when string) {
		t.Helper()
		for _, content := range [][]byte{[]byte("nothing"), vitrinetest.EICAR(), probe()} {
			if v, err := scan(t, s, content); err == nil || errors.Is(err, vitrine.ErrScanLimit) ||
				!strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), d.Socket) {
				t.Errorf("%s: %+v, %v, want an error that names the setting", when, v, err)
			}
		}
		if h := s.Check(t.Context()); len(h) != 1 || h[0].Err == nil || !strings.Contains(h[0].String(), key) {
			t.Errorf("%s: Check = %v", when, h)
		}
	}
	refused("without AlertExceedsMax")
	restart := func(settings ...string) {
		d.Kill(t)
		d.Set(t, settings...)
		d.Start(t)
	}
	restart(key)
	expect(t, s, "with AlertExceedsMax", []byte("nothing"), "")
	restart("AlertExceedsMax no")
	refused("without it again") // a good session exists
	restart(key, "ScanArchive no")
	refused("without archives")
	restart("ScanArchive yes", "MaxRecursion 99")
	expect(t, s, "with the highest MaxRecursion", vitrinetest.EICAR(), eicarFound)
	restart("MaxRecursion 200")
	refused("with a higher one")
}

func TestLarge(t *testing.T) {
	size := tier.Pick[int64](30, 100) << 20 // more than clamd accepts by default
	d := vitrinetest.Clamd(t, "StreamMaxLength 200M", "MaxFileSize 200M", "MaxScanSize 200M")
	s := scanner(t, Options{Addresses: []string{d.Socket}})
	before, during := heap(), uint64(0)
	v, err := s.Scan(t.Context(), &midway{random(1, size), size / 2, func() { during = heap() }}, size)
	if err != nil || v.Result != vitrine.ScanClean {
		t.Errorf("Scan = %+v, %v, want clean", v, err)
	}
	if during > before+1<<20 {
		t.Errorf("a scan needs %d additional bytes of memory, want at most 1 MiB", during-before)
	}
}

// heap returns the used size of the heap, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestManyAtOnce(t *testing.T) {
	d, other := vitrinetest.Clamd(t), vitrinetest.Clamd(t)
	s := scanner(t, Options{Addresses: []string{d.Socket, other.TCP}, Concurrency: 3})
	var scans sync.WaitGroup
	for i := range 40 {
		scans.Go(func() {
			if i%2 == 0 {
				expect(t, s, "clean", randomBytes(t, uint64(i), 1<<20), "")
			} else {
				expect(t, s, "marked", append(randomBytes(t, uint64(i), 1<<20), vitrinetest.ClamdMarker...),
					markerFound)
			}
		})
	}
	scans.Wait()
	for _, daemon := range s.daemons {
		if n := len(daemon.idle); n == 0 || n > 3 || daemon.busy != 0 {
			t.Errorf("%v has %d idle sessions and %d scans in progress", daemon.address, n, daemon.busy)
		}
	}
}

// midway is a reader that calls a function after the first n bytes.
type midway struct {
	io.Reader
	n    int64
	then func()
}

func (m *midway) Read(p []byte) (int, error) {
	if m.n <= 0 && m.then != nil {
		m.then()
		m.then = nil
	}
	n, err := m.Reader.Read(p)
	m.n -= int64(n)
	return n, err
}

func TestKilled(t *testing.T) {
	const size = 20 << 20
	d := vitrinetest.Clamd(t)
	for _, address := range []string{d.Socket, d.TCP} {
		s := scanner(t, Options{Addresses: []string{address}})
		expect(t, s, "before", vitrinetest.EICAR(), eicarFound)
		v, err := s.Scan(t.Context(), &midway{random(1, size), size / 2, func() { d.Kill(t) }}, size)
		if err == nil || v != (vitrine.Verdict{}) || errors.Is(err, vitrine.ErrScanLimit) {
			t.Errorf("Scan with clamd killed during the stream = %+v, %v, want an error", v, err)
		}
		if v, err := scan(t, s, []byte("a")); err == nil {
			t.Errorf("Scan without clamd = %+v, want an error", v)
		}
		if h := s.Check(t.Context())[0]; h.Err == nil || !strings.Contains(h.String(), "start clamd") {
			t.Errorf("Check without clamd = %v", h)
		}
		d.Start(t)
		expect(t, s, "after", vitrinetest.EICAR(), eicarFound)
		d.Kill(t)
		d.Start(t)
		expect(t, s, "restarted while nothing was scanned", []byte("a"), "")
	}
}

// TestOneDown checks that while one of two daemons is down the other scans, and
// nothing is lost.
func TestOneDown(t *testing.T) {
	d, other := vitrinetest.Clamd(t), vitrinetest.Clamd(t)
	s := scanner(t, Options{Addresses: []string{d.Socket, other.Socket}})
	d.Kill(t)
	for range 5 {
		expect(t, s, "one is down", vitrinetest.EICAR(), eicarFound)
	}
	if h := s.Check(t.Context()); h[0].Err == nil || h[1].Err != nil || h[0].Address != "unix:"+d.Socket {
		t.Errorf("Check = %v", h)
	}
	other.Kill(t)
	if _, err := scan(t, s, vitrinetest.EICAR()); err == nil || !strings.Contains(err.Error(), d.Socket) ||
		!strings.Contains(err.Error(), other.Socket) {
		t.Errorf("Scan with both daemons down = %v", err)
	}
}

func TestReload(t *testing.T) {
	d, other := vitrinetest.Clamd(t), vitrinetest.Clamd(t)
	s := scanner(t, Options{Addresses: []string{d.Socket, other.Socket}, MaxSignatureAge: time.Nanosecond})
	signatures := func(want string) {
		t.Helper()
		text, err := s.Signatures(t.Context())
		engine, number, _ := strings.Cut(text, "/")
		if err != nil || number != want || !strings.HasPrefix(engine, "ClamAV ") {
			t.Errorf("Signatures = %q, %v, want number %q", text, err, want)
		}
	}
	update := func(d *vitrinetest.ClamdDaemon, number int) {
		t.Helper()
		d.Database(t, "daily.cud", vitrinetest.ClamdDaily(t, number,
			vitrinetest.ClamdSignature(fmt.Sprint("Daily-", number), "found one day")))
		d.Reload(t)
	}
	text := []byte("to be found one day")
	expect(t, s, "at first", text, "")
	signatures("")
	update(d, 27500)
	signatures("") // the other daemon has no signatures yet
	update(other, 27500)
	signatures("27500")
	expect(t, s, "on the session of before", text, "Daily-27500.UNOFFICIAL")
	other.Kill(t)
	signatures("27500")
	other.Start(t)
	update(d, 27501)
	signatures("27500")
	update(other, 27501)
	signatures("27501")
	expect(t, s, "after another update", text, "Daily-27501.UNOFFICIAL")
	if h := s.Check(t.Context()); !strings.Contains(h[0].String(), "/27501/") || h[0].Version != h[1].Version {
		t.Errorf("Check = %v", h)
	}
}

func TestCancelled(t *testing.T) {
	const size = 20 << 20
	d := vitrinetest.Clamd(t)
	s := scanner(t, Options{Addresses: []string{d.Socket}})
	why := errors.New("no longer wanted")
	for _, after := range []int64{0, size / 2, size - 1} {
		ctx, cancel := context.WithCancelCause(t.Context())
		v, err := s.Scan(ctx, &midway{random(1, size), after, func() { cancel(why) }}, size)
		if !errors.Is(err, why) || v != (vitrine.Verdict{}) {
			t.Errorf("Scan cancelled after %d bytes = %+v, %v", after, v, err)
		}
		if _, err := s.Scan(ctx, strings.NewReader("a"), 1); !errors.Is(err, why) {
			t.Errorf("Scan with a cancelled context = %v, want %v", err, why)
		}
	}
	expect(t, s, "after all that", []byte("a"), "")
}

// TestReaders checks that a failing reader of a file is an error, never a
// verdict, and does not affect the next scan.
func TestReaders(t *testing.T) {
	d := vitrinetest.Clamd(t)
	s := scanner(t, Options{Addresses: []string{d.Socket}})
	broken := errors.New("the disk is broken")
	for _, size := range []int64{0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk} {
		content := randomBytes(t, 1, size)
		for name, c := range map[string]struct {
			r    io.Reader
			size int64
			want error
		}{
			"one less":     {bytes.NewReader(content), size + 1, io.ErrUnexpectedEOF},
			"one more":     {io.MultiReader(bytes.NewReader(content), strings.NewReader("x")), size, errRead},
			"fails":        {io.MultiReader(bytes.NewReader(content), failing{broken}), size + 1, broken},
			"fails at end": {io.MultiReader(bytes.NewReader(content), failing{broken}), size, broken},
			"says a timeout": {io.MultiReader(bytes.NewReader(content), failing{os.ErrDeadlineExceeded}), size + 1,
				os.ErrDeadlineExceeded},
		} {
			v, err := s.Scan(t.Context(), c.r, c.size)
			if !errors.Is(err, c.want) || !errors.Is(err, errRead) || v != (vitrine.Verdict{}) {
				t.Errorf("%d bytes, %s: %+v, %v", size, name, v, err)
			}
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic of the reader was lost")
			}
		}()
		_, _ = s.Scan(t.Context(), &midway{random(1, 3*chunk), chunk, func() { panic("in a reader") }}, 3*chunk)
	}()
	if n := s.daemons[0].busy; n != 0 {
		t.Errorf("%d scans in progress, want 0", n)
	}
	if v, err := s.Scan(t.Context(), strings.NewReader(""), -1); err == nil {
		t.Errorf("Scan with a negative size = %+v, want an error", v)
	}
	expect(t, s, "after all that", vitrinetest.EICAR(), eicarFound)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
