package report_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// zones are time zones whose clocks change by an hour, half an hour, over
// midnight, by a whole day, or never, with full-hour and other offsets.
var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu",
	"Australia/Lord_Howe",
	"America/St_Johns", "America/Havana", "Africa/Monrovia", "Pacific/Apia", "Pacific/Kiritimati", "America/Sao_Paulo"}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func windowOf(t testing.TB, p report.Period, now, created time.Time) report.Window {
	t.Helper()
	w, err := report.WindowOf(p, now, created)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestDaysOfZones checks each second around the ends of days in the zones
// against the clocks.
func TestDaysOfZones(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, name := range zones {
		z := zone(t, name)
		for _, years := range [][2]int{{1970, 1973}, {1986, 1989}, {2010, 2012}, {2025, 2026}} {
			w := windowOf(t, report.Period{Zone: z,
				Dates: &report.Dates{First: dateOf(years[0], 2, 1), Last: dateOf(years[1], 11, 1)}}, now, time.Time{})
			from, _ := w.Bounds()
			day, at := w.From, from
			for d := w.From; d < w.To; d++ {
				start, end := w.Steps.Start(d), w.Steps.Start(d+1)
				for _, ms := range []int64{start, end - 1, (start + end) / 2} {
					if start == end { // the zone skipped this day
						continue
					}
					if got := w.Steps.Of(ms); got != d {
						t.Fatalf("%s: step of %v = %v, want %v", name, time.UnixMilli(ms).In(z), got, d)
					}
				}
				shows := time.UnixMilli(start).In(z)
				if got := dateOf(shows.Year(), shows.Month(), shows.Day()); start < end && got != d {
					t.Fatalf("%s: %v begins when clocks show %v", name, d, shows)
				}
				if before := time.UnixMilli(start - 1).In(z); dateOf(before.Year(), before.Month(), before.Day()) >= d {
					t.Fatalf("%s: %v begins after clocks have shown %v", name, d, before)
				}
			}
			for ; day < w.To; at += 17 * 60_000 { // databases compute with these
				if day = w.Steps.Of(at); day >= w.To {
					break
				}
				if moved := at + offsetAt(w.Steps.Days(), at); report.DayOf(moved) != day {
					t.Fatalf("%s: %v moved by its offset is on %v, want %v", name, time.UnixMilli(at).In(z),
						report.DayOf(moved), day)
				}
				_, weekday, hour := w.Steps.Place(at)
				if shows := time.UnixMilli(at).In(z); int(shows.Weekday()) != weekday || shows.Hour() != hour {
					t.Fatalf("%s: %v is in hour %d of weekday %d", name, shows, hour, weekday)
				}
			}
		}
	}
}

func offsetAt(shifts []report.Shift, ms int64) int64 {
	offset := shifts[0].Offset
	for _, s := range shifts[1:] {
		if s.From <= ms {
			offset = s.Offset
		}
	}
	return offset
}

// TestNightsOfClockChanges counts the hours of nights on which clocks go
// forward and back.
func TestNightsOfClockChanges(t *testing.T) {
	for _, c := range []struct {
		zone  string
		day   report.Day
		hours int
		ms    int64
		some  []string // labels
	}{
		{"Europe/Berlin", dateOf(2026, 3, 29), 23, 23 * 3_600_000, []string{"00:00", "01:00", "03:00"}},
		{"Europe/Berlin", dateOf(2026, 10, 25), 25, 25 * 3_600_000,
			[]string{"00:00", "01:00", "02:00", "02:00", "03:00"}},
		{"Australia/Lord_Howe", dateOf(2026, 4, 5), 25, 24*3_600_000 + 1_800_000,
			[]string{"00:00", "01:00", "01:30", "02:00"}},
		{"Australia/Lord_Howe", dateOf(2026, 10, 4), 24, 23*3_600_000 + 1_800_000,
			[]string{"00:00", "01:00", "02:30", "03:00"}},
		{"Asia/Kolkata", dateOf(2026, 3, 29), 24, 24 * 3_600_000, []string{"00:00", "01:00"}},
	} {
		w := windowOf(t, report.Period{Zone: zone(t, c.zone), Hourly: true,
			Dates: &report.Dates{First: c.day, Last: c.day}}, time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC),
			time.Time{})
		from, to := w.Bounds()
		points := report.Series(w, new(report.Tally))
		vitrinetest.Equal(t, c.zone+": hours", len(points), c.hours)
		vitrinetest.Equal(t, c.zone+": ms", to-from, c.ms)
		var labels []string
		for _, p := range points[:len(c.some)] {
			labels = append(labels, p.Label)
			vitrinetest.Equal(t, c.zone+": date", p.Date, c.day)
		}
		vitrinetest.Equal(t, c.zone+": labels", labels, c.some)
	}
}

