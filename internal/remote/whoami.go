package remote

import (
	"context"
	"fmt"

	"vitrine/client"
	"vitrine/internal/terminal"
)

// WhoamiCmd shows which server, account and API key the other commands use.
type WhoamiCmd struct{ Flags }

// whoami is the JSON output: the API's object of the key, and where it is from.
type whoami struct {
	Server string `json:"server"`
	From   string `json:"from"` // login, VITRINE_API_KEY or --api-key
	client.Key
}

// Run asks the server for the key, and prints both.
func (c *WhoamiCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	key, err := api.Key(ctx)
	if err != nil {
		return err
	}
	who := whoami{Server: t.Asked.Server, From: t.Asked.From, Key: key}
	if who.From == fromLogin {
		who.From = "login"
	}
	if c.JSON {
		return t.JSON(who)
	}
	expires := "never"
	if !key.ExpiresAt.IsZero() {
		expires = t.When(key.ExpiresAt)
	}
	return t.Facts([][2]string{
		{"Account", key.Account},
		{"Server", who.Server},
		{"API key", fmt.Sprintf("%s (…%s)", key.Name, key.Last4)},
		{"Scope", key.Scope},
		{"Expires", expires},
		{"Key from", who.From},
	})
}
