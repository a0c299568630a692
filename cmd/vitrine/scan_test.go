package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/test/vitrinetest"
)

// state waits until a link is in a state for a reason.
func (h *held) state(c *client.Client, slug, want, reason string) {
	h.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 1200 {
		for l, err := range c.AllLinks(h.t.Context(), client.Query{}) {
			if err != nil {
				h.t.Fatal(err)
			}
			if l.Slug == slug && l.Status == want && l.Reason == reason {
				return
			}
		}
		<-tick.C
	}
	h.t.Fatalf("after a minute link %s is not %s (%s)", slug, want, reason)
}

// TestScanning runs the program with a real clamd. Malware is refused. What
// cannot be scanned waits, even after a kill -9, and is scanned as soon as it
// can be. The log reports the state.
func TestScanning(t *testing.T) {
	t.Parallel()
	d := vitrinetest.Clamd(t)
	h := &held{t: t, data: t.TempDir(), settings: []string{"VITRINE_CLAMD=unix:" + d.Socket}}
	k := &killed{t: t, data: h.data}
	key := strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	clip, err := os.ReadFile("../../internal/test/webtest/testdata/clip.webm")
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, content []byte) (client.Link, *client.Client, error) {
		t.Helper()
		c, err := client.New(h.url, key, client.WithAttempts(1))
		if err != nil {
			t.Fatal(err)
		}
		l, err := c.Upload(t.Context(), client.File{Name: name, Size: int64(len(content)),
			Content: bytes.NewReader(content)}, client.Options{})
		return l, c, err
	}

	h.serve()
	h.wait(`scanner clamd="(clamd at unix:[^"]+ClamAV[^"]+)"`)
	var refusal *client.Error
	if _, _, err := put("eicar.txt", vitrinetest.EICAR()); !errors.As(err, &refusal) || refusal.Code != "malware" ||
		refusal.Reason != "malware" {
		t.Errorf("upload of EICAR: %v, want malware", err)
	}
	l, c, err := put("clip.webm", clip)
	if err != nil || !l.Processing {
		t.Fatalf("upload of a video: %+v, %v, want it to be processing", l, err)
	}
	h.state(c, l.Slug, "live", "")
	required := filepath.Join(t.TempDir(), "required.webm")
	if err := os.WriteFile(required, append(clip, 0, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	putLive := exec.Command("vitrine", "put", "--require-live", "--json", required)
	putLive.Env = append(os.Environ(), "VITRINE_SERVER="+h.url, "VITRINE_API_KEY="+key, drainVariable+"=until SIGUSR1")
	if out, err := putLive.Output(); err != nil || !bytes.Contains(out, []byte(`"status":"live"`)) {
		t.Errorf("put --require-live of a video: %s, %v, want it to be live", out, err)
	}

	d.Kill(t)
	if err := os.WriteFile(required, append(clip, 0, 0, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	putLive, said := startServer(t, putLive.Env, exec.Command("vitrine", "put", "--require-live", required))
	said.wait("(Waiting) until")
	go func() { // ten minutes are over
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for putLive.Process.Signal(syscall.SIGUSR1) == nil {
			<-tick.C
		}
	}()
	text := said.drain()
	_ = putLive.Wait()
	if code := putLive.ProcessState.ExitCode(); code != terminal.ExitTemporary || !strings.Contains(text, "still being checked") {
		t.Errorf("put --require-live without a scanner: exit code %d: %s", code, text)
	}
	l, c, err = put("words.txt", []byte("Nothing but words.\n"))
	if err != nil || !l.Review || l.Reason != "scan_unavailable" {
		t.Fatalf("upload of a text without a scanner: %+v, %v, want it in review", l, err)
	}
	held := l.Slug
	l, _, err = put("other.webm", append(clip, 0))
	if err != nil || !l.Processing {
		t.Fatalf("upload of a video without a scanner: %+v, %v, want it to be processing", l, err)
	}
	h.state(c, l.Slug, "processing", "")
	h.stop(os.Kill)

	h.serve()
	h.wait(`WARN msg="?(clamd at unix:[^\n]+)`)
	h.wait(`WARN msg="1 links? waits? for review`)
	h.stop(os.Kill)
	d.Start(t)
	h.serve()
	if _, c, err = put("more.txt", []byte("More words.\n")); err != nil {
		t.Fatal(err)
	}
	h.state(c, l.Slug, "live", "")
	h.state(c, held, "review", "scan_late")
	in, err := instance.Open(t.Context(), instance.Places{Data: h.data})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Links.Clear(t.Context(), held, vitrine.Decision{By: vitrine.Administrator}); err != nil {
		t.Fatal(err)
	}
	h.state(c, held, "live", "")
	h.stop(os.Interrupt)
	k.run("admin", "audit", "--deep")
}