// TestPeriods checks the windows of periods, and the errors of invalid ones.
func TestPeriods(t *testing.T) {
	now := time.Date(2028, 2, 29, 23, 30, 0, 0, time.UTC)
	dates := func(first, last report.Day) *report.Dates { return &report.Dates{First: first, Last: last} }
	leap := dateOf(2028, 2, 29)
	for _, c := range []struct {
		p              report.Period
		from, to       string
		before, end    string
		label, problem string
	}{
		{p: report.Period{Dates: dates(leap-2, leap)}, from: "2028-02-27T00:00:00Z", to: "2028-03-01T00:00:00Z",
			before: "2028-02-24T00:00:00Z", end: "2028-02-27T00:00:00Z", label: "27 Feb 2028 – 29 Feb 2028"},
		{p: report.Period{Dates: dates(leap, leap), Compare: report.CompareYear}, from: "2028-02-29T00:00:00Z",
			to: "2028-03-01T00:00:00Z", before: "2027-02-28T00:00:00Z", end: "2027-03-01T00:00:00Z",
			label: "29 Feb 2028"},
		{p: report.Period{Zone: zone(t, "Asia/Kolkata"), Range: report.Range7d}, from: "2028-02-23T18:30:00Z",
			to: "2028-03-01T18:30:00Z", before: "2028-02-16T18:30:00Z", end: "2028-02-23T18:30:00Z",
			label: "Last 7 days"},
		{p: report.Period{Hourly: true}, from: "2028-02-29T00:00:00Z", to: "2028-03-01T00:00:00Z",
			before: "2028-02-28T00:00:00Z", end: "2028-02-29T00:00:00Z", label: "Last 24 hours"},
		{p: report.Period{Hourly: true, Zone: zone(t, "Asia/Kolkata")}, from: "2028-02-29T00:30:00Z",
			to: "2028-03-01T00:30:00Z", before: "2028-02-28T00:30:00Z", end: "2028-02-29T00:30:00Z",
			label: "Last 24 hours"},
		{p: report.Period{Dates: dates(leap, leap-1)},
			problem: "the last date, 28 Feb 2028, is before the first, 29 Feb 2028"},
		{p: report.Period{Dates: dates(leap, leap+1)},
			problem: "the last date, 1 Mar 2028, is after today, which is 29 Feb 2028 in UTC"},
		{p: report.Period{Dates: dates(0, leap)}, problem: "a report covers at most 18300 days"},
		{p: report.Period{Dates: dates(leap-7, leap), Hourly: true},
			problem: "a report by the hour covers at most 7 days"},
	} {
		w, err := report.WindowOf(c.p, now, time.Time{})
		if c.problem != "" {
			if err == nil || err.Error() != c.problem {
				t.Errorf("WindowOf(%+v) = %v, want %s", c.p, err, c.problem)
			}
			continue
		}
		if err != nil {
			t.Errorf("WindowOf(%+v) = %v, want nil", c.p, err)
			continue
		}
		text := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
		from, to := w.Bounds()
		before, end := w.Previous().Bounds()
		vitrinetest.Equal(t, c.label, []string{text(from), text(to), text(before), text(end), w.Label()},
			[]string{c.from, c.to, c.before, c.end, c.label})
	}
	if _, err := report.WindowOf(report.Period{Zone: zone(t, "Asia/Kolkata"), Dates: dates(leap, leap+1)}, now,
		time.Time{}); err != nil {
		t.Errorf("WindowOf tomorrow in UTC, which is today in Kolkata = %v", err)
	}
}

// TestFiltersAreParsed parses valid and invalid conditions.
func TestFiltersAreParsed(t *testing.T) {
	f, err := report.ParseFilter([]string{"source:is_not:a:b", "country:is:DE", "country:is:", "country:is:DE",
		"city:is:Köln, DE"})
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "filter", f.Texts(), []string{"country:is:", "country:is:DE", "city:is:Köln, DE",
		"source:is_not:a:b"})
	for _, wrong := range []string{"", "country", "country:", "country:is", "country:isnt:DE", "color:is:red",
		"qr:is:1", "returning:is:", "city:is:\xff", "Country:is:DE"} {
		if _, err := report.ParseFilter([]string{wrong}); err == nil {
			t.Errorf("ParseFilter(%q) = nil, want an error", wrong)
		}
	}
	if _, err := report.ParseFilter(slices.Repeat([]string{"country:is:DE"}, 21)); err == nil {
		t.Error("ParseFilter of 21 conditions = nil, want an error")
	}
}

// FuzzCondition checks that a parsed condition is written unchanged and parsed
// again.
func FuzzCondition(f *testing.F) {
	for _, s := range []string{"country:is:DE", "city:is_not:A, B", "qr:is:yes", "::", "source:is:a:b:c",
		"country:is:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := report.ParseCondition(text)
		if err != nil {
			return
		}
		if again, err := report.ParseCondition(c.String()); c.String() != text || err != nil || again != c {
			t.Errorf("%q parses to %+v, which parses to %+v, %v", text, c, again, err)
		}
	})
}

