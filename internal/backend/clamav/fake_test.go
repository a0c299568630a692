package clamav

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fake is the daemon's end of a connection, played by a test.
type fake struct {
	net.Conn
	r *bufio.Reader
	n int // answers so far

	waitIdle func()          // waits until the other side waits, too
	ended    <-chan struct{} // closed with the test
}

func newFake(t *testing.T, c net.Conn) *fake {
	return &fake{Conn: c, r: bufio.NewReader(c), waitIdle: func() {}, ended: t.Context().Done()}
}

// script plays a daemon on one connection, which ends when it returns.
type script func(*fake)

// fakes are the scripts of one address, one for each connection. The last one
// plays all further connections.
type fakes struct {
	t       *testing.T
	mu      sync.Mutex
	scripts []script
	dialed  int
}

var errNobody = errors.New("nobody is there")

func (f *fakes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	play := f.scripts[min(f.dialed, len(f.scripts)-1)]
	f.dialed++
	if play == nil {
		return nil, errNobody
	}
	near, far := net.Pipe()
	daemon := newFake(f.t, far)
	daemon.waitIdle = synctest.Wait
	go func() {
		defer far.Close()
		play(daemon)
	}()
	return near, nil
}

// fakeScanner returns a scanner with one daemon for each list of scripts. In a
// synctest bubble it must leave no goroutine.
func fakeScanner(t *testing.T, o Options, daemons ...*fakes) *Scanner {
	t.Helper()
	for i := range daemons {
		o.Addresses = append(o.Addresses, fmt.Sprintf("fake:%d", i+1))
	}
	s, err := New(o)
	must(t, err)
	for i, f := range daemons {
		f.t, s.daemons[i].dial = t, f.dial
	}
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func play(scripts ...script) *fakes { return &fakes{scripts: scripts} }

// command reads a command. It returns false if the connection ended.
func (f *fake) command() (string, bool) {
	text, err := f.r.ReadString(0)
	return text, err == nil
}

// bytes reads the chunks of a stream, at least n bytes if n is not 0. It
// reports whether the stream ended.
func (f *fake) bytes(n int64) (got int64, end bool) {
	var size [4]byte
	for n == 0 || got < n {
		if _, err := io.ReadFull(f.r, size[:]); err != nil {
			return got, false
		}
		length := int64(binary.BigEndian.Uint32(size[:]))
		if length == 0 {
			return got, true
		}
		if _, err := io.CopyN(io.Discard, f.r, length); err != nil {
			return got, false
		}
		got += length
	}
	return got, false
}

// say sends text unchanged.
func (f *fake) say(text string) { _, _ = io.WriteString(f, text) }

// answer sends the next answer.
func (f *fake) answer(text string) {
	f.n++
	f.say(fmt.Sprintf("%d: %s\x00", f.n, text))
}

const alerted = "stream: Heuristics.Limits.Exceeded.MaxRecursion FOUND"

// greet plays the beginning of a session, up to the stream of the first scan.
func (f *fake) greet(version string) bool {
	for _, want := range []string{"zIDSESSION\x00", "zVERSION\x00"} {
		if got, ok := f.command(); !ok || got != want {
			return false
		}
	}
	f.answer(version)
	return f.streamed(alerted)
}

// streamed plays one complete scan.
func (f *fake) streamed(answer string) bool {
	if got, ok := f.command(); !ok || got != "zINSTREAM\x00" {
		return false
	}
	if _, end := f.bytes(0); !end {
		return false
	}
	f.answer(answer)
	return true
}

// hang reads everything and answers nothing.
func (f *fake) hang() { _, _ = io.Copy(io.Discard, f.r) }

// stall reads nothing and answers nothing.
func (f *fake) stall() { <-f.ended }

// drip calls do at intervals until it fails.
func (f *fake) drip(every time.Duration, do func() error) {
	for do() == nil {
		select {
		case <-time.After(every):
		case <-f.ended:
			return
		}
	}
}

const fakeVersion = "ClamAV 1.4.6/27500/Sat Nov 21 08:00:00 2026"

// good plays a daemon that reports every file as clean.
func good(f *fake) { answering(fakeVersion, clean)(f) }

// answering plays a daemon that gives the same answer to every scan.
func answering(version, answer string) script { return answeringAfter(version, answer, func() {}) }

// answeringAfter calls a function before each answer.
func answeringAfter(version, answer string, before func()) script {
	return func(f *fake) {
		if !f.greet(version) {
			return
		}
		for {
			switch command, ok := f.command(); {
			case !ok:
				return
			case command == "zVERSION\x00":
				f.answer(version)
			default:
				if _, end := f.bytes(0); !end {
					return
				}
				before()
				f.answer(answer)
			}
		}
	}
}

// atScan plays a daemon that works until the first scan's command has arrived.
func atScan(then script) script {
	return func(f *fake) {
		if !f.greet(fakeVersion) {
			return
		}
		if _, ok := f.command(); ok {
			then(f)
		}
	}
}

// atAnswer plays a daemon that works until the whole file has arrived.
func atAnswer(then script) script {
	return atScan(func(f *fake) {
		if _, end := f.bytes(0); end {
			then(f)
		}
	})
}

// saying sends text and closes the connection.
func saying(text string) script { return func(f *fake) { f.say(text) } }

// bubble runs a test in a synctest bubble, in which no goroutine may be left.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}
