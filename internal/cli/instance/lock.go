package instance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vitrine/internal/base/durable"
	"vitrine/internal/cli/terminal"
)

// LockFile is in a data directory. Anyone who serves it holds a lock on the
// file, and writes its process ID and its address into it; the address stays
// when the server ends. The file alone locks nothing. It is never deleted, even
// if a server fails to start: another process may have opened the deleted file,
// and a third would then lock a new one.
const LockFile = "serve.lock"

// ServingLock is held by the process that serves a data directory.
type ServingLock struct{ durable.Locked }

// LockServing makes this process the one that serves a data directory, until
// the lock is closed or the process ends, however it ends. Administrator
// commands take no lock, because they use the same transactions as a server.
func LockServing(dir string) (ServingLock, error) {
	path := filepath.Join(dir, LockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return ServingLock{}, fmt.Errorf("lock the data directory: %w", err)
	}
	l, err := durable.Lock(f, durable.Hold{})
	if err != nil {
		f.Close()
		if !errors.Is(err, durable.ErrLocked) {
			return ServingLock{}, fmt.Errorf("lock %s: %w", path, err)
		}
		who := "another server"
		if process, address := LastServer(dir); process != "" {
			who += fmt.Sprintf(" (process %s, %s)", process, address)
		}
		return ServingLock{}, fmt.Errorf("%s serves %s. Stop it first: two on one data directory would disturb each other", who, dir)
	}
	return ServingLock{l}, nil
}

// Announce records where this process serves. It is for people: that it cannot
// be written takes nothing from the lock.
func (l ServingLock) Announce(address string) {
	text := fmt.Sprintf("%d %s\n", os.Getpid(), address)
	if _, err := l.WriteAt([]byte(text), 0); err == nil {
		_ = l.Truncate(int64(len(text)))
	}
}

// LastServer returns the process that serves or last served a data directory,
// and its address. Unknown values are "".
func LastServer(dir string) (process, address string) {
	b, _ := os.ReadFile(filepath.Join(dir, LockFile))
	process, address, _ = strings.Cut(strings.TrimSpace(terminal.Plain(string(b))), " ")
	return process, address
}
