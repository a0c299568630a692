package sqldb

import (
	"context"
	"errors"
	"os"
	"time"

	"vitrine/internal/base/durable"
)

// fileLocks are locks on files beside a database. The files are not deleted.
// Two open handles of a file exclude each other, even in one process.
type fileLocks struct {
	path   string // of the database
	inside insideLocks
}

// askAgain is the time between tries to take a lock that another process has:
// the system does not notify waiting processes.
const askAgain = 20 * time.Millisecond

func (l *fileLocks) lock(ctx context.Context, name string, wait bool) (unlock func() error, err error) {
	leave, err := l.inside.enter(ctx, name, wait)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(l.path+"."+name+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		leave()
		return nil, err
	}
	locked, err := l.take(ctx, f, wait)
	if err != nil {
		leave()
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		defer leave()
		return locked.Close()
	}, nil
}

func (l *fileLocks) take(ctx context.Context, f *os.File, wait bool) (durable.Locked, error) {
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	for {
		locked, err := durable.Lock(f, durable.Hold{})
		if !errors.Is(err, durable.ErrLocked) {
			return locked, err
		}
		if !wait {
			return locked, ErrHeld
		}
		select {
		case <-ctx.Done():
			return locked, ctx.Err()
		case <-ticker.C:
		}
	}
}
