package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/fleet"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/porttest"
)

// mailServer is a mailer that accepts or refuses messages as a test says.
type mailServer struct {
	mu     sync.Mutex
	took   []vitrine.Message // all messages it was sent, refused or not
	answer func(vitrine.Message) error
}

func (o *mailServer) Send(_ context.Context, m vitrine.Message) error {
	o.mu.Lock()
	o.took = append(o.took, m)
	o.mu.Unlock()
	if o.answer == nil {
		return nil
	}
	return o.answer(m)
}

// TestMailServer checks that the mailer of the tests keeps the contract of a
// Mailer.
func TestMailServer(t *testing.T) {
	porttest.Mailer(t, func(*testing.T) porttest.MailServer {
		o := new(mailServer)
		return porttest.MailServer{
			Mailer: o,
			Took:   func() vitrine.Message { m := o.took[0]; o.took = o.took[1:]; return m },
			Refuse: func(forever bool) {
				o.answer = func(vitrine.Message) error {
					if forever {
						return vitrine.ErrMailRefused
					}
					return errors.New("450")
				}
			},
		}
	})
}

func (o *mailServer) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.took)
}

// posting is an entrance with an outbox that the test sends.
type posting struct {
	*fixture.Entrance
	mailServer *mailServer
	box        *fleet.Outbox
	mu         sync.Mutex
	logLines   []string
}

func newPosting(t *testing.T) *posting {
	p := &posting{Entrance: fixture.NewEntrance(t, auth.SignUpOpen, false), mailServer: new(mailServer)}
	p.box = p.process(p.Store)
	p.Accounts.Mail = p.box
	return p
}

