// Package e2e tests the program as it is shipped: the binary, started in an
// empty directory, and a person's browser.
package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// instance is a running server with its own directory.
type instance struct {
	t   *testing.T
	bin string
	dir string
	// places are the flags for backends outside dir.
	places []string
	url    string
	// setUp is the address for creating the first account.
	setUp string
}

// start builds the program, starts it, and waits until it prints its address.
func start(t *testing.T, flags ...string) *instance {
	t.Helper()
	return startAt(t, nil, flags...)
}

// startAt starts an instance with the given backends.
func startAt(t *testing.T, places []string, flags ...string) *instance {
	t.Helper()
	in := &instance{t: t, bin: filepath.Join(t.TempDir(), "vitrine"), dir: t.TempDir(), places: places}
	if out, err := exec.Command("go", "build", "-o", in.bin, "../cmd/vitrine").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(in.bin, append([]string{"serve", "--data", in.dir, "--listen", "127.0.0.1:0"},
		append(flags, places...)...)...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	lines := make(chan string)
	go func() {
		for in := bufio.NewScanner(said); in.Scan(); {
			select {
			case lines <- in.Text():
			case <-time.After(5 * time.Minute): // nothing reads the output any more
			}
		}
	}()
	at := regexp.MustCompile(`http://localhost:\d+`)
	setUp := regexp.MustCompile(`http://localhost:\d+/setup/\S+`)
	deadline := time.After(5 * time.Minute)
	for in.setUp == "" {
		select {
		case line := <-lines:
			t.Log(line)
			if a := at.FindString(line); a != "" {
				in.url = a
			}
			in.setUp = setUp.FindString(line)
		case <-deadline:
			t.Fatal("the server did not print the set-up address")
		}
	}
	go func() {
		for range lines {
		}
	}()
	return in
}

// vitrine runs a command on the instance's directory and returns its output.
func (in *instance) vitrine(args ...string) string {
	in.t.Helper()
	cmd := exec.Command(in.bin, append(append(args, "--data", in.dir), in.places...)...)
	out, err := cmd.Output()
	if err != nil {
		in.t.Fatalf("vitrine %s: %v\n%s", strings.Join(args, " "), err, err.(*exec.ExitError).Stderr)
	}
	return string(out)
}

// reader is the user agent of a person.
const reader = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// person is a person with their own browser.
type person struct {
	t   *testing.T
	ctx context.Context
}

func newPerson(t *testing.T) *person {
	t.Helper()
	vitrinetest.Program(t, "chromium")
	dir := vitrinetest.Profile(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.UserDataDir(dir), chromedp.Env(vitrinetest.Fonts(t, dir)),
		chromedp.UserAgent(reader), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-blink-features", "AutomationControlled"))
	ctx, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(func() { cancel(); stop(); stopAllocator() })
	p := &person{t, ctx}
	p.do(network.Enable(), emulation.SetFocusEmulationEnabled(true), page.BringToFront(),
		emulation.SetUserAgentOverride(reader).WithUserAgentMetadata(&emulation.UserAgentMetadata{Platform: "Linux",
			Brands: []*emulation.UserAgentBrandVersion{{Brand: "Chromium", Version: "131"},
				{Brand: "Google Chrome", Version: "131"}}}))
	return p
}

func (p *person) do(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatalf("%v\npage: %s", err, p.sees())
	}
}

// sees returns the text of the page.
func (p *person) sees() (text string) {
	_ = chromedp.Run(p.ctx, chromedp.Evaluate(`location.href + "\n" + document.body.innerText.slice(0, 1500)`, &text))
	return text
}

// until waits for a condition in the page. It repeats the question if one page
// is being replaced by another.
func (p *person) until(condition string) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, time.Minute)
	defer stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		var ok bool
		err := chromedp.Run(ctx, chromedp.Evaluate("Boolean("+condition+")", &ok))
		if ok {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.t.Fatalf("not within a minute: %s (%v)\npage: %s", condition, err, p.sees())
		}
	}
}

// shows waits until a text is on the page.
func (p *person) shows(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// value evaluates an expression in the page.
func (p *person) value(expression string) (v string) {
	p.t.Helper()
	p.do(chromedp.Evaluate(expression, &v))
	return v
}

// get sends a request with an Authorization header, like a program.
func (in *instance) get(path, authorization string) (int, string) {
	in.t.Helper()
	req, err := http.NewRequest(http.MethodGet, in.url+path, nil)
	if err != nil {
		in.t.Fatal(err)
	}
	req.Header.Set("Authorization", authorization)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		in.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		in.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
