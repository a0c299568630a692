package serve

import (
	"io"
	"net/netip"
	"testing"

	"vitrine"
	"vitrine/internal/cli/command"
)

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
