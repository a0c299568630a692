package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine/internal/cli/terminal"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestImportAgain imports, over the database of a fleet, views from before the
// link was created, and then a file with these and more.
func TestImportAgain(t *testing.T) {
	tier.Need(t, tier.Test, "imports over PostgreSQL")
	t.Parallel()
	places := []string{"--database", vitrinetest.PostgresDatabase(t), "--data", t.TempDir()}
	command := func(input, want string, args ...string) {
		t.Helper()
		var output bytes.Buffer
		code := run(context.Background(), &terminal.Terminal{In: strings.NewReader(input), Out: &output, Err: &output},
			append(args, places...))
		if code != 0 || !strings.Contains(output.String(), want) {
			t.Fatalf("vitrine %s: exit status %d, want 0 and %q\n%s", strings.Join(args, " "), code, want, &output)
		}
	}
	now := time.Now().UTC()
	lines := func(from, to int) string { // two views a day, one of them a bot's
		var b strings.Builder
		for n := from; n < to; n++ {
			fmt.Fprintf(&b, `{"slug":"old","at":%q,"viewer":"v%d","bot":%v}`+"\n",
				now.AddDate(0, 0, -n/2).Format("2006-01-02T15:04:05.000Z"), n%3, n == 3)
		}
		return b.String()
	}
	command("", "", "admin", "account", "create", "ann@example.org")
	command(fmt.Sprintf(`{"slug":"old","title":"Old","kind":"pdf","createdAt":%q,"account":"ann@example.org"}`,
		now.Format(time.RFC3339)), "1 link added", "admin", "import", "links", "-")
	command(lines(2, 30), `"lines":28,"added":28,"already":false,"known":0,"dated":1`, "admin", "import", "views", "-", "--json")
	first := now.AddDate(0, 0, -14).Format("2006-01-02T15:04:05")
	command("", `"created_at":"`+first, "admin", "link", "list", "--json")
	command(lines(0, 40), `"lines":40,"added":12,"already":false,"known":28,"dated":1`, "admin", "import", "views", "-", "--json")
	command(lines(0, 39), `"lines":39,"added":0,"already":false,"known":39,"dated":0`, "admin", "import", "views", "-", "--json")
	command("", "No faults", "admin", "audit", "--all")
}

// TestImportsAtOnce begins an import while another one reads its file. It is
// refused, and nothing counts twice when it is repeated.
func TestImportsAtOnce(t *testing.T) {
	t.Parallel()
	place := []string{"--data", t.TempDir()}
	command := func(in io.Reader, code int, want string, args ...string) {
		t.Helper()
		var output bytes.Buffer
		got := run(context.Background(), &terminal.Terminal{In: in, Out: &output, Err: &output}, append(args, place...))
		if got != code || !strings.Contains(output.String(), want) {
			t.Errorf("vitrine %s: exit status %d, want %d and %q\n%s", strings.Join(args, " "), got, code, want, &output)
		}
	}
	at := time.Now().UTC().AddDate(0, 0, -1)
	views := fmt.Sprintf(`{"slug":"old","at":%q,"viewer":"v"}`+"\n", at.Format("2006-01-02T15:04:05.000Z"))
	command(strings.NewReader(""), 0, "", "admin", "account", "create", "ann@example.org")
	command(strings.NewReader(fmt.Sprintf(
		`{"slug":"old","title":"Old","kind":"pdf","createdAt":%q,"account":"ann@example.org"}`,
		at.Format(time.RFC3339))), 0, "1 link added", "admin", "import", "links", "-")
	command(&steppedReader{[]string{views, "\n"}, func() {
		command(strings.NewReader(views+"\n\n"), 1, "another import of views is running", "admin", "import", "views", "-")
	}}, 0, "1 view added", "admin", "import", "views", "-")
	command(strings.NewReader(views+"\n\n"), 0, "Left out, because they were there already: 1 view", "admin", "import", "views", "-")
}
