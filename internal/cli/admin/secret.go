package admin

import (
	"context"
	"errors"

	"vitrine"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type rotateSecretCmd struct {
	SignOut bool
	Yes     bool
	instance.Places
}

func newRotateSecret() *command.Command {
	c := new(rotateSecretCmd)
	cmd := onInstance("rotate-secret", "Replace the secret that signs addresses, after it leaked.", &c.Places, c.Run)
	cmd.Long = `An instance has a secret in its database. It signs the addresses of uploads and of file contents,
and the tokens with which pages report how they are read. Replace it if someone else may have
read the database or a backup. Restart all servers afterwards: until then they use the old secret.

What stops working: addresses of uploads and contents that were handed out before, so an upload in
progress starts again and an open page has to be reloaded; the passwords of shared reports have to
be given again; views that are being read count only until the restart; counted attempts to sign in
start again from zero; webhooks send nothing until each has a new secret ("webhooks rotate", or the
address of the chat again); codes of authenticator apps (people sign in with a recovery code, and
set up two-step sign-in again).

What stays: links, IDs of links, API keys, passwords, sessions (unless you set --sign-out), and who
is a returning viewer. The names of viewers in visits and the IDs of links stay tied to the first
secret. They give no access.

API keys and passwords are stored as hashes. If the whole database leaked, also revoke keys and let
people choose new passwords. A backup from before has the old secret: after restoring it, run this
again.`
	cmd.Examples("admin rotate-secret",
		"admin rotate-secret --sign-out --yes")
	cmd.Bool(&c.SignOut, "sign-out", "Also end all sessions: everyone has to sign in again.")
	cmd.Take(&c.Places)
	cmd.Confirm(&c.Yes)
	return cmd
}

// Run rotates the secret.
func (c *rotateSecretCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	if !c.Yes {
		t.Tell("Addresses of uploads and file contents that were handed out before stop working when the servers restart.")
	}
	if ok, err := t.Confirmed(c.Yes, "Replace the secret?"); err != nil || !ok {
		return err
	}
	ended := 0
	err := in.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		ended, err = 0, instance.RotateSecret(tx)
		if err == nil && c.SignOut {
			ended, err = signOutAll(tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	t.Say("The secret is replaced. Restart all servers of this instance now: until then they use the old one.")
	if c.SignOut {
		t.Say("The sessions of %s are ended.", terminal.Counted(int64(ended), "account"))
	}
	return nil
}

// signOutAll ends all sessions. It returns the number of accounts.
func signOutAll(tx vitrine.Tx) (accounts int, err error) {
	all, err := tx.Accounts(vitrine.AccountQuery{})
	for _, a := range all {
		err = errors.Join(err, tx.DeleteSessions(a.ID, 0))
	}
	return len(all), err
}
