package analytics_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/signer"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
	"vitrine/report/explain"
)

// explained is an account with links and random views.
type explained struct {
	*testing.T
	*rand.Rand
	*analytics.Service
	account *vitrine.Account
	slugs   []string
	trashed string // the slug of a link in the trash
	site    *vitrine.Site
	links   map[string]*vitrine.Link
	now     time.Time
}

func (e *explained) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// explainedDays is how long ago the oldest view is.
const explainedDays = 45

func newExplained(t *testing.T, r *rand.Rand, store vitrine.Store, log *viewlog.ViewLog, n int) *explained {
	e := &explained{T: t, Rand: r, links: map[string]*vitrine.Link{}, now: vitrinetest.Epoch.Add(17 * time.Hour)}
	e.Service = &analytics.Service{Store: store, Log: log, Signer: signer.New([]byte("k")),
		Now: func() time.Time { return e.now }, URL: func(s vitrine.Slug) string { return string(s) }}
	e.account = &vitrine.Account{Email: fmt.Sprintf("ann%d@example.org", n), Plan: vitrine.PlanPro, ViewerKey: []byte("k"),
		CreatedAt: vitrinetest.Epoch}
	e.must(store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddAccount(e.account) }))
	created := e.now.AddDate(0, 0, -explainedDays)
	row := func(slug string, kind filetype.Kind, pages int) *vitrine.Link {
		return &vitrine.Link{Account: e.account.ID, Slug: vitrine.Slug(slug), Title: slug,
			File: vitrine.File{Kind: kind, Pages: pages, Name: "a.bin"}, State: vitrine.StateLive, CreatedAt: created,
			StateAt: created}
	}
	for _, l := range []*vitrine.Link{row("deck", filetype.PDF, 6), row("film", filetype.Video, 0),
		row("page", filetype.HTML, 0), row("zip", filetype.Archive, 0), row("again", filetype.PDF, 4),
		row("gone", filetype.PDF, 3)} {
		l.Slug = vitrine.Slug(fmt.Sprintf("%s-%d", l.Slug, n))
		replaced := l.Title == "again"
		if l.Title == "gone" {
			l.DeletedAt, l.TrashUntil = e.now, e.now.Add(time.Hour)
		}
		if replaced {
			l.Versions, l.Version = 3, 3
		}
		e.must(store.Update(t.Context(), func(tx vitrine.Tx) error {
			err := tx.AddLink(l)
			if replaced {
				for i, v := range []*vitrine.Link{row("", filetype.PDF, 9), row("", filetype.Video, 0)} {
					v.Slug, v.Of, v.Version = "", l.ID, i+1
					err = errors.Join(err, tx.AddLink(v))
				}
			}
			return err
		}))
		e.links[string(l.Slug)] = l
		if l.Title == "gone" {
			e.trashed = string(l.Slug)
		} else {
			e.slugs = append(e.slugs, string(l.Slug))
		}
	}
	e.fill(log, n)
	e.addWebsite(log, n)
	return e
}

