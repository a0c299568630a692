package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine/internal/base/notation"
	"vitrine/internal/cli/instance"
)

// certificateLeft is the remaining validity below which the doctor warns about
// a certificate.
const certificateLeft = 14 * 24 * time.Hour

// public checks whether the public addresses lead to a Vitrine server.
func (d *doctor) public(ctx context.Context) {
	const part = "address"
	if d.PublicURL == "" {
		state, text := note, "No public URL is set here (--public-url, VITRINE_PUBLIC_URL), so links work on this machine only."
		if host, _, err := net.SplitHostPort(d.Listen); err == nil && !notation.Loopback(host) {
			state = warning
		}
		d.report(part, state, "%s", text)
		return
	}
	public, content, err := d.origins("")
	if err != nil {
		d.report(part, wrong, "%v.", err)
		return
	}
	_, running := instance.LastServer(d.Data)
	if d.answers(ctx, part, "--public-url", public, running != "") {
		d.bodies(ctx, "uploads", public)
	}
	if content.Host != public.Host {
		d.answers(ctx, part, "--content-url", content, running != "") // this origin has no /healthz
	} else {
		d.report(part, note, "Files have no host of their own (--content-url), so uploads are not isolated from the app.")
	}
	sites, err := d.sites(public, content)
	if err == nil && sites != nil && !strings.HasSuffix(sites.Host, "localhost") && d.SitesURL != "" {
		name := *sites
		name.Host = strings.Replace(name.Host, "*", "a-name-that-nobody-has", 1)
		d.answers(ctx, part, "--sites-url", &name, running != "")
	}
}

// answers checks the response of an address. It reports whether there is one.
func (d *doctor) answers(ctx context.Context, part, flag string, u *url.URL, running bool) bool {
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" &&
		(ip == nil || !ip.IsLoopback()) {
		d.report(part, warning, "%s %s is not encrypted. Serve it over https with a reverse proxy.", flag, u)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := net.DefaultResolver.LookupHost(ctx, u.Hostname()); err != nil {
		d.report(part, wrong, "%s %s: the name has no address (%v). Add it to the DNS.", flag, u, err)
		return false
	}
	left, err := d.health(ctx, u)
	switch {
	case err != nil && !running:
		d.report(part, warning, "%s %s does not answer (%v), and no server was run on %s yet.", flag, u, err, d.Data)
	case err != nil:
		d.report(part, wrong, "%s %s does not reach a Vitrine server: %v. Check the reverse proxy, and that the server is running.", flag, u, err)
	case left != 0 && left < certificateLeft:
		d.report(part, warning, "%s %s answers, but its certificate ends in %s. Renew it.", flag, u, left.Round(time.Hour))
	default:
		d.report(part, fine, "%s %s answers.", flag, u)
	}
	return err == nil
}

// publicOrigin returns the origin of pages from --public-url.
func (d *doctor) publicOrigin() string {
	public, _, err := d.origins("")
	if err != nil {
		return ""
	}
	return public.String()
}

// asker returns a client that shows what an address itself answers.
func asker() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true, ExpectContinueTimeout: 2 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bareError returns the error of a request without its method and address.
func bareError(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// health calls /healthz and returns the remaining validity of the certificate,
// or 0 without one.
func (d *doctor) health(ctx context.Context, u *url.URL) (left time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String()+"/healthz", nil)
	if err != nil {
		return 0, err
	}
	res, err := asker().Do(r)
	if err != nil {
		return 0, bareError(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 100))
	if err != nil {
		return 0, err
	}
	if res.TLS != nil && len(res.TLS.PeerCertificates) > 0 {
		left = res.TLS.PeerCertificates[0].NotAfter.Sub(d.now())
	}
	if public := u.String() == d.publicOrigin(); public &&
		(res.StatusCode != http.StatusOK || strings.TrimSpace(string(b)) != "ok") || res.StatusCode >= 500 {
		return 0, fmt.Errorf("%s/healthz answered %s", u, res.Status)
	}
	return left, nil
}
