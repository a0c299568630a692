package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

var errNoPostgres = errors.New("not installed")

// postgresSettings suit such a machine and 32 connections that each keep one
// core busy. Durability is not needed.
var postgresSettings = []string{"unix_socket_directories=", "listen_addresses=127.0.0.1", "fsync=off",
	"synchronous_commit=off", "full_page_writes=off",
	"max_wal_size=8GB", "shared_buffers=2GB", "work_mem=64MB", "maintenance_work_mem=512MB", "effective_cache_size=8GB",
	"random_page_cost=1.1",
	"max_parallel_workers_per_gather=0", "jit=off", "max_connections=100"}

// startPostgres starts a PostgreSQL server and returns its address. As root it
// starts it as the user postgres, because PostgreSQL refuses to run as root.
func startPostgres(b *testing.B) (dsn string, stop func(), err error) {
	b.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		return "", nil, errNoPostgres
	}
	slices.Sort(found)
	bin := found[len(found)-1]
	dir, err := os.MkdirTemp("", "vitrine-bench-pg-") // not with the datasets, which another user may not read
	if err != nil {
		return "", nil, err
	}
	fail := func(err error) (string, func(), error) { return "", nil, errors.Join(err, os.RemoveAll(dir)) }
	attr := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		if attr.Credential, err = credential("postgres"); err != nil {
			return fail(err)
		}
		if err := os.Chown(dir, int(attr.Credential.Uid), int(attr.Credential.Gid)); err != nil {
			return fail(err)
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = attr, dir
		return cmd
	}
	data := filepath.Join(dir, "data")
	if out, err := command("initdb", "-D", data, "-A", "trust", "-U", "bench", "-E", "UTF8", "--locale=C.UTF-8",
		"--no-sync").CombinedOutput(); err != nil {
		return fail(fmt.Errorf("initdb: %w: %s", err, out))
	}
	host, port := "127.0.0.1", freePort(b)[len("127.0.0.1:"):]
	args := []string{"-D", data, "-p", port}
	for _, s := range postgresSettings {
		args = append(args, "-c", s)
	}
	server := command("postgres", args...)
	if err := server.Start(); err != nil {
		return fail(err)
	}
	stop = func() {
		_ = server.Process.Signal(syscall.SIGINT) // without waiting for connections
		_ = server.Wait()
		os.RemoveAll(dir)
	}
	for deadline := time.Now().Add(time.Minute); command("pg_isready", "-q", "-h", host, "-p", port).Run() != nil; {
		if time.Now().After(deadline) {
			stop()
			return "", nil, errors.New("PostgreSQL does not answer")
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Sprintf("postgres://bench@%s:%s/postgres?sslmode=disable", host, port), stop, nil
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
}
