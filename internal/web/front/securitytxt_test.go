package front_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"
)

// TestSecurityText checks security.txt: that it has what RFC 9116 requires, and
// that there is none without a contact and on the host of files.
func TestSecurityText(t *testing.T) {
	const path = "/.well-known/security.txt"
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	r := s.Status(s.Get(path), 200)
	if kind := r.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type = %s", kind)
	}
	fields := map[string]string{}
	for line := range strings.Lines(r.Text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if _, twice := fields[name]; !ok || twice || !regexp.MustCompile(`^[A-Z][a-z]+$`).MatchString(name) {
			t.Errorf("line %q", line)
		}
		fields[name] = value
	}
	expires, err := time.Parse(time.RFC3339, fields["Expires"])
	if left := time.Until(expires); err != nil || left < 90*24*time.Hour || left > 365*24*time.Hour {
		t.Errorf("Expires: %s, %v", fields["Expires"], err)
	}
	if fields["Contact"] != s.Server.SecurityContact || fields["Canonical"] != s.URL+path {
		t.Errorf("fields: %v", fields)
	}
	s.Status(s.Get(s.Server.ContentURL.String()+path), 404)
	s.Server.SecurityContact = ""
	s.Status(s.Get(path), 404)
}
