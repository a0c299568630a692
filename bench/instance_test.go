package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/bench/dataset"
)

// program is the binary under test: the one that VITRINE_BENCH_BIN names, or
// one built from this tree.
var program = sync.OnceValues(func() (string, error) {
	if bin := os.Getenv("VITRINE_BENCH_BIN"); bin != "" {
		return bin, nil
	}
	out, _ := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	return build("..", "./cmd/vitrine", "CGO_ENABLED=0", "-ldflags",
		"-s -w -X main.version="+cmp.Or(strings.TrimSpace(string(out)), "dev"))
})

// runner is the server of ClickHouse's engine (tools/chdbserver).
var runner = sync.OnceValues(func() (string, error) { return build("../tools/chdbserver", ".", "CGO_ENABLED=0") })

// build builds a command of the module in dir.
func build(dir, path, env string, flags ...string) (string, error) {
	to, err := os.MkdirTemp("", "vitrine-bench-bin-")
	if err != nil {
		return "", err
	}
	atEnd(func() { os.RemoveAll(to) })
	bin := filepath.Join(to, "program")
	cmd := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", bin}, flags...), path)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %v: %s", path, err, out)
	}
	return bin, nil
}

// scratch returns a temporary directory beside the datasets. It is on disk,
// while /tmp may be in memory.
func scratch(b *testing.B) string {
	b.Helper()
	dir, err := dataset.Dir()
	if err == nil {
		dir, err = os.MkdirTemp(dir, "run-")
	}
	if err != nil {
		b.Fatal(err)
	}
	atEnd(func() { os.RemoveAll(dir) })
	return dir
}

// process is a server under test.
type process struct {
	cmd *exec.Cmd
	url string
}

// start starts a server and waits until path is answered.
func start(b *testing.B, url, path string, name string, args ...string) *process {
	b.Helper()
	p := &process{cmd: exec.Command(name, args...), url: url}
	var log strings.Builder
	p.cmd.Stdout, p.cmd.Stderr = &log, &log
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	atEnd(p.stop)
	for deadline := time.Now().Add(time.Minute); ; {
		res, err := http.Get(url + path)
		if err == nil {
			res.Body.Close()
			return p
		}
		if time.Now().After(deadline) {
			p.stop()
			b.Fatalf("%s does not answer: %v\n%s", name, err, log.String())
		}
		time.Sleep(time.Millisecond)
	}
}

// stop stops the server. It may be called again.
func (p *process) stop() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Signal(os.Interrupt)
		_ = p.cmd.Wait()
	}
}

func freePort(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// memory reads a member of the process's status, such as VmHWM (peak) or VmRSS,
// in bytes.
func (p *process) memory(b *testing.B, member string) float64 {
	b.Helper()
	s, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(s)) {
		if v, ok := strings.CutPrefix(line, member+":"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(v)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib * 1024
		}
	}
	b.Fatalf("no %s", member)
	return 0
}

// waitIdle waits until the server has been idle for two seconds, so that its
// background work after an import is done.
func (p *process) waitIdle(b *testing.B) {
	b.Helper()
	before, idle := p.busy(b), 0
	for deadline := time.Now().Add(time.Hour); idle < 4; {
		if time.Now().After(deadline) {
			b.Fatal("the server is not idle after an hour")
		}
		time.Sleep(500 * time.Millisecond)
		now := p.busy(b)
		if idle++; now-before > 3 { // 6 %
			idle = 0
		}
		before = now
	}
}

// busy returns the CPU time of the process in clock ticks.
func (p *process) busy(b *testing.B) int64 {
	b.Helper()
	s, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	f := strings.Fields(string(s[strings.LastIndexByte(string(s), ')')+1:]))
	user, err1 := strconv.ParseInt(f[11], 10, 64)
	system, err2 := strconv.ParseInt(f[12], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	return user + system
}

// instance is a data directory with its server, if that runs, and its accounts'
// keys.
type instance struct {
	*process
	bin  string
	data string
	keys []string
}

// newInstance creates an instance with Lifetime accounts, without a server.
func newInstance(b *testing.B, emails ...string) *instance {
	b.Helper()
	bin, err := program()
	if err != nil {
		b.Fatal(err)
	}
	i := &instance{bin: bin, data: filepath.Join(scratch(b), "data")}
	for _, email := range emails {
		var account struct {
			APIKey string `json:"apiKey"`
		}
		out := i.run(b, nil, "admin", "account", "create", email, "--plan", "lifetime", "--json")
		if err := json.Unmarshal(out, &account); err != nil {
			b.Fatalf("account create: %v: %s", err, out)
		}
		i.keys = append(i.keys, account.APIKey)
	}
	return i
}

func (i *instance) serve(b *testing.B) {
	b.Helper()
	addr := freePort(b)
	i.process = start(b, "http://"+addr, "/readyz", i.bin, "serve", "--data", i.data, "--listen", addr, "--public-url",
		"http://"+addr)
}

// run runs an administrator's command.
func (i *instance) run(b *testing.B, env []string, args ...string) []byte {
	b.Helper()
	cmd := exec.Command(i.bin, append(args, "--data", i.data)...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %v: %s", args, err, stderr.String())
	}
	return out
}

// call sends a request to the API as an account and decodes the answer.
func (i *instance) call(b *testing.B, account int, method, path, body string, into any) {
	b.Helper()
	if err := i.try(account, method, path, body, into); err != nil {
		b.Fatal(err)
	}
}

func (i *instance) try(account int, method, path, body string, into any) error {
	req, err := http.NewRequest(method, i.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+i.keys[account])
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return do(req, into)
}

// client keeps as many connections as any benchmark has.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func do(req *http.Request, into any) error {
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return errors.New(res.Status + ": " + string(b))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(b, into)
}
