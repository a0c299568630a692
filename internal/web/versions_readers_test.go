package web_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/s3"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// TestReadersDuringReplacements opens a link a thousand times while its file is
// replaced fifty times, by files of two kinds. Each reader sees one complete
// version, even if they fetch the content after that version was deleted for
// its age.
func TestReadersDuringReplacements(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		readDuringReplacements(t, newSite(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		tier.Need(t, tier.Test, "PostgreSQL and a bucket")
		d := newSiteWith(t, siteOptions{store: vitrinetest.PostgresDatabase(t)})
		server := vitrinetest.SharedS3(t)
		b, err := s3.Open(t.Context(), server.Address(server.Bucket(t), ""), d.server.Now)
		d.check(err)
		s := d.server
		s.Blobs, s.Receiver, s.StorageOrigin = b, nil, b.Origin()
		s.Uploads.Blobs, s.Links.Blobs, s.Captions.Blobs, s.Previews.Blobs = b, b, b, b
		d.handler = &liveHandler{server: s}
		readDuringReplacements(t, d)
	})
}

const (
	replacements = 50
	readers      = 1000
)

func readDuringReplacements(t *testing.T, s *site) {
	seed := vitrinetest.Seed(t)
	s.server.Links.Plans = s.server.Uploads.Plans
	l := s.sendVersion("", 1)
	done := make([]chan struct{}, replacements+1) // each is closed after that number of replacements
	for i := range done {
		done[i] = make(chan struct{})
	}
	close(done[0])
	var wg sync.WaitGroup
	seen := make([]string, readers)
	late := 0
	for i := range readers {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		first := i * replacements / readers
		last := min(first+random.IntN(25), replacements)
		if last-first > 11 {
			late++ // its version is deleted by then
		}
		wg.Go(func() {
			<-done[first]
			page := s.read(s.url + "/p/" + string(l.Slug))
			if address := regexp.MustCompile(`http[^"]*/c/[^"]*/frame`).FindString(page); address != "" {
				<-done[last]
				page += s.read(address)
			}
			versions := regexp.MustCompile(`edition\d+y`).FindAllString(page, -1)
			slices.Sort(versions)
			n := len(versions)
			if versions = slices.Compact(versions); len(versions) != 1 || n < wordsOfVersion {
				t.Errorf("reader %d sees %d words of the versions %q, want all of one version", i, n, versions)
				return
			}
			seen[i] = versions[0]
		})
	}
	for n := 2; n <= replacements+1; n++ {
		s.sendVersion(string(l.Slug), n)
		s.check(s.server.Links.Purge(t.Context()))
		close(done[n-1])
	}
	wg.Wait()
	slices.Sort(seen)
	if distinct := slices.Compact(seen); len(distinct) < replacements/2 || late < 100 {
		t.Errorf("the readers saw %d versions, %d of them late, so the test checks nothing", len(distinct), late)
	}
	s.status(s.get("/p/"+string(l.Slug)), 200)
}

// wordsOfVersion is the number of words in a version.
const wordsOfVersion = 500

// sendVersion uploads a file in three steps, as a version of a link or as a new
// link. Each word names its version. Odd versions are texts, even ones web
// pages.
func (s *site) sendVersion(slug string, n int) *vitrine.Link {
	s.t.Helper()
	name, mime := fmt.Sprintf("edition%dy.txt", n), "text/plain"
	if n%2 == 0 {
		name, mime = fmt.Sprintf("edition%dy.html", n), "text/html"
	}
	var title *string
	if slug == "" {
		title = new("Editions") // the title stays, and must not contain the first version's word
	}
	content := strings.Repeat(fmt.Sprintf("edition%dy ", n), wordsOfVersion)
	u := s.server.Uploads
	begun, err := u.Create(s.t.Context(), s.account,
		publish.UploadRequest{Name: name, Type: mime, Size: int64(len(content)), Replaces: slug})
	s.check(err)
	req, err := http.NewRequest(http.MethodPut, begun.SignedURL, strings.NewReader(content))
	s.check(err)
	req.Header.Set("Content-Type", mime)
	res, err := http.DefaultClient.Do(req)
	s.check(err)
	res.Body.Close()
	if res.StatusCode != 200 {
		s.t.Fatalf("PUT: %s, want 200", res.Status)
	}
	l, err := u.Complete(s.t.Context(), s.account,
		publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: mime, LinkName: title,
			Replaces: slug})
	s.check(err)
	if l.Version != n || l.State != vitrine.StateLive {
		s.t.Fatalf("version %d of the link is %s, want version %d live", l.Version, l.State, n)
	}
	return l
}

// read returns what a reader gets from an address. Any goroutine may call it.
func (s *site) read(address string) string {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	req.Header.Set("User-Agent", reader)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		s.t.Errorf("%s: %s, %v, want 200", req.URL.Path, res.Status, err)
	}
	return string(body)
}
