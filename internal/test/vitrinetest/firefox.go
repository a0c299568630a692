package vitrinetest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// firefoxSettings turn off the network requests that Firefox makes by itself.
const firefoxSettings = `user_pref("app.normandy.enabled", false);
user_pref("app.update.enabled", false);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("browser.search.update", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("focusmanager.testmode", true);
user_pref("media.autoplay.default", 0);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("toolkit.telemetry.enabled", false);
user_pref("ui.prefersReducedMotion", 1);
`

// firefoxPerson removes the signs of automation from Firefox, so that views in
// tests count as a person's.
const firefoxPerson = `() => Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false })`

// firefoxPatience is how long a command or a condition may take before the test
// fails.
const firefoxPatience = 2 * time.Minute

// Firefox is a headless Firefox, driven with WebDriver BiDi
// (https://w3c.github.io/webdriver-bidi/), which it implements itself.
type Firefox struct {
	t    testing.TB
	conn net.Conn

	mu      sync.Mutex
	last    int
	answers map[int]chan bidiMessage
	logs    map[string][]string // errors of pages by tab
	ended   error
}

// bidiMessage is an answer or an event.
type bidiMessage struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	Method  string          `json:"method"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Result  json.RawMessage `json:"result"`
	Params  json.RawMessage `json:"params"`
}

// StartFirefox starts Firefox for one test.
func StartFirefox(t testing.TB) *Firefox {
	t.Helper()
	program := Program(t, "firefox-esr", "firefox")
	dir, err := os.MkdirTemp("", "firefox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "user.js"), []byte(firefoxSettings), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-remote", "--profile", dir, "--remote-debugging-port",
		"0")
	cmd.Env = append(os.Environ(), "HOME="+dir, "MOZ_DISABLE_CONTENT_SANDBOX=1",
		Fonts(t, dir))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		t.Fatalf("start Firefox: %v", err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	b := &Firefox{t: t, answers: map[int]chan bidiMessage{}, logs: map[string][]string{}}
	address := listening(t, bufio.NewScanner(said))
	if b.conn, _, _, err = ws.Dial(ctx, address+"/session"); err != nil {
		t.Fatalf("connect to Firefox at %s: %v", address, err)
	}
	t.Cleanup(func() { _ = b.conn.Close() })
	go b.read()
	b.call("session.new", map[string]any{"capabilities": map[string]any{}}, nil)
	b.call("script.addPreloadScript", map[string]any{"functionDeclaration": firefoxPerson}, nil)
	b.call("session.subscribe", map[string]any{"events": []string{"log.entryAdded"}}, nil)
	return b
}

// listening waits until Firefox prints its address, and continues to read its
// output.
func listening(t testing.TB, lines *bufio.Scanner) string {
	t.Helper()
	found := make(chan string, 1)
	go func() {
		defer close(found)
		for lines.Scan() {
			if _, address, ok := strings.Cut(lines.Text(), "WebDriver BiDi listening on "); ok {
				found <- strings.TrimSpace(address)
			}
		}
	}()
	select {
	case address, ok := <-found:
		if ok {
			return address
		}
	case <-time.After(firefoxPatience):
	}
	t.Fatal("Firefox printed no address")
	return ""
}

// read delivers answers to their callers, and stores the errors of pages.
func (b *Firefox) read() {
	for {
		text, err := wsutil.ReadServerText(b.conn)
		var m bidiMessage
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		b.mu.Lock()
		if err != nil {
			b.ended = err
			for id, answer := range b.answers {
				close(answer)
				delete(b.answers, id)
			}
			b.mu.Unlock()
			return
		}
		if m.Type == "event" {
			b.note(m)
		} else if answer := b.answers[m.ID]; answer != nil {
			answer <- m
			delete(b.answers, m.ID)
		}
		b.mu.Unlock()
	}
}

func (b *Firefox) note(m bidiMessage) {
	var entry struct {
		Level  string `json:"level"`
		Text   string `json:"text"`
		Source struct {
			Context string `json:"context"`
		} `json:"source"`
	}
	if json.Unmarshal(m.Params, &entry) == nil && entry.Level == "error" {
		b.logs[entry.Source.Context] = append(b.logs[entry.Source.Context], entry.Text)
	}
}

// try sends a command and waits for its answer.
func (b *Firefox) try(method string, params, result any) error {
	b.mu.Lock()
	b.last++
	id, answer := b.last, make(chan bidiMessage, 1)
	b.answers[id] = answer
	ended := b.ended
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err == nil && ended == nil {
		err = wsutil.WriteClientText(b.conn, text)
	}
	b.mu.Unlock()
	if ended != nil || err != nil {
		return fmt.Errorf("%s: %v, %v", method, ended, err)
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: Firefox has ended", method)
		case m.Type != "success":
			return fmt.Errorf("%s: %s: %s", method, m.Error, m.Message)
		case result != nil:
			return json.Unmarshal(m.Result, result)
		}
		return nil
	case <-time.After(firefoxPatience):
		return fmt.Errorf("%s: no answer", method)
	}
}

func (b *Firefox) call(method string, params, result any) {
	b.t.Helper()
	if err := b.try(method, params, result); err != nil {
		b.t.Fatal(err)
	}
}
