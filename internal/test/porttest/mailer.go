package porttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// MailServer is a mailer and the server that gets its messages.
type MailServer struct {
	vitrine.Mailer
	// Took returns the first received message and removes it.
	Took func() vitrine.Message
	// Refuse makes the server refuse messages: temporarily, or forever. It is
	// nil if the server cannot refuse.
	Refuse func(forever bool)
}

// HardMessage is a message that is hard to transmit.
var HardMessage = vitrine.Message{ID: "abc", To: "bob.reader@example.org",
	Subject: "Choose a new password for share.exämple",
	Text: "Open this address:\n\nhttps://share.example/password/" + strings.Repeat("x", 90) +
		"\n\n.\n-- \nVitrine\n"}

// Mailer checks a mailer. open starts its server.
func Mailer(t *testing.T, open func(t *testing.T) MailServer) {
	for name, run := range map[string]func(t *testing.T, o MailServer){
		"Send": mailSent, "Ended": mailEnded, "AtOnce": mailAtOnce, "Refused": mailRefused,
	} {
		t.Run(name, func(t *testing.T) { run(t, open(t)) })
	}
}

// arrives sends a message and checks that the server received it unchanged.
func (o MailServer) arrives(t *testing.T, ctx context.Context) {
	t.Helper()
	if err := o.Send(ctx, HardMessage); err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "message", o.Took(), HardMessage)
}

func mailSent(t *testing.T, o MailServer) {
	for range 2 {
		o.arrives(t, t.Context())
	}
}

// mailEnded checks that the end of its context does not cut off a message.
func mailEnded(t *testing.T, o MailServer) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o.arrives(t, ctx)
}

func mailAtOnce(t *testing.T, o MailServer) {
	const n = 20
	vitrinetest.Race(n, func(i int) {
		m := HardMessage
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

// mailRefused checks that a temporary refusal permits a retry, that a permanent
// one is ErrMailRefused, and that neither error names the recipient.
func mailRefused(t *testing.T, o MailServer) {
	if o.Refuse == nil {
		t.Skip("the server accepts everything")
	}
	for _, forever := range []bool{false, true} {
		o.Refuse(forever)
		err := o.Send(t.Context(), HardMessage)
		if err == nil || errors.Is(err, vitrine.ErrMailRefused) != forever {
			t.Errorf("Send to a server that refuses (forever: %v) = %v", forever, err)
		}
		if err != nil && strings.Contains(strings.ToLower(err.Error()), "bob") {
			t.Errorf("the error names the recipient: %v", err)
		}
	}
}
