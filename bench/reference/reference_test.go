package reference

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"vitrine/bench/dataset"
)

// TestDuckDB compares the SQL with a count of the same views, one by one.
func TestDuckDB(t *testing.T) {
	p := dataset.Params{Name: "t", Accounts: 2, Opens: 30_000, Links: 30, Days: 130,
		Last: time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC), Seed: 1}
	d, err := OpenDuckDB(context.Background(), p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	to := p.Last.AddDate(0, 0, 4)
	link := p.LinksOf(1)[0]
	for name, s := range map[string]Scope{
		"account by weeks": {Account: 1, From: p.From(), To: to},
		"account by days":  {Account: 1, From: to.AddDate(0, 0, -30), To: to},
		"link":             {Account: 1, Link: &link, From: to.AddDate(0, 0, -90), To: to},
		"empty":            {Account: 1, From: to, To: to.AddDate(0, 0, 7)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := d.Report(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			var b brief
			b.read(got)
			if want := recount(t, p, s); b != want {
				t.Errorf("DuckDB %+v\nwant %+v", b, want)
			}
		})
	}
}

// brief has the figures that the test counts itself.
type brief struct {
	Totals
	Previous
	completion         float64
	points, inWeek2    int64 // points of the series, and viewers in the second week
	country, slug      Bucket
	heat               int64 // counted views on Sundays from 9 to 10
	pages, ms, lastOne int64 // sessions on page 2, their time, and the share of sessions that reached the end
}

func (b *brief) read(f *Figures) {
	b.Totals, b.Previous = f.Totals, f.Previous
	if f.Totals.CompletionPct != nil {
		b.completion, b.CompletionPct = *f.Totals.CompletionPct, nil
	}
	b.points, b.inWeek2 = int64(len(f.Series)), f.Series[1].Uniques
	if len(f.Breakdowns.Countries) > 0 {
		b.country = f.Breakdowns.Countries[0]
	}
	if len(f.TopLinks) > 0 {
		b.slug = Bucket{Key: f.TopLinks[0].Slug, Count: f.TopLinks[0].Uniques}
	}
	b.heat = f.Timing.Heat[0][9]
	if c := f.Content.Pages; c != nil {
		b.pages, b.ms, b.lastOne = c.Pages[1].Views, c.Pages[1].AvgMs, int64(c.ReadToEndPct*10+0.5)
	}
}

func keyWithMost(of map[string]int64) (key string) {
	return slices.MaxFunc(append(slices.Sorted(maps.Keys(of)), ""),
		func(a, b string) int { return cmp.Compare(of[a], of[b]) })
}

func recount(t *testing.T, p dataset.Params, s Scope) (b brief) {
	var times []int64
	viewers, before, point := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	countries, views, byLink := map[string]int64{}, map[string]int64{}, map[string]map[uint64]bool{}
	var bounces, returning, prevMs, measured, furthest int64
	var completion float64
	from, to := s.From, s.From.AddDate(0, 0, 7)
	starts := []time.Time{from}
	for day := from.AddDate(0, 0, 1); day.Before(s.To); day = day.AddDate(0, 0, 1) {
		if s.To.Sub(s.From) <= 120*24*time.Hour || day.Weekday() == time.Monday {
			starts = append(starts, day)
		}
	}
	starts = append(starts, s.To)
	b.points, from, to = int64(len(starts)-1), starts[1], starts[2]
	err := p.EachOf(s.Account, func(o *dataset.Open) error {
		at := time.UnixMilli(o.At).UTC()
		if s.Link != nil && o.Link.Slug != s.Link.Slug {
			return nil
		}
		if o.Downloaded && !o.Bot {
			b.Totals.Downloads++
		}
		if !at.Before(s.prev()) && at.Before(s.From) {
			if !o.Bot {
				b.Previous.Views++
				before[o.Viewer] = true
				if o.Downloaded {
					b.Previous.Downloads++
				}
			}
			if o.Counted() {
				b.Previous.Sessions++
				prevMs += o.EngagedMs
			}
		}
		if at.Before(s.From) || !at.Before(s.To) {
			return nil
		}
		if o.Atypical() {
			b.Totals.Atypical++
		}
		if o.Bot {
			b.BotsExcluded++
			return nil
		}
		b.Totals.Views++
		viewers[o.Viewer] = true
		views[o.Link.Slug]++
		if byLink[o.Link.Slug] == nil {
			byLink[o.Link.Slug] = map[uint64]bool{}
		}
		byLink[o.Link.Slug][o.Viewer] = true
		if !at.Before(from) && at.Before(to) {
			point[o.Viewer] = true
		}
		if o.Country != 0 {
			countries[dataset.Countries[o.Country]]++
		}
		if at.Weekday() == time.Sunday && at.Hour() == 9 {
			b.heat++
		}
		if o.QR {
			b.QRScans++
		}
		if o.Returning {
			returning++
		}
		if !o.Counted() {
			return nil
		}
		times = append(times, o.EngagedMs)
		b.TotalEngagedMs += o.EngagedMs
		if o.EngagedMs < 5000 {
			bounces++
		}
		if share, ok := o.Completion(); ok {
			measured++
			completion += share
		}
		if s.Link == nil {
			return nil
		}
		for _, page := range o.Pages {
			if page.Page == 2 {
				b.pages++
				b.ms += page.Ms
			}
		}
		if o.LastPage() == o.Link.Pages {
			furthest++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Totals.Sessions, b.Totals.Uniques = int64(len(times)), int64(len(viewers))
	b.Previous.Uniques, b.inWeek2 = int64(len(before)), int64(len(point))
	b.Totals.AvgEngagedMs, b.Previous.AvgEngagedMs = mean(b.TotalEngagedMs, b.Totals.Sessions),
		mean(prevMs, b.Previous.Sessions)
	if slices.Sort(times); len(times) > 0 {
		b.MedianEngagedMs = mean(times[(len(times)-1)/2]+times[len(times)/2], 2)
	}
	b.BouncePct, b.ReturningPct = pct(float64(bounces), b.Totals.Sessions), pct(float64(returning), b.Totals.Views)
	b.completion = pct(completion, measured)
	if top := keyWithMost(countries); top != "" {
		var all int64
		for _, n := range countries {
			all += n
		}
		b.country = Bucket{top, countries[top], pct(float64(countries[top]), all)}
	}
	if top := keyWithMost(views); top != "" && s.Link == nil {
		b.slug = Bucket{Key: top, Count: int64(len(byLink[top]))}
	}
	b.ms = mean(b.ms, b.pages)
	b.lastOne = int64(pct(float64(furthest), b.Totals.Sessions)*10 + 0.5)
	if s.Link == nil {
		b.lastOne = 0
	}
	return b
}
