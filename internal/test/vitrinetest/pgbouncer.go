package vitrinetest

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// PgBouncer starts a connection pooler in a mode (session, transaction) for the
// server of an address, and stops it with the test. It returns the pooler's
// address.
func PgBouncer(t testing.TB, place, mode string) string {
	t.Helper()
	program := Program(t, "pgbouncer", "/usr/sbin/pgbouncer")
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pgbouncer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server := u.Host
	_, port, _ := net.SplitHostPort(server)
	for range clashes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, own, _ := net.SplitHostPort(l.Addr().String())
		_ = l.Close()
		settings := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%s user=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
			"auth_type = any\npool_mode = %s\ndefault_pool_size = 60\n", port, u.User.Username(), own, mode)
		if err := os.WriteFile(filepath.Join(dir, "ini"), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		u.Host = net.JoinHostPort("127.0.0.1", own)
		output := &outputBuffer{}
		cmd := exec.Command(program, filepath.Join(dir, "ini"))
		cmd.Stderr = output
		if os.Geteuid() == 0 { // PgBouncer refuses to run as root
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
		if answers(u.Host, ended) {
			return u.String()
		}
		if !strings.Contains(output.String(), "in use") {
			t.Fatalf("PgBouncer does not answer:\n%s", output)
		}
	}
	t.Fatal("PgBouncer finds no free port")
	return ""
}

// answers waits until a process listens at an address. It returns false if the
// process has ended.
func answers(address string, ended <-chan struct{}) bool {
	late := time.After(startWait)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		if c, err := net.Dial("tcp", address); err == nil {
			tick.Stop()
			return c.Close() == nil
		}
		select {
		case <-ended:
			return false
		case <-late:
			return false
		case <-tick.C:
		}
	}
}

// outputBuffer collects the output of a running program.
type outputBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *outputBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *outputBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
