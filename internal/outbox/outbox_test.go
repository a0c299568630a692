package outbox_test

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
	"vitrine/internal/auth"
	"vitrine/internal/outbox"
	"vitrine/internal/vitrinetest/fault"
	"vitrine/internal/vitrinetest/fixture"
	"vitrine/internal/vitrinetest/mailtest"
)

// office is a mail server that takes what a test wants it to.
type office struct {
	mu   sync.Mutex
	took []vitrine.Message // all that it was sent, refused or not
	says func(vitrine.Message) error
}

func (o *office) Send(_ context.Context, m vitrine.Message) error {
	o.mu.Lock()
	o.took = append(o.took, m)
	o.mu.Unlock()
	if o.says == nil {
		return nil
	}
	return o.says(m)
}

// What takes the place of a mail server in tests keeps to the contract.
func TestOffice(t *testing.T) {
	mailtest.Run(t, func(*testing.T) mailtest.Office {
		o := new(office)
		return mailtest.Office{
			Mailer: o,
			Took:   func() vitrine.Message { m := o.took[0]; o.took = o.took[1:]; return m },
			Refuse: func(forever bool) {
				o.says = func(vitrine.Message) error {
					if forever {
						return vitrine.ErrMailRefused
					}
					return errors.New("450")
				}
			},
		}
	})
}

func (o *office) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.took)
}

// posting is an entrance with an outbox that is emptied by hand.
type posting struct {
	*fixture.Entrance
	office *office
	box    *outbox.Outbox
	mu     sync.Mutex
	told   []string
}

func newPosting(t *testing.T) *posting {
	p := &posting{Entrance: fixture.NewEntrance(t, auth.SignUpOpen, false), office: new(office)}
	p.box = p.process(p.Store)
	p.Accounts.Mail = p.box
	return p
}

