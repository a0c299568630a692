package user

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// loginCmd obtains an API key through a browser.
type loginCmd struct {
	Server    string
	Scope     string
	Expires   command.When
	NoBrowser bool
}

func newLogin() *command.Command {
	c := new(loginCmd)
	cmd := command.New("login", "Sign in through your browser and store an API key.", c.Run)
	cmd.SuggestFor = []string{"signin", "sign-in", "auth"}
	cmd.Long = "The page asks what the key may do and when it expires. --scope and --expires propose it: on the page\nyou can give the key less, but not more."
	cmd.Examples("login", "login --server https://share.example", "login --scope read --expires 30d")
	cmd.String(&c.Server, "server", "URL", "Address of the instance. Default: that of the last login, or http://localhost:8080.").Env("VITRINE_SERVER")
	cmd.Choice(&c.Scope, "scope", "SCOPE", "The most that the key may do: read (lists and reports), publish (also upload and edit) or full (also delete, and manage keys). Default: full.", Scopes...)
	cmd.WhenOrNever(&c.Expires, "expires", "When the key expires at the latest, such as 12h, 90d, 1y, 2027-01-31 or never. Default: you choose on the page, which proposes 90 days.")
	cmd.Bool(&c.NoBrowser, "no-browser", "Print the address without opening a browser.")
	return cmd
}

// Limits of the interval between two requests for the key. They override the
// server's.
const (
	minPollInterval = time.Second
	maxPollInterval = time.Minute
)

func (c *loginCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	stored, err := openLogins()
	if err != nil {
		return err
	}
	last, err := stored.Last()
	server, wrong := normalServer(cmp.Or(strings.TrimSpace(c.Server), last, DefaultURL))
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	before, err := stored.Load(server)
	if errors.Is(err, ErrDamaged) { // the new key replaces it
		t.Say("%s is damaged, and is replaced.", terminal.Plain(stored.File(server)))
	} else if err != nil {
		return err
	}
	api, err := newClient(t, terminal.Target{Server: server}, Patient(t)...)
	if err != nil {
		return err
	}
	l, err := api.StartLogin(ctx, c.request(t))
	if err != nil {
		return err
	}
	if u, err := url.Parse(server); err == nil && u.Scheme == "http" && !notation.Loopback(u.Hostname()) {
		t.Tell("Warning: the connection to %s is not encrypted; others on the network can read the key.",
			terminal.Plain(u.Host))
	}
	t.Tell("Your code: %s\n", terminal.Plain(l.Code))
	t.Tell("Open this address, sign in, and compare the code:\n\n  %s\n", terminal.Plain(cmp.Or(l.URLWithCode, l.URL)))
	if !c.NoBrowser && t.ErrTTY && t.InTTY && OpenBrowser(l.URLWithCode) {
		t.Say("The address was opened in your browser.")
	}
	t.Tell("Waiting until you allow it (for %d minutes at most) …", max(l.ExpiresIn/60, 1))
	taken, err := waitForKey(ctx, t, api, l)
	if err != nil {
		return err
	}
	v := credential{Server: server, Email: taken.Email, Name: taken.Name, APIKey: taken.APIKey}
	mine, err := newClient(t, terminal.Target{Server: server, Key: v.APIKey, From: "the new key"},
		client.WithAttempts(2))
	if err != nil {
		return err
	}
	if err := stored.Save(v); err != nil {
		return errors.Join(fmt.Errorf("the key could not be stored, and was revoked: %w", err),
			mine.RevokeKey(context.WithoutCancel(ctx)))
	}
	t.Say("Logged in to %s as %s. The API key %q is in %s.", terminal.Plain(server), terminal.Plain(v.Email),
		terminal.Plain(v.Name), stored.File(server))
	if before != nil {
		revokeReplaced(ctx, t, server, before)
	}
	if own, name := keyVariable(); own != "" {
		t.Say("%s is set, and is used instead of this key.", name)
	}
	return nil
}

// request returns what the key is for, and the most that it may do.
func (c *loginCmd) request(t *terminal.Terminal) client.LoginRequest {
	r := client.LoginRequest{Program: "vitrine " + t.Version, Machine: machineName(), Scope: c.Scope}
	if at := c.Expires.At(time.Now()); c.Expires.Given {
		r.ExpiresAt = &at
	}
	return r
}

// maxMachine is the maximum length of the machine name in bytes.
const maxMachine = 60

