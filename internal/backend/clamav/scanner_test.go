package clamav

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vitrine"
)

func isClean(t *testing.T, s *Scanner) {
	t.Helper()
	if v, err := s.Scan(t.Context(), random(1, faultySize), faultySize); err != nil ||
		v != (vitrine.Verdict{Result: vitrine.ScanClean}) {
		t.Errorf("Scan = %+v, %v, want clean", v, err)
	}
}

// TestFailover checks that the next daemon scans if one cannot be used, but
// never a file that was partly read.
func TestFailover(t *testing.T) {
	for _, c := range faults {
		bubble(t, c.name, func(t *testing.T) {
			before := strings.Contains(c.want, "clamd at tcp:fake:1") || c.play == nil || c.after == greetTime ||
				strings.Contains(c.name, "clamd") || strings.Contains(c.name, "check") ||
				strings.Contains(c.name, "has no")
			other := play(good)
			s := fakeScanner(t, Options{Timeout: time.Minute}, play(c.play), other)
			if before {
				isClean(t, s)
				return
			}
			scanFaulty(t, s, c.want, c.limit)
			if other.dialed > 0 {
				t.Error("another daemon got a file that was partly read")
			}
		})
	}
}

// TestResting checks that a daemon that could not be used is not tried again
// for a while.
func TestResting(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		down, up := play(nil, nil, good), play(good)
		s := fakeScanner(t, Options{}, down, up)
		for _, want := range []int{1, 1, 1} {
			isClean(t, s)
			if down.dialed != want {
				t.Errorf("%d connections, want %d", down.dialed, want)
			}
		}
		<-time.After(failurePause)
		isClean(t, s)
		isClean(t, s)
		<-time.After(failurePause)
		isClean(t, s)
		isClean(t, s)
		if down.dialed != 3 {
			t.Errorf("%d connections, want 3: down, down, and up again", down.dialed)
		}
	})
}

// TestSessions checks that sessions are reused, without a second check of the
// limits, until they end or are idle for too long.
func TestSessions(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		f := play(good, good, answering("ClamAV 1.4.7/1/", clean),
			atAnswer(func(f *fake) { // sends more than was requested, later
				f.answer(clean)
				f.answer(clean)
				f.hang()
			}), good)
		s := fakeScanner(t, Options{}, f)
		connections := func(want int) {
			t.Helper()
			if f.dialed != want {
				t.Errorf("%d connections, want %d", f.dialed, want)
			}
		}
		for range 5 {
			isClean(t, s)
			<-time.After(idleTime - time.Second)
		}
		connections(1)
		<-time.After(2 * time.Second)
		synctest.Wait()
		if n := len(s.daemons[0].idle); n != 0 {
			t.Errorf("%d idle sessions, want 0", n)
		}
		isClean(t, s)
		connections(2)
		must(t, s.Close())
		s.daemons[0].closed = false
		if h := s.Check(t.Context()); h[0].Version != "ClamAV 1.4.7/1/" {
			t.Errorf("Check = %v", h)
		}
		isClean(t, s)
		connections(3)
		must(t, s.Close())
		isClean(t, s) // still works, but keeps no session
		connections(4)
		if n := len(s.daemons[0].idle); n != 0 {
			t.Errorf("%d idle sessions after Close, want 0", n)
		}
	})
}

// TestAnswerTooMany checks that a second answer to one scan is not taken for
// the answer to the next scan.
func TestAnswerTooMany(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		f := play(atAnswer(func(f *fake) {
			f.answer("stream: Some.Virus FOUND")
			f.answer(clean)
			f.hang()
		}), answering(fakeVersion, "stream: Some.Virus FOUND"))
		s := fakeScanner(t, Options{}, f)
		for range 3 {
			if v, err := s.Scan(t.Context(), random(1, chunk), chunk); err != nil || v.Signature != "Some.Virus" {
				t.Errorf("Scan = %+v, %v, want Some.Virus", v, err)
			}
		}
		if f.dialed != 2 {
			t.Errorf("%d connections, want 2", f.dialed)
		}
	})
}

