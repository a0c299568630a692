package terminal

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"vitrine/client"

	"github.com/rivo/uniseg"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixture reads an answer of the API.
func fixture[T any](t *testing.T, name string) *T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/stats", name))
	if err != nil {
		t.Fatal(err)
	}
	rep := new(T)
	if err := json.Unmarshal(b, rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestStats compares pages with golden files that a person has checked.
func TestStats(t *testing.T) {
	link, account := fixture[client.LinkReport](t, "link.json"), fixture[client.AccountReport](t, "account.json")
	media, scroll, empty := *link, *link, new(client.LinkReport)
	q := func(n int64) *int64 { return &n }
	lost := client.Tenths(253)
	marks := []client.Mark{{Pct: 25, ReachPct: 900}, {Pct: 50, ReachPct: 647}, {Pct: 75, ReachPct: 600},
		{Pct: 100, ReachPct: 3}}
	media.Content = client.Content{Kind: "media",
		Media: &client.MediaContent{PlayedPct: 950, AvgPlayedPct: 612, FinishedPct: 3,
			Quartiles: marks, Dropoff: client.MarkDropoff{BeforePct: q(50), LostPct: &lost}}}
	scroll.Content = client.Content{Kind: "scroll",
		Scroll: &client.ScrollContent{AvgDepthPct: 700, ReadToEndPct: 3, Depths: marks}}
	parted, before := scroll, scroll
	parted.Content.PartKind, parted.Content.PartSessions = "section", q(900)
	parted.Content.Parts = []client.PartRow{{Part: 1, Label: "What changes", Views: 900, ReachPct: 1000, AvgMs: 30_000},
		{Part: 2, Label: "Prices and a heading that is long", Views: 400, ReachPct: 647, AvgMs: 4000}, {Part: 3, ReachPct: 394}}
	parted.Content.PartDropoff = &client.PartDropoff{AfterPart: new(int), LostPct: &lost}
	*parted.Content.PartDropoff.AfterPart = 2
	before.Content.PartKind, before.Content.PartSessions = "slide", q(0)
	replaced := *link
	replaced.Content = client.Content{Kind: "scroll", Version: 3, Sessions: new(int64),
		Scroll: &client.ScrollContent{}}
	hourly := *link
	hourly.Granularity, hourly.Series = "hour", []client.Point{{Label: "15:00", Views: 1}, {Label: "16:00", Views: 4}}
	unmeasured := *link
	unmeasured.Totals.Sessions, unmeasured.Totals.AvgEngagedMs, unmeasured.Totals.CompletionPct = 0, 0, nil
	for name, page := range map[string]string{
		"hourly.txt":       RenderLink(&Terminal{Width: 80}, &hourly, nil, 0, false),
		"replaced.txt":     RenderLink(&Terminal{Width: 80}, &replaced, nil, 0, false),
		"unmeasured.txt":   RenderLink(&Terminal{Width: 80}, &unmeasured, nil, 0, false),
		"link.txt":         RenderLink(&Terminal{Width: 80}, link, nil, 0, false),
		"link-wide.txt":    RenderLink(&Terminal{Width: 200}, link, nil, 0, false),
		"link-narrow.txt":  RenderLink(&Terminal{Width: 30}, link, nil, 0, false),
		"link-colours.txt": RenderLink(&Terminal{Width: 80, colour: true}, link, nil, 0, false),
		"media.txt":        RenderLink(&Terminal{Width: 80}, &media, nil, 0, false),
		"scroll.txt":       RenderLink(&Terminal{Width: 80}, &scroll, nil, 0, false),
		"parts.txt":        RenderLink(&Terminal{Width: 80}, &parted, nil, 0, false),
		"before.txt":       RenderLink(&Terminal{Width: 80}, &before, nil, 0, false),
		"empty.txt":        RenderLink(&Terminal{Width: 80}, empty, nil, 0, false),
		"account.txt":      RenderAccount(&Terminal{Width: 80}, account, 0, false),
	} {
		path := filepath.Join("testdata/stats", name)
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if page != string(want) {
			t.Errorf("%s differs; it is now\n%s", name, page)
		}
	}
}

// poison puts terminal escape sequences into every string of a report.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				poison(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.String:
		v.SetString(hostile)
	}
}

var ownColours = regexp.MustCompile(`\x1b\[(0|1|2|31|32|33)m`)

