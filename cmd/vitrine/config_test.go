package main

import (
	"bytes"
	"io"
	"net/netip"
	"path/filepath"
	"regexp"
	"testing"

	"vitrine"
	"vitrine/internal/command"
	"vitrine/internal/limits"
	"vitrine/internal/terminal"
)

func TestBounds(t *testing.T) {
	free := vitrine.DefaultPlans()[vitrine.PlanFree]
	for in, want := range map[string]vitrine.Limits{
		"links=3": {Links: 3, FileBytes: 25 * vitrine.MB, StorageBytes: 250 * vitrine.MB,
			HourlyUploads: 20, Versions: 1},
		"file=1MiB, storage=2GB": {Links: 10, FileBytes: 1 << 20, StorageBytes: 2 * vitrine.GB,
			HourlyUploads: 20, Versions: 1},
		"links=0,uploads=0": {FileBytes: 25 * vitrine.MB, StorageBytes: 250 * vitrine.MB, Versions: 1},
		"file=1234": {Links: 10, FileBytes: 1234, StorageBytes: 250 * vitrine.MB, HourlyUploads: 20,
			Versions: 1},
		limits.Format(vitrine.Limits{}): {},
		limits.Format(free):             free,
	} {
		var b limits.Bounds
		if err := b.UnmarshalText([]byte(in)); err != nil {
			t.Errorf("UnmarshalText(%q) = %v, want nil", in, err)
		} else if got := b.Over(free); got != want {
			t.Errorf("limits of %q = %+v, want %+v", in, got, want)
		}
	}
	for _, in := range []string{"", "links", "links=", "links=-1", "links=1.5", "links=x", "files=3", "Links=3",
		"file=25XB", "links=1,links=2",
		"links=1,", "file=99999999EB", "links=99999999999999999999"} {
		if err := new(limits.Bounds).UnmarshalText([]byte(in)); err == nil {
			t.Errorf("UnmarshalText(%q) = nil, want an error", in)
		}
	}
}

func FuzzBounds(f *testing.F) {
	f.Add("links=10,file=25MB,storage=250MB,uploads=20")
	f.Fuzz(func(t *testing.T, s string) {
		var b limits.Bounds
		if b.UnmarshalText([]byte(s)) != nil {
			return
		}
		if l := b.Over(vitrine.Limits{}); l.Links < 0 || l.FileBytes < 0 || l.StorageBytes < 0 || l.HourlyUploads < 0 {
			t.Errorf("limits of %q = %+v, want none below 0", s, l)
		}
	})
}

func TestNetwork(t *testing.T) {
	for in, want := range map[string]string{"10.1.2.3/8": "10.0.0.0/8", "127.0.0.1": "127.0.0.1/32", "::1": "::1/128",
		" 10.0.0.0/24 ": "10.0.0.0/24"} {
		var n networks
		if err := n.UnmarshalText([]byte(in)); err != nil || len(n) != 1 || n[0] != netip.MustParsePrefix(want) {
			t.Errorf("network %q = %v, %v, want %s", in, n, err, want)
		}
	}
	for _, in := range []string{"", "10.0.0.0/33", "localhost", "10.0.0"} {
		if err := new(networks).UnmarshalText([]byte(in)); err == nil {
			t.Errorf("network %q = nil, want an error", in)
		}
	}
}

// parse parses a command line of serve.
func parse(t *testing.T, args ...string) (*serveCmd, error) {
	t.Helper()
	c := new(serveCmd)
	serve := command.New("serve", "Run the server.", c.Run)
	c.AddFlags(serve)
	program := command.NewProgram("", "", "")
	program.Add("Server", serve)
	_, err := program.Parse(append([]string{"serve"}, args...), io.Discard)
	return c, err
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		args            []string
		public, content string
	}{
		{nil, "http://localhost:8080", "http://localhost:8080"},
		{[]string{"--public-url", "https://Share.Example/"}, "https://share.example", "https://share.example"},
		{[]string{"--public-url", "https://münchen.example", "--content-url", "https://例え.テスト:8443"},
			"https://xn--mnchen-3ya.example", "https://xn--r8jz45g.xn--zckzah:8443"},
		{[]string{"--public-url", "https://a.example", "--content-url", "https://b.example:8443"}, "https://a.example",
			"https://b.example:8443"},
	} {
		s, err := parse(t, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		public, content, err := s.origins("8080")
		if err != nil || public.String() != c.public || content.String() != c.content {
			t.Errorf("origins(%v) = %v, %v, %v, want %s, %s", c.args, public, content, err, c.public, c.content)
		}
	}
	for _, u := range []string{"share.example", "ftp://x", "https://x/path", "https://x/?q", "https://u:p@x", "http://",
		"https://x#f", "mailto:x"} {
		if _, err := parse(t, "--public-url", u); err == nil {
			t.Errorf("--public-url %s: no error", u)
		}
	}
}

