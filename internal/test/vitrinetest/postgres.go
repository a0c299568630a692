package vitrinetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/test/tier"

	"github.com/jackc/pgx/v5"
)

// PostgresServer is a PostgreSQL server of one test. It sorts texts like a
// human language unless configured otherwise, and ends with this process,
// however that ends.
type PostgresServer struct {
	dir, programs, port string
	credential          *syscall.Credential
	settings            []string

	keeper *exec.Cmd
	tell   io.WriteCloser
	frozen []int // its processes while they are frozen
}

// postgresKeeper runs the server until it is told to stop, or until this
// process is gone, and then removes its files. A frozen server must be resumed
// before it can end.
const postgresKeeper = `"$0" "$@" & pid=$!; read -r keep; kill -QUIT $pid; kill -CONT $pid; wait $pid; [ -n "$keep" ] || rm -rf "$PWD"`

// Postgres starts a server whose commits are durable, and stops it with the
// test.
func Postgres(t testing.TB) *PostgresServer {
	t.Helper()
	s := newPostgres(t)
	t.Cleanup(s.end)
	s.Start(t)
	return s
}

var shared struct {
	sync.Mutex
	server *PostgresServer
}

// PostgresDatabase returns the address of an empty database on a server that
// all tests of this process share. The database is deleted with the test.
func PostgresDatabase(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		s := newPostgres(t)
		s.settings = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=400"}
		s.Start(t)
		shared.server = s
	}
	return shared.server.NewDatabase(t)
}

// newPostgres creates the files of a server.
func newPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	tier.Need(t, tier.Test, "a PostgreSQL server")
	s := &PostgresServer{}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(found) > 0 { // the path on Debian
		s.programs = filepath.Dir(found[len(found)-1])
	} else if found, err := exec.LookPath("postgres"); err == nil {
		s.programs = filepath.Dir(found)
	} else {
		Missing(t, "PostgreSQL")
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "postgres"); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		s.credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	// It sorts text in English order, so that tests detect code that relies on
	// another one.
	init := s.command("initdb", "-D", "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8",
		"--locale-provider=icu",
		"--icu-locale=en", "--no-sync", "--no-instructions")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	return s
}

func (s *PostgresServer) command(program string, args ...string) *exec.Cmd {
	if !strings.Contains(program, "/") {
		program = filepath.Join(s.programs, program)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.credential,
		Setpgid: true} // an interrupt must only reach this process
	return cmd
}

// Start starts the server, also after Stop, and waits until it answers.
func (s *PostgresServer) Start(t testing.TB) {
	t.Helper()
	for range clashes {
		if s.port == "" {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			_, s.port, _ = net.SplitHostPort(l.Addr().String())
			_ = l.Close()
		}
		if s.start(t) {
			return
		}
		if !strings.Contains(s.Log(), "Address already in use") {
			break
		}
		s.stop("keep")
		s.port = ""
	}
	t.Fatalf("PostgreSQL does not answer:\n%s", s.Log())
}

// startWait bounds how long the server may take to answer.
const startWait = 30 * time.Second

func (s *PostgresServer) start(t testing.TB) bool {
	t.Helper()
	args := []string{"-c", postgresKeeper, filepath.Join(s.programs, "postgres"), "-D", "data", "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	s.keeper = s.command("/bin/sh", args...)
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s.keeper.Stdout, s.keeper.Stderr = log, log
	if s.tell, err = s.keeper.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.keeper.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	for ticker := time.NewTicker(10 * time.Millisecond); ; {
		c, err := pgx.Connect(ctx, s.URL())
		if err == nil {
			ticker.Stop()
			return c.Close(ctx) == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
			if strings.Contains(s.Log(), "FATAL:  could not") {
				return false
			}
		}
	}
}

// Stop kills the server, like a power failure without lost writes, and waits
// until it is gone.
func (s *PostgresServer) Stop(t testing.TB) {
	t.Helper()
	s.stop("keep")
}

func (s *PostgresServer) stop(word string) {
	if s.keeper == nil {
		return
	}
	if word != "" {
		_, _ = io.WriteString(s.tell, word+"\n")
	}
	_ = s.tell.Close()
	_ = s.keeper.Wait()
	s.keeper = nil
}

func (s *PostgresServer) end() {
	s.stop("")
	_ = os.RemoveAll(s.dir)
}

// Freeze suspends every process of the server: the system accepts connections,
// but the server answers nothing until Thaw.
func (s *PostgresServer) Freeze(t testing.TB) {
	t.Helper()
	var first int
	pids, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	if err == nil {
		_, err = fmt.Sscan(string(pids), &first)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Thaw(t) })
	// The first process starts the others. While it is suspended there are no
	// new ones, not even one that is not yet in pg_stat_activity.
	s.stopProcess(t, first)
	for _, pid := range childrenOf(t, first) {
		s.stopProcess(t, pid)
	}
}

