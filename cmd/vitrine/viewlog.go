package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"vitrine"
	"vitrine/internal/datadir"
	"vitrine/internal/logowner"
	"vitrine/internal/terminal"
	"vitrine/internal/viewdb"
)

// errLogGone is returned if the file of an embedded view log is missing or
// empty. It wraps logowner.ErrLoss.
var errLogGone = fmt.Errorf("%w: the file is missing or has no bytes", logowner.ErrLoss)

// logGone returns errLogGone if the log file is missing or empty although the
// store has recorded a log. Opening it would create a new log.
func (p placeFlags) logGone(ctx context.Context, store vitrine.Store) error {
	if p.Views != "" || p.Database != "" {
		return nil
	}
	st, err := os.Stat(filepath.Join(p.Data, viewsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && st.Size() > 0 {
		return nil
	}
	known, err := logowner.HasLog(ctx, store)
	if err == nil && known {
		err = errLogGone
	}
	return err
}

// logPair returns the store and the view log of an instance.
func (in *instance) logPair() logowner.Pair { return logowner.Pair{Store: in.store, Log: in.log} }

// lossOf adds the remedy to an ErrLoss. It returns other errors unchanged.
func (p placeFlags) lossOf(err error) error {
	if explained := new(lossError); !errors.Is(err, logowner.ErrLoss) || errors.As(err, &explained) {
		return err
	}
	restore := `Restore the last backup ("vitrine restore")`
	if p.shared() || p.Views != "" {
		restore = "Restore the last backup of this database"
	}
	return &lossError{fmt.Sprintf("the view log %s cannot be used: %s. Views would be missing from all reports. %s, or use the right view log. "+
		`To continue without the missing views: "vitrine storage accept-views"`,
		terminal.Plain(redacted(p.viewsPlace())), lossText(err), restore), err}
}

// lossText returns the message about a lost or foreign view log.
func lossText(err error) string {
	if errors.Is(err, errLogGone) { // also for the new file that newInstance created
		return "it is missing or empty"
	}
	return err.Error()
}

// lossError is an ErrLoss with a remedy.
type lossError struct {
	message string
	err     error
}

func (e *lossError) Error() string { return e.message }
func (e *lossError) Unwrap() error { return e.err }

// recordLog records the position of the view log in the store. It only logs a
// failure, because the next process records it again.
func (in *instance) recordLog(ctx context.Context, log *slog.Logger) {
	if err := in.places.lossOf(in.logPair().Record(ctx)); err != nil {
		log.Warn("the position of the view log was not recorded", "error", err)
	}
}

type storageAcceptViewsCmd struct {
	placeFlags
	Yes bool `short:"y" help:"Do not ask for confirmation."`
}

func (*storageAcceptViewsCmd) Help() string {
	return `The database of accounts and links stores a mark of its view log and how far that log was written. A
server does not start with a view log that is missing, empty, of another instance, or older than the
database, because reports would silently lack views. Restore a backup if there is one. Otherwise
this command accepts the view log in its present state. Stop the server first.`
}

// Run accepts the view log in its current state.
func (c *storageAcceptViewsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.exists() {
		return fmt.Errorf("there is no Vitrine instance in %s", terminal.Plain(redacted(c.storePlace())))
	}
	where := terminal.Plain(redacted(c.viewsPlace()))
	if c.Database == "" { // the lock of the directory protects it
		lock, err := datadir.LockServing(c.Data)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	in, err := newInstance(ctx, c.placeFlags, "", false)
	if err == nil {
		if err = in.logPair().Check(ctx); err == nil {
			t.Say("The view log %s is the right one. Nothing was changed.", where)
			return in.Close()
		}
		defer in.Close()
	}
	if !errors.Is(err, logowner.ErrLoss) {
		return err
	}
	t.Say("The view log %s: %s. Views are missing from it, and will be missing from all reports.", where, lossText(err))
	if ok, err := t.Confirmed(c.Yes, "Go on without these views?"); err != nil || !ok {
		return err
	}
	if in == nil { // the file is missing
		log, err := viewdb.Open(c.viewsPlace())
		if err != nil {
			return err
		}
		if err := log.Close(); err != nil {
			return err
		}
		if in, err = newInstance(ctx, c.placeFlags, "", false); err != nil {
			return err
		}
		defer in.Close()
	}
	if err := in.logPair().Accept(ctx); err != nil {
		return err
	}
	t.Say("The view log %s is accepted as it is.", where)
	return nil
}
