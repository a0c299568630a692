package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/cli/terminal"
	"vitrine/internal/test/vitrinetest"
)

// steppedReader returns one text after the other and calls step between them.
type steppedReader struct {
	texts []string
	step  func()
}

func (r *steppedReader) Read(b []byte) (int, error) {
	if len(r.texts) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.texts[0])
	if r.texts[0] = r.texts[0][n:]; r.texts[0] == "" {
		r.texts = r.texts[1:]
		r.step()
	}
	return n, nil
}

// lineWatcher calls a function for each line that contains a word.
type lineWatcher struct {
	bytes.Buffer
	word   string
	onLine func()
}

func (h *lineWatcher) Write(b []byte) (int, error) {
	if strings.Contains(string(b), h.word) {
		h.onLine()
	}
	return h.Buffer.Write(b)
}

// TestImportOverRestart restarts PostgreSQL while an import reads its file. The
// import reports each restart once, waits, and continues without help.
func TestImportOverRestart(t *testing.T) {
	t.Parallel()
	server := vitrinetest.Postgres(t)
	place := []string{"--database", server.NewDatabase(t), "--data", t.TempDir()}
	run := func(in io.Reader, onLine func(), args ...string) string {
		t.Helper()
		output := &lineWatcher{word: "This command waits for it", onLine: onLine}
		if code := run(context.Background(), &terminal.Terminal{In: in, Out: output, Err: output},
			append(args, place...)); code != 0 {
			t.Fatalf("vitrine %s: exit status %d\n%s", strings.Join(args, " "), code, &output.Buffer)
		}
		return output.String()
	}
	began := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -90)
	var links strings.Builder
	var texts []string
	for n := range 3 {
		fmt.Fprintf(&links, `{"slug":"old-%d","title":"Old","kind":"pdf","createdAt":%q,"account":"ann@example.org"}`+
			"\n", n, began.Format(time.RFC3339))
		texts = append(texts, fmt.Sprintf(`{"slug":"old-%d","at":%q,"viewer":"v"}`+"\n", n,
			began.AddDate(0, 0, n).Format("2006-01-02T15:04:05.000Z")))
	}
	var once sync.Once
	never := func() { once.Do(func() { t.Error("the import does not wait") }) }
	run(nil, never, "admin", "account", "create", "ann@example.org")
	run(strings.NewReader(links.String()), never, "admin", "import", "links", "-")
	stops := 0
	output := run(&steppedReader{texts, func() { server.Stop(t); stops++ }}, func() { server.Start(t) }, "admin", "import",
		"views", "-")
	if stops != len(texts) || strings.Count(output, "This command waits for it") != stops ||
		!strings.Contains(output, "3 views added") {
		t.Errorf("PostgreSQL was stopped %d times:\n%s", stops, output)
	}
	run(nil, never, "admin", "audit", "--all")
}
