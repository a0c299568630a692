// Package e2e drives the program as it is shipped: the binary, started in an
// empty directory, and a person's browser before it.
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

	"vitrine/internal/vitrinetest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// instance is a running server in a directory of its own.
type instance struct {
	t   *testing.T
	bin string
	dir string
	// places are the flags that say where it keeps what is not in dir.
	places []string
	url    string
	// setUp is the address at which the first account is made.
	setUp string
}

// start builds the program and starts it, and waits until it says where it
// listens.
func start(t *testing.T, flags ...string) *instance {
	t.Helper()
	return startAt(t, nil, flags...)
}

// startAt starts an instance with places of its own.
func startAt(t *testing.T, places []string, flags ...string) *instance {
	t.Helper()
	in := &instance{t: t, bin: filepath.Join(t.TempDir(), "vitrine"), dir: t.TempDir(), places: places}
	if out, err := exec.Command("go", "build", "-o", in.bin, "../cmd/vitrine").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
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
			case <-time.After(10 * time.Second): // nobody reads any more
			}
		}
	}()
	at := regexp.MustCompile(`http://localhost:\d+`)
	setUp := regexp.MustCompile(`http://localhost:\d+/setup/\S+`)
	deadline := time.After(time.Minute)
	for in.setUp == "" {
		select {
		case line := <-lines:
			t.Log(line)
			if a := at.FindString(line); a != "" {
				in.url = a
			}
			in.setUp = setUp.FindString(line)
		case <-deadline:
			t.Fatal("the server did not say where the set-up address is")
		}
	}
	go func() {
		for range lines {
		}
	}()
	return in
}

// vitrine runs a verb on the instance's directory and returns what it prints.
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

// person is someone with a browser of their own.
type person struct {
	t   *testing.T
	ctx context.Context
}

func newPerson(t *testing.T) *person {
	t.Helper()
	vitrinetest.Program(t, "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.UserDataDir(t.TempDir()),
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
		p.t.Fatalf("%v\nthe page: %s", err, p.sees())
	}
}

// sees returns the text of the page.
func (p *person) sees() (text string) {
	_ = chromedp.Run(p.ctx, chromedp.Evaluate(`location.href + "\n" + document.body.innerText.slice(0, 1500)`, &text))
	return text
}

// until waits for a condition in the page, whatever page it is by then: what
// cannot be asked while one page goes and another comes, is asked again.
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
			p.t.Fatalf("not within a minute: %s (%v)\nthe page: %s", condition, err, p.sees())
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

// get asks with a header, as a program does.
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
