package vitrinetest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ClamdMarker is a text that Clamd's databases detect as Vitrine.Test.Marker.
const ClamdMarker = "vitrine-test-marker-3f9a61"

// EICAR returns the test file that every scanner detects; Clamd as
// Eicar-Test-Signature. It is assembled here, so that no scanner finds it in
// the source or in the test binary.
func EICAR() []byte {
	return []byte(strings.Join([]string{`X5O!P%@AP[4\PZX54(P^)`, `7CC)7}$EICAR-STAND`, `ARD-ANTIVIRUS-TEST-`,
		`FILE!$H+H*`}, ""))
}

// ClamdDaemon is a real clamd of one test, with a small database, on a Unix
// socket and a TCP port.
type ClamdDaemon struct {
	Socket string // its path
	TCP    string // host:port

	dir, program string
	settings     map[string]string

	mu      sync.Mutex
	changed *sync.Cond
	lines   []string // of its log since its start
	ended   bool
	cmd     *exec.Cmd
}

// Clamd starts a clamd and stops it with the test. A setting is a line of
// clamd.conf, which replaces the default of the same name.
func Clamd(t testing.TB, settings ...string) *ClamdDaemon {
	t.Helper()
	program := Program(t, "clamd", "/usr/sbin/clamd")
	dir, err := os.MkdirTemp("", "clamd") // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := &ClamdDaemon{Socket: filepath.Join(dir, "clamd.ctl"), dir: dir, program: program}
	d.changed = sync.NewCond(&d.mu)
	for _, sub := range []string{"db", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.settings = map[string]string{"Foreground": "yes", "LogVerbose": "yes", "DatabaseDirectory": dir + "/db",
		"TemporaryDirectory": dir + "/tmp",
		"LocalSocket":        d.Socket, "TCPAddr": "127.0.0.1", "AlertExceedsMax": "yes", "MaxThreads": "4"}
	if os.Geteuid() == 0 {
		d.settings["User"] = "root"
	}
	d.Database(t, "local.ndb", []byte(ClamdSignature("Eicar-Test-Signature", string(EICAR()))+
		ClamdSignature("Vitrine.Test.Marker", ClamdMarker)))
	d.Set(t, settings...)
	t.Cleanup(d.kill)
	d.Start(t)
	return d
}

// Set changes settings, which apply from the next Start on.
func (d *ClamdDaemon) Set(t testing.TB, settings ...string) {
	t.Helper()
	for _, s := range settings {
		name, value, ok := strings.Cut(s, " ")
		if !ok {
			t.Fatalf("%q is not a line of clamd.conf", s)
		}
		d.settings[name] = value
	}
}

// Database writes a file of the database directory, which applies from the next
// Start or Reload on.
func (d *ClamdDaemon) Database(t testing.TB, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, "db", name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ClamdSignature returns a line of an .ndb database: a name for every file that
// contains text.
func ClamdSignature(name, text string) string { return fmt.Sprintf("%s:0:*:%x\n", name, text) }

// ClamdDaily returns a daily.cud, from which clamd takes the number of its
// database, with signatures in .ndb lines.
func ClamdDaily(t testing.TB, number int, signatures string) []byte {
	t.Helper()
	const made = "21 Nov 2026 12-00 +0000"
	info := fmt.Sprintf("ClamAV-VDB:%s:%d:1:90:X:X:test:1795262400\ndaily.ndb:%d:%x\n", made, number, len(signatures),
		sha256.Sum256([]byte(signatures)))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, f := range [][2]string{{"COPYING", "test\n"}, {"daily.info", info}, {"daily.ndb", signatures}} {
		err := w.WriteHeader(&tar.Header{Name: f[0], Size: int64(len(f[1])), Mode: 0o600, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("ClamAV-VDB:%s:%d:1:90:%x:X:test:1795262400", made, number, md5.Sum(packed.Bytes()))
	return append(fmt.Appendf(nil, "%-512s", head), packed.Bytes()...)
}

// clashes is how many ports are tried if other processes take them.
const clashes = 5

// Start starts the daemon, also after Kill, and waits until it listens.
func (d *ClamdDaemon) Start(t testing.TB) {
	t.Helper()
	if d.TCP != "" {
		if !d.start(t) {
			t.Fatalf("clamd ended:\n%s", d.Log())
		}
		return
	}
	for range clashes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		d.TCP = l.Addr().String()
		_, d.settings["TCPSocket"], _ = net.SplitHostPort(d.TCP)
		_ = l.Close()
		if d.start(t) {
			return
		}
		if !strings.Contains(d.Log(), "Address already in use") {
			break
		}
	}
	t.Fatalf("clamd ended:\n%s", d.Log())
}

// start starts the daemon and reports whether it is still running.
func (d *ClamdDaemon) start(t testing.TB) bool {
	t.Helper()
	var conf strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.settings)) {
		fmt.Fprintln(&conf, name, d.settings[name])
	}
	file := filepath.Join(d.dir, "clamd.conf")
	if err := os.WriteFile(file, []byte(conf.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(d.program, "-c", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.cmd, d.lines, d.ended = cmd, nil, false
	d.mu.Unlock()
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			d.note(func() { d.lines = append(d.lines, lines.Text()) })
		}
		_ = cmd.Wait()
		d.note(func() { d.ended = true })
	}()
	return d.await(0, "Self checking")
}

func (d *ClamdDaemon) note(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
	d.changed.Broadcast()
}

// await waits for a line of the log, from the given line on. It reports whether
// the line appeared before the daemon ended.
func (d *ClamdDaemon) await(from int, text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		if slices.ContainsFunc(d.lines[from:], func(l string) bool { return strings.Contains(l, text) }) {
			return true
		}
		if d.ended {
			return false
		}
		d.changed.Wait()
	}
}

// Log returns the log of the daemon since its start.
func (d *ClamdDaemon) Log() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

// Reload makes the daemon read its databases again, and waits until it uses
// them.
func (d *ClamdDaemon) Reload(t testing.TB) {
	t.Helper()
	d.mu.Lock()
	from := len(d.lines)
	d.mu.Unlock()
	c, err := net.Dial("unix", d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("zRELOAD\x00")); err != nil {
		t.Fatal(err)
	}
	if !d.await(from, "Activating the newly loaded database") {
		t.Fatalf("clamd ended:\n%s", d.Log())
	}
}

// Kill kills the daemon with SIGKILL and waits until it is gone.
func (d *ClamdDaemon) Kill(t testing.TB) {
	t.Helper()
	d.kill()
}

func (d *ClamdDaemon) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Kill()
	for !d.ended {
		d.changed.Wait()
	}
}
