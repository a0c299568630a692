package mail

import (
	"context"
	"errors"
	"slices"

	"github.com/wneessen/go-mail"
)

// Reach greets the server as for a message, with TLS and signing in, and sends
// none. The error is why it cannot be done.
func (s *Sender) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*s.step)
	defer cancel()
	client, err := mail.NewClient(s.host, append(slices.Clip(s.client), mail.WithTimeout(s.step))...)
	if err != nil {
		return err
	}
	if err := client.DialWithContext(ctx); err != nil {
		return errors.New(s.host + ": " + reason(err, ""))
	}
	return client.Close()
}
