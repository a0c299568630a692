package user

import (
	"context"
	"fmt"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// whoamiCmd shows which server, account and API key the other commands use.
type whoamiCmd struct {
	Flags
}

func newWhoami() *command.Command {
	c := new(whoamiCmd)
	cmd := withAPI("whoami", "Show the server, account and API key in use, and the limits.", &c.Connection, c.Run)
	cmd.Examples("whoami",
		"whoami --json | jq -r .server")
	cmd.Take(&c.Flags)
	return cmd
}

// whoami is the JSON output: the API's object of the key, and where it is from.
type whoami struct {
	Server string `json:"server"`
	From   string `json:"from"` // login, VITRINE_API_KEY or --api-key
	client.Key
}

// Run asks the server for the key, and prints both.
func (c *whoamiCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	key, err := api.Key(ctx)
	if err != nil {
		return err
	}
	who := whoami{Server: t.Asked.Server, From: t.Asked.From, Key: key}
	if who.From == terminal.FromLogin {
		who.From = "login"
	}
	if c.JSON {
		return t.JSON(who)
	}
	expires := "never"
	if !key.ExpiresAt.IsZero() {
		expires = t.When(key.ExpiresAt)
	}
	return t.Facts(append([][2]string{
		{"Account", key.Account},
		{"Server", who.Server},
		{"API key", fmt.Sprintf("%s (…%s)", key.Name, key.Last4)},
		{"Scope", key.Scope},
		{"Expires", expires},
		{"Key from", who.From},
	}, usage(key)...))
}

// usage returns the plan of the account of a key, where plans are sold, and
// what it uses of its limits.
func usage(key client.Key) [][2]string {
	of := func(used, most string, limit int64) string {
		if limit == 0 {
			return used + ", no limit"
		}
		return used + " of " + most
	}
	file := "no limit"
	if key.Limits.FileBytes > 0 {
		file = "up to " + terminal.FormatSize(key.Limits.FileBytes)
	}
	return [][2]string{
		{"Plan", key.Plan},
		{"Links", of(terminal.Count(key.Used.Links), terminal.Count(key.Limits.Links), key.Limits.Links)},
		{"Storage", of(terminal.FormatSize(key.Used.StorageBytes), terminal.FormatSize(key.Limits.StorageBytes),
			key.Limits.StorageBytes)},
		{"Files", file},
		{"Uploads", of(terminal.Count(key.Used.Uploads), terminal.Count(key.Limits.HourlyUploads)+" an hour",
			key.Limits.HourlyUploads)},
	}
}
