// Package bench measures the program from outside, each figure beside a reference in the same run: go test -bench . ./bench
package bench

import (
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
)

// build makes the binary once.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "vitrine-bench")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "vitrine")
	cmd := exec.Command("go", "build", "-trimpath", "-o", bin, "vitrine/cmd/vitrine")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	return bin, nil
})

// process is a server under measurement.
type process struct {
	cmd *exec.Cmd
	url string
}

// start runs a server and waits until path answers 200.
func start(b *testing.B, url, path string, name string, args ...string) *process {
	b.Helper()
	cmd := exec.Command(name, args...)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(10 * time.Second); ; {
		res, err := http.Get(url + path)
		if err == nil {
			res.Body.Close()
			return &process{cmd: cmd, url: url}
		}
		if time.Now().After(deadline) {
			b.Fatalf("%s does not answer: %v\n%s", name, err, log.String())
		}
		time.Sleep(time.Millisecond)
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

// memory reads a member of the process's status, such as VmHWM (peak) or VmRSS, in MiB.
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
			return kib / 1024
		}
	}
	b.Fatalf("no %s", member)
	return 0
}

// instance is a running vitrine with one Lifetime account.
type instance struct {
	*process
	b    *testing.B
	bin  string
	data string
	key  string
}

func newInstance(b *testing.B) *instance {
	b.Helper()
	bin, err := build()
	if err != nil {
		b.Fatal(err)
	}
	i := &instance{b: b, bin: bin, data: b.TempDir()}
	var account struct {
		APIKey string `json:"apiKey"`
	}
	out := i.run("account", "create", "owner@example.org", "--plan", "lifetime", "--json")
	if err := json.Unmarshal(out, &account); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	i.key = account.APIKey
	i.serve()
	return i
}

func (i *instance) serve() {
	i.b.Helper()
	addr := freePort(i.b)
	i.process = start(i.b, "http://"+addr, "/readyz", i.bin, "serve", "--data", i.data, "--listen", addr, "--public-url", "http://"+addr)
}

// run runs an operator's verb.
func (i *instance) run(args ...string) []byte {
	i.b.Helper()
	cmd := exec.Command(i.bin, append(args, "--data", i.data)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		i.b.Fatalf("%v: %v: %s", args, err, stderr.String())
	}
	return out
}

// call asks the API and decodes the answer.
func (i *instance) call(method, path, body string, into any) {
	i.b.Helper()
	req, err := http.NewRequest(method, i.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		i.b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+i.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if err := do(req, into); err != nil {
		i.b.Fatal(err)
	}
}

func do(req *http.Request, into any) error {
	res, err := http.DefaultClient.Do(req)
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
