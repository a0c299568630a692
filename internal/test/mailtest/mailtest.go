// Package mailtest checks the contract of [vitrine.Mailer].
package mailtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// Server is a mailer and the server that gets its messages.
type Server struct {
	vitrine.Mailer
	// Took returns the first received message and removes it.
	Took func() vitrine.Message
	// Refuse makes the server refuse messages: temporarily, or forever. It is
	// nil if the server cannot refuse.
	Refuse func(forever bool)
}

// Message is a message that is hard to transmit.
var Message = vitrine.Message{ID: "abc", To: "bob.reader@example.org",
	Subject: "Choose a new password for share.exämple",
	Text: "Open this address:\n\nhttps://share.example/password/" + strings.Repeat("x", 90) +
		"\n\n.\n-- \nVitrine\n"}

// Run checks a mailer. open starts its server.
func Run(t *testing.T, open func(t *testing.T) Server) {
	for name, run := range map[string]func(t *testing.T, o Server){
		"Send": sent, "Ended": ended, "AtOnce": atOnce, "Refused": refused,
	} {
		t.Run(name, func(t *testing.T) { run(t, open(t)) })
	}
}

// arrives sends a message and checks that the server received it unchanged.
func (o Server) arrives(t *testing.T, ctx context.Context) {
	t.Helper()
	if err := o.Send(ctx, Message); err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "message", o.Took(), Message)
}

func sent(t *testing.T, o Server) {
	for range 2 {
		o.arrives(t, t.Context())
	}
}

// ended checks that the end of its context does not cut off a message.
func ended(t *testing.T, o Server) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.arrives(t, ctx)
}

func atOnce(t *testing.T, o Server) {
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

// refused checks that a temporary refusal permits a retry, that a permanent one
// is ErrMailRefused, and that neither error names the recipient.
func refused(t *testing.T, o Server) {
	if o.Refuse == nil {
		t.Skip("the server accepts everything")
	}
	for _, forever := range []bool{false, true} {
		o.Refuse(forever)
		err := o.Send(t.Context(), Message)
		if err == nil || errors.Is(err, vitrine.ErrMailRefused) != forever {
			t.Errorf("Send to a server that refuses (forever: %v) = %v", forever, err)
		}
		if err != nil && strings.Contains(strings.ToLower(err.Error()), "bob") {
			t.Errorf("the error names the recipient: %v", err)
		}
	}
}