// fill adds views, downloads and excess views, and rolls up some days.
func (e *explained) fill(log *viewlog.ViewLog, n int) {
	var views []vitrine.ViewRecord
	moment := func() int64 {
		return e.now.UnixMilli() - e.Int64N(explainedDays*86_400_000)*e.Int64N(10)/9
	}
	for i := range 160 {
		l := e.links[pick(e.Rand, append(e.slugs, e.trashed)...)]
		id := vitrine.ViewIDAt(moment(), i%7)
		views = append(views, vitrine.ViewRecord{Account: e.account.ID, View: e.view(l, id)})
	}
	e.must(log.Import(e.Context(), vitrine.ImportReceipt{File: [32]byte{byte(n), 1}, Lines: int64(len(views)), At: e.now},
		views))
	var b vitrine.Batch
	for i := range 30 {
		l := e.links[pick(e.Rand, append(e.slugs, e.trashed)...)]
		d := vitrine.Download{ID: vitrine.ViewIDAt(moment(), 100+i), Link: l.ID, Account: e.account.ID,
			Recipient: vitrine.RecipientID(e.IntN(2) * 7)}
		if v := views[e.IntN(len(views))]; i%2 == 0 {
			d = vitrine.Download{ID: vitrine.ViewIDAt(min(v.At+e.Int64N(5*86_400_000), e.now.UnixMilli()), 100+i),
				Link: vitrine.LinkID(v.Link), View: vitrine.ViewID(v.ID), Account: e.account.ID}
		}
		b.Downloads = append(b.Downloads, d)
	}
	_, err := log.Append(e.Context(), b)
	e.must(err)
	e.must(e.Store.Update(e.Context(), func(tx vitrine.Tx) error {
		return tx.AddExcess(vitrine.Scope{Account: e.account.ID, Link: e.links[e.slugs[0]].ID},
			e.now.Add(-3*time.Hour).Truncate(time.Hour), 5)
	}))
	if n%2 == 0 {
		e.must(log.RollUp(e.Context(), report.DayOf(e.now.UnixMilli())-report.Day(e.IntN(explainedDays))))
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (e *explained) view(l *vitrine.Link, id vitrine.ViewID) report.View {
	v := report.View{ID: int64(id), At: id.Ms(), Link: int64(l.ID), Viewer: e.Uint64N(25),
		Country: pick(e.Rand, "", "DE", "FR", "US"), Referrer: pick(e.Rand, "", "a.example", "b.example"),
		Source: pick(e.Rand, "", "Google", "Slack"), Device: pick(e.Rand, "", "Desktop", "Mobile"),
		Browser: pick(e.Rand, "Firefox", "Chrome"), OS: pick(e.Rand, "", "Linux"), Campaign: pick(e.Rand, "", "spring"),
		QR: e.IntN(5) == 0, Returning: e.IntN(3) == 0, Recipient: int64(e.IntN(2) * 7)}
	if e.IntN(6) == 0 {
		v.Bot, v.Product = pick(e.Rand, "crawler", "preview", "own", "mail_network"), pick(e.Rand, "", "GPTBot")
		v.Own, v.Returning = v.Bot == "own", false
	}
	kind, pages := l.Kind, l.Pages
	if l.Versions > 1 {
		v.Version = 1 + e.IntN(3)
		kind, pages = []filetype.Kind{filetype.PDF, filetype.Video, filetype.PDF}[v.Version-1], []int{9, 0, 4}[v.Version-1]
	}
	if e.IntN(4) == 0 {
		return v
	}
	s := &report.Session{EngagedMs: pick(e.Rand, 0, 999, 1000, 4999, 5000, e.Int64N(90_000)),
		Screen: pick(e.Rand, "", "1440-1919"), Downloaded: v.Bot == "" && e.IntN(3) == 0}
	s.PresentMs = max(s.EngagedMs, pick(e.Rand, 0, 1999, 2000, e.Int64N(200_000)))
	v.Session = s
	if s.Unmeasured = kind != filetype.Archive && e.IntN(6) == 0; s.Unmeasured {
		return v
	}
	switch kind {
	case filetype.PDF:
		for p := 1; p <= pages; p++ {
			if e.IntN(2) == 0 {
				ms := e.Int64N(5000)
				s.Pages = append(s.Pages, report.PageTime{Page: p, Ms: ms, Bands: [4]int64{0, e.Int64N(1 + ms/2), ms / 2}})
			}
		}
	case filetype.Video:
		s.Reached = pick(e.Rand, 0, 250_000, 499_999, 950_000, 1_000_000, e.Int64N(1_000_001))
		s.Played = e.Int64N(s.Reached + 1)
		s.Parts.AddRange(0, int(s.Played/10_000))
	case filetype.HTML:
		s.Depth = pick(e.Rand, 0, 250_000, 499_999, 950_000, 1_000_000, e.Int64N(1_000_001))
	}
	return v
}

// query returns random parameters of a report.
func (e *explained) query(link string) url.Values {
	q := url.Values{}
	day := func(ago int) string { return e.now.AddDate(0, 0, -ago).Format(time.DateOnly) }
	switch e.IntN(5) {
	case 0:
		q.Set("granularity", "hour")
	case 1:
		first := 1 + e.IntN(explainedDays+10)
		q.Set("from", day(first))
		q.Set("to", day(1+e.IntN(first)))
	default:
		q.Set("range", string(pick(e.Rand, report.Ranges()...)))
	}
	if e.IntN(3) == 0 {
		q.Set("timezone", pick(e.Rand, "Asia/Kolkata", "America/St_Johns", "Europe/Berlin"))
	}
	if e.IntN(4) == 0 {
		q.Set("compare", pick(e.Rand, "year", "none"))
	}
	if e.IntN(2) == 0 {
		q["include"] = []string{"utm", "curves", "excluded"}
		q.Set("limit", "2")
	}
	filters := []string{"country:is:DE", "source:is_not:Direct", "returning:is:yes", "qr:is:no", "recipient:is:7",
		"recipient:is_not:", "device:is:", "version:is_not:1"}
	if link == "" {
		filters = append(filters, "kind:is:pdf", "link:is_not:"+e.slugs[0], "kind:is_not:video")
	}
	if link == website {
		filters = slices.DeleteFunc(filters, func(f string) bool {
			return strings.HasPrefix(f, "qr:") || strings.HasPrefix(f, "recipient:") || strings.HasPrefix(f, "version:")
		})
	}
	for e.IntN(2) == 0 {
		q.Add("filter", pick(e.Rand, filters...))
	}
	if strings.HasPrefix(link, "again") && e.IntN(2) == 0 {
		q.Set("version", strconv.Itoa(1+e.IntN(3)))
	}
	return q
}

// figures calls f with the pointer of each number of a report and of each
// insight. Null is a number that there is not.
func figures(v any, pointer string, f func(pointer string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			if name == "insights" {
				for i := range of.([]any) {
					f(fmt.Sprintf("%s/insights/%d", pointer, i))
				}
				continue
			}
			figures(of, pointer+"/"+name, f)
		}
	case []any:
		for i, of := range v {
			figures(of, fmt.Sprintf("%s/%d", pointer, i), f)
		}
	case json.Number, nil:
		f(pointer)
	}
}

// rounded returns a fraction with some decimals, halves away from zero.
func rounded(num, den *big.Int, decimals int) string {
	if den.Sign() == 0 {
		return "0"
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	n := new(big.Int).Mul(new(big.Int).Abs(num), scale)
	n.Mul(n, big.NewInt(2)).Add(n, den)
	n.Quo(n, new(big.Int).Mul(den, big.NewInt(2)))
	if num.Sign() < 0 {
		n.Neg(n)
	}
	text := new(big.Rat).SetFrac(n, scale).FloatString(decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// figureOf returns the figure that the visits of an explanation make.
func figureOf(e *analytics.Explanation) string {
	var sum, of, n = new(big.Int).SetInt64(e.Without), new(big.Int), big.NewInt(int64(len(e.Visits)))
	shares, values, viewers := new(big.Rat), []int64{}, map[int]bool{}
	for _, v := range e.Visits {
		sum.Add(sum, big.NewInt(v.Value))
		of.Add(of, big.NewInt(v.Of))
		shares.Add(shares, big.NewRat(v.Value, max(v.Of, 1)))
		values, viewers[v.Viewer] = append(values, v.Value), true
	}
	of.Add(of, big.NewInt(e.Of-of.Int64())) // what is counted without visits
	hundred := big.NewInt(100)
	switch e.Kind {
	case explain.Count:
		return fmt.Sprint(int64(len(e.Visits)) + e.Without)
	case explain.Distinct:
		return fmt.Sprint(len(viewers))
	case explain.Sum:
		return sum.String()
	case explain.Mean:
		if strings.HasSuffix(e.Figure, "avgPagesSeen") {
			return rounded(sum, of, 1)
		}
		return rounded(sum, of, 0)
	case explain.Median:
		if len(values) == 0 {
			return "0"
		}
		slices.Sort(values)
		return rounded(big.NewInt(values[(len(values)-1)/2]+values[len(values)/2]), big.NewInt(2), 0)
	case explain.Share:
		return rounded(sum.Mul(sum, hundred), of, 1)
	case explain.MeanShare:
		if len(values) == 0 {
			return "" // null
		}
		return rounded(new(big.Int).Mul(shares.Num(), hundred), n.Mul(n, shares.Denom()), 1)
	}
	return "?"
}

// TestExplain checks that the visits behind each figure of random reports make
// the figure: as many, their sum, share or median.
func TestExplain(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (store, log string){
		"SQLite": func(t *testing.T) (string, string) {
			dir := fixture.Databases(t)
			return filepath.Join(dir, "store.db"), filepath.Join(dir, "views.db")
		},
		"PostgreSQL": func(t *testing.T) (string, string) {
			return vitrinetest.PostgresDatabase(t), vitrinetest.PostgresDatabase(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			of, in := open(t)
			store, err := sqlstore.Open(of)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			log, err := viewlog.Open(in)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
			kinds, reports := map[explain.Kind]int{}, 0
			accounts := 5
			if name == "SQLite" {
				accounts = tier.Pick(5, 10) // of 20 reports each
			}
			for n := range accounts {
				e := newExplained(t, r, store, log, n)
				for range 20 {
					e.check(append(e.slugs, "", "", website)[e.IntN(len(e.slugs)+3)], kinds)
					reports++
				}
			}
			t.Logf("%d reports, figures by kind: %v", reports, kinds)
		})
	}
}

// check checks every figure of a random report.
func (e *explained) check(slug string, kinds map[explain.Kind]int) {
	e.Helper()
	values := e.query(slug)
	q, err := analytics.ParseQuery(values)
	e.must(err)
	var site *vitrine.Site
	if slug == website {
		site = e.site
	}
	of, err := e.Explainer(e.Context(), e.account, site, slug, q)
	e.must(err)
	var all []string
	figures(of.Report, "", func(pointer string) { all = append(all, pointer) })
	slices.Sort(all)
	for _, pointer := range all {
		x, err := of.Explain(e.Context(), pointer)
		if err != nil {
			e.Errorf("%q?%s: %s: %v", slug, values.Encode(), pointer, err)
			continue
		}
		kinds[x.Kind]++
		want := of.Value(pointer).String()
		switch {
		case x.Rule == "":
			e.Errorf("%s has no rule", pointer)
		case x.Kind == explain.None:
		case x.Kind == explain.Derived:
			for _, from := range x.From {
				if _, err := of.Explain(e.Context(), from); err != nil {
					e.Errorf("%s is from %s: %v", pointer, from, err)
				}
			}
			e.derived(of, x, want)
		case figureOf(x) != want:
			e.Errorf("%q?%s: %s = %s, but its %d visits make %s (%s, sum %d of %d, without %d)", slug, values.Encode(),
				pointer, want, len(x.Visits), figureOf(x), x.Kind, x.Sum, x.Of, x.Without)
		}
	}
	for _, pointer := range []string{"/totals/views", "/totals/uniques", "/totals/rangeDownloads", all[e.IntN(len(all))]} {
		e.pages(slug, q, of, pointer)
	}
}

// derived checks a figure that follows from others.
func (e *explained) derived(of *analytics.Explainer, x *analytics.Explanation, want string) {
	e.Helper()
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(of.Value(x.From[i]).String(), 10, 64)
		return n
	}
	last := x.Figure[strings.LastIndexByte(x.Figure, '/')+1:]
	switch {
	case last == "pct" && !strings.HasSuffix(x.Figure, "avgEngagedMs/pct"):
		now, was := number(0), number(1)
		got := ""
		if was != 0 {
			got = rounded(big.NewInt(100*(now-was)), big.NewInt(was), 0)
		}
		if got != want {
			e.Errorf("%s = %s, but it is made from %d and %d", x.Figure, want, now, was)
		}
	case strings.HasPrefix(last, "peak") && want != "":
		if !strings.HasSuffix(x.From[0], "/"+want) {
			e.Errorf("%s = %s, from %v", x.Figure, want, x.From)
		}
	case last == "expectedMs":
		var times []int64
		for i := range x.From {
			times = append(times, number(i))
		}
		slices.Sort(times)
		if got := fmt.Sprint(times[(len(times)-1)/2]); got != want {
			e.Errorf("%s = %s, its median is %s", x.Figure, want, got)
		}
	case last == "expectedPct":
		if got := rounded(big.NewInt(100*number(0)), big.NewInt(number(1)), 1); got != want {
			e.Errorf("%s = %s, made from %v it is %s", x.Figure, want, x.From, got)
		}
	}
}

// pages checks that an explanation by pages has the same visits, newest first.
func (e *explained) pages(slug string, q analytics.Query, of *analytics.Explainer, pointer string) {
	e.Helper()
	want, err := of.Explain(e.Context(), pointer)
	e.must(err)
	got := []analytics.ExplainedVisit{}
	ask := analytics.ExplainQuery{Query: q, Figure: pointer, N: 1 + e.IntN(40)}
	for {
		var x *analytics.Explanation
		switch slug {
		case "":
			x, err = e.ExplainAccount(e.Context(), e.account, ask)
		case website:
			x, err = e.ExplainWebsite(e.Context(), e.site, ask)
		default:
			x, err = e.ExplainLink(e.Context(), e.account, slug, ask)
		}
		e.must(err)
		if x.Count != want.Count || x.Sum != want.Sum || x.Of != want.Of || len(x.Visits) > ask.N {
			e.Errorf("%s: page has %d, %d of %d in %d rows, want %d, %d of %d", pointer, x.Count, x.Sum, x.Of, len(x.Visits),
				want.Count, want.Sum, want.Of)
		}
		for i := range x.Visits {
			if (x.Visits[i].Link == "") != (slug != "" && slug != website) {
				e.Errorf("%s: the visit is of the link %q", pointer, x.Visits[i].Link)
			}
			x.Visits[i].Link = ""
		}
		if got = append(got, x.Visits...); x.Next.Key == 0 {
			break
		}
		ask.Cursor = x.Next
	}
	vitrinetest.Equal(e.T, "visits of "+pointer+" by pages", got, append([]analytics.ExplainedVisit{}, want.Visits...))
}

// TestExplainFaults checks requests for what is no figure.
func TestExplainFaults(t *testing.T) {
	f := fixture.New(t)
	s := &analytics.Service{Store: f.Store, Log: f.Log, Signer: signer.New([]byte("k")), Now: f.Clock.Now,
		URL: func(s vitrine.Slug) string { return string(s) }}
	l := f.Note("to be read")
	for _, ask := range []analytics.ExplainQuery{{Figure: "/"}, {Figure: "totals"}, {Figure: "/totals"}, {Figure: "/totals/x"},
		{Figure: "/series/99/views"}, {Figure: "/series/-1/views"}, {Figure: "/series/01/views"}, {Figure: "/link/slug"},
		{Figure: "/content"}, {Figure: "/totals/views/0"}, {Figure: "/top_links/0/views"}, {Figure: "/breakdowns/countries/0/count"}} {
		_, err := s.ExplainLink(t.Context(), f.Account, string(l.Slug), ask)
		if vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
			t.Errorf("%+v: %v, want invalid_request", ask, err)
		}
	}
}
