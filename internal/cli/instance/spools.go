package instance

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"vitrine"
	"vitrine/internal/app/ownership"
	"vitrine/internal/backend/spool"
)

// Spools are the spools in the data directory for records that the view log
// cannot accept.
type Spools struct {
	Spool *spool.Spool
	early *spool.Spool // nil if this is the only writer, so that no event can be early
}

// OpenSpools opens the spools of a data directory. If there are no other
// writers, it opens the spool for early events only if the file exists.
func OpenSpools(data string, shared bool, log *slog.Logger) (*Spools, error) {
	early := filepath.Join(data, EarlyDir)
	used, err := filled(early)
	if err != nil {
		return nil, err
	}
	s := &Spools{}
	if s.Spool, err = spool.Open(filepath.Join(data, SpoolDir), log); err != nil {
		return nil, err
	}
	if err := s.Spool.Reserve(); err != nil {
		return nil, errors.Join(err, s.Spool.Close())
	}
	if !shared && !used {
		return s, nil
	}
	if s.early, err = spool.Open(early, log); err != nil {
		return nil, errors.Join(err, s.Spool.Close())
	}
	return s, nil
}

func (s *Spools) Close() error {
	if s.early == nil {
		return s.Spool.Close()
	}
	return errors.Join(s.Spool.Close(), s.early.Close())
}

// Early returns the spool for early events, or nil.
func (s *Spools) Early() vitrine.Spool {
	if s.early == nil {
		return nil
	}
	return s.early
}

// Stats returns functions that describe the spools, by name.
func (s *Spools) Stats() map[string]func() spool.Stats {
	all := map[string]func() spool.Stats{"views": s.Spool.Stats}
	if s.early != nil {
		all["early"] = s.early.Stats
	}
	return all
}

// EarlySize returns the bytes of the spool for early events.
func (s *Spools) EarlySize() int64 { return s.early.Size() }

// IDSources returns the spools as sources of used IDs.
func (s *Spools) IDSources() []ownership.IDSource {
	if s.early == nil {
		return []ownership.IDSource{s.Spool}
	}
	return []ownership.IDSource{s.Spool, s.early}
}

// Spooled reports whether the spools of a data directory contain records.
func Spooled(data string) (bool, error) {
	spool, err := filled(filepath.Join(data, SpoolDir))
	early, err2 := filled(filepath.Join(data, EarlyDir))
	return spool || early, errors.Join(err, err2)
}

// filled reports whether a directory exists and has files.
func filled(dir string) (bool, error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(all) > 0, err
}
