package analytics

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine"
	"vitrine/report"
)

var parameters = []string{"range", paramFrom, paramTo, paramFilter, paramTimezone, paramCompare, paramGranularity,
	paramLimit, paramInclude, paramVersion}

// FuzzParseQuery checks that any query is a report of bounded size or an error
// that names the parameter, and that the query's own parameters parse to the
// same query.
func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"", "range=7d", "range=all&filter=country:is:DE&filter=city:is_not:Lyon,%20FR",
		"from=2026-02-01&to=2026-03-01&timezone=Asia/Kolkata&compare=year",
		"from=2026-02-01&to=2026-02-02&granularity=hour",
		"granularity=hour&timezone=America/New_York", "range=30d&limit=1000&include=utm&include=curves&version=3",
		"from=0001-01-01&to=9999-12-31", "from=1969-12-31&to=1970-01-01", "to=2026-01-01", "range=&range=7d",
		"timezone=../../etc/passwd", "timezone=Local", "timezone=Europe/Berlin%00", "filter=:is:",
		"filter=country:is:%ff",
		"filter=link:is:a&filter=kind:is:pdf&filter=version:is:1&filter=qr:is:maybe", "limit=0&version=-1", "to&&to",
		"limit=1e3",
		"include=all", "compare=never", "range=90d&granularity=hour", "from=2024-02-30&to=2024-03-01",
		"from=2023-02-28&to=2024-02-29&compare=year", "filter=source:is:Direct&filter=returning:is:no&unknown=1"} {
		f.Add(seed)
	}
	now := time.Date(2026, 2, 28, 12, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, raw string) {
		values, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		q, err := ParseQuery(values)
		if err != nil {
			failure(t, values, err)
			return
		}
		again, err := ParseQuery(q.Values())
		if err != nil {
			t.Fatalf("%q parses, but its own parameters %q do not: %v", raw, q.Values().Encode(), err)
		}
		again.Rows, again.UTM, again.Curves, again.Version = q.Rows, q.UTM, q.Curves, q.Version
		if !same(again, q) {
			t.Errorf("%q parses to %+v, its own parameters to %+v", raw, q, again)
		}
		if q.Rows < 0 || q.Rows > maxRows || q.Version < 0 {
			t.Errorf("%q: %d rows, version %d", raw, q.Rows, q.Version)
		}
		if err := q.check(now, true); err != nil {
			failure(t, values, err)
		}
		w, err := q.window(now, now.AddDate(-1, 0, 0))
		if err != nil {
			failure(t, values, err)
			return
		}
		most := report.Day(50*366 + 1)
		if q.Hourly {
			most = 7*25 + 2
		}
		from, to := w.Bounds()
		p := w.Previous()
		if w.To < w.From || w.To-w.From > most || from > to || p.To-p.From > most {
			t.Errorf("%q: a window of %d steps, [%d, %d) ms, previous %d steps", raw, w.To-w.From, from, to,
				p.To-p.From)
		}
	})
}

// same compares queries, and time zones by name.
func same(a, b Query) bool {
	if (a.Zone == nil) != (b.Zone == nil) || a.Zone != nil && a.Zone.String() != b.Zone.String() {
		return false
	}
	a.Zone, b.Zone = nil, nil
	return reflect.DeepEqual(a, b)
}

// failure checks that an error about parameters has a code, a field and a
// printable message.
func failure(t *testing.T, values url.Values, err error) {
	t.Helper()
	var e *vitrine.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v: error without a code: %v", values, err)
	}
	ranged := slices.Contains([]string{"range", paramFrom, paramTo}, e.Field)
	if e.Code != vitrine.CodeBadRange && e.Code != vitrine.CodeInvalidRequest ||
		ranged != (e.Code == vitrine.CodeBadRange) {
		t.Errorf("%v: code %s with field %q", values, e.Code, e.Field)
	}
	if !slices.Contains(parameters, e.Field) {
		t.Errorf("%v: unknown field %q", values, e.Field)
	}
	if !utf8.ValidString(e.Message) || e.Message == "" || slices.ContainsFunc([]rune(e.Message), unicode.IsControl) {
		t.Errorf("%v: message = %q", values, e.Message)
	}
}
