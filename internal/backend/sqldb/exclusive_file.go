package sqldb

import (
	"context"
	"errors"
	"os"
	"time"
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
	if err == nil {
		if err = l.take(ctx, f, wait); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		leave()
		return nil, err
	}
	return func() error {
		defer leave()
		return f.Close()
	}, nil
}

func (l *fileLocks) take(ctx context.Context, f *os.File, wait bool) error {
	ticker := time.NewTicker(askAgain)
	defer ticker.Stop()
	for {
		if err := lockFile(f); !errors.Is(err, ErrHeld) || !wait {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
