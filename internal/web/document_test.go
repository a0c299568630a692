package web_test

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
)

// contentToken matches what differs if an hour ends between two views.
var contentToken = regexp.MustCompile(`/c/[^/]+/`)

// TestPageOfTwoOpens checks that two loads of one page differ only in nonce and
// view token, compressed or not.
func TestPageOfTwoOpens(t *testing.T) {
	s := newSite(t)
	for name, content := range samples {
		l := s.publish(name, content)
		seen := map[string]bool{}
		var first string
		for _, coding := range []string{"gzip", "identity", "gzip", "identity"} {
			r := s.status(s.get("/p/"+string(l.Slug), "Accept-Encoding: "+coding), http.StatusOK)
			_, nonce, _ := strings.Cut(r.Header.Get("Content-Security-Policy"), "'nonce-")
			nonce, _, _ = strings.Cut(nonce, "'")
			_, token, _ := strings.Cut(s.beaconOf(r.body), "?v=")
			if v, err := s.server.Signer.ParseViewToken(token, s.server.Now()); err != nil || v.Link != l.ID {
				t.Errorf("%s: view token %q of link %d, %v", name, token, v.Link, err)
			}
			if nonce == "" || seen[nonce] || seen[token] ||
				strings.Count(r.body, `nonce="`+nonce+`"`) != strings.Count(r.body, `nonce="`) {
				t.Errorf("%s: nonce %q, view token %q, want new ones on each load and one nonce", name, nonce, token)
			}
			seen[nonce], seen[token] = true, true
			page := contentToken.ReplaceAllString(strings.NewReplacer(nonce, "NONCE", token, "TOKEN").Replace(r.body),
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
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"], titled("A first title"))
	pdf := s.publish("report.pdf", samples["report.pdf"])
	page := "/p/" + string(l.Slug)
	for range 2 {
		s.status(s.get(page), 200)
	}
	other, err := sqlstore.Open(filepath.Join(s.dir, "vitrine.db")) // as another process opens it
	s.check(err)
	defer other.Close()
	links, accounts := &links.Service{Store: other, Now: s.server.Now}, &auth.Accounts{Store: other, Now: s.server.Now}

	s.check(other.Update(t.Context(), func(tx vitrine.Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.Title, now.AllowDownload = "A second title", false
		return tx.PutLink(now)
	}))
	r := s.status(s.get(page), 200)
	if strings.Contains(r.body, "first title") || !strings.Contains(r.body, "second title") ||
		strings.Contains(r.body, "/download") {
		t.Errorf("after a change:\n%s", r.body)
	}

	content := s.contentOf(s.status(s.get("/p/"+string(pdf.Slug)), 200).body)
	s.status(s.get(content), 200)
	for _, step := range []struct {
		do     func() error
		status int
	}{
		{func() error {
			_, err := accounts.SetBanned(t.Context(), s.account.Email, true, vitrine.Decision{By: vitrine.Operator})
			return err
		}, 410},
		{func() error {
			_, err := accounts.SetBanned(t.Context(), s.account.Email, false, vitrine.Decision{By: vitrine.Operator})
			return err
		}, 200},
		{func() error {
			_, err := links.Disable(t.Context(), string(pdf.Slug), vitrine.Decision{By: vitrine.Operator})
			return err
		}, 410},
		{func() error {
			_, err := links.Undo(t.Context(), string(pdf.Slug), vitrine.Decision{By: vitrine.Operator})
			return err
		}, 200},
	} {
		s.check(step.do())
		for _, address := range []string{"/p/" + string(pdf.Slug), content} {
			s.status(s.get(address), step.status)
		}
	}

	// An expired URL of file bytes in a cached page is not served.
	s.ahead.Store(int64(signer.ContentLife + time.Hour))
	s.status(s.get(content), 403)
	s.status(s.get(s.contentOf(s.status(s.get("/p/"+string(pdf.Slug)), 200).body)), 200)
}