func TestSitesURL(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // "" if there is none
	}{
		{nil, "http://*.localhost:8080"},
		{[]string{"--sites-url", "off"}, ""},
		{[]string{"--content-url", "http://files.localhost:8080"}, ""},
		{[]string{"--public-url", "https://share.example"}, ""},
		{[]string{"--public-url", "https://share.example", "--sites-url", "https://*.Sites.example:8443/"},
			"https://*.sites.example:8443"},
		{[]string{"--public-url", "http://localhost:8080", "--sites-url", "http://*.localhost:8080"},
			"http://*.localhost:8080"},
		{[]string{"--public-url", "https://share.co.uk", "--sites-url", "https://*.sites.co.uk"},
			"https://*.sites.co.uk"},
	} {
		s, err := parse(t, c.args...)
		if err != nil {
			t.Fatal(err)
		}
		public, content, err := s.origins("8080")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if u, err := s.sites(public, content); err != nil {
			t.Error(err)
		} else if u != nil {
			got = u.Scheme + "://" + u.Host
		}
		if got != c.want {
			t.Errorf("sites URL of %v = %q, want %q", c.args, got, c.want)
		}
	}
	for _, args := range [][]string{
		{"--sites-url", "https://sites.example"}, {"--sites-url", "https://*"}, {"--sites-url", "https://*.*.example"},
		{"--sites-url", "*.sites.example"},
		{"--sites-url", "https://*.sites.example/path"}, {"--sites-url", "ftp://*.sites.example"},
		{"--sites-url", "https://a*.sites.example"},
		{"--sites-url", "https://*.example.org", "--public-url", "https://share.example.org"},
		{"--sites-url", "https://*.example.org", "--public-url", "https://share.example", "--content-url",
			"https://files.example.org"},
		// Websites on the app's own registrable domain could set its cookies.
		{"--sites-url", "https://*.share.example", "--public-url", "https://share.example"},
		{"--sites-url", "https://*.sites.share.example", "--public-url", "https://share.example"},
		{"--sites-url", "https://*.sites.share.example", "--public-url", "https://app.share.example"},
		{"--sites-url", "https://*.files.example", "--public-url", "https://share.example", "--content-url",
			"https://files.example"},
	} {
		if _, err := parse(t, args...); err == nil {
			t.Errorf("parse(%v) = nil, want an error", args)
		}
	}
}

func TestEveryFlagOfServeIsAVariableToo(t *testing.T) {
	for _, f := range newServe().Options {
		if f.Variable == "" || f.Help == "" {
			t.Errorf("--%s has the variable %q and the help %q, want a variable and a help text", f.Name, f.Variable, f.Help)
		}
	}
}

func TestVariablesConfigureServe(t *testing.T) {
	t.Setenv("VITRINE_PLAN_FREE", "links=2")
	t.Setenv("VITRINE_TRUSTED_PROXY", "10.0.0.0/8,::1")
	t.Setenv("VITRINE_MAX_VIEWS", "7")
	c, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if c.Plans()[vitrine.PlanFree].Links != 2 || len(c.TrustedProxy) != 2 || c.MaxViews != 7 {
		t.Errorf("configuration = %+v, want the values of the variables", c)
	}
}

// TestNoKey checks the exit code of commands without an API key.
func TestNoKey(t *testing.T) {
	t.Setenv("VITRINE_API_KEY", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, args := range [][]string{{"ls"}, {"stats"}, {"logout"}, {"ls", "--server", "http://127.0.0.1:1"}} {
		var out, errs bytes.Buffer
		code := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, args)
		if code != terminal.ExitAccess || errs.Len() == 0 || out.Len() != 0 {
			t.Errorf("run(%q) = %d, standard error %q, want %d and a message", args, code, &errs, terminal.ExitAccess)
		}
	}
}

// tryLast matches a message that begins in lower case and ends with the command
// that explains what is right, as text or as JSON.
var tryLast = regexp.MustCompile(`(?s)\A(vitrine: |\{"error":")[^A-Z].*(\n|")Try: vitrine [a-z -]*--help("\]\})?\n\z`)

// TestUsageErrors checks the exit code and the message of wrong arguments,
// whether the parser or a command refuses them.
func TestUsageErrors(t *testing.T) {
	t.Setenv("VITRINE_API_KEY", "")
	t.Setenv("VITRINE_DATA", filepath.Join(t.TempDir(), "data"))
	for _, args := range [][]string{
		{"nonsense"}, {"put"}, {"put", "--slug", "x", "a.txt", "b.txt"}, {"ls", "--limit=-1"}, {"stats", "--include", "foo", "--json"},
		{"stats", "--range", "31d"},
		{"put", "--api-key", "x", "--server", "nonsense", "a.txt"}, {"serve", "--max-views", "-1"},
		{"serve", "--log-format", "xml"},
		{"admin", "account", "create"}, {"admin", "account", "create", "a@b.c", "--plan", "gold"}, {"admin", "account", "plan", "a@b.c", "gold"},
		{"admin", "key", "revoke", "a@b.c", "x"}, {"admin", "key", "create", "a@b.c", "--expires", "soon"},
		{"admin", "key", "create", "a@b.c", "--link-life", "x"}, {"admin", "key", "rotate", "a@b.c", "1", "--grace", "-1h"},
		{"admin", "link", "preview"}, {"admin", "link", "rescan"}, {"admin", "link", "rescan", "abc", "--all"}, {"admin", "link", "delete", "abc"},
		{"admin", "link", "list", "--limit", "-1"}, {"admin", "migrate", "a", "b", "--at-once", "0"},
		{"admin", "account", "create", "nonsense"}, {"healthcheck", "--listen", "8080"},
		{"rm", "x", "--api-key", "x"}, {"captions", "x", "film.txt", "--language", "en"},
		{"captions", "x", "film.vtt", "--language", "english"},
		{"edit", "x", "--api-key", "x"}, {"edit", "x", "--expires", "soon"}, {"login", "--server", "nonsense"},
		{"put", "--expires", "soon", "a.txt"}, {"key", "create", "x", "--expires", "soon", "--json"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, args); code != terminal.ExitUsage ||
			out.Len() != 0 || !tryLast.Match(errs.Bytes()) {
			t.Errorf("run(%q) = %d, standard output %q, standard error %q, want a usage error and what to try", args,
				code, &out, &errs)
		}
	}
}