// stopProcess suspends a process and waits until it is suspended or has ended.
func (s *PostgresServer) stopProcess(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); errors.Is(err, syscall.ESRCH) {
		return
	} else if err != nil {
		t.Fatal(err)
	}
	s.frozen = append(s.frozen, pid)
	for end := time.Now().Add(startWait); ; time.Sleep(time.Millisecond) {
		state, _, err := processState(pid)
		if err != nil || state == "T" || state == "Z" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d is in state %s after SIGSTOP", pid, state)
		}
	}
}

// childrenOf returns the child processes of a process.
func childrenOf(t testing.TB, parent int) (pids []int) {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		if _, of, err := processState(pid); err == nil && of == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processState returns the state of a process, such as S or T, and its parent.
func processState(pid int) (state string, parent int, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		// The name in parentheses may contain spaces and parentheses.
		_, err = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
	}
	return state, parent, err
}

// Thaw resumes a frozen server.
func (s *PostgresServer) Thaw(t testing.TB) {
	t.Helper()
	for _, pid := range s.frozen {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
	}
	s.frozen = nil
}

// Log returns the log of the server since its start.
func (s *PostgresServer) Log() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(b)
}

// URL returns the address of a database that always exists.
func (s *PostgresServer) URL() string { return s.url("postgres") }

func (s *PostgresServer) url(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: net.JoinHostPort("127.0.0.1", s.port),
		Path:     "/" + database,
		RawQuery: "sslmode=disable"}
	return u.String()
}

// Do runs statements one by one in the database that always exists.
func (s *PostgresServer) Do(statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	c, err := pgx.Connect(ctx, s.URL())
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err = c.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			err = fmt.Errorf("%s: %w", statement, err)
			break
		}
	}
	return errors.Join(err, c.Close(ctx))
}

var databases atomic.Int64

// NewDatabase creates an empty database and returns its address. The database
// is deleted with the test.
func (s *PostgresServer) NewDatabase(t testing.TB) string {
	t.Helper()
	return s.newDatabase(t, "")
}

// NewDatabaseIn creates a database with its files in a directory, such as one
// of [SmallFileSystem].
func (s *PostgresServer) NewDatabaseIn(t testing.TB, dir string) string {
	t.Helper()
	if s.credential != nil {
		err := errors.Join(os.Chown(dir, int(s.credential.Uid), int(s.credential.Gid)),
			os.Chmod(filepath.Dir(dir), 0o711))
		if err != nil {
			t.Fatal(err)
		}
	}
	space := fmt.Sprintf("space%d", databases.Add(1))
	if err := s.Do("CREATE TABLESPACE " + space + " LOCATION '" + dir + "'"); err != nil {
		t.Fatal(err)
	}
	return s.newDatabase(t, " TABLESPACE "+space)
}

func (s *PostgresServer) newDatabase(t testing.TB, options string) string {
	t.Helper()
	name := fmt.Sprintf("test%d", databases.Add(1))
	if err := s.Do("CREATE DATABASE " + name + options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.keeper == nil {
			return
		}
		if err := s.Do("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			t.Errorf("drop the database: %v\n%s", err, s.Log())
		}
	})
	return s.url(name)
}
