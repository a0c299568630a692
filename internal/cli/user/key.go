package user

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// newKey returns the commands for the API keys of the account.
func newKey() *command.Command {
	return command.NewGroup("key", "List, create and revoke your API keys.", newKeyCreate(), newKeyList(), newKeyRevoke())
}

// keyRules is what the help of each command for keys says.
const keyRules = `It needs a key with the scope full, such as that of "login".`

type keyCreateCmd struct {
	Name     string
	Scope    string
	Expires  command.When
	LinkLife time.Duration
	Flags
}

func newKeyCreate() *command.Command {
	c := &keyCreateCmd{Scope: string(vitrine.ScopePublish)}
	cmd := withAPI("create", "Create a key and print it. It is shown only once.", &c.Connection, c.Run)
	cmd.Long = keyRules + " To replace a key, create another one, use it, and revoke the first."
	cmd.Examples("key create ci --expires 90d", "key create reports --scope read --json | jq -r .apiKey")
	cmd.Arg(&c.Name, "name", "Name of the key.")
	cmd.Choice(&c.Scope, "scope", "SCOPE", "What the key may do: read (lists and reports), publish (also upload and edit) or full (also delete, and manage keys).", Scopes...)
	cmd.When(&c.Expires, "expires", "When the key expires, such as 12h, 90d, 1y or 2027-01-31; not later than the key that this command uses. Default: when that key expires, or never.")
	cmd.Span(&c.LinkLife, "link-life", "Lifetime of links that the key creates, such as 30d, with --scope publish.")
	cmd.Take(&c.Flags)
	return cmd
}

// Scopes are what a key may do, the least first.
var Scopes = []string{string(vitrine.ScopeRead), string(vitrine.ScopePublish), string(vitrine.ScopeFull)}

func (c *keyCreateCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	key, err := api.CreateKey(ctx, client.KeyRequest{Name: c.Name, Scope: c.Scope, ExpiresAt: c.Expires.At(time.Now()),
		LinkLife: c.LinkLife})
	if err != nil {
		return err
	}
	return c.showNew(t, key)
}

// showNew prints a new key, alone on standard output.
func (c *keyCreateCmd) showNew(t *terminal.Terminal, key client.CreatedKey) error {
	unprinted := func(err error) error {
		return terminal.Unprinted(err, fmt.Sprintf("key %d, %q, is created, but", key.ID, key.Name),
			fmt.Sprintf("Revoke it: %s key revoke %d", terminal.Self(), key.ID))
	}
	if c.JSON {
		return unprinted(t.JSON(key))
	}
	expires := "never expires"
	if !key.ExpiresAt.IsZero() {
		expires = "expires " + terminal.Moment(key.ExpiresAt)
	}
	t.Say("Key %d, %q (%s, %s), shown only once:", key.ID, terminal.Plain(key.Name), terminal.Plain(key.Scope), expires)
	_, err := fmt.Fprintln(t.Out, terminal.Plain(key.APIKey))
	return unprinted(err)
}

type keyListCmd struct{ Flags }

func newKeyList() *command.Command {
	c := new(keyListCmd)
	cmd := withAPI("list", "List the valid keys of your account.", &c.Connection, c.Run)
	cmd.Long = `On a terminal, a table. Otherwise a line for each key, its columns separated by tabs: ID, key, creation
time, last use, scope, state, end, name. ` + keyRules
	cmd.Examples("key list", "key list --json | jq 'select(.scope == \"full\")'")
	cmd.Take(&c.Flags)
	return cmd
}

func (c *keyListCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	keys, err := api.Keys(ctx)
	if err != nil {
		return err
	}
	return command.List(t, c.JSONFlag, "No keys.", terminal.KeyColumns, keys, command.Itself,
		func(k client.ListedKey) []string {
			state, end := t.KeyState(k.RevokedAt, k.ExpiresAt, time.Now())
			if k.Current {
				state += " (used now)"
			}
			return []string{strconv.FormatInt(k.ID, 10), vitrine.KeyPrefix + "…" + k.Last4, t.When(k.CreatedAt),
				cmp.Or(t.When(k.UsedAt), "never"), k.Scope, state, end, k.Name}
		})
}

type keyRevokeCmd struct {
	ID  int64
	Yes bool
	Flags
}

func newKeyRevoke() *command.Command {
	c := new(keyRevokeCmd)
	cmd := withAPI("revoke", "Revoke a key.", &c.Connection, c.Run)
	cmd.Long = keyRules
	cmd.Examples("key revoke 7", "key revoke 7 --yes --json")
	cmd.NumberArg(&c.ID, "id", "ID of the key, as \"key list\" shows it.").Complete(keys)
	cmd.Confirm(&c.Yes)
	cmd.Take(&c.Flags)
	return cmd
}

// Run revokes a key. It asks for confirmation, because a key cannot be
// restored.
func (c *keyRevokeCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	if !c.Yes {
		if !t.InTTY || !t.ErrTTY {
			return terminal.Unconfirmed("a revoked key cannot be restored")
		}
		keys, err := api.Keys(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(keys, func(k client.ListedKey) bool { return k.ID == c.ID })
		if i < 0 {
			return vitrine.Errorf(vitrine.CodeNotFound, "Your account has no valid key %d.", c.ID)
		}
		used := map[bool]string{true: ", which this command uses"}[keys[i].Current]
		ok, err := t.Confirmed(false, "Revoke key %d, %q%s? It cannot be restored.", keys[i].ID,
			terminal.Plain(keys[i].Name), used)
		if err != nil || !ok {
			return err
		}
	}
	k, err := api.RevokeKeyByID(ctx, c.ID)
	if err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(k)
	}
	t.Say("Key %d, %q (%s…%s), is revoked since %s.", k.ID, terminal.Plain(k.Name), vitrine.KeyPrefix,
		terminal.Plain(k.Last4), t.When(k.RevokedAt))
	if k.Current {
		t.Say("It was the key of this command. To get another one: %s login", terminal.Self())
	}
	return nil
}
