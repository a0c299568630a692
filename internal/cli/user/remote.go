// Package user implements the commands that use the API of an instance, and
// stores the API keys of "vitrine login".
package user

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"vitrine/client"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// DefaultURL is the default address of an instance.
const DefaultURL = "http://localhost:8080"

// Commands returns the commands for links and websites.
func Commands() []*command.Command {
	return []*command.Command{newPut(), newStats(), newEvents(), newLs(), newOpen(), newGet(), newEdit(), newVersions(),
		newReaders(), newCaptions(), newRecipients(), newRm(), newTrash(), newDeploy(), newWebsites(), newWebhooks()}
}

// AccountCommands returns the commands for the account and its keys.
func AccountCommands() []*command.Command {
	return []*command.Command{newLogin(), newLogout(), newWhoami(), newKey(), newMCP()}
}

// Flags select the instance and the API key of a command that prints results.
type Flags struct {
	Connection
	command.JSONFlag
}

// AddFlags adds the flags to a command.
func (f *Flags) AddFlags(cmd *command.Command) {
	cmd.Take(&f.JSONFlag, &f.Connection)
}

// Connection selects an instance and an API key.
type Connection struct {
	Server string
	APIKey string
}

// AddFlags adds the flags to a command.
func (r *Connection) AddFlags(cmd *command.Command) {
	cmd.Title("Connection")
	cmd.String(&r.Server, "server", "URL", "Address of the instance. Default: that of the last login. With your own API key and no login, http://localhost:8080; with a login elsewhere, name it.").Env("VITRINE_SERVER")
	cmd.String(&r.APIKey, "api-key", "KEY", "API key. Default: the one that \"login\" has stored. Prefer the environment variable: other users of the machine can see arguments.").Env("VITRINE_API_KEY").Secret()
	cmd.Title("")
}

// keyVariable returns the API key of the environment, and the variable that has
// it or names its file. The key is "" if there is none.
func keyVariable() (key, name string) {
	key, name, _ = command.Variable("VITRINE_API_KEY") // commands have reported an error
	return strings.TrimSpace(key), name
}

// target returns server and key from flags, else from the login file. It never
// sends a key from a flag or a variable to a server from that file.
func (r Connection) target() (terminal.Target, error) {
	address, key := strings.TrimSpace(r.Server), strings.TrimSpace(r.APIKey)
	if key != "" {
		from := "--api-key"
		if own, name := keyVariable(); own == key {
			from = name
		}
		if address == "" {
			if last := lastLogin(); last != "" && last != DefaultURL {
				return terminal.Target{}, terminal.Usage(fmt.Sprintf("%s is set, but no server: the last login was at %s, "+
					"and this key may be of another server. Set VITRINE_SERVER or --server", from, terminal.Plain(last)))
			}
		}
		return terminal.Target{Server: cmp.Or(address, DefaultURL), Key: key, From: from}, nil
	}
	stored, err := openLogins()
	if err != nil {
		return terminal.Target{}, terminal.NoAccess(noKey(address))
	}
	server, err := serverOr(address, stored)
	if err != nil {
		return terminal.Target{}, err
	}
	if server == "" {
		return terminal.Target{}, terminal.NoAccess(noKey(""))
	}
	c, err := stored.Load(server)
	if err != nil {
		return terminal.Target{}, err
	}
	if c == nil {
		return terminal.Target{}, terminal.NoAccess(noKey(server))
	}
	return terminal.Target{Server: server, Key: c.APIKey, From: terminal.FromLogin}, nil
}

// lastLogin returns the server of the last login, or "" if there is none.
func lastLogin() string {
	stored, err := openLogins()
	if err != nil {
		return ""
	}
	last, err := stored.Last()
	if err != nil {
		return ""
	}
	return last
}

// serverOr returns the normalized address, or the server of the last login if
// address is empty. It returns "" if there is neither.
func serverOr(address string, stored logins) (string, error) {
	if address != "" {
		return normalServer(address)
	}
	return stored.Last()
}

func noKey(server string) string {
	login := terminal.Self() + " login"
	if server != "" {
		login += " --server " + notation.ShellWord(server)
	}
	return fmt.Sprintf("there is no API key: run \"%s\", or set VITRINE_API_KEY", login)
}

// Client returns a client for the target.
func (r Connection) Client(t *terminal.Terminal, opts ...client.Option) (*client.Client, error) {
	to, err := r.target()
	if err != nil {
		return nil, err
	}
	return newClient(t, to, opts...)
}

// newClient returns a client for a server. It also sets t.Asked, so that
// messages name the server.
func newClient(t *terminal.Terminal, to terminal.Target, opts ...client.Option) (*client.Client, error) {
	if _, err := normalServer(to.Server); err != nil {
		return nil, err
	}
	c, err := client.New(to.Server, to.Key, append(opts, client.WithUserAgent("vitrine/"+t.Version))...)
	if err != nil {
		return nil, terminal.Usage(err.Error())
	}
	t.Asked = &to
	return c, nil
}

// reader returns a client for interactive commands, which gives up after some
// seconds.
func (r Connection) reader(t *terminal.Terminal) (*client.Client, error) {
	return r.Client(t, Patient(t)...)
}

// withAPI returns an interactive command that asks an instance.
func withAPI(name, short string, from *Connection,
	run func(context.Context, *terminal.Terminal, *client.Client) error) *command.Command {
	return command.New(name, short, func(ctx context.Context, t *terminal.Terminal) error {
		api, err := from.reader(t)
		if err != nil {
			return err
		}
		return run(ctx, t, api)
	})
}

// answerTime is how long interactive commands wait for an answer.
const answerTime = 30 * time.Second

// Patient returns the options of a client for interactive commands.
func Patient(t *terminal.Terminal) []client.Option {
	return append(notices(t, func() {}), client.WithAttempts(4), client.WithPatience(10*time.Second),
		client.WithAnswerTime(answerTime))
}

// notices returns options of a client that says why it waits. clear is called
// before each message. That a server is slow or unreachable is said once.
func notices(t *terminal.Terminal, clear func()) []client.Option {
	var slow, unreachable sync.Once
	return []client.Option{
		client.WithRetryNotice(func(r client.Retry) {
			say := func() { clear(); notice(t, r) }
			if client.Unreachable(r.Err) {
				unreachable.Do(say)
			} else {
				say()
			}
		}),
		client.WithWaitNotice(func() {
			slow.Do(func() {
				if t.Asked != nil {
					clear()
					t.Say("Waiting for %s …", terminal.Plain(t.Asked.Server))
				}
			})
		})}
}

// notice prints that the client waits before a retry. The advice, which follows
// the first sentence of an error, is for the last attempt.
func notice(t *terminal.Terminal, r client.Retry) {
	what, _, _ := strings.Cut(t.Sentence(r.Err), ". ")
	t.Say("vitrine: %s; trying again in %s", terminal.Plain(strings.TrimSuffix(what, ".")),
		r.Wait.Round(100*time.Millisecond))
}
