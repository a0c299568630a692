package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vitrine/internal/terminal"
)

// lockFile is in a data directory. Whoever serves it holds a lock on the file, and says in it which process it is and at what
// address; the address stays when the server ends.
const lockFile = "serve.lock"

// servingLock is held by the process that serves a data directory.
type servingLock struct{ *os.File }

// lockServing makes this process the one that serves a data directory, until the lock is closed or the process ends, however it
// ends. The verbs of the operator take no lock: they are transactions like a server's own.
func lockServing(dir string) (servingLock, error) {
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return servingLock{}, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := lockFileOf(f, true); err != nil {
		f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return servingLock{}, fmt.Errorf("lock %s: %w", path, err)
		}
		who := "another server"
		if process, address := served(dir); process != "" {
			who += fmt.Sprintf(" (process %s, %s)", process, address)
		}
		return servingLock{}, fmt.Errorf("%s serves %s; two on one data directory would disturb each other", who, dir)
	}
	return servingLock{f}, nil
}

// announce says where this process serves. It is for people: that it cannot be written takes nothing from the lock.
func (l servingLock) announce(address string) {
	text := fmt.Sprintf("%d %s\n", os.Getpid(), address)
	if _, err := l.WriteAt([]byte(text), 0); err == nil {
		_ = l.Truncate(int64(len(text)))
	}
}

// served tells what process serves or last served a data directory, and at what address; "" where that is not known.
func served(dir string) (process, address string) {
	b, _ := os.ReadFile(filepath.Join(dir, lockFile))
	process, address, _ = strings.Cut(strings.TrimSpace(terminal.Plain(string(b))), " ")
	return process, address
}
