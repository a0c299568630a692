package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"vitrine"
	"vitrine/internal/ingest"
	"vitrine/internal/instance"
	"vitrine/internal/logowner"
	"vitrine/internal/spool"
	"vitrine/internal/sqlstore"
	"vitrine/internal/viewdb"
)

// spools are the spools in the data directory for records that the view log
// cannot accept.
type spools struct {
	spool *spool.Spool
	early *spool.Spool // nil if this is the only writer, so that no event can be early
}

// openSpools opens the spools of a data directory. If there are no other
// writers, it opens the spool for orphan events only if the file exists.
func openSpools(data string, shared bool, log *slog.Logger) (*spools, error) {
	early := filepath.Join(data, instance.EarlyDir)
	_, used, err := dirState(early)
	if err != nil {
		return nil, err
	}
	s := &spools{}
	if s.spool, err = spool.Open(filepath.Join(data, instance.SpoolDir), log); err != nil {
		return nil, err
	}
	if err := s.spool.Reserve(); err != nil {
		return nil, errors.Join(err, s.spool.Close())
	}
	if !shared && !used {
		return s, nil
	}
	if s.early, err = spool.Open(early, log); err != nil {
		return nil, errors.Join(err, s.spool.Close())
	}
	return s, nil
}

func (s *spools) Close() error {
	if s.early == nil {
		return s.spool.Close()
	}
	return errors.Join(s.spool.Close(), s.early.Close())
}

// ofEarly returns the spool for orphan events, or nil.
func (s *spools) ofEarly() vitrine.Spool {
	if s.early == nil {
		return nil
	}
	return s.early
}

// idSources returns the spools as sources of used IDs.
func (s *spools) idSources() []logowner.IDSource {
	if s.early == nil {
		return []logowner.IDSource{s.spool}
	}
	return []logowner.IDSource{s.spool, s.early}
}

// views returns the started view service of an instance. It spools records that
// the log cannot accept.
func (s *spools) views(in *instance.Instance, log *slog.Logger) *ingest.Views {
	v := &ingest.Views{Log: in.Log, Spool: s.spool, Early: s.ofEarly(), Owner: ingest.LinkOwner(in.Store),
		Limits: ingest.NewLimits(in.Store)}
	v.Notice = func(err error) {
		if err != nil {
			log.Warn("view log unavailable, spooling to disk", "spool_bytes", s.spool.Size(), "error", err)
		} else {
			log.Info("spool drained to the view log")
		}
	}
	reported := 0 // number of waiting events in the last report
	v.EarlyNotice = func(waiting, dropped int, err error) {
		if dropped > 0 {
			log.Warn("dropped events whose page view did not arrive within 48h; start any server that still has files in spool/", "dropped", dropped)
		}
		switch {
		case err != nil:
			log.Warn("events that wait for their views cannot be written yet", "early_bytes",
				s.early.Size(), "error", err)
			return
		case waiting > 0 && reported == 0:
			log.Info("events wait for their views, which are in the spool of another server", "waiting",
				waiting)
		case waiting == 0 && reported > 0:
			log.Info("no event waits for its view any more")
		}
		reported = waiting
	}
	v.Start()
	return v
}

// drainSpools writes the spools of a stopped data directory to a log. It keeps
// damaged records and orphan events.
func drainSpools(ctx context.Context, store vitrine.Store, log vitrine.ViewLog, data string, shared bool) error {
	used, err := spooled(data)
	if !used || err != nil {
		return err
	}
	s, err := openSpools(data, shared, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(ingest.DrainSpool(ctx, store, log, s.spool, s.ofEarly()), s.Close())
}

// spooled reports whether the spools of a data directory contain records.
func spooled(data string) (bool, error) {
	_, spool, err := dirState(filepath.Join(data, instance.SpoolDir))
	_, early, err2 := dirState(filepath.Join(data, instance.EarlyDir))
	return spool || early, errors.Join(err, err2)
}

// finishCopy writes the spools of a copy with embedded databases to its log.
// The copied store is newer than the copied log, so it resets the recorded
// position of the log.
func finishCopy(ctx context.Context, data string) error {
	log, err := viewdb.Open(filepath.Join(data, instance.ViewsFile))
	if err != nil {
		return err
	}
	store, err := sqlstore.Open(filepath.Join(data, instance.StoreFile))
	if err != nil {
		return errors.Join(err, log.Close())
	}
	err = drainSpools(ctx, store, log, data, false)
	if err == nil {
		err = logowner.Pair{Store: store, Log: log}.Rewind(ctx)
	}
	return errors.Join(err, log.Close(), store.Close())
}

// copyEarly copies orphan events to the new data directory. It skips events
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
