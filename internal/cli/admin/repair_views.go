package admin

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type repairViewsCmd struct {
	instance.Places
	Yes bool
}

func newRepairViews() *command.Command {
	c := new(repairViewsCmd)
	cmd := command.New("views", "Continue although the view log has gaps. Lists them first.", c.Run)
	cmd.Long = `The database of accounts and links stores a mark of its view log and how far that log was written. A
server does not start with a view log that is missing, empty, of another instance, or older than the
database, because reports would silently lack views. Restore a backup if there is one. Otherwise
this command accepts the view log in its present state. Stop the server first.`
	cmd.Examples("admin repair views --data /var/lib/vitrine")
	cmd.Take(&c.Places)
	cmd.Confirm(&c.Yes)
	return cmd
}

// Run accepts the view log in its current state.
func (c *repairViewsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.Exists() {
		return fmt.Errorf("there is no Vitrine instance in %s", terminal.Plain(instance.Redacted(c.StorePlace())))
	}
	if err := c.RefuseBackup(); err != nil {
		return err
	}
	where := terminal.Plain(instance.Redacted(c.ViewsPlace()))
	if c.Database == "" { // the lock of the directory protects it
		lock, err := instance.LockServing(c.Data)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	in, err := instance.OpenUnchecked(ctx, c.Places)
	if err == nil {
		if err = in.LogPair().Check(ctx); err == nil {
			t.Say("The view log %s is the right one. Nothing was changed.", where)
			return in.Close()
		}
		defer in.Close()
	}
	if !errors.Is(err, ownership.ErrLoss) {
		return err
	}
	t.Say("The view log %s: %s. Views are missing from it, and will be missing from all reports.", where, instance.LossText(err))
	if ok, err := t.Confirmed(c.Yes, "Go on without these views?"); err != nil || !ok {
		return err
	}
	if in == nil { // the file is missing
		log, err := viewlog.Open(c.ViewsPlace())
		if err != nil {
			return err
		}
		if err := log.Close(); err != nil {
			return err
		}
		if in, err = instance.OpenUnchecked(ctx, c.Places); err != nil {
			return err
		}
		defer in.Close()
	}
	if err := in.LogPair().Accept(ctx); err != nil {
		return err
	}
	t.Say("The view log %s is accepted as it is.", where)
	return nil
}
