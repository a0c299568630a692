package admin

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type keyCreateCmd struct {
	emailArg
	instance.Places
	command.JSONFlag
	Name     string
	Scope    string
	Expires  command.When
	LinkLife time.Duration
}

func newKeyCreate() *command.Command {
	c := new(keyCreateCmd)
	cmd := onInstance("create", "Create another API key and print it. It is shown once.", &c.Places, c.Run)
	cmd.Examples("admin key create ada@example.org --name ci --scope publish --expires 90d")
	cmd.Take(&c.emailArg, &c.Places)
	c.Name = "key"
	cmd.String(&c.Name, "name", "NAME", "Name of the key.")
	c.Scope = "full"
	cmd.Choice(&c.Scope, "scope", "", "What the key may do: read (lists and reports), publish (also upload and edit), full (also delete, and manage keys).", "read", "publish", "full")
	cmd.When(&c.Expires, "expires", "When the key expires, such as 30d, 12h or 2027-01-31. Without it, never.")
	cmd.Span(&c.LinkLife, "link-life", "Lifetime of links that a publish key creates, such as 30d. The key can change only links that expire within it.")
	cmd.Take(&c.JSONFlag)
	return cmd
}

func (c *keyCreateCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	r := auth.KeyRequest{Name: c.Name, Scope: vitrine.KeyScope(c.Scope), LinkLife: c.LinkLife,
		ExpiresAt: c.Expires.At(in.Now())}
	if c.Expires.Given && !r.ExpiresAt.After(in.Now()) {
		return terminal.Usage("--expires: the key would have expired already. Choose a later time")
	}
	key, err := in.Keys.ByAdministrator().CreateFor(ctx, c.Email, r)
	if err != nil {
		return err
	}
	if c.JSON {
		return unprinted(t.JSON(newKeyOf(c.Email, key, 0)), c.Email, key, c.Data)
	}
	t.Say("Key %d, %q, of %s, shown only once:", key.ID, terminal.Plain(c.Name), terminal.Plain(c.Email))
	return unprinted(showKey(t, c.Data, key.Text), c.Email, key, c.Data)
}

// unprinted returns the error of a command that could not print a new key: it
// names the key and how to revoke it.
func unprinted(err error, email string, key auth.NewKey, dir string) error {
	return terminal.Unprinted(err, fmt.Sprintf("key %d, %q, of %s is created, but", key.ID, key.Name, email),
		fmt.Sprintf("Revoke it: %s admin key revoke %s %d%s", terminal.Self(), notation.ShellWord(email), key.ID,
			terminal.DataFlag(dir)))
}

// newKeyRow is the output for a new key.
type newKeyRow struct {
	Email     string           `json:"email"`
	ID        vitrine.KeyID    `json:"id"`
	Name      string           `json:"name"`
	APIKey    auth.KeyText     `json:"apiKey"`
	Scope     vitrine.KeyScope `json:"scope"`
	ExpiresAt string           `json:"expiresAt,omitempty"`
	LinkLife  int64            `json:"linkLifeSeconds,omitempty"`
	Replaces  vitrine.KeyID    `json:"replaces,omitempty"` // the key that was rotated
	OldEndsAt string           `json:"oldEndsAt,omitempty"`
}

func newKeyOf(email string, k auth.NewKey, replaces vitrine.KeyID) newKeyRow {
	return newKeyRow{email, k.ID, k.Name, k.Text, k.Scope, terminal.Stamp(k.ExpiresAt), int64(k.LinkLife / time.Second),
		replaces, terminal.Stamp(k.OldEnds)}
}

type keyListCmd struct {
	emailArg
	instance.Places
	command.JSONFlag
}

func newKeyList() *command.Command {
	c := new(keyListCmd)
	cmd := onInstance("list", "List an account's API keys, without the keys themselves.", &c.Places, c.Run)
	cmd.Examples("admin key list ada@example.org")
	cmd.Take(&c.emailArg, &c.Places, &c.JSONFlag)
	return cmd
}

type keyRow struct {
	ID        vitrine.KeyID `json:"id"`
	Name      string        `json:"name"`
	Last4     string        `json:"last4"`
	CreatedAt string        `json:"createdAt"`
	UsedAt    string        `json:"usedAt,omitempty"`
	RevokedAt string        `json:"revokedAt,omitempty"`
	ExpiresAt string        `json:"expiresAt,omitempty"`
	Scope     string        `json:"scope"`
	LinkLife  int64         `json:"linkLifeSeconds,omitempty"`
}

