package clamav

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine"
)

// faults are what a daemon can do wrong. Each must result in an error within
// the time limits, never in a verdict.
var faults = []struct {
	name  string
	play  script
	want  string        // in the error
	limit bool          // the error is ErrScanLimit
	after time.Duration // time until the error

	bubble bool // needs a synctest bubble
}{
	{"nobody is there", nil, "nobody is there", false, 0, false},
	{"closes at once", func(*fake) {}, "clamd at tcp:fake:1", false, 0, false},
	{"says nothing", (*fake).hang, errGreeting.Error(), false, greetTime, false},
	{"takes nothing", (*fake).stall, errGreeting.Error(), false, greetTime, false},
	{"is no clamd", func(f *fake) { _, _ = f.command(); f.say("HTTP/1.1 400 Bad Request\r\n\r\n") }, "cut", false, 0,
		false},
	{"has no sessions", func(f *fake) {
		_, _ = f.command()
		_,
			_ = f.command()
		f.say("UNKNOWN COMMAND\x00")
		f.hang()
	}, "not the one to question 1", false, 0, false},
	{"has no version", func(f *fake) { _, _ = f.command(); _, _ = f.command(); f.answer("PONG"); f.hang() },
		errNotClamd.Error(), false, 0, false},
	{"hangs at the check", func(f *fake) { _, _ = f.command(); _, _ = f.command(); f.answer(fakeVersion); f.hang() },
		errSlow.Error(), false, time.Minute, false},
	{"calls the check clean", checked(clean), "AlertExceedsMax yes", false, 0, false},
	{"finds something in the check", checked("stream: Some.Virus FOUND"), "the check of its limits", false, 0, false},
	{"finds null in the check", checked("stream: (null) FOUND"), "the check of its limits", false, 0, false},
	{"takes no check", checked(tooLong), "the check of its limits", false, 0, false},

	{"closes before the file", atScan(func(*fake) {}), "clamd", false, 0, false},
	{"closes after a part of it", atScan(func(f *fake) { f.bytes(3 * chunk) }), "stopped reading the file", false, 0,
		false},
	{"closes within a chunk", atScan(func(f *fake) { _, _ = io.CopyN(io.Discard, f.r, chunk+chunk/2) }),
		"stopped reading the file", false, 0, false},
	{"closes after all of it", atAnswer(func(*fake) {}), "without an answer", false, 0, false},
	{"hangs in the file", atScan(func(f *fake) { f.bytes(3 * chunk); f.stall() }), errStalled.Error(), false, stallTime,
		false},
	{"takes a byte a second", atScan(func(f *fake) {
		f.drip(time.Second,
			func() error { _, err := f.r.ReadByte(); return err })
	}), errStalled.Error(), false, stallTime, false},
	{"hangs at the answer", atAnswer((*fake).hang), errSlow.Error(), false, time.Minute, false},
	{"answers a byte every 20 seconds", atAnswer(func(f *fake) {
		f.drip(20*time.Second,
			func() error { _, err := f.Write([]byte("3")); return err })
	}), errSlow.Error(), false, time.Minute, false},
	{"hangs in the answer", atAnswer(func(f *fake) { f.say("3: stream: OK"); f.hang() }), errSlow.Error(), false,
		time.Minute, false},
	{"cuts the answer", atAnswer(saying("3: stream: OK")), "cut", false, 0, false},
	{"ends the answer with a newline", atAnswer(saying("3: stream: OK\n")), "cut", false, 0, false},
	{"answers nothing", atAnswer(saying("\x00")), "not the one to question 3", false, 0, false},
	{"answers without a word", atAnswer(saying("3: \x00")), "its answer is empty", false, 0, false},
	{"answers without a number", atAnswer(saying("stream: OK\x00")), "not the one to question 3", false, 0, false},
	{"answers another question", atAnswer(saying("2: stream: OK\x00")), "not the one to question 3", false, 0, false},
	{"answers another number", atAnswer(saying("03: stream: OK\x00")), "not the one to question 3", false, 0, false},
	{"answers twice", atAnswer(saying("3: stream: OK\x003: stream: OK\x00")), "more than once", false, 0, false},
	{"answers both", atAnswer(saying("3: stream: OK\x004: stream: Some.Virus FOUND\x00")), "more than once", false, 0,
		false},
	{"answers with two lines", atAnswer(saying("3: stream: OK\nstream: Some.Virus FOUND\x00")), "did not scan", false,
		0, false},
	{"answers garbage", atAnswer(saying("3: \xff\xfe\x01\x1b[2J\x00")), "did not scan", false, 0, false},
	{"answers a megabyte", atAnswer(func(f *fake) { f.say("3: stream: " + strings.Repeat("A", 1<<20) + " FOUND\x00") }),
		"has no end", false, 0, false},
	{"answers a megabyte of nothing", atAnswer(func(f *fake) { f.say(strings.Repeat("\x00", 1<<20)) }),
		"more than once", false, 0, false},
	{"answers an error", atAnswer(saying("3: INSTREAM: Can't write to temporary file. ERROR\x00")),
		"Can't write to temporary file", false, 0, false},
	{"says OK before the end", atScan(early("3: stream: OK\x00")), errEarly.Error(), false, 0, true},
	{"finds before the end", atScan(early("3: stream: Some.Virus FOUND\x00")), errEarly.Error(), false, 0, true},
	{"fails before the end", atScan(early("3: stream: Out of memory ERROR\x00")), "Out of memory", false, 0, true},
	{"gives up before the end", atScan(func(f *fake) { f.bytes(chunk); f.say("COMMAND READ TIMED OUT\n") }),
		"COMMAND READ TIMED OUT", false, 0, false},
	{"takes no more", atScan(early("3: " + tooLong + "\x00")), "StreamMaxLength", true, 0, true},
	{"takes no more, and closes", atScan(func(f *fake) { f.bytes(3 * chunk); f.say("3: " + tooLong + "\x00") }),
		"StreamMaxLength", true, 0, false},
	{"took too much", atAnswer(saying("3: " + tooLong + "\x00")), "StreamMaxLength", true, 0, false},
	{"meets a limit", atAnswer(saying("3: " + alerted + "\x00")), "MaxRecursion", true, 0, false},
}