// TestNarrowReports compares reports with filters, zones and custom dates with
// the oracle's.
func TestNarrowReports(t *testing.T) {
	eachScenario(t, 150, func(t *testing.T, r *rand.Rand, w *scenario) {
		p := randomPeriod(t, r)
		f := randomFilter(r, w)
		win := windowOf(t, p, today, w.oldest())
		all := w.filtered(f, p)
		vitrinetest.Equal(t, "account, "+text(f.Texts())+text(p), withoutInsights(tree(all.accountReport(win))),
			newOracle(all, win, w.links...).account(win, w.allTime()))
		for _, l := range w.links {
			s := w.scope(l.ID).filtered(f, p)
			vitrinetest.Equal(t, text(f.Texts())+text(tree(s.linkReport(l, win))["range"]),
				withoutInsights(tree(s.linkReport(l, win))), newOracle(s, win, l).link(l, win))
		}
	})
}

func withoutInsights(m map[string]any) map[string]any {
	delete(m, "insights")
	return m
}

// filtered returns the scenario of the views that match a filter.
func (w *scenario) filtered(f report.Filter, p report.Period) *scenario {
	s := &scenario{links: w.links, downloads: w.downloads, zone: p.Zone, compare: p.Compare}
	for _, v := range w.views {
		if oracleMatches(f, v) {
			s.views = append(s.views, v)
		}
	}
	return s
}

// oracleMatches applies a filter in the simplest way: by dimension, the values
// that are requested and those that are excluded.
func oracleMatches(f report.Filter, v report.View) bool {
	fields := map[report.Dimension]string{report.OnCountry: v.Country, report.OnCity: v.City,
		report.OnReferrer: v.Referrer, report.OnSource: v.Source,
		report.OnDevice: v.Device, report.OnBrowser: v.Browser, report.OnOS: v.OS, report.OnQR: "no",
		report.OnReturning: "no"}
	if v.City != "" && v.Country != "" {
		fields[report.OnCity] = v.City + ", " + v.Country
	}
	if v.Source == "" {
		fields[report.OnSource] = "Direct"
	}
	if v.QR {
		fields[report.OnQR] = "yes"
	}
	if v.Returning {
		fields[report.OnReturning] = "yes"
	}
	if v.Session != nil {
		fields[report.OnScreen] = v.Session.Screen
	}
	for d, value := range fields {
		var wanted, unwanted []string
		for _, c := range f {
			switch {
			case c.Dimension == d && c.Not:
				unwanted = append(unwanted, c.Value)
			case c.Dimension == d:
				wanted = append(wanted, c.Value)
			}
		}
		if wanted != nil && !slices.Contains(wanted, value) || slices.Contains(unwanted, value) {
			return false
		}
	}
	return true
}

func randomFilter(r *rand.Rand, w *scenario) report.Filter {
	var texts []string
	for range r.IntN(4) {
		c := report.Condition{Not: r.IntN(3) == 0}
		switch r.IntN(6) {
		case 0:
			c.Dimension, c.Value = report.OnQR, pick(r, "yes", "no")
		case 1:
			c.Dimension, c.Value = report.OnReturning, pick(r, "yes", "no")
		default:
			c.Dimension, c.Value = pick(r, report.OnCountry, report.OnCity, report.OnSource, report.OnReferrer,
				report.OnDevice, report.OnOS, report.OnScreen), ""
			if len(w.views) > 0 && r.IntN(6) > 0 {
				v := w.views[r.IntN(len(w.views))]
				screen := ""
				if v.Session != nil {
					screen = v.Session.Screen
				}
				c.Value = map[report.Dimension]string{report.OnCountry: v.Country,
					report.OnCity: v.City + ", " + v.Country, report.OnSource: v.Source,
					report.OnReferrer: v.Referrer, report.OnDevice: v.Device, report.OnOS: v.OS,
					report.OnScreen: screen}[c.Dimension]
			}
		}
		texts = append(texts, c.String())
	}
	f, err := report.ParseFilter(texts)
	if err != nil {
		panic(err)
	}
	return f
}

// randomPeriod returns a period that ends near the days of random scenarios.
func randomPeriod(t testing.TB, r *rand.Rand) report.Period {
	p := report.Period{Range: pick(r, report.Ranges()...),
		Compare: pick(r, "", report.ComparePrevious, report.CompareYear)}
	if r.IntN(3) > 0 {
		p.Zone = zone(t, pick(r, zones...))
	}
	if r.IntN(3) > 0 {
		last := report.DayOf(today.UnixMilli()) - 1 - report.Day(r.IntN(300))
		p.Range, p.Dates = "", &report.Dates{First: last - report.Day(r.IntN(300)), Last: last}
		if r.IntN(3) == 0 {
			p.Hourly = true
			p.Dates.First = last - report.Day(r.IntN(7))
		}
	} else if r.IntN(4) == 0 {
		p.Range, p.Hourly = "", true
	}
	return p
}