// machineName returns the name of this machine for the key's name.
func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown machine"
	}
	name = strings.TrimSpace(terminal.Plain(name))
	return cmp.Or(strings.ToValidUTF8(name[:min(len(name), maxMachine)], ""), "unknown machine")
}

// waitForKey polls until the login is allowed, refused or expired.
func waitForKey(ctx context.Context, t *terminal.Terminal, api *client.Client,
	l client.Login) (client.TakenLogin, error) {
	pause := min(max(time.Duration(l.Interval)*time.Second, minPollInterval), maxPollInterval)
	for {
		select {
		case <-ctx.Done():
			return client.TakenLogin{}, ctx.Err()
		case <-t.AfterPoll(pause):
		}
		taken, err := api.TakeLogin(ctx, l.Secret)
		var refused *client.Error
		switch {
		case errors.As(err, &refused) && refused.Code == "not_found":
			return taken, errors.New("the code has expired. Start again")
		case err != nil:
			return taken, err
		case taken.State == client.LoginRefused:
			return taken, errors.New("the request was refused in the browser")
		case taken.State == client.LoginAllowed:
			return taken, nil
		}
	}
}

// unknownKey reports whether the server does not know the key.
func unknownKey(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Code == "unauthorized"
}

// checkAccess reports whether the server refused a request because of the key's
// scope.
func checkAccess(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Code == "forbidden"
}

// logoutCmd revokes the key that "login" stored.
type logoutCmd struct {
	Server string
}

func newLogout() *command.Command {
	c := new(logoutCmd)
	cmd := command.New("logout", "Revoke and remove the API key stored by login.", c.Run)
	cmd.SuggestFor = []string{"signout", "sign-out"}
	cmd.Examples("logout",
		"logout --server https://share.example")
	cmd.String(&c.Server, "server", "URL", "Address of the instance. Default: the one that \"login\" was used with last.").Env("VITRINE_SERVER")
	return cmd
}

// revokeReplaced revokes the key of the previous login, if the server still
// knows it.
func revokeReplaced(ctx context.Context, t *terminal.Terminal, server string, before *credential) {
	target := terminal.Target{Server: server, Key: before.APIKey, From: "the key of before"}
	replaced, err := newClient(t, target, client.WithAttempts(2))
	if err == nil {
		err = replaced.RevokeKey(ctx)
	}
	if err != nil && !unknownKey(err) {
		t.Say("The key that was stored before is still valid (%s). Revoke it on the page API keys.",
			terminal.Plain(t.Sentence(err)))
	}
}

func (c *logoutCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	stored, err := openLogins()
	if err != nil {
		return err
	}
	server, err := serverOr(strings.TrimSpace(c.Server), stored)
	if err != nil {
		return err
	}
	v, err := stored.Load(server)
	if err != nil {
		return err
	}
	if server == "" || v == nil {
		return terminal.NoAccess("you are not logged in" + map[bool]string{true: " to " + server}[server != ""])
	}
	api, err := newClient(t, terminal.Target{Server: server, Key: v.APIKey, From: terminal.FromLogin}, Patient(t)...)
	if err != nil {
		return err
	}
	err = api.RevokeKey(ctx)
	kept := checkAccess(err)
	if err != nil && !unknownKey(err) && !kept {
		return &terminal.AdvisedError{Err: err, Lines: []string{fmt.Sprintf(
			"The key was not revoked. Try again, or delete %s to remove it from this machine only.",
			stored.File(server))}}
	}
	if err := stored.Remove(server); err != nil {
		return err
	}
	if kept {
		t.Say("Logged out of %s on this machine. The API key %q of %s is read-only, so it cannot revoke itself and is still valid. Revoke it at %s/keys.",
			terminal.Plain(server), terminal.Plain(v.Name), terminal.Plain(v.Email), terminal.Plain(server))
		sayOtherKey(t, v.APIKey)
		return nil
	}
	t.Say("Logged out of %s. The API key %q of %s is revoked.", terminal.Plain(server), terminal.Plain(v.Name),
		terminal.Plain(v.Email))
	sayOtherKey(t, v.APIKey)
	return nil
}

// sayOtherKey says that commands have another key after a logout.
func sayOtherKey(t *terminal.Terminal, revoked string) {
	if own, name := keyVariable(); own != "" && own != revoked {
		t.Say("%s is set to another key, which this does not revoke. Commands go on using it.", name)
	}
}
