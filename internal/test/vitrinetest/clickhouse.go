package vitrinetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/test/tier"
)

// chdbVersion is the version of the npm package @chdb/lib-linux-x64-gnu,
// ClickHouse's engine as a library, that tools/test.sh installs.
const chdbVersion = "26.5.3"

// ClickHouseServer is a real ClickHouse engine with its HTTP interface, on a
// directory. It runs one statement at a time, and has neither users nor
// replicas.
type ClickHouseServer struct {
	Addr string // host:port, the same after each Start

	dir, program, library string
	databases             atomic.Int64

	mu    sync.Mutex
	stdin io.WriteCloser
	ended chan struct{}
}

// ClickHouse starts a server and stops it with the test.
func ClickHouse(t testing.TB) *ClickHouseServer {
	t.Helper()
	s := newClickHouse(t)
	t.Cleanup(func() { s.end("") })
	s.Start(t)
	return s
}

// SharedClickHouse returns a server that the whole test binary shares.
func SharedClickHouse(t testing.TB) *ClickHouseServer {
	t.Helper()
	clickHouseOnce.Do(func() {
		s := newClickHouse(t)
		if s.Start(t); !t.Failed() {
			sharedClickHouse = s
		}
	})
	if sharedClickHouse == nil {
		tier.Need(t, tier.Test, "a ClickHouse server")
		t.Fatal("ClickHouse did not start for an earlier test")
	}
	return sharedClickHouse
}

func (s *ClickHouseServer) address(database string) string {
	return "clickhouse://" + s.Addr + "/" + database
}

var (
	clickHouseOnce   sync.Once
	sharedClickHouse *ClickHouseServer
)

func newClickHouse(t testing.TB) *ClickHouseServer {
	t.Helper()
	tier.Need(t, tier.Test, "a ClickHouse server")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(cache, "vitrine", "chdb-"+chdbVersion, "node_modules", "@chdb", "lib-linux-x64-gnu",
		"libchdb.so")
	if _, err := os.Stat(library); err != nil {
		Missing(t, "ClickHouse's engine (make test installs it)")
	}
	dir, err := os.MkdirTemp("", "clickhouse")
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "vitrine").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &ClickHouseServer{Addr: "127.0.0.1:0", dir: dir, program: filepath.Join(dir, "chdbserver"), library: library}
	build := exec.Command("go", "build", "-o", s.program, ".")
	build.Dir = filepath.Join(strings.TrimSpace(string(root)), "tools", "chdbserver")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		t.Fatalf("build the server of ClickHouse's engine: %v\n%s", err, out)
	}
	return s
}

// Start starts the server, again after Stop, and waits until it listens.
func (s *ClickHouseServer) Start(t testing.TB) {
	t.Helper()
	// The server ends when its standard input is closed, and so with this
	// process, and removes its files.
	cmd := exec.Command(s.program, s.library, s.dir, s.Addr)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		_ = cmd.Wait()
		t.Fatalf("ClickHouse did not start: %v\n%s", err, stderr.String())
	}
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Addr, s.stdin, s.ended = addr, stdin, ended
}

// Stop kills the server, even during queries, and waits until it is gone.
// Acknowledged data is kept.
func (s *ClickHouseServer) Stop() { s.end("keep\n") }

// end ends the server after writing a word to it.
func (s *ClickHouseServer) end(word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stdin == nil && word == "" {
		_ = os.RemoveAll(s.dir)
	}
	if s.stdin != nil {
		_, _ = io.WriteString(s.stdin, word)
		_ = s.stdin.Close()
		<-s.ended
		s.stdin = nil
	}
}

// Database creates a database for the test and returns its address.
func (s *ClickHouseServer) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.databases.Add(1))
	s.Exec(t, "CREATE DATABASE "+name)
	t.Cleanup(func() { _, _ = s.exec("DROP DATABASE IF EXISTS " + name) })
	return s.address(name)
}

// Exec runs a statement and returns its tab-separated result.
func (s *ClickHouseServer) Exec(t testing.TB, sql string) string {
	t.Helper()
	answer, err := s.exec(sql)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func (s *ClickHouseServer) exec(sql string) (string, error) {
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(limited, http.MethodPost, "http://"+s.Addr+"/", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(string(b))
	}
	return string(b), err
}