// checked plays a daemon that gives an answer to the check of its limits.
func checked(answer string) script {
	return func(f *fake) {
		_, _ = f.command()
		_, _ = f.command()
		f.answer(fakeVersion)
		if f.streamed(answer) {
			f.hang()
		}
	}
}

// early plays a daemon that sends text during a file and continues after it was
// read.
func early(text string) script {
	return func(f *fake) {
		f.bytes(chunk)
		f.say(text)
		f.waitIdle()
		f.hang()
	}
}

const faultySize = 10 * chunk

// scanFaulty scans with a faulty daemon and checks the error.
func scanFaulty(t *testing.T, s *Scanner, want string, limit bool) {
	t.Helper()
	v, err := s.Scan(t.Context(), random(1, faultySize), faultySize)
	if err == nil || v != (vitrine.Verdict{}) || !strings.Contains(err.Error(), want) ||
		errors.Is(err, vitrine.ErrScanLimit) != limit || len(err.Error()) > 1000 {
		t.Errorf("Scan = %+v, %v, want an error with %q, of a limit: %v", v, err, want, limit)
	}
	if len(s.daemons[0].idle) > 0 || s.daemons[0].busy != 0 {
		t.Error("the session or the turn is kept after an error")
	}
}

func TestFaults(t *testing.T) {
	for _, c := range faults {
		bubble(t, c.name, func(t *testing.T) {
			s := fakeScanner(t, Options{Timeout: time.Minute}, play(c.play))
			start := time.Now()
			scanFaulty(t, s, c.want, c.limit)
			if took := time.Since(start); took != c.after {
				t.Errorf("the scan took %v, want %v", took, c.after)
			}
		})
	}
}

