package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"vitrine"
	"vitrine/internal/app/ownership"
)

// errLogGone is returned if the file of an embedded view log is missing or
// empty. It wraps ownership.ErrLoss.
var errLogGone = fmt.Errorf("%w: the file is missing or has no bytes", ownership.ErrLoss)

// logGone returns errLogGone if the log file is missing or empty although the
// store has recorded a log. Opening it would create a new log.
func (p Places) logGone(ctx context.Context, store vitrine.Store) error {
	if p.Views != "" || p.Database != "" {
		return nil
	}
	st, err := os.Stat(filepath.Join(p.Data, ViewsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && st.Size() > 0 {
		return nil
	}
	known, err := ownership.HasLog(ctx, store)
	if err == nil && known {
		err = errLogGone
	}
	return err
}

// LogPair returns the store and the view log of an instance.
func (in *Instance) LogPair() ownership.Pair { return ownership.Pair{Store: in.Store, Log: in.Log} }

// ExplainLoss adds the remedy to an ErrLoss. It returns other errors unchanged.
func (p Places) ExplainLoss(err error) error {
	if explained := new(lossError); !errors.Is(err, ownership.ErrLoss) || errors.As(err, &explained) {
		return err
	}
	restore := `Restore the last backup ("vitrine admin restore")`
	if p.Shared() || p.Views != "" {
		restore = "Restore the last backup of this database"
	}
	return &lossError{fmt.Sprintf("the view log %s cannot be used: %s. Views would be missing from all reports. %s, or use the right view log. "+
		`To continue without the missing views: "vitrine admin repair views"`,
		Redacted(p.ViewsPlace()), LossText(err), restore), err}
}

// LossText returns the message about a lost or foreign view log.
func LossText(err error) string {
	if errors.Is(err, errLogGone) { // also for a new file that open created
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

// RecordLog records the position of the view log in the store. It only logs a
// failure, because the next process records it again.
func (in *Instance) RecordLog(ctx context.Context, log *slog.Logger) {
	if err := in.Places.ExplainLoss(in.LogPair().Record(ctx)); err != nil {
		log.Warn("the position of the view log was not recorded", "error", err)
	}
}