func keyRowOf(k *vitrine.APIKey) keyRow {
	return keyRow{k.ID, k.Name, k.Last4, terminal.Stamp(k.CreatedAt), terminal.Stamp(k.UsedAt),
		terminal.Stamp(k.RevokedAt), terminal.Stamp(k.ExpiresAt), string(k.Scope), int64(k.LinkLife / time.Second)}
}

func (c *keyListCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	keys, err := in.Keys.List(ctx, c.Email)
	if err != nil {
		return err
	}
	return command.List(t, c.JSONFlag, "No keys.", terminal.KeyColumns, keys,
		func(k *vitrine.APIKey) any { return keyRowOf(k) },
		func(k *vitrine.APIKey) []string {
			state, end := t.KeyState(k.RevokedAt, k.ExpiresAt, in.Now())
			return []string{strconv.FormatInt(int64(k.ID), 10), vitrine.KeyPrefix + "…" + k.Last4, t.When(k.CreatedAt),
				cmp.Or(t.When(k.UsedAt), "never"), string(k.Scope), state, end, k.Name}
		})
}

type keyRotateCmd struct {
	emailArg
	ID    int64
	Grace time.Duration
	instance.Places
	command.JSONFlag
}

func newKeyRotate() *command.Command {
	c := new(keyRotateCmd)
	cmd := onInstance("rotate", "Rotate an API key: print a new one, and stop the old one later.", &c.Places, c.Run)
	cmd.Examples("admin key rotate ada@example.org 3",
		"admin key rotate ada@example.org 3 --grace 0s")
	cmd.Take(&c.emailArg)
	cmd.NumberArg(&c.ID, "id", "ID of the key, as \"admin key list\" shows it.")
	cmd.Check(func() error {
		if c.Grace < 0 || c.Grace > auth.RotateGrace {
			return fmt.Errorf("--grace: %s is not between 0 and a week (168h)", c.Grace)
		}
		return nil
	})
	c.Grace = 24 * time.Hour
	cmd.Duration(&c.Grace, "grace", "How long the old key keeps working, at most a week (168h). 0: it stops now.")
	cmd.Take(&c.Places, &c.JSONFlag)
	return cmd
}

func (c *keyRotateCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	key, err := in.Keys.ByAdministrator().RotateFor(ctx, c.Email, vitrine.KeyID(c.ID), c.Grace)
	if err != nil {
		return err
	}
	if c.JSON {
		return unprinted(t.JSON(newKeyOf(c.Email, key, vitrine.KeyID(c.ID))), c.Email, key, c.Data)
	}
	old := "works until " + t.When(key.OldEnds)
	if c.Grace == 0 {
		old = "no longer works"
	}
	t.Say("New key of %s, shown only once. It replaces key %d, which %s:", terminal.Plain(c.Email), c.ID, old)
	return unprinted(showKey(t, c.Data, key.Text), c.Email, key, c.Data)
}

type keyRevokeCmd struct {
	emailArg
	ID  int64
	Yes bool
	instance.Places
	command.JSONFlag
}

func newKeyRevoke() *command.Command {
	c := new(keyRevokeCmd)
	cmd := onInstance("revoke", "Revoke an API key.", &c.Places, c.Run)
	cmd.Examples("admin key revoke ada@example.org 3",
		"admin key revoke ada@example.org 3 --yes --json")
	cmd.Take(&c.emailArg)
	cmd.NumberArg(&c.ID, "id", "ID of the key, as \"admin key list\" shows it.")
	cmd.Take(&c.Places)
	cmd.Confirm(&c.Yes)
	cmd.Take(&c.JSONFlag)
	return cmd
}

// revokedKey is the output for a revoked key.
type revokedKey struct {
	Email string `json:"email"`
	keyRow
}

// Run revokes a key. It asks for confirmation, because a key cannot be
// restored. A key that is revoked already needs none.
func (c *keyRevokeCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	k, err := in.Keys.ByID(ctx, c.Email, vitrine.KeyID(c.ID))
	if err != nil {
		return err
	}
	already := !k.RevokedAt.IsZero()
	ok, err := t.Confirmed(c.Yes || already, "Revoke key %d, %q, of %s? It cannot be restored.", c.ID, terminal.Plain(k.Name),
		terminal.Plain(c.Email))
	if err != nil || !ok {
		return err
	}
	if k, err = in.Keys.Revoke(ctx, c.Email, vitrine.KeyID(c.ID)); err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(revokedKey{c.Email, keyRowOf(k)})
	}
	what := map[bool]string{true: "was already revoked, at", false: "is revoked since"}[already]
	t.Say("Key %d, %q (%s…%s), of %s %s %s.", c.ID, terminal.Plain(k.Name), vitrine.KeyPrefix, k.Last4,
		terminal.Plain(c.Email), what, t.When(k.RevokedAt))
	return nil
}
