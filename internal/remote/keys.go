package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/terminal"
)

// KeysCmd lists, creates and revokes API keys of the account.
type KeysCmd struct {
	Create   string `xor:"change" help:"Create a key with this name, and print it. It is shown only once." placeholder:"NAME"`
	Scope    string `predictor:"scope" help:"What the new key may do: read (lists and reports), publish (also upload and edit; the default) or full (also delete, and manage keys)." default:"" enum:",read,publish,full" placeholder:"SCOPE"`
	Expires  string `predictor:"expires" help:"When the new key expires, such as 12h, 90d, 1y or 2027-01-31; not later than the key that this command uses. Default: when that key expires, or never." placeholder:"WHEN"`
	LinkLife string `help:"Lifetime of links that the new key creates, such as 30d, with --scope publish." placeholder:"TIME"`
	Revoke   *int64 `xor:"change" help:"Revoke the key with this ID." placeholder:"ID"`
	Yes      bool   `short:"y" help:"Do not ask before a key is revoked. Required for that without a terminal."`
	Flags
}

func (*KeysCmd) Help() string {
	return `Lists the valid keys of your account. On a terminal, a table. Otherwise a line for each key, its columns
separated by tabs: ID, key, creation time, last use, scope, state, name. All this needs a key with the
scope full, such as that of "login". To replace a key, create another one, use it, and revoke the first.`
}

// Validate checks the combination of flags.
func (c *KeysCmd) Validate() error {
	switch {
	case c.Create == "" && (c.Scope != "" || c.Expires != "" || c.LinkLife != ""):
		return errors.New("--scope, --expires and --link-life are for a new key: they need --create NAME")
	case c.Revoke != nil && *c.Revoke < 1:
		return errors.New("--revoke must be the ID of a key, 1 or more")
	}
	return nil
}

func (c *KeysCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	request, err := c.request(time.Now())
	if err != nil {
		return err
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	switch {
	case c.Create != "":
		key, err := api.CreateKey(ctx, request)
		if err != nil {
			return err
		}
		return c.showNew(t, key)
	case c.Revoke != nil:
		return c.revoke(ctx, t, api)
	}
	return c.list(ctx, t, api)
}

// request returns the request for a new key.
func (c *KeysCmd) request(now time.Time) (r client.KeyRequest, err error) {
	r = client.KeyRequest{Name: c.Create, Scope: cmp.Or(c.Scope, string(vitrine.ScopePublish))}
	if c.Expires != "" {
		if r.ExpiresAt, err = terminal.ParseWhen(c.Expires, now); err != nil {
			return r, terminal.Usage("--expires: " + err.Error())
		}
	}
	if c.LinkLife != "" {
		if r.LinkLife, err = terminal.ParseSpan(c.LinkLife); err != nil {
			return r, terminal.Usage("--link-life: " + err.Error())
		}
	}
	return r, nil
}

// showNew prints a new key, alone on standard output.
func (c *KeysCmd) showNew(t *terminal.Terminal, key client.CreatedKey) error {
	unprinted := func(err error) error {
		return terminal.Unprinted(err, fmt.Sprintf("key %d, %q, is created, but", key.ID, key.Name),
			fmt.Sprintf("Revoke it: %s keys --revoke %d", terminal.Self(), key.ID))
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

func (c *KeysCmd) list(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	keys, err := api.Keys(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, k := range keys {
		if c.JSON {
			if err := t.JSON(k); err != nil {
				return err
			}
			continue
		}
		state := t.KeyState(k.RevokedAt, k.ExpiresAt, time.Now())
		if k.Current {
			state += " (used now)"
		}
		rows = append(rows, []string{strconv.FormatInt(k.ID, 10), vitrine.KeyPrefix + "…" + k.Last4,
			t.When(k.CreatedAt), cmp.Or(t.When(k.UsedAt), "never"), k.Scope, state, k.Name})
	}
	if c.JSON {
		return nil
	}
	return t.Table(terminal.KeyColumns, rows)
}

// revoke revokes a key. It asks for confirmation, because a key cannot be
// restored.
func (c *KeysCmd) revoke(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	if !c.Yes {
		if !t.InTTY || !t.ErrTTY {
			return terminal.Unconfirmed("a revoked key cannot be restored")
		}
		keys, err := api.Keys(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(keys, func(k client.ListedKey) bool { return k.ID == *c.Revoke })
		if i < 0 {
			return vitrine.Errorf(vitrine.CodeNotFound, "Your account has no valid key %d.", *c.Revoke)
		}
		used := map[bool]string{true: ", which this command uses"}[keys[i].Current]
		ok, err := t.Confirmed(false, "Revoke key %d, %q%s? It cannot be restored.", keys[i].ID,
			terminal.Plain(keys[i].Name), used)
		if err != nil || !ok {
			return err
		}
	}
	k, err := api.RevokeKeyByID(ctx, *c.Revoke)
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
