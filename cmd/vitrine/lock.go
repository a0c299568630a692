package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockServing makes this process the one that serves a data directory, until the returned file is closed or the process ends,
// however it ends. The verbs of the operator take no lock: they are transactions like a server's own.
func lockServing(dir string) (io.Closer, error) {
	path := filepath.Join(dir, "serve.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		holder, _ := io.ReadAll(io.LimitReader(f, 32))
		return nil, fmt.Errorf("another server (process %s) serves %s; two on one data directory would disturb each other",
			strings.TrimSpace(string(holder)), dir)
	}
	// For the message above; that it cannot be written takes nothing from the lock.
	if f.Truncate(0) == nil {
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}
