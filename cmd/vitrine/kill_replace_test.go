package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/client"
	"vitrine/internal/test/vitrinetest"
)

// TestKillReplace kills the server with SIGKILL at steps between receiving a
// new version and answering, with each pair of backends. Afterwards readers
// must see the whole of the last acknowledged version or of the one that was
// being stored, and the audit must find no fault (promises 1, 2, 3).
func TestKillReplace(t *testing.T) {
	t.Parallel()
	t.Run("SQLite and a directory", func(t *testing.T) {
		t.Parallel()
		killReplacing(&killed{t: t, data: t.TempDir()}, 10)
	})
	t.Run("PostgreSQL and a bucket", func(t *testing.T) {
		t.Parallel()
		bucket := vitrinetest.SharedS3(t)
		killReplacing(&killed{t: t, data: t.TempDir(), database: vitrinetest.PostgresDatabase(t),
			files: bucket.Address(bucket.Bucket(t), "")}, 4)
	})
}

// killReplacing kills the server at some steps of a replacement. In tier all it
// kills it at each step of two replacements in a row.
func killReplacing(k *killed, some int) {
	t := k.t
	k.key = strings.TrimSpace(k.run("admin", "account", "create", "owner@example.org"))
	k.run("admin", "account", "plan", "owner@example.org", "lifetime", "--limit", "uploads=0") // there are hundreds in tier all
	url, kill := k.serve()
	if err := k.upload(url, 1); err != nil {
		t.Fatal(err)
	}
	slug, acknowledged, last := k.links[0], 1, 1
	kill()
	begun, done := k.stepsOfReplacing(slug, last)
	killedAt := map[string]int{}
	points := killPoints(seeded(t), 2*(done-begun), some)
	for _, step := range points {
		cmd, url, log := k.start(killSetting(begun + step))
		for url != "" {
			last++
			if err := k.replace(url, slug, last); err != nil {
				break
			}
			acknowledged = last
		}
		text := log.drain()
		_ = cmd.Wait()
		steps := stepNames(text)
		killedAt[kindOfStep(steps[len(steps)-1])]++
		if _, out, err := k.verb("admin", "audit", "--deep"); err != nil {
			t.Fatalf("audit: %v: %s\nafter %s", err, out, text)
		}
		url, kill := k.serve()
		shown := k.shown(url, slug)
		if shown != acknowledged && shown != last {
			t.Errorf("readers see text %d, want the acknowledged %d or the last sent %d, after %s", shown, acknowledged,
				last,
				text)
		}
		if err := k.replace(url, slug, shown); err != nil { // sends the same bytes again
			t.Fatal(err)
		}
		if again := k.shown(url, slug); again != shown {
			t.Errorf("readers see text %d, want %d as before", again, shown)
		}
		acknowledged = shown
		kill()
	}
	t.Logf("%d replacements, %d kills", last, len(points))
	for _, kind := range slices.Sorted(maps.Keys(killedAt)) {
		t.Logf("%3d at: %s", killedAt[kind], kind)
	}
}

// kindOfStep returns the name of a step without the parts that differ between
// runs.
func kindOfStep(name string) string {
	name = regexp.MustCompile(`/\S*/001/`).ReplaceAllString(name, "")
	name = regexp.MustCompile(`[a-z2-7]{26}|\d+`).ReplaceAllString(name, "*")
	return regexp.MustCompile(`blobs/..\b`).ReplaceAllString(name, "blobs/*")
}

// stepsOfReplacing returns the number of steps of a server's start, and the
// number of steps after one replacement.
func (k *killed) stepsOfReplacing(slug string, n int) (begun, done int) {
	k.t.Helper()
	cmd, url, log := k.start(killSetting(0))
	if url == "" {
		k.t.Fatal(log.drain())
	}
	begun = len(stepNames(log.sofar()))
	if err := k.replace(url, slug, n); err != nil {
		k.t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	done = len(stepNames(log.drain()))
	return begun, done
}

// replace replaces the file of a link with a text, once.
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

// shown returns the number of the text that readers of a link see, or 0 if it
// is none of them.
func (k *killed) shown(url, slug string) int {
	k.t.Helper()
	res, err := http.Get(url + "/p/" + slug)
	if err != nil {
		k.t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		k.t.Fatalf("page: %s, %v, want 200", res.Status, err)
	}
	numbers := regexp.MustCompile(`This is text (\d+)\.`).FindAllSubmatch(page, -1)
	for _, m := range numbers {
		if string(m[1]) != string(numbers[0][1]) {
			k.t.Errorf("the page shows the texts %s and %s, want one", numbers[0][1], m[1])
		}
	}
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(string(numbers[0][1]))
	return n
}