// TestFaultsOfSockets plays the same faults over sockets, which end in other
// ways than a pipe.
func TestFaultsOfSockets(t *testing.T) {
	for _, network := range []string{"unix", "tcp"} {
		for _, c := range faults {
			if c.after > 0 || c.play == nil || c.bubble {
				continue
			}
			t.Run(network+" "+c.name, func(t *testing.T) {
				address := "127.0.0.1:0"
				if network == "unix" {
					address = filepath.Join(t.TempDir(), "s")
				}
				l, err := net.Listen(network, address)
				must(t, err)
				played := make(chan struct{})
				go func() {
					defer close(played)
					if conn, err := l.Accept(); err == nil {
						defer conn.Close()
						c.play(newFake(t, conn))
					}
				}()
				s := scanner(t, Options{Addresses: []string{network + ":" + l.Addr().String()}})
				want := strings.ReplaceAll(c.want, "tcp:fake:1", network+":")
				if strings.HasPrefix(c.name, "closes") {
					want = "clamd at " // the system's buffers may have accepted everything already
				}
				scanFaulty(t, s, want, c.limit)
				must(t, l.Close())
				<-played
			})
		}
	}
}

// TestCancelledAnywhere checks that a cancelled context ends a scan in any
// phase.
func TestCancelledAnywhere(t *testing.T) {
	why := errors.New("no longer wanted")
	for name, p := range map[string]script{
		"hello": (*fake).hang, "check": faultNamed("hangs at the check"), "file": faultNamed("hangs in the file"),
		"answer":         faultNamed("hangs at the answer"),
		"half an answer": faultNamed("hangs in the answer"),
	} {
		bubble(t, name, func(t *testing.T) {
			s := fakeScanner(t, Options{Timeout: time.Hour}, play(p))
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
			defer cancel()
			start := time.Now()
			v, err := s.Scan(ctx, random(1, faultySize), faultySize)
			if !errors.Is(err, why) || v != (vitrine.Verdict{}) || time.Since(start) != time.Second {
				t.Errorf("Scan = %+v, %v after %v", v, err, time.Since(start))
			}
			for _, h := range s.Check(ctx) {
				if !errors.Is(h.Err, why) {
					t.Errorf("Check = %v, want %v", h, why)
				}
			}
		})
	}
}

func faultNamed(name string) script {
	for _, f := range faults {
		if f.name == name {
			return f.play
		}
	}
	panic(name)
}

// TestTimeGrows checks that a larger file may take longer.
func TestTimeGrows(t *testing.T) {
	bubble(t, "answer", func(t *testing.T) {
		s := fakeScanner(t, Options{Timeout: time.Minute}, play(faultNamed("hangs at the answer")))
		start := time.Now()
		const size = 50_000_000
		if v, err := s.Scan(t.Context(), random(1, size), size); !errors.Is(err, errSlow) ||
			time.Since(start) != time.Minute+10*time.Second {
			t.Errorf("Scan = %+v, %v after %v", v, err, time.Since(start))
		}
	})
}

// TestBrokenOneWay checks that a connection that fails to write but is not
// closed is given up.
func TestBrokenOneWay(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		f := play(faultNamed("hangs at the answer"))
		s := fakeScanner(t, Options{}, f)
		broken := errors.New("broken")
		s.daemons[0].dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := f.dial(ctx, network, address)
			return &oneWay{c, 4 * chunk, broken}, err
		}
		start := time.Now()
		v, err := s.Scan(t.Context(), random(1, faultySize), faultySize)
		if err == nil || v != (vitrine.Verdict{}) || time.Since(start) != greetTime {
			t.Errorf("Scan = %+v, %v after %v", v, err, time.Since(start))
		}
	})
}

// oneWay is a connection whose Write fails after some bytes.
type oneWay struct {
	net.Conn
	left int
	err  error
}

func (o *oneWay) Write(p []byte) (int, error) {
	if o.left -= len(p); o.left < 0 {
		return 0, o.err
	}
	return o.Conn.Write(p)
}
