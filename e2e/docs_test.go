package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/vitrinetest"
)

// A block is a block of commands in a document. It is run, and its output must
// contain want. A block with skip is not run, for that reason. A block with
// link uses a new link to that file.
type block struct{ want, skip, link string }

// blocks has the blocks of each document, in order.
var blocks = map[string][]block{
	"README.md": {
		{skip: "it needs Docker: TestComposeSettings"},
		{skip: "it builds the program and runs all tests, this one among them"},
		{want: "Last 30 days"},
		{want: `"slug"`},
	},
	"docs/guide/webhooks.md": {{skip: "it needs a receiver: TestWebhookVerifier"},
		{skip: "it needs a webhook: TestScript/webhooks"}},
	"docs/guide/accounts.md": {{skip: "it needs a mail server: TestSignUpByMail"}},
	"docs/guide/agents.md": {{skip: "another program"},
		{skip: "another program"}},
	"docs/guide/back-up.md":      {{want: "restored"}},
	"docs/guide/command-line.md": {{want: "draft.pdf is version 2"}, {want: "/p/"}},
	"docs/guide/embedding.md":    {{want: `"html"`}},
	"docs/guide/quick-start.md": {
		{want: ""},
		{want: `"slug"`},
		{want: "/p/"},
		{want: "current", link: "draft.pdf"},
		{want: `"totals"`},
	},
	"docs/guide/query.md": {{skip: "it needs ClickHouse: TestExamples"}},
	"docs/guide/scale.md": {{skip: "it needs PostgreSQL and a bucket: TestMigrate"}},
	"docs/guide/self-hosting.md": {
		{skip: "it needs Docker: TestComposeSettings"},
		{skip: "it needs a release and Docker"}, // go -C tools/release test ./...
		{skip: "the test itself builds and serves"},
		{skip: "it needs root and systemd"},
		{skip: "it needs root and systemd"},
		{want: "vtr_"},
		{skip: "it needs Docker"},
	},
	"docs/guide/sign-in-at-work.md": {{skip: "it needs a provider: TestProviderSignIn"}},
	"docs/guide/websites.md":        {{skip: "it needs names in DNS: TestSitesURL"}},
	"docs/reference/beacon.md":      {{want: "HTTP/1.1 204"}},
	"bench/README.md":               {{skip: "benchmarks take hours: make bench"}},
	"internal/web/front/skill.md":   {{skip: "as it is served: TestSkill"}, {skip: "as it is served: TestSkill"}},
}

// fenced matches a block of code: its language and its text.
var fenced = regexp.MustCompile("(?ms)^ *```([a-z]*)[^\n]*\n(.*?)^ *```$")

// shellBlocks returns the blocks of commands in a document.
func shellBlocks(text string) [][]string {
	return slices.DeleteFunc(fenced.FindAllStringSubmatch(text, -1),
		func(m []string) bool { return m[1] != "" && m[1] != "sh" })
}

// A desk is an instance with an account and files, on which commands are run.
type desk struct {
	*instance
	dir  string // the directory in which commands run
	env  []string
	slug string // of a link to an audio file
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	in := start(t)
	d := &desk{instance: in, dir: t.TempDir()}
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(in.vitrine("admin", "account", "create", "you@example.com", "--json")), &made); err != nil {
		t.Fatal(err)
	}
	programs := filepath.Join(d.dir, "bin")
	if err := os.Mkdir(filepath.Join(d.dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile("../internal/test/webtest/testdata/song.mp3")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"report.pdf": onePage(), "draft.pdf": onePage() + "%draft\n", "song.mp3": string(sound),
		"film.de.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\nGuten Tag\n",
		// Commands that read a directory read the instance's.
		"bin/vitrine": fmt.Sprintf("#!/bin/sh\nVITRINE_DATA=${VITRINE_DATA:-%s} exec %s \"$@\"\n", in.dir, in.bin),
	} {
		path := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "VITRINE_SERVER="+in.url,
		"VITRINE_API_KEY="+made.APIKey, "no_proxy=*")
	d.slug = d.publish("song.mp3")
	d.env = append(d.env, "host="+in.url, "url="+in.url+"/p/"+d.slug)
	return d
}

// publish publishes a file of the desk and returns the slug of its link.
func (d *desk) publish(name string) string {
	d.t.Helper()
	return path.Base(strings.TrimSpace(d.run("vitrine put " + name)))
}

