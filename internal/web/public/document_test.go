package public_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// contentToken matches what differs if an hour ends between two views.
var contentToken = regexp.MustCompile(`/c/[^/]+/`)

// TestPageOfTwoOpens checks that two loads of one page differ only in nonce and
// view token, compressed or not.
func TestPageOfTwoOpens(t *testing.T) {
	s := webtest.NewSite(t)
	for name, content := range webtest.Samples {
		l := s.Publish(name, content)
		seen := map[string]bool{}
		var first string
		for _, coding := range []string{"gzip", "identity", "gzip", "identity"} {
			r := s.Status(s.Get("/p/"+string(l.Slug), "Accept-Encoding: "+coding), http.StatusOK)
			_, nonce, _ := strings.Cut(r.Header.Get("Content-Security-Policy"), "'nonce-")
			nonce, _, _ = strings.Cut(nonce, "'")
			_, token, _ := strings.Cut(s.BeaconOf(r.Text), "?v=")
			if v, err := s.Server.Signer.ParseViewToken(token, s.Server.Now()); err != nil || v.Link != l.ID {
				t.Errorf("%s: view token %q of link %d, %v", name, token, v.Link, err)
			}
			if nonce == "" || seen[nonce] || seen[token] ||
				strings.Count(r.Text, `nonce="`+nonce+`"`) != strings.Count(r.Text, `nonce="`) {
				t.Errorf("%s: nonce %q, view token %q, want new ones on each load and one nonce", name, nonce, token)
			}
			seen[nonce], seen[token] = true, true
			page := contentToken.ReplaceAllString(strings.NewReplacer(nonce, "NONCE", token, "TOKEN").Replace(r.Text),
				"/c/TOKEN/")
			if first == "" {
				first = page
			}
			if page != first {
				t.Errorf("%s: first page\n%s\nsecond page\n%s", name, first, page)
			}
		}
	}
}

// TestPageSeesEveryChange checks that a cached page shows each later change of
// the link, by any process.
func TestPageSeesEveryChange(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"], webtest.Titled("A first title"))
	pdf := s.Publish("report.pdf", webtest.Samples["report.pdf"])
	page := "/p/" + string(l.Slug)
	for range 2 {
		s.Status(s.Get(page), 200)
	}
	other, err := sqlstore.Open(filepath.Join(s.Dir, "vitrine.db")) // as another process opens it
	s.Check(err)
	defer other.Close()
	links, accounts := &links.Service{Store: other, Now: s.Server.Now}, &auth.Accounts{Store: other, Now: s.Server.Now}

	s.Check(other.Update(t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.Title, now.AllowDownload = "A second title", false
		return tx.PutLink(now)
	}))
	r := s.Status(s.Get(page), 200)
	if strings.Contains(r.Text, "first title") || !strings.Contains(r.Text, "second title") ||
		strings.Contains(r.Text, "/download") {
		t.Errorf("after a change:\n%s", r.Text)
	}

	content := s.ContentOf(s.Status(s.Get("/p/"+string(pdf.Slug)), 200).Text)
	s.Status(s.Get(content), 200)
	for _, step := range []struct {
		do     func() error
		status int
	}{
		{func() error {
			_, err := accounts.SetBanned(t.Context(), s.Account.Email, true, vitrine.Decision{By: vitrine.Administrator})
			return err
		}, 410},
		{func() error {
			_, err := accounts.SetBanned(t.Context(), s.Account.Email, false, vitrine.Decision{By: vitrine.Administrator})
			return err
		}, 200},
		{func() error {
			_, err := links.Disable(t.Context(), string(pdf.Slug), vitrine.Decision{By: vitrine.Administrator})
			return err
		}, 410},
		{func() error {
			_, err := links.Undo(t.Context(), string(pdf.Slug), vitrine.Decision{By: vitrine.Administrator})
			return err
		}, 200},
	} {
		s.Check(step.do())
		for _, address := range []string{"/p/" + string(pdf.Slug), content} {
			s.Status(s.Get(address), step.status)
		}
	}

	// An expired URL of file bytes in a cached page is not served.
	s.Ahead.Store(int64(signer.ContentLife + time.Hour))
	s.Status(s.Get(content), 403)
	s.Status(s.Get(s.ContentOf(s.Status(s.Get("/p/"+string(pdf.Slug)), 200).Text)), 200)
}
