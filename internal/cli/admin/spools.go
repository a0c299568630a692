package admin

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/spool"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/cli/instance"
)

// drainSpools writes the spools of a stopped data directory to a log. It keeps
// damaged records and early events.
func drainSpools(ctx context.Context, store vitrine.Store, log vitrine.ViewLog, data string, shared bool) error {
	used, err := instance.Spooled(data)
	if !used || err != nil {
		return err
	}
	s, err := instance.OpenSpools(data, shared, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(ingest.DrainSpool(ctx, store, log, s.Spool, s.Early()), s.Close())
}

// finishCopy writes the spools of a copy with embedded databases to its log.
// The copied store is newer than the copied log, so it resets the recorded
// position of the log.
func finishCopy(ctx context.Context, data string) error {
	log, err := viewlog.Open(filepath.Join(data, instance.ViewsFile))
	if err != nil {
		return err
	}
	store, err := sqlstore.Open(filepath.Join(data, instance.StoreFile))
	if err != nil {
		return errors.Join(err, log.Close())
	}
	err = drainSpools(ctx, store, log, data, false)
	if err == nil {
		err = ownership.Pair{Store: store, Log: log}.Rewind(ctx)
	}
	return errors.Join(err, log.Close(), store.Close())
}

// copyEarly copies early events to the new data directory. It skips events
// that are already there.
func copyEarly(ctx context.Context, from, to string) error {
	_, used, err := dirState(filepath.Join(from, instance.EarlyDir))
	if !used || err != nil || from == to {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	a, err := spool.Open(filepath.Join(from, instance.EarlyDir), quiet)
	if err != nil {
		return err
	}
	b, err := spool.Open(filepath.Join(to, instance.EarlyDir), quiet)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	err = a.Replay(ctx, func(batch vitrine.Batch) (vitrine.Batch, error) { return batch, b.Append(batch) })
	return errors.Join(err, a.Close(), b.Close())
}

// copySpools copies all spools.
func copySpools(from, to string) error {
	for _, dir := range []string{instance.SpoolDir, instance.EarlyDir} {
		if err := copySpool(filepath.Join(from, dir), filepath.Join(to, dir)); err != nil {
			return err
		}
	}
	return nil
}

// copySpool copies a spool. Records that are written during the copy are not
// acknowledged, and readers discard them. If a file disappears, its records are
// in the log or in a new file, so copySpool starts over until none disappears.
func copySpool(from, to string) error {
	copied := map[string]bool{}
	for missed := true; missed; {
		missed = false
		all, err := os.ReadDir(from)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range all {
			if copied[e.Name()] {
				continue
			}
			err := copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
			if missed = missed || errors.Is(err, fs.ErrNotExist); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			copied[e.Name()] = err == nil
		}
	}
	return nil
}
