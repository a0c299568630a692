package webhooks_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/base/outbound"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/tier"
)

// senderOf names the store of a process that only sends.
const senderOf = "VITRINE_TEST_SENDER"

func TestMain(m *testing.M) {
	if place := os.Getenv(senderOf); place != "" {
		if err := sender(place); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// sender sends what is due each time that it reads a time in milliseconds, and
// then says so.
func sender(place string) error {
	store, err := sqlstore.Open(place)
	if err != nil {
		return err
	}
	var ms int64
	now := func() time.Time { return time.UnixMilli(ms).UTC() }
	address := func(slug vitrine.Slug) string { return "https://share.example/p/" + string(slug) }
	s := &webhooks.Service{Store: store, Signer: signer.New([]byte("secret")), Now: now,
		Leases: &fleet.Leases{Store: store, Now: now, Holder: fleet.NewHolder()},
		Guard:  &outbound.Guard{Networks: loopback}, Report: address}
	s.Fill = (&events.Service{Store: store, Now: now}).Fill
	s.Addresses.Link, s.Addresses.Site = address, address
	s.Warn = func(err error) { fmt.Fprintln(os.Stderr, err) }
	for {
		if _, err := fmt.Scanln(&ms); err != nil {
			return nil // the test has ended
		}
		if err := s.Send(context.Background()); err != nil {
			return err
		}
		fmt.Println("sent")
	}
}

// process is a sender that runs.
type process struct {
	*exec.Cmd
	in   *os.File
	out  *bufio.Scanner
	ends []*os.File
}

func (h *history) start() *process {
	h.T.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), senderOf+"="+h.Place)
	in, w, err1 := os.Pipe()
	r, out, err2 := os.Pipe()
	h.Must(errors.Join(err1, err2))
	p.Stdin, p.Stdout, p.Stderr, p.in, p.out = in, out, os.Stderr, w, bufio.NewScanner(r)
	h.Must(p.Start())
	h.Must(errors.Join(in.Close(), out.Close()))
	p.ends = []*os.File{w, r}
	return p
}

// send makes the process send, and reports whether it lived to the end of it.
func (p *process) send(now time.Time) bool {
	fmt.Fprintln(p.in, now.UnixMilli())
	return p.out.Scan()
}

// kill kills the process with SIGKILL, and waits for its end.
func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
	for _, f := range p.ends {
		_ = f.Close()
	}
}

// TestKilledProcesses kills real processes (SIGKILL) between the commit of
// events and their delivery, each beside another one that shares the work: when
// a message arrives, before or after it is answered, or at the end.
func TestKilledProcesses(t *testing.T) {
	fixture.OnBoth(t, killsProcesses)
}

func killsProcesses(t *testing.T, s *fixture.Instance) {
	h := newHistory(t, s)
	other := h.start()
	defer other.kill()
	within, want, rounds := 0, tier.Pick(10, 200), 0
	for ; within < want && rounds < 10*want; rounds++ {
		h.events()
		victim := h.start()
		h.mu.Lock()
		left := 1 + h.random.IntN(3)
		h.arrived = func(message) {
			if left--; left == 0 {
				_ = victim.Process.Kill()
			}
		}
		h.mu.Unlock()
		sent := make(chan bool, 1)
		go func() { sent <- victim.send(h.Clock.Now()) }()
		if !other.send(h.Clock.Now()) {
			t.Fatal("the other process has ended")
		}
		lived := <-sent
		if victim.kill(); !lived {
			within++
			h.Clock.Advance(20 * time.Second)
			other.send(h.Clock.Now()) // and sees the lease of the other one
		}
		h.Clock.Advance(time.Duration(h.random.IntN(40)) * time.Second)
	}
	t.Logf("%d of %d processes were killed while they sent", within, rounds)
	if within < want {
		t.Errorf("%d processes were killed while they sent, want %d", within, want)
	}
	h.check()
}