// process returns an outbox of another process.
func (p *posting) process(store vitrine.Store) *fleet.Outbox {
	return &fleet.Outbox{Store: store, Mailer: p.mailServer, Now: p.Clock.Now, Failed: func(err error, again bool) {
		s := err.Error()
		if again {
			s += ", again"
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.logLines = append(p.logLines, s)
	}}
}

func (p *posting) send() { p.T.Helper(); p.Must(p.box.Send(p.T.Context())) }

// waiting counts the messages in the store.
func (p *posting) waiting() (n int) {
	p.T.Helper()
	p.Must(p.Store.Read(p.T.Context(), func(tx vitrine.Tx) error {
		all, err := tx.LettersDue(p.Clock.Now().Add(1000*time.Hour), 1000)
		n = len(all)
		return err
	}))
	return n
}

// TestOutbox checks that a message is stored in the transaction of what it is
// about, is sent once, and is then deleted.
func TestOutbox(t *testing.T) {
	p := newPosting(t)
	woken := 0
	p.box.Wake = func() { woken++ }
	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	if p.waiting() != 1 || p.mailServer.count() != 0 || woken != 1 {
		t.Fatalf("%d waiting, %d sent, woken %d times, want 1, 0, 1", p.waiting(), p.mailServer.count(), woken)
	}
	p.box = p.process(p.Store) // it is still there after a restart
	p.send()
	p.send()
	if p.waiting() != 0 || p.mailServer.count() != 1 || p.mailServer.took[0].To != fixture.AnnEmail ||
		p.mailServer.took[0].ID == "" {
		t.Fatalf("%d waiting, sent %+v", p.waiting(), p.mailServer.took)
	}
	if _, err := p.Accounts.ResetGood(t.Context(), p.Token(p.mailServer.took[0], vitrine.TokenPassword)); err != nil {
		t.Error(err)
	}
	for n := int64(1); ; n++ { // whatever fails: no token without its message, no message without its token
		f := &fixture.Injector{N: n}
		p.Accounts.Store = f.Store(p.Store)
		err := p.Accounts.AskSignUp(t.Context(), "eve@example.org", fixture.ClientAt("203.0.113.1"))
		tokens := 0
		p.Must(p.Store.Read(t.Context(), func(tx vitrine.Tx) error {
			all, err := tx.OneTimeTokens(vitrine.TokenSignUp)
			tokens = len(all)
			return err
		}))
		if tokens != p.waiting() || (err == nil) != (tokens == 1) {
			t.Fatalf("operation %d: %v, %d tokens and %d messages", n, err, tokens, p.waiting())
		}
		if !f.Hit() {
			break
		}
	}
}

// TestOutboxAgain checks that a message that the server refuses temporarily is
// tried again after growing pauses, for a day, that a permanent refusal is not
// retried, and that other messages are sent in the meantime.
func TestOutboxAgain(t *testing.T) {
	p := newPosting(t)
	never := errors.Join(vitrine.ErrMailRefused, errors.New("550"))
	p.mailServer.answer = func(m vitrine.Message) error {
		switch m.To {
		case "later@example.org":
			return errors.New("450")
		case "never@example.org":
			return never
		}
		return nil
	}
	for _, to := range []string{"later@example.org", "never@example.org", "eve@example.org"} {
		p.Must(p.Accounts.AskSignUp(t.Context(), to, fixture.ClientAt("203.0.113.1")))
	}
	p.send()
	if p.mailServer.count() != 3 || p.waiting() != 1 || len(p.logLines) != 2 {
		t.Fatalf("%d sent, %d waiting, log %q", p.mailServer.count(), p.waiting(), p.logLines)
	}
	var pauses []time.Duration
	last, since := p.Clock.Now(), p.Clock.Now()
	for p.waiting() > 0 && p.Clock.Now().Sub(since) < 48*time.Hour {
		p.Clock.Advance(5 * time.Second)
		n := p.mailServer.count()
		p.send()
		if p.mailServer.count() > n {
			pauses = append(pauses, p.Clock.Now().Sub(last))
			last = p.Clock.Now()
		}
	}
	for i := range pauses {
		if i > 0 && pauses[i] < pauses[i-1] {
			t.Errorf("pauses = %v, want them to grow", pauses)
		}
	}
	if total := last.Sub(since); len(pauses) < 8 || pauses[0] > time.Minute || total < 16*time.Hour ||
		total > 24*time.Hour {
		t.Errorf("pauses = %v: gave up after %s", pauses, total)
	}
	if end := p.logLines[len(p.logLines)-1]; strings.HasSuffix(end, "again") {
		t.Errorf("last log line = %q", end)
	}
	for _, m := range p.mailServer.took {
		if m.To == "later@example.org" && m.ID != p.mailServer.took[0].ID && p.mailServer.took[0].To == m.To {
			t.Error("a repeated message has another ID")
		}
	}
}

// TestOutboxExpired checks that an expired link is not sent.
func TestOutboxExpired(t *testing.T) {
	p := newPosting(t)
	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	p.Clock.Advance(vitrine.ResetLife)
	p.send()
	if p.mailServer.count() != 0 || p.waiting() != 0 || len(p.logLines) != 1 ||
		strings.Contains(p.logLines[0], "again") {
		t.Errorf("%d sent, %d waiting, log %q", p.mailServer.count(), p.waiting(), p.logLines)
	}
}

// TestOutboxShared checks that concurrent processes send each message once, and
// that the message of a process that crashes while sending is sent later by
// another.
func TestOutboxShared(t *testing.T) {
	p := newPosting(t)
	const letters = 12
	for i := range letters {
		p.Must(p.Accounts.AskSignUp(t.Context(), string(rune('a'+i))+"@example.org",
			fixture.ClientAt(fmt.Sprintf("203.0.%d.1", i))))
	}
	var done sync.WaitGroup
	for range 4 {
		box := p.process(p.Store)
		done.Go(func() {
			if err := box.Send(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if p.mailServer.count() != letters || p.waiting() != 0 {
		t.Errorf("%d sent, %d waiting", p.mailServer.count(), p.waiting())
	}

	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	f := new(fixture.Injector)
	var asked atomic.Int64
	p.mailServer.answer = func(vitrine.Message) error { // the server accepts it, and the process crashes
		if asked.Add(1) == 1 {
			f.N = f.Operations() + 1
		}
		return nil
	}
	if err := p.process(f.Store(p.Store)).Send(t.Context()); err == nil {
		t.Error("Send = nil, want an error")
	}
	p.send()
	if n := asked.Load(); n != 1 {
		t.Errorf("sent %d times before the lease expired, want 1", n)
	}
	p.Clock.Advance(3 * time.Minute)
	p.send()
	sent := p.mailServer.took[letters:]
	if p.waiting() != 0 || len(sent) != 2 || sent[0] != sent[1] {
		t.Errorf("%d waiting, sent %+v", p.waiting(), sent)
	}
}

// TestOutboxBroken checks that a message is not sent repeatedly if the store
// cannot be written.
func TestOutboxBroken(t *testing.T) {
	p := newPosting(t)
	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	store := &fixture.FailingStore{Store: p.Store}
	store.Next.Store(1000)
	for range 3 {
		if err := p.process(store).Send(t.Context()); err == nil {
			t.Error("Send = nil, want an error")
		}
	}
	if p.mailServer.count() != 0 {
		t.Errorf("%d messages sent, want 0", p.mailServer.count())
	}
}
