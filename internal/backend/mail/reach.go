package mail

import (
	"context"
	"errors"
	"slices"

	"github.com/wneessen/go-mail"
)

// Reach connects to the server with TLS and authentication, as for a message,
// but sends none. It returns an error if that fails.
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