// TestTurns checks that a daemon never has more scans than allowed, that the
// least busy one gets the next scan, and that waiting scans are served in
// order.
func TestTurns(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		release := make(chan struct{})
		var begun [2]int
		slow := func(i int) *fakes {
			return play(answeringAfter(fakeVersion, clean, func() {
				begun[i]++ // not read while scans run
				<-release
			}))
		}
		a, b := slow(0), slow(1)
		s := fakeScanner(t, Options{Concurrency: 2}, a, b)
		var scans sync.WaitGroup
		var order []int
		var mu sync.Mutex
		start := func(ctx context.Context, n int, want error) {
			scans.Go(func() {
				if v, err := s.Scan(ctx, random(1, chunk), chunk); !errors.Is(err, want) || want == nil &&
					v.Result != vitrine.ScanClean {
					t.Errorf("scan %d: %+v, %v", n, v, err)
				}
				mu.Lock()
				order = append(order, n)
				mu.Unlock()
			})
			synctest.Wait()
		}
		for n := range 4 {
			start(t.Context(), n, nil)
			if begun != [2]int{(n + 2) / 2, (n + 1) / 2} {
				t.Errorf("of %d scans each daemon has %v", n+1, begun)
			}
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start(impatient, 4, context.DeadlineExceeded)
		start(t.Context(), 5, nil)
		start(t.Context(), 6, nil)
		<-time.After(time.Second)
		synctest.Wait()
		if len(order) != 1 || order[0] != 4 || begun != [2]int{2, 2} {
			t.Errorf("ended: %v, started by daemon: %v", order, begun)
		}
		release <- struct{}{}
		synctest.Wait()
		if begun[0]+begun[1] != 5 || len(s.waiting) != 1 {
			t.Errorf("started by daemon: %v, %d waiting", begun, len(s.waiting))
		}
		close(release)
		scans.Wait()
		if s.daemons[0].busy != 0 || s.daemons[1].busy != 0 || len(s.waiting) != 0 {
			t.Errorf("%d and %d scans in progress, %d waiting, want 0", s.daemons[0].busy, s.daemons[1].busy,
				len(s.waiting))
		}
	})
}

// TestTurnNotTaken checks that a scan that is cancelled at the moment of its
// turn passes the turn on.
func TestTurnNotTaken(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		s := fakeScanner(t, Options{Concurrency: 1}, play(good))
		d, err := s.acquire(t.Context(), nil)
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var waiters sync.WaitGroup
		waiters.Go(func() {
			if _, err := s.acquire(ctx, nil); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		waiters.Go(func() { isClean(t, s) })
		synctest.Wait()
		s.mu.Lock()
		cancel()
		s.passOn(d)
		s.mu.Unlock()
		waiters.Wait()
		if d.busy != 0 || len(s.waiting) != 0 {
			t.Errorf("%d scans in progress, %d waiting, want 0", d.busy, len(s.waiting))
		}
	})
}

// TestEarly checks that an answer before the end of the file is an error and
// ends the stream.
func TestEarly(t *testing.T) {
	for name, at := range map[string]int64{"after a chunk": chunk, "before the last one": faultySize - chunk,
		"before the end": faultySize} {
		bubble(t, name, func(t *testing.T) {
			said, total := make(chan struct{}), int64(0)
			s := fakeScanner(t, Options{}, play(atScan(func(f *fake) {
				total, _ = f.bytes(at)
				f.answer(clean)
				close(said)
				more, end := f.bytes(0)
				if total += more; total != at || end {
					t.Errorf("%d of %d bytes arrived after the answer, end = %v", more, total, end)
				}
			})))
			r := &midway{random(1, faultySize), at, func() { <-said; synctest.Wait() }}
			if v, err := s.Scan(t.Context(), r, faultySize); !errors.Is(err, errEarly) || v != (vitrine.Verdict{}) {
				t.Errorf("Scan = %+v, %v, want errEarly", v, err)
			}
		})
	}
}

func TestSignatures(t *testing.T) {
	at := func(version string) *fakes { return play(answering(version, clean)) }
	const local, old, new, elsewhere = "ClamAV 1.4.6", "ClamAV 1.4.6/27499/Fri Nov 20 08:00:00 2026", fakeVersion,
		"ClamAV 1.4.6/27500/Sat Nov 21 09:00:00 2026"
	off := play(checked(clean))
	for _, c := range []struct {
		name    string
		daemons []*fakes
		want    string
	}{
		{"one", []*fakes{at(new)}, "ClamAV 1.4.6/27500"},
		{"equal", []*fakes{at(new), at(elsewhere)}, "ClamAV 1.4.6/27500"},
		{"one is behind", []*fakes{at(new), at(old)}, "ClamAV 1.4.6/27499"},
		{"one has none", []*fakes{at(new), at(local), at(old)}, "ClamAV 1.4.6"},
		{"one is down", []*fakes{play(nil), at(elsewhere)}, "ClamAV 1.4.6/27500"},
		{"one may not be used", []*fakes{off, at(new)}, "ClamAV 1.4.6/27500"},
		{"all are down", []*fakes{play(nil), play(nil)}, ""},
		{"one hangs", []*fakes{play((*fake).hang), at(new)}, "ClamAV 1.4.6/27500"},
	} {
		bubble(t, c.name, func(t *testing.T) {
			s := fakeScanner(t, Options{}, c.daemons...)
			if text, err := s.Signatures(t.Context()); text != c.want || (err == nil) != (c.want != "") {
				t.Errorf("Signatures = %q, %v, want %q", text, err, c.want)
			}
		})
	}
}
