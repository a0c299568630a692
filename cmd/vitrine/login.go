package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"vitrine/client"
)

// loginCmd gets an API key by way of a browser, so that nobody copies one.
type loginCmd struct {
	Server    string `help:"Address of the instance." env:"VITRINE_URL" default:"http://localhost:8080" placeholder:"URL"`
	NoBrowser bool   `help:"Open no browser; print the address only."`
}

// Bounds of the pause between two questions whether the code was confirmed, whatever the server asks for.
const (
	shortestAsk = time.Second
	longestAsk  = time.Minute
)

// askAfter waits before it is asked again whether the code was confirmed.
var askAfter = time.After

func (c *loginCmd) Run(ctx context.Context, t *terminal) error {
	server, err := normalServer(c.Server)
	if err != nil {
		return err
	}
	stored, err := openCredentials()
	if err != nil {
		return err
	}
	before, err := stored.load(server)
	if err != nil {
		return err
	}
	api, err := newClient(t, target{server: server}, patient(t)...)
	if err != nil {
		return err
	}
	l, err := api.StartLogin(ctx, "vitrine "+version, machineName())
	if err != nil {
		return err
	}
	if u, err := url.Parse(server); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
		t.say("Warning: the connection to %s is not encrypted; others on the network can read the key.", plain(u.Host))
	}
	t.say("Your code: %s\n", plain(l.Code))
	t.say("Open this address, sign in, and compare the code:\n\n  %s\n", plain(cmp.Or(l.URLWithCode, l.URL)))
	if !c.NoBrowser && t.errTTY && t.inTTY && openBrowser(l.URLWithCode) {
		t.say("The address was opened in your browser.")
	}
	t.say("Waiting until you allow it (for %d minutes at most) …", max(l.ExpiresIn/60, 1))
	taken, err := waitForKey(ctx, api, l)
	if err != nil {
		return err
	}
	v := credential{Server: server, Email: taken.Email, Name: taken.Name, APIKey: taken.APIKey}
	mine, err := newClient(t, target{server: server, key: v.APIKey, from: "the new key"}, client.WithAttempts(2))
	if err != nil {
		return err
	}
	if err := stored.save(v); err != nil {
		return errors.Join(fmt.Errorf("the key could not be stored, and is revoked again: %w", err), mine.RevokeKey(context.WithoutCancel(ctx)))
	}
	t.say("Logged in to %s as %s. The API key %q is in %s.", plain(server), plain(v.Email), plain(v.Name), stored.file(server))
	if before != nil {
		replaced, err := newClient(t, target{server: server, key: before.APIKey, from: "the key of before"}, client.WithAttempts(2))
		if err == nil {
			err = replaced.RevokeKey(ctx)
		}
		if err != nil && !unknownKey(err) {
			t.say("The key that was stored before is still valid (%s). Revoke it on the page API keys.", plain(t.sentence(err)))
		}
	}
	if os.Getenv("VITRINE_API_KEY") != "" {
		t.say("VITRINE_API_KEY is set, and is used instead of this key.")
	}
	return nil
}

// waitForKey asks until the code was allowed, refused, or has expired.
func waitForKey(ctx context.Context, api *client.Client, l client.Login) (client.TakenLogin, error) {
	pause := min(max(time.Duration(l.Interval)*time.Second, shortestAsk), longestAsk)
	for {
		select {
		case <-ctx.Done():
			return client.TakenLogin{}, ctx.Err()
		case <-askAfter(pause):
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

// unknownKey reports whether a server no longer knows a key.
func unknownKey(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Code == "unauthorized"
}

// maxMachine bounds the name of this machine, in bytes.
const maxMachine = 60

// machineName is what the key is named after.
func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown machine"
	}
	name = strings.TrimSpace(plain(name))
	return cmp.Or(strings.ToValidUTF8(name[:min(len(name), maxMachine)], ""), "unknown machine")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// openBrowser opens a page in the user's browser, and reports whether it could begin to.
func openBrowser(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false // a server's answer is no command
	}
	var command []string
	switch {
	case os.Getenv("SSH_CONNECTION") != "":
		return false
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		command = []string{"xdg-open"}
	default:
		return false
	}
	p := exec.Command(command[0], append(command[1:], u.String())...)
	if p.Start() != nil {
		return false
	}
	go func() { _ = p.Wait() }()
	return true
}

// logoutCmd revokes the key that "login" has stored.
type logoutCmd struct {
	Server string `help:"Address of the instance. Default: the one that \"login\" was used with last." env:"VITRINE_URL" placeholder:"URL"`
}

func (c *logoutCmd) Run(ctx context.Context, t *terminal) error {
	stored, err := openCredentials()
	if err != nil {
		return err
	}
	server, err := serverOr(strings.TrimSpace(c.Server), stored)
	if err != nil {
		return err
	}
	v, err := stored.load(server)
	if err != nil {
		return err
	}
	if server == "" || v == nil {
		return errors.New("you are not logged in" + map[bool]string{true: " to " + server}[server != ""])
	}
	api, err := newClient(t, target{server: server, key: v.APIKey, from: "the key of \"login\""}, patient(t)...)
	if err != nil {
		return err
	}
	if err := api.RevokeKey(ctx); err != nil && !unknownKey(err) {
		return fmt.Errorf("the key was not revoked: %s Try again, or delete %s to remove it from this machine only", t.sentence(err), stored.file(server))
	}
	if err := stored.remove(server); err != nil {
		return err
	}
	t.say("Logged out of %s. The API key %q of %s is revoked.", plain(server), plain(v.Name), plain(v.Email))
	return nil
}
