package remote

import (
	"cmp"
	"context"
	"fmt"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/credentials"
	"vitrine/internal/terminal"
)

// WhoamiCmd shows which server and API key the other commands use.
type WhoamiCmd struct{ Flags }

// whoami is the JSON output. Account and Name are those of "login", and unknown
// for a key from elsewhere.
type whoami struct {
	Server  string `json:"server"`
	Account string `json:"account,omitempty"`
	Name    string `json:"name,omitempty"` // of the key
	Key     string `json:"key"`            // its beginning
	From    string `json:"from"`           // login, VITRINE_API_KEY or --api-key
}

// Run checks that the server accepts the key, and prints both.
func (c *WhoamiCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	if _, err := api.Links(ctx, "", client.Query{Limit: 1}); err != nil {
		return err
	}
	to := t.Asked
	who := whoami{Server: to.Server, Key: vitrine.KeyText(to.Key).String(), From: to.From}
	if to.From == fromLogin {
		stored, err := credentials.Open()
		if err != nil {
			return err
		}
		v, err := stored.Load(to.Server)
		if err != nil {
			return err
		}
		who.From = "login"
		if v != nil {
			who.Account, who.Name = v.Email, v.Name
		}
	}
	if c.JSON {
		return t.JSON(who)
	}
	return t.Facts([][2]string{
		{"Server", who.Server},
		{"Account", cmp.Or(who.Account, fmt.Sprintf("unknown: the key is not from %q", terminal.Self()+" login"))},
		{"API key", who.Key},
		{"Key name", who.Name},
		{"Key from", who.From},
	})
}
