package webtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
)

const PlainText = "Content-Type: text/plain;charset=UTF-8"

// Nothing takes an answer and keeps nothing of it.
type Nothing struct {
	Kept   http.Header
	Status int
}

func (n *Nothing) Header() http.Header { return n.Kept }

func (n *Nothing) WriteHeader(status int) {
	if n.Status == 0 {
		n.Status = status
	}
}

func (n *Nothing) Write(b []byte) (int, error) { n.WriteHeader(http.StatusOK); return len(b), nil }

var ErrDamaged = errors.New("the record is damaged")

// Endings returns a function that waits until an answer for a path has ended.
func Endings(s *Site, path string) (wait func()) {
	next, ended := s.Handler, make(chan struct{}, 10)
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, path) {
			defer func() { ended <- struct{}{} }()
		}
		next.ServeHTTP(w, r)
	})
	return func() {
		s.T.Helper()
		select {
		case <-ended:
		case <-time.After(hang):
			s.T.Fatalf("no answer for %s has ended", path)
		}
	}
}

func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// From returns a request of a client in the nth network.
func (s *Site) From(ctx context.Context, n int, address string) *http.Request {
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	q.Host, q.RemoteAddr = s.Server.PublicURL.Host, fmt.Sprintf("198.51.%d.7:1000", n)
	if strings.Contains(address, "/c/") {
		q.Host = s.Server.ContentURL.Host
	}
	q.Header.Set("User-Agent", Desktop)
	return q
}

// WordsOfVersion is the number of words in a version.
const WordsOfVersion = 500

// SendVersion uploads a file in three steps, as a version of a link or as a new
// link. Each word names its version. Odd versions are texts, even ones web
// pages.
func (s *Site) SendVersion(slug string, n int) *vitrine.Link {
	s.T.Helper()
	name, mime := fmt.Sprintf("edition%dy.txt", n), "text/plain"
	if n%2 == 0 {
		name, mime = fmt.Sprintf("edition%dy.html", n), "text/html"
	}
	var title *string
	if slug == "" {
		title = new("Editions") // the title stays, and must not contain the first version's word
	}
	content := strings.Repeat(fmt.Sprintf("edition%dy ", n), WordsOfVersion)
	u := s.Server.Uploads
	begun, err := u.Create(s.T.Context(), s.Account,
		publish.UploadRequest{Name: name, Type: mime, Size: int64(len(content)), Replaces: slug})
	s.Check(err)
	req, err := http.NewRequest(http.MethodPut, begun.SignedURL, strings.NewReader(content))
	s.Check(err)
	req.Header.Set("Content-Type", mime)
	res, err := http.DefaultClient.Do(req)
	s.Check(err)
	res.Body.Close()
	if res.StatusCode != 200 {
		s.T.Fatalf("PUT: %s, want 200", res.Status)
	}
	l, err := u.Complete(s.T.Context(), s.Account,
		publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: mime, LinkName: title,
			Replaces: slug})
	s.Check(err)
	if l.Version != n || l.State != vitrine.StateLive {
		s.T.Fatalf("version %d of the link is %s, want version %d live", l.Version, l.State, n)
	}
	return l
}

// Read returns what a reader gets from an address. Any goroutine may call it.
func (s *Site) Read(address string) string {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		s.T.Error(err)
		return ""
	}
	req.Header.Set("User-Agent", Reader)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.T.Error(err)
		return ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		s.T.Errorf("%s: %s, %v, want 200", req.URL.Path, res.Status, err)
	}
	return string(body)
}
