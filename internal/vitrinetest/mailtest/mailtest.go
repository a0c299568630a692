// Package mailtest checks the contract of [vitrine.Mailer].
package mailtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/vitrinetest"
)

// Office is a mailer, and the server that it hands messages to.
type Office struct {
	vitrine.Mailer
	// Took returns the message that was taken first, and forgets it.
	Took func() vitrine.Message
	// Refuse lets the server take nothing: now, or forever. It is nil if the
	// server takes everything.
	Refuse func(forever bool)
}

// Message is a message with what is hard to hand over.
var Message = vitrine.Message{ID: "abc", To: "bob.reader@example.org",
	Subject: "Choose a new password for share.exämple",
	Text: "Open this address:\n\nhttps://share.example/password/" + strings.Repeat("x", 90) +
		"\n\n.\n-- \nVitrine\n"}

// Run checks a mailer. open starts its server.
func Run(t *testing.T, open func(t *testing.T) Office) {
	for name, run := range map[string]func(t *testing.T, o Office){
		"Send": sent, "Ended": ended, "AtOnce": atOnce, "Refused": refused,
	} {
		t.Run(name, func(t *testing.T) { run(t, open(t)) })
	}
}

// arrives sends a message and checks that the server received it unchanged.
func (o Office) arrives(t *testing.T, ctx context.Context) {
	t.Helper()
	if err := o.Send(ctx, Message); err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "message", o.Took(), Message)
}

func sent(t *testing.T, o Office) {
	for range 2 {
		o.arrives(t, t.Context())
	}
}

// The end of its context cuts nothing off.
func ended(t *testing.T, o Office) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.arrives(t, ctx)
}

func atOnce(t *testing.T, o Office) {
	const n = 20
	vitrinetest.Race(n, func(i int) {
		m := Message
		m.ID = fmt.Sprint(i)
		if err := o.Send(t.Context(), m); err != nil {
			t.Error(err)
		}
	})
	took := map[string]bool{}
	for range n {
		took[o.Took().ID] = true
	}
	vitrinetest.Equal(t, "number of messages", len(took), n)
}

// A temporary refusal permits a retry. A permanent one is ErrMailRefused.
// Neither error names the recipient.
func refused(t *testing.T, o Office) {
	if o.Refuse == nil {
		t.Skip("its server takes everything")
	}
	for _, forever := range []bool{false, true} {
		o.Refuse(forever)
		err := o.Send(t.Context(), Message)
		if err == nil || errors.Is(err, vitrine.ErrMailRefused) != forever {
			t.Errorf("refused (forever: %v): %v", forever, err)
		}
		if err != nil && strings.Contains(strings.ToLower(err.Error()), "bob") {
			t.Errorf("it says whom it was for: %v", err)
		}
	}
}