// process returns the outbox of a process of its own.
func (p *posting) process(store vitrine.Store) *outbox.Outbox {
	return &outbox.Outbox{Store: store, Mailer: p.office, Now: p.Clock.Now, Failed: func(err error, again bool) {
		s := err.Error()
		if again {
			s += ", again"
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.told = append(p.told, s)
	}}
}

func (p *posting) send() { p.T.Helper(); p.Must(p.box.Send(p.T.Context())) }

// waiting counts the letters in the store.
func (p *posting) waiting() (n int) {
	p.T.Helper()
	p.Must(p.Store.Read(p.T.Context(), func(tx vitrine.Tx) error {
		all, err := tx.LettersDue(p.Clock.Now().Add(1000*time.Hour), 1000)
		n = len(all)
		return err
	}))
	return n
}

// A letter is in the store with what it is about, or not at all; it goes out
// once, and nothing of it is left.
func TestOutbox(t *testing.T) {
	p := newPosting(t)
	woken := 0
	p.box.Wake = func() { woken++ }
	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	if p.waiting() != 1 || p.office.count() != 0 || woken != 1 {
		t.Fatalf("%d wait, %d sent, woken %d", p.waiting(), p.office.count(), woken)
	}
	p.box = p.process(p.Store) // it is there after a restart
	p.send()
	p.send()
	if p.waiting() != 0 || p.office.count() != 1 || p.office.took[0].To != fixture.AnnEmail ||
		p.office.took[0].ID == "" {
		t.Fatalf("%d wait, sent %+v", p.waiting(), p.office.took)
	}
	if _, err := p.Accounts.ResetGood(t.Context(), p.Token(p.office.took[0], vitrine.TokenPassword)); err != nil {
		t.Error(err)
	}
	for n := int64(1); ; n++ { // whatever fails: no token without its letter, no letter without its token
		f := &fault.Injector{N: n}
		p.Accounts.Store = f.Store(p.Store)
		err := p.Accounts.AskSignUp(t.Context(), "eve@example.org", fixture.ClientAt("203.0.113.1"))
		tokens := 0
		p.Must(p.Store.Read(t.Context(), func(tx vitrine.Tx) error {
			all, err := tx.OneTimeTokens(vitrine.TokenSignUp)
			tokens = len(all)
			return err
		}))
		if tokens != p.waiting() || (err == nil) != (tokens == 1) {
			t.Fatalf("operation %d: %v, %d tokens and %d letters", n, err, tokens, p.waiting())
		}
		if !f.Hit() {
			break
		}
	}
}

// What a server does not take is tried after growing pauses, for a day; what it
// never takes is not; others go out meanwhile.
func TestOutboxAgain(t *testing.T) {
	p := newPosting(t)
	never := errors.Join(vitrine.ErrMailRefused, errors.New("550"))
	p.office.says = func(m vitrine.Message) error {
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
	if p.office.count() != 3 || p.waiting() != 1 || len(p.told) != 2 {
		t.Fatalf("%d sent, %d wait, %q", p.office.count(), p.waiting(), p.told)
	}
	var pauses []time.Duration
	last, since := p.Clock.Now(), p.Clock.Now()
	for p.waiting() > 0 && p.Clock.Now().Sub(since) < 48*time.Hour {
		p.Clock.Advance(5 * time.Second)
		n := p.office.count()
		p.send()
		if p.office.count() > n {
			pauses = append(pauses, p.Clock.Now().Sub(last))
			last = p.Clock.Now()
		}
	}
	for i := range pauses {
		if i > 0 && pauses[i] < pauses[i-1] {
			t.Errorf("pauses %v", pauses)
		}
	}
	if total := last.Sub(since); len(pauses) < 8 || pauses[0] > time.Minute || total < 16*time.Hour ||
		total > 24*time.Hour {
		t.Errorf("%v: given up after %s", pauses, total)
	}
	if end := p.told[len(p.told)-1]; strings.HasSuffix(end, "again") {
		t.Errorf("%q", end)
	}
	for _, m := range p.office.took {
		if m.To == "later@example.org" && m.ID != p.office.took[0].ID && p.office.took[0].To == m.To {
			t.Error("tried again, it is another message")
		}
	}
}

// A link that has expired is not sent.
func TestOutboxExpired(t *testing.T) {
	p := newPosting(t)
	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	p.Clock.Advance(vitrine.ResetLife)
	p.send()
	if p.office.count() != 0 || p.waiting() != 0 || len(p.told) != 1 || strings.Contains(p.told[0], "again") {
		t.Errorf("%d sent, %d wait, %q", p.office.count(), p.waiting(), p.told)
	}
}

// Processes that send at once send each letter once. One that ends while it
// sends leaves the letter to another, later.
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
	if p.office.count() != letters || p.waiting() != 0 {
		t.Errorf("%d sent, %d wait", p.office.count(), p.waiting())
	}

	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	f := new(fault.Injector)
	var asked atomic.Int64
	p.office.says = func(vitrine.Message) error { // the server takes it, and the process is gone
		if asked.Add(1) == 1 {
			f.N = f.Operations() + 1
		}
		return nil
	}
	if err := p.process(f.Store(p.Store)).Send(t.Context()); err == nil {
		t.Error("nothing failed")
	}
	p.send()
	if n := asked.Load(); n != 1 {
		t.Errorf("sent %d times within its time", n)
	}
	p.Clock.Advance(3 * time.Minute)
	p.send()
	sent := p.office.took[letters:]
	if p.waiting() != 0 || len(sent) != 2 || sent[0] != sent[1] {
		t.Errorf("%d wait, sent %+v", p.waiting(), sent)
	}
}

// A store that takes no changes has no letter sent, not again and again.
func TestOutboxBroken(t *testing.T) {
	p := newPosting(t)
	p.Must(p.Accounts.SendReset(t.Context(), fixture.AnnEmail, fixture.Home))
	store := &fixture.FailingStore{Store: p.Store}
	store.Next.Store(1000)
	for range 3 {
		if err := p.process(store).Send(t.Context()); err == nil {
			t.Error("nothing failed")
		}
	}
	if p.office.count() != 0 {
		t.Errorf("%d were sent", p.office.count())
	}
}
