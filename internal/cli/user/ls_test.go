package user

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"

	"github.com/rivo/uniseg"
)

// TestListing checks that the list of links fits every terminal, begins with
// the titles, and keeps the slugs.
func TestListing(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	views, few := int64(12366), int64(3)
	links := []client.ListedLink{
		{Slug: "k7m2w9xq4t", Title: "Northwind Q3 report, with a title that is as long as some titles are", Kind: "pdf",
			SizeBytes: 482113, CreatedAt: now.Add(-48 * time.Hour), Status: "live", Views: &views},
		{Slug: "my-own-name", Title: "日本語の題名", Kind: "image", SizeBytes: 7, CreatedAt: now.Add(-time.Hour),
			Status: "review", Reason: "encrypted_archive", Views: &few},
		{Slug: "third", Title: hostile, Kind: "video", SizeBytes: 1 << 40, CreatedAt: now.AddDate(-2, 0, 0),
			Status: "processing"},
	}
	listed := func(width int) string {
		var out strings.Builder
		if err := listing(&terminal.Terminal{Out: &out, OutTTY: true, Width: width}, links, now); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for width := 24; width <= 200; width++ {
		text := listed(width)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if w := uniseg.StringWidth(line); w > width || strings.IndexFunc(line, terminal.Unsafe) >= 0 {
				t.Fatalf("%d columns, want at most %d: %q", w, width, line)
			}
		}
		if width >= 60 && (!strings.Contains(text, "k7m2w9xq4t") || !strings.Contains(text, "12,366") ||
			!strings.Contains(text, "processing")) {
			t.Fatalf("at %d columns the list lacks the slug, the views or the status:\n%s", width, text)
		}
		if !strings.HasPrefix(text, "TITLE ") {
			t.Fatalf("at %d columns the list does not begin with TITLE:\n%s", width, text)
		}
	}
	wide := listed(200)
	for _, want := range []string{links[0].Title, "VIEWS 30D", "2 days ago", "1 hour ago", "review (encrypted_archive)",
		"482 kB", "pdf"} {
		if !strings.Contains(wide, want) {
			t.Errorf("the list lacks %q:\n%s", want, wide)
		}
	}
	links[0].Views = nil
	if text := listed(200); strings.Contains(text, "VIEWS") {
		t.Errorf("the list has a column of unknown views:\n%s", text)
	}
}

// TestPutNamesFiles checks that with several files a terminal shows the file of
// each link, and that a program gets only the links.
func TestPutNamesFiles(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		files    []string
		want     string
	}{
		{true, []string{"a.pdf", "b.pdf"}, "a.pdf → http://x/p/y\n"},
		{true, []string{"a.pdf"}, "http://x/p/y\n"},
		{false, []string{"a.pdf", "b.pdf"}, "http://x/p/y\n"},
	} {
		var out bytes.Buffer
		c := &putCmd{Files: test.files}
		if err := c.show(t.Context(), &terminal.Terminal{Out: &out, OutTTY: test.terminal}, nil, "a.pdf",
			&client.Link{URL: "http://x/p/y"}); err != nil || out.String() != test.want {
			t.Errorf("%+v: output %q, %v", test, out.String(), err)
		}
	}
}

// TestPutRefuses checks that an error names why a path cannot be uploaded.
func TestPutRefuses(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.txt")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "it is a folder. To publish it as a website: ", empty: "the file is empty",
		os.DevNull: "not a regular file"} {
		_, err := new(putCmd).put(t.Context(), nil, &terminal.Bar{T: &terminal.Terminal{}}, path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("put %s: %v", path, err)
		}
	}
}

// hostile is a text that must not reach a terminal unchanged.
const hostile = "a\x1b[31m\x1b]0;owned\x07\u009b1mb\u202ec\u2066d\r\n\te\x00\xff\U000e0041f"

// TestMoreLinks checks that a list that is cut says so, and only then. Only a
// terminal cuts a list without --limit.
func TestMoreLinks(t *testing.T) {
	one, all := 1, 0
	for _, c := range []struct {
		links, lines int
		limits       command.LimitFlags
		tty, says    bool
	}{
		{20, 20 + 1, command.LimitFlags{}, true, false},
		{21, 20 + 1, command.LimitFlags{}, true, true},
		{21, 21 + 1, command.LimitFlags{All: true}, true, false},
		{21, 21 + 1, command.LimitFlags{Limit: &all}, true, false},
		{21, 21, command.LimitFlags{}, false, false},
		{21, 21, command.LimitFlags{Limit: &all}, false, false},
		{21, 1, command.LimitFlags{Limit: &one}, false, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			all := client.Page{Links: make([]client.ListedLink, c.links)}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(all)
		}))
		t.Cleanup(server.Close)
		var out, errs bytes.Buffer
		ls := new(lsCmd)
		ls.LimitFlags = c.limits
		ls.Server, ls.APIKey = server.URL, string(auth.NewKeyText())
		term := &terminal.Terminal{Out: &out, Err: &errs, OutTTY: c.tty, Width: 80}
		api, err := ls.reader(term)
		if err == nil {
			err = ls.Run(t.Context(), term, api)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n != c.lines {
			t.Errorf("%d lines for %d links, want %d", n, c.links, c.lines)
		}
		if says := strings.Contains(errs.String(), "--all"); says != c.says {
			t.Errorf("with %d links standard error is %q, want a word about more: %v", c.links, &errs, c.says)
		}
	}
}
