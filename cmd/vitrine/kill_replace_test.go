package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vitrine/client"
)

// TestKillReplace has the server killed with SIGKILL at steps between the
// bytes of a new version and its answer. Afterwards readers see the last version
// that was acknowledged, or the one that was under way, whole; and the audit
// finds no fault (promises 1, 2, 3).
func TestKillReplace(t *testing.T) {
	t.Parallel()
	const start, replacing = 26, 40 // steps of a start, and of some replacements after it
	r := seeded(t)
	k := &killed{t: t, data: t.TempDir()}
	k.key = strings.TrimSpace(k.run("account", "create", "owner@example.org"))
	url, kill := k.serve()
	if err := k.upload(url, 1); err != nil {
		t.Fatal(err)
	}
	slug, acknowledged, last := k.links[0], 0, 0
	kill()
	for _, step := range killPoints(r, replacing, 10) {
		cmd, url, said := k.start(killSetting(start + step))
		for url != "" {
			last++
			if err := k.replace(url, slug, last); err != nil {
				break
			}
			acknowledged = last
		}
		text := said.drain()
		_ = cmd.Wait()
		if out, err := vitrineOn(k.data, "audit", "--deep"); err != nil {
			t.Fatalf("%v: %s\nafter %s", err, out, text)
		}
		url, kill := k.serve()
		shown := k.shown(url, slug)
		if acknowledged > 0 && shown != acknowledged && shown != last {
			t.Errorf("readers see text %d; %d was acknowledged, and %d sent last, after %s", shown, acknowledged, last,
				text)
		}
		if err := k.replace(url, slug, shown); err != nil { // the same bytes
			t.Fatal(err)
		}
		if again := k.shown(url, slug); again != shown {
			t.Errorf("readers see text %d, and before %d", again, shown)
		}
		acknowledged = shown
		kill()
	}
	t.Logf("%d replacements", last)
}

// replace sends a text in the place of the file of a link, once.
func (k *killed) replace(url, slug string, n int) error {
	c, err := client.New(url, k.key, client.WithAttempts(1))
	if err != nil {
		return err
	}
	text := bytes.Repeat(fmt.Appendf(nil, "This is text %d.\n", n), 20)
	_, err = c.Upload(k.t.Context(), client.File{Name: "a.txt", Size: int64(len(text)), Content: bytes.NewReader(text)},
		client.Options{Replace: slug})
	return err
}

// shown is the number of the text that readers see of a link; 0: none of them.
func (k *killed) shown(url, slug string) int {
	k.t.Helper()
	res, err := http.Get(url + "/p/" + slug)
	if err != nil {
		k.t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		k.t.Fatalf("the page is answered with %s, %v", res.Status, err)
	}
	numbers := regexp.MustCompile(`This is text (\d+)\.`).FindAllSubmatch(page, -1)
	for _, m := range numbers {
		if string(m[1]) != string(numbers[0][1]) {
			k.t.Errorf("the page shows the texts %s and %s", numbers[0][1], m[1])
		}
	}
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(numbers[0][1]))
	return n
}