// onePage returns a PDF of one empty page.
func onePage() string {
	var b strings.Builder
	var at []int
	b.WriteString("%PDF-1.4\n")
	for i, o := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>"} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	b.WriteString("xref\n0 4\n0000000000 65535 f \n")
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table)
	return b.String()
}

// run runs commands as they are in a document, on the instance, and returns
// their output.
func (d *desk) run(commands string) string {
	d.t.Helper()
	for from, to := range map[string]string{
		"http://localhost:8080": d.url, "SLUG": d.slug, "k7m2w9xq4t": d.slug, "EMAIL": "you@example.com",
		"you@example.org": "you@example.com",
		"/backups":        d.dir + "/backups", "--data restored": "--data " + d.dir + "/restored",
	} {
		commands = strings.ReplaceAll(commands, from, to)
	}
	if strings.Contains(commands, "bin/vitrine login") { // a person must confirm it; the script "login" tests it
		commands = regexp.MustCompile(`(?m)^bin/vitrine login.*$`).ReplaceAllString(commands, "")
	}
	if strings.Contains(commands, "account create you@example.com") { // it exists already
		commands = strings.ReplaceAll(commands, "account create you@example.com",
			"account create other@example.com --plan pro")
	}
	c := exec.CommandContext(d.t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	c.Dir, c.Env = d.dir, d.env
	out, err := c.CombinedOutput()
	if err != nil {
		d.t.Errorf("commands failed: %v\n%s\n%s", err, commands, out)
	}
	return string(out)
}

func (d *desk) try(where, commands string, b block) {
	d.t.Helper()
	if b.skip != "" {
		if other := regexp.MustCompile(`Test\w+`).FindString(b.skip); other != "" &&
			exec.Command("git", "-C", "..", "grep", "-q", "^func "+other+"(", "--", "*_test.go").Run() != nil {
			d.t.Errorf("%s is left to %s, which does not exist", where, other)
		}
		d.t.Logf("%s is not run: %s", where, b.skip)
		return
	}
	if b.link != "" {
		defer func(before string) { d.slug = before }(d.slug)
		d.slug = d.publish(b.link)
	}
	if out := d.run(commands); !strings.Contains(out, b.want) {
		d.t.Errorf("the output of %s lacks %q:\n%s", where, b.want, out)
	}
}

// TestBlocksInDocs runs every block of commands in the documents; those of
// guides as the instance serves them.
func TestBlocksInDocs(t *testing.T) {
	for _, program := range []string{"bash", "curl", "jq"} {
		vitrinetest.Program(t, program)
	}
	d := newDesk(t)
	out, err := exec.Command("git", "-C", "..", "ls-files", "--", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.FieldsSeq(string(out)) {
		if strings.Contains(file, "/vendor/") || strings.HasPrefix(file, "docs/decisions/") {
			continue
		}
		text, err := os.ReadFile("../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(file, "docs/guide/"); ok && name != "overview.md" {
			text = []byte(d.page("/docs/" + name))
		}
		found := shellBlocks(string(text))
		if len(found) != len(blocks[file]) {
			t.Errorf("%s has %d blocks of commands, want %d as listed here", file, len(found), len(blocks[file]))
			continue
		}
		for i, b := range blocks[file] {
			d.try(fmt.Sprintf("block %d of %s", i+1, file), found[i][2], b)
		}
	}
}

// page returns the text of a page.
func (d *desk) page(path string) string {
	d.t.Helper()
	res, err := http.Get(d.url + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		d.t.Fatalf("%s: %s, %v", path, res.Status, err)
	}
	return string(text)
}

// TestGoInDocs compiles the Go program in the documentation.
func TestGoInDocs(t *testing.T) {
	source, err := os.ReadFile("../docs/guide/quick-start.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?ms)^```go[^\n]*\n(.*?)^```$").FindStringSubmatch(string(source))
	if m == nil {
		t.Fatal("the page has no Go program")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	program := "package main\n\nimport (\n\"context\"\n\"fmt\"\n\"os\"\n\n\"vitrine/client\"\n)\n\nfunc share(ctx context.Context) error {\n" + m[1] +
		"\nreturn nil\n}\n\nfunc main() { _ = share(context.Background()) }\n"
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", os.DevNull, file).CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
}
