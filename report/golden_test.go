package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/report"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestGolden computes the report of each archive and compares it with the
// archive's cards, which were computed by hand. An archive has ask.json (a
// link's report, or the account's if it names none), links.ndjson, views.ndjson
// in the import format, and want.json.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, archive)
		})
	}
}

func golden(t *testing.T, archive *txtar.Archive) {
	files := make(map[string][]byte)
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	var ask struct {
		Link  string
		Range string
		Now   time.Time
	}
	if err := decode(files["ask.json"], &ask); err != nil {
		t.Fatal(err)
	}
	r, err := report.ParseRange(ask.Range)
	if err != nil {
		t.Fatal(err)
	}
	w, err := readScenario(files["links.ndjson"], files["views.ndjson"])
	if err != nil {
		t.Fatal(err)
	}

	var got map[string]any
	if ask.Link == "" {
		got = tree(w.accountReport(report.NewWindow(r, ask.Now, w.oldest())))
	} else {
		i := slices.IndexFunc(w.links, func(l report.Link) bool { return l.Slug == ask.Link })
		l := w.links[i]
		got = tree(w.linkReport(l, report.NewWindow(r, ask.Now, l.Created)))
	}
	want := parse(files["want.json"])
	if len(want) == 0 {
		t.Fatal("want.json is empty")
	}
	for card, want := range want {
		if !reflect.DeepEqual(got[card], want) {
			t.Errorf("%s: %s\nwant %s", card, text(got[card]), text(want))
		}
	}
}

// importedLink is a line of links.ndjson: the import format with the columns of
// a link.
type importedLink struct {
	ID, Slug, Title, URL, Kind string
	PagesTotal                 int
	CreatedAt                  time.Time
	Views, Downloads           int64
}

// importedView is a line of views.ndjson (import format).
type importedView struct {
	Slug, Viewer                                         string
	At                                                   time.Time
	Country, City, Referrer, Source, Device, Browser, OS string
	Bot, QR, Returning                                   bool
	Session                                              *importedSession
}

type importedSession struct {
	EngagedMs, PresentMs             int64
	Screen                           string
	Downloaded                       bool
	Pages                            []report.PageTime
	PlayedPct, ReachedPct, ScrollPct float64
}

func readScenario(links, views []byte) (*scenario, error) {
	w := &scenario{}
	bySlug := make(map[string]int64)
	for line := range bytes.Lines(links) {
		var in importedLink
		if err := decode(line, &in); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		bySlug[in.Slug] = int64(len(w.links) + 1)
		w.links = append(w.links, report.Link{
			ID: bySlug[in.Slug], PublicID: in.ID, Slug: in.Slug, Title: in.Title, URL: in.URL,
			Kind: in.Kind, Content: report.ContentOf(in.Kind), Pages: in.PagesTotal,
			Created: in.CreatedAt, Views: in.Views, Downloads: in.Downloads,
		})
	}
	for line := range bytes.Lines(views) {
		var in importedView
		if err := decode(line, &in); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		v := in.view(int64(len(w.views)), bySlug[in.Slug])
		if v.Link == 0 {
			return nil, fmt.Errorf("%s: no such link", line)
		}
		v.Downloaded = v.Session != nil && v.Session.Downloaded && !in.Bot
		w.views = append(w.views, v)
		if v.Downloaded {
			w.downloads = append(w.downloads, download{v.Link, v.At})
		}
	}
	return w, nil
}

func (in *importedView) view(id, link int64) report.View {
	viewer := fnv.New64a()
	viewer.Write([]byte(in.Viewer))
	v := report.View{
		ID: id, At: in.At.UnixMilli(), Link: link, Viewer: viewer.Sum64(),
		Country: in.Country, City: in.City, Referrer: in.Referrer, Source: in.Source,
		Device: in.Device, Browser: in.Browser, OS: in.OS, QR: in.QR, Returning: in.Returning,
	}
	if in.Bot {
		v.Bot = "crawler"
	}
	if s := in.Session; s != nil {
		v.Session = new(report.Session)
		v.Session.Max(&report.Session{
			EngagedMs: s.EngagedMs, PresentMs: s.PresentMs, Screen: s.Screen, Downloaded: s.Downloaded, Pages: s.Pages,
			Played: millionths(s.PlayedPct), Reached: millionths(s.ReachedPct), Depth: millionths(s.ScrollPct),
		})
	}
	return v
}

func millionths(pct float64) int64 { return int64(math.Round(pct * 10_000)) }

// decode reads one strict JSON value. Numbers stay text if v has no type for
// them.
func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	d.UseNumber()
	return d.Decode(v)
}