func TestStatsPassNoTextThatATerminalObeys(t *testing.T) {
	link, account := fixture[client.LinkReport](t, "link.json"), fixture[client.AccountReport](t, "account.json")
	poison(reflect.ValueOf(link))
	poison(reflect.ValueOf(account))
	for _, colour := range []bool{false, true} {
		for name, page := range map[string]string{
			"link":    RenderLink(&Terminal{Width: 80, colour: colour}, link, nil, 0, false),
			"account": RenderAccount(&Terminal{Width: 80, colour: colour}, account, 0, false),
		} {
			if !strings.Contains(page, "owned") {
				t.Errorf("%s: the text is not in the page", name)
			}
			if strings.Contains(page, "\x1b[31m\x1b") {
				t.Errorf("%s: the page contains a colour of the text", name)
			}
			if colour {
				page = ownColours.ReplaceAllString(page, "")
			}
			if i := strings.IndexFunc(strings.ReplaceAll(page, "\n", ""), Unsafe); i >= 0 {
				t.Errorf("%s (colour %v): the page contains %q", name, colour,
					strings.ReplaceAll(page, "\n", "")[i:][:8])
			}
		}
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []int64
		width  int
		want   string
	}{
		{nil, 10, ""},
		{[]int64{0, 0}, 10, "▁▁"},
		{[]int64{0, 1, 2, 3, 4, 5, 6, 7}, 10, "▁▂▃▄▅▆▇█"},
		{[]int64{0, 1, 1000}, 10, "▁▂█"},
		{[]int64{1, 1, 1, 1, 2, 2}, 3, "▅▅█"},
		{[]int64{1 << 40}, 1, "█"},
	} {
		if got := spark(c.values, c.width); got != c.want {
			t.Errorf("spark(%v, %d) = %s, want %s", c.values, c.width, got, c.want)
		}
	}
}

func FuzzSpark(f *testing.F) {
	f.Add([]byte{1, 2, 3}, 2)
	f.Fuzz(func(t *testing.T, values []byte, width int) {
		var v []int64
		for _, b := range values {
			v = append(v, int64(b))
		}
		width = 1 + max(width, -width-1)%100
		if got := spark(v, width); uniseg.StringWidth(got) > width {
			t.Errorf("spark(%v, %d) = %s", v, width, got)
		}
	})
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{-1: "0 s", 0: "0 s", 499: "0 s", 500: "1 s",
		59_400: "59 s", 59_500: "1 min 00 s", 134_000: "2 min 14 s", 3_599_600: "1 h 00 min",
		147_400_000: "40 h 56 min"} {
		if got := Duration(ms); got != want {
			t.Errorf("duration(%d) = %s, want %s", ms, got, want)
		}
	}
}

func TestGaugeIsExactToAnEighth(t *testing.T) {
	for share, want := range map[client.Tenths]string{0: "        ", 1: "▏       ", 141: "█▏      ", 408: "███▎    ",
		500: "████    ", 999: "████████", 1000: "████████", 2000: "████████"} {
		if got := gauge(share, 8); got != want {
			t.Errorf("gauge(%s) = %q, want %q", share, got, want)
		}
	}
}

func TestNamesOfKeys(t *testing.T) {
	for got, want := range map[string]string{
		hostName("https://www.example.org/"):   "example.org",
		hostName("http://a.example/www.txt"):   "a.example/www.txt",
		hostName("android-app://com.slack"):    "com.slack",
		kindName("html"):                       "Web page",
		kindName("Other"):                      "Other",
		widthName("576-767"):                   "576–767 px",
		widthName("1920+"):                     "1920 px and more",
		separated("12000 of 1234567, 999, 8%"): "12,000 of 1,234,567, 999, 8%",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestChangesFollowTheRuleOfThePage checks that changes from few views, or to a
// time before the link existed, are not shown.
func TestChangesFollowTheRuleOfThePage(t *testing.T) {
	pct := int64(50)
	up := client.Delta{Pct: &pct, Dir: "up"}
	for _, c := range []struct {
		before int64
		young  bool
		key    string
		want   string
	}{
		{30, false, "30d", "↑ 50%"}, {29, false, "30d", ""}, {30, true, "30d", ""}, {30, false, "all", ""},
	} {
		s := &client.Summary{Previous: client.Previous{Views: c.before}, Range: client.Range{Key: c.key}}
		if got := (&page{t: &Terminal{}, young: c.young}).change(s, up); got != c.want {
			t.Errorf("change of %+v = %q, want %q", c, got, c.want)
		}
	}
}
