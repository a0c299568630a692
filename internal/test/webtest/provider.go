package webtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/auth/oidc"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/web/httpx"
)

// ProviderSecret is the secret of the client of a Provider, as in an address.
const ProviderSecret = "s3cret%3A%40%2F%3F%23%25%26%2B"

// Provider is a real provider of OpenID Connect on this machine.
type Provider struct {
	*Site
	Issuer string
}

// NewProvider starts a provider whose issuer has a path, and lets a site use it
// by the ID work, with options such as "&name=Acme".
func NewProvider(s *Site, path, options string) *Provider {
	s.T.Helper()
	p := StartProvider(s.T, path, httpx.ProviderCallback(s.URL, "work"))
	p.Site = s
	p.Use(options)
	return p
}

// StartProvider starts a provider that answers to an address.
func StartProvider(t testing.TB, path, callback string) *Provider {
	t.Helper()
	node := vitrinetest.Program(t, "node")
	tools := inRoot(t, "tools/api")
	if _, err := os.Stat(tools + "/node_modules/oidc-provider"); err != nil {
		vitrinetest.Missing(t, "tools/api/node_modules")
	}
	cmd := exec.Command(node, tools+"/oidc.mjs", path, callback)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the provider does not start")
	}
	return &Provider{Issuer: lines.Text()}
}

// inRoot returns the path of a folder of the repository.
func inRoot(t testing.TB, folder string) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, folder)
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("the root of the repository is not found: %v", err)
	return ""
}

// Use lets the site use the provider with options.
func (p *Provider) Use(options string) {
	p.T.Helper()
	at := strings.Replace(p.Issuer, "://", "://vitrine:"+ProviderSecret+"@", 1)
	settings, err := oidc.Parse("work=" + at + "?name=Acme" + options)
	p.Check(err)
	s := p.Server.Providers
	s.List = []*oidc.Provider{oidc.New(*settings, p.Server.Now)}
	s.CheckEvery = 15 * time.Minute
	s.Callback = func(id string) string { return httpx.ProviderCallback(p.URL, id) }
	s.Warn = func(id string, err error) { p.T.Logf("provider %s: %v", id, err) }
}

// Control changes the provider (tools/api/oidc.mjs), and returns how often each
// of its addresses was asked so far.
func (p *Provider) Control(change map[string]any) (asked map[string]int) {
	p.T.Helper()
	body, err := json.Marshal(change)
	p.Check(err)
	u, err := url.Parse(p.Issuer)
	p.Check(err)
	res, err := http.Post(u.Scheme+"://"+u.Host+"/control", "application/json", strings.NewReader(string(body)))
	p.Check(err)
	defer res.Body.Close()
	p.Check(json.NewDecoder(res.Body).Decode(&asked))
	return asked
}

// Person makes a person known to the provider, with claims, and all others
// unknown.
func (p *Provider) Person(sub string, claims map[string]any) {
	p.T.Helper()
	p.Control(map[string]any{"users": map[string]any{sub: claims}})
}

// Trip is a sign-in that has come back from a provider.
type Trip struct {
	Cookie  string // of the browser
	Address string // to which the provider has sent it
}

var formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)

// Away begins a sign-in on the site, signs in at the provider as a person does,
// and returns with its answer. headers are those of the browser.
func (p *Provider) Away(sub, start string, headers ...string) Trip {
	p.T.Helper()
	r := p.Status(p.Get(start, headers...), 303)
	return Trip{Cookies(r), p.At(sub, r.Header.Get("Location"))}
}

// At signs in at the provider, and returns the address to which it leads.
func (p *Provider) At(sub, address string) string {
	p.T.Helper()
	jar, err := cookiejar.New(nil)
	p.Check(err)
	own, err := url.Parse(p.URL)
	p.Check(err)
	back := ""
	c := http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host == own.Host {
			back = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	res, err := c.Get(address)
	p.Check(err)
	for range 3 {
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		p.Check(err)
		if back != "" {
			return back
		}
		m := formAction.FindStringSubmatch(string(b))
		if m == nil {
			break
		}
		prompt := "consent"
		if strings.Contains(string(b), `name="login"`) {
			prompt = "login"
		}
		res, err = c.PostForm(html.UnescapeString(m[1]), url.Values{"prompt": {prompt}, "login": {sub},
			"password": {"x"}})
		p.Check(err)
	}
	p.T.Fatalf("the provider does not lead back: %s", fmt.Sprint(res.Status, res.Request.URL))
	return ""
}

// Back brings the answer of the provider to the site.
func (p *Provider) Back(t Trip) Reply {
	p.T.Helper()
	return p.Get(t.Address, t.Cookie)
}

// Provided signs in at the provider, and returns the answer of the site.
func (p *Provider) Provided(sub string) Reply {
	p.T.Helper()
	return p.Back(p.Away(sub, "/sign-in/with/work"))
}
