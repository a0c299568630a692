package public_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"

	"vitrine/internal/backend/s3"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
)

// TestReadersDuringReplacements opens a link a thousand times while its file is
// replaced fifty times, by files of two kinds. Each reader sees one complete
// version, even if they fetch the content after that version was deleted for
// its age.
func TestReadersDuringReplacements(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		readDuringReplacements(t, webtest.NewSite(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		tier.Need(t, tier.Test, "PostgreSQL and a bucket")
		d := webtest.NewSiteWith(t, webtest.SiteOptions{Store: vitrinetest.PostgresDatabase(t)})
		server := vitrinetest.SharedS3(t)
		b, err := s3.Open(t.Context(), server.Address(server.Bucket(t), ""), d.Server.Now)
		d.Check(err)
		s := d.Server
		s.Blobs, s.Receiver, s.StorageOrigin = b, nil, b.Origin()
		s.Uploads.Blobs, s.Links.Blobs, s.Captions.Blobs, s.Previews.Blobs = b, b, b, b
		d.Handler = &webtest.LiveHandler{Server: s}
		readDuringReplacements(t, d)
	})
}

const (
	replacements = 50
	readers      = 1000
)

func readDuringReplacements(t *testing.T, s *webtest.Site) {
	seed := vitrinetest.Seed(t)
	s.Server.Links.Plans = s.Server.Uploads.Plans
	l := s.SendVersion("", 1)
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
			page := s.Read(s.URL + "/p/" + string(l.Slug))
			if address := regexp.MustCompile(`http[^"]*/c/[^"]*/frame`).FindString(page); address != "" {
				<-done[last]
				page += s.Read(address)
			}
			versions := regexp.MustCompile(`edition\d+y`).FindAllString(page, -1)
			slices.Sort(versions)
			n := len(versions)
			if versions = slices.Compact(versions); len(versions) != 1 || n < webtest.WordsOfVersion {
				t.Errorf("reader %d sees %d words of the versions %q, want all of one version", i, n, versions)
				return
			}
			seen[i] = versions[0]
		})
	}
	for n := 2; n <= replacements+1; n++ {
		s.SendVersion(string(l.Slug), n)
		s.Check(s.Server.Links.Purge(t.Context()))
		close(done[n-1])
	}
	wg.Wait()
	slices.Sort(seen)
	if distinct := slices.Compact(seen); len(distinct) < replacements/2 || late < 100 {
		t.Errorf("the readers saw %d versions, %d of them late, so the test checks nothing", len(distinct), late)
	}
	s.Status(s.Get("/p/"+string(l.Slug)), 200)
}
