package web_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/app"
)

// The most that a request costs (bench/costs.md).
const (
	mostCPU  = 60 * time.Millisecond
	mostLive = 1 << 20 // bytes
)

// costPage is the page with the cost of each kind of request.
const costPage = "../../bench/costs.md"

// route is a row of the route table.
type route struct{ guard, method, path string }

func (r route) String() string { return strings.TrimSpace(r.method + " " + r.path) }

// of returns who sends requests to the route, by its guard.
func (r route) of() string {
	switch r.guard {
	case "key", "pro":
		return "key"
	case "member", "data", "look", "lookPage":
		return "member"
	case "owner", "moderator":
		return r.guard
	default:
		return "stranger"
	}
}

// routeTable reads all routes from routes.go.
func routeTable(t testing.TB) (list []route) {
	t.Helper()
	text, err := os.ReadFile("routes.go")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`(?m)^\t+r\.(\w+)\((?:vitrine\.\w+, )?(.*)$`).FindAllSubmatch(text, -1)
	for _, m := range calls {
		if string(m[1]) == "done" {
			continue
		}
		q, err := strconv.QuotedPrefix(string(m[2]))
		if err != nil {
			t.Fatalf("routes.go registers a route without a pattern: %s", m[0])
		}
		pattern, _ := strconv.Unquote(q)
		method, path, ok := strings.Cut(pattern, " ")
		if !ok {
			method, path = "", pattern
		}
		list = append(list, route{string(m[1]), method, path})
	}
	if len(list) < 150 {
		t.Fatalf("only %d routes are found in routes.go", len(list))
	}
	return list
}

// TestEveryRouteHasACost checks that the page of costs has a row for each
// route, that requests are within their bounds, and that it has no other rows.
// "make bench-costs" writes it.
func TestEveryRouteHasACost(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(costPage)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(page), costHead) {
		t.Error("bench/costs.md does not begin with costHead: run make bench-costs")
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]*)`(?:, ([^|]*))? \\| (\\w+) \\| ([\\d.]+) \\| ([\\d,]+) \\| [\\d,]+ \\| (\\d)\\d\\d \\|").
		FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = true
		cpu, err1 := strconv.ParseFloat(m[4], 64)
		live, err2 := strconv.Atoi(strings.ReplaceAll(m[5], ",", ""))
		if err1 != nil || err2 != nil {
			t.Errorf("row %q is not numbers: %v, %v", m[0], err1, err2)
		}
		if refused := m[6] >= "4"; refused != (refusals[m[1]] != "") {
			t.Errorf("%s has status %sxx: it needs a request that does what the route is for, or a reason", m[1], m[6])
		}
		if costExceptions[m[1]] == "" && (cpu > mostCPU.Seconds()*1000 || live > mostLive>>10) {
			t.Errorf("%s costs %v ms and %d KiB, more than the bound", m[1], cpu, live)
		}
	}
	for r := range costExceptions {
		if !rows[r] {
			t.Errorf("%s has another bound, but is no route", r)
		}
	}
	for _, r := range routeTable(t) {
		if !rows[r.String()] {
			t.Errorf("%s has no row in bench/costs.md: run make bench-costs", r)
		}
		delete(rows, r.String())
	}
	for r := range rows {
		t.Errorf("bench/costs.md has a row for %s, which is no route", r)
	}
}

const (
	byHash   = "a hash of a password takes 19 MiB: as many at once as processors (password.Hash), 10 seconds of waiting"
	byExport = "reports are made one after the other: one export of an account at once (AccountPages.Export)"
	byReport = "a filter reads views: two pages at once, one of a network (reportpage.sharedReports), 30 seconds of waiting"
	byEntry  = "what lies before it is unpacked, at most 64 MiB: two at once, one of a network (content.unpacks), 30 seconds of waiting"
)

// costSite is a site to send one request of each kind to.
type costSite struct {
	*webtest.Demo
	json, zip          *vitrine.Link
	heldPage, heldSite *vitrine.Link
	key                string
	keyID              vitrine.KeyID
	sent, made         int
	cookies            map[string]string // by who sends a request
	values             map[string]string // of the wildcards, by the path up to them
}

func newCostSite(b testing.TB) *costSite {
	c := &costSite{Demo: webtest.NewDemo(b)}
	ctx := b.Context()
	limits := c.Server.Uploads.Plans[vitrine.PlanPro]
	limits.HourlyUploads = 10_000
	c.Server.Uploads.Plans[vitrine.PlanPro] = limits
	c.json = c.Publish("data.json", []byte(`[`+strings.Repeat(`{"name":"a value","n":[1,2,3]},`, 33_000)+`0]`))
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	for _, m := range []struct{ name, content string }{
		{"notes.md", strings.Repeat("# Heading\n\nSome *text* with `code` and [a link](https://example.org).\n\n- one\n- two\n\n", 11_000)},
		{"report.pdf", string(webtest.Samples["report.pdf"])},
	} {
		f, err := w.Create(m.name)
		c.Check(err)
		_, err = f.Write([]byte(m.content))
		c.Check(err)
	}
	c.Check(w.Close())
	c.zip = c.Publish("notes.zip", z.Bytes())
	c.heldPage = c.Hold(c.Publish("page.html", append([]byte("<!-- held -->"), webtest.Samples["page.html"]...)),
		vitrine.ReasonAbuse, "")
	c.heldSite = c.Hold(c.Deployed(c.NewWebsite("Held"), "index.html=<h1>Held</h1>"), vitrine.ReasonAbuse, "")
	c.Caption(c.Links["tour.webm"], "en", webtest.Morning)
	webtest.Previewer(b, c.Site)
	c.Check(c.Server.Previews.Make(ctx))
	c.Notices = append(c.Notices, app.Notice{Text: "A notice.", Key: "costs"})
	c.Check(c.Server.Accounts.SetPassword(ctx, c.Pro.Email, "some words of ada"))
	key, err := c.Server.Keys.CreateFor(ctx, c.Pro.Email, auth.KeyRequest{Name: "costs", Scope: vitrine.ScopeFull})
	c.Check(err)
	owner := c.Join("boss@example.org", vitrine.RoleOwner)
	c.key, c.keyID = string(key.Text), key.ID
	c.cookies = map[string]string{"member": c.SignIn(c.Pro), "owner": c.SignIn(owner),
		"moderator": c.SignIn(c.Moderator)}
	token, id := c.Recipients(c.json, "Anna’s link")[0].Token, c.Recipients(c.report(), "Anna’s link")[0].ID
	hook, delivery := c.hook()
	pdf, site, none := string(c.report().Slug), string(c.Website.Slug), strings.Repeat("x", 43)
	c.values = map[string]string{
		"/api/v1/links/": pdf, "/versions/": "1", "/docs/": "reports", "/docs/api/": "links",
		"/p/": string(c.json.Slug), "/p/" + string(c.json.Slug) + "/": string(token),
		"/webhooks/": hook, "/api/v1/webhooks/": hook, "/deliveries/": delivery, "/recipients/": fmt.Sprint(id),
		"/a/": string(c.Album.Slug), "/report/website/": site, "/c/": none, "/s/": site, "/links/": pdf,
		"/r/": strings.TrimPrefix(c.Shared(nil, ""), "/r/"), "/websites/": site, "/albums/": string(c.Album.Slug),
		"/account/email/": none, "/moderation/links/": string(c.Held.Slug),
		"/moderation/accounts/": strconv.FormatInt(int64(c.Free.ID), 10)}
	return c
}

// costBodies are the bodies that need no preparation.
var costBodies = map[string]string{
	"POST /reset":                                       "email=ada@example.org",
	"POST /api/v1/logins":                               `{"program":"vitrine","machine":"desk"}`,
	"POST /api/v1/links/{slug}/recipients":              `{"recipients":[{"label":"Anna’s link"}]}`,
	"PATCH /api/v1/links/{slug}/recipients/{recipient}": `{"label":"Bob’s link"}`,
	"POST /api/v1/uploads":                              `{"name":"notes.txt","type":"text/plain","size":4}`,
	"POST /mcp":                                         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}}}`,
}

// pathOf returns the path of a route, with the values of its wildcards.
func (c *costSite) pathOf(r route) string {
	path := strings.TrimSuffix(r.path, "{$}")
	for {
		i := strings.IndexByte(path, '{')
		if i < 0 {
			return path
		}
		longest := ""
		for before := range c.values {
			if strings.HasSuffix(path[:i], before) && len(before) > len(longest) {
				longest = before
			}
		}
		path = path[:i] + cmp.Or(c.values[longest], "x") + path[strings.IndexByte(path, '}')+1:]
	}
}

// request returns a request for a route, of one who may send it, and the site
// that answers it.
func (c *costSite) request(r route) (on *webtest.Site, q *http.Request) {
	var a ask
	if prepare := asks[r.String()]; prepare != nil {
		a = prepare(c)
	}
	on = c.Site
	if a.on != nil {
		on = a.on
	}
	method := cmp.Or(r.method, http.MethodGet)
	body := cmp.Or(a.body, costBodies[r.String()])
	if body == "" && (method == http.MethodPost || method == http.MethodPatch) {
		body = "{}"
	}
	address := cmp.Or(a.path, c.pathOf(r))
	if !strings.HasPrefix(address, "http") {
		address = on.URL + address
	}
	q = httptest.NewRequest(method, address, strings.NewReader(body))
	c.sent++ // each from another network: none is limited
	q.RemoteAddr = fmt.Sprintf("198.%d.%d.1:1000", c.sent>>8&0xff, c.sent&0xff)
	q.Header.Set("User-Agent", webtest.Desktop)
	q.Header.Set("Origin", on.URL)
	as, kind := a.as, "application/x-www-form-urlencoded"
	switch r.of() {
	case "key":
		as, kind = cmp.Or(as, withKey(c.key)), "application/json"
		q.Header.Set("Accept", "application/json, text/event-stream")
	case "stranger":
		if !slices.Contains([]string{"form", "reported", "app", "entry"}, r.guard) {
			kind = "application/json"
		}
	default:
		as = cmp.Or(as, c.cookies[r.of()])
		if r.guard == "data" {
			kind = "application/json"
		}
	}
	q.Header.Set("Content-Type", cmp.Or(a.kind, kind))
	if name, value, ok := strings.Cut(as, ": "); ok {
		q.Header.Set(name, value)
	}
	if r.guard == "upload" {
		q.Header["Tus-Resumable"], q.Header["Upload-Offset"] = []string{"1.0.0"}, []string{"0"}
		q.Header.Set("X-HTTP-Method-Override", "PATCH")
	}
	return on, q
}

// costliest are further requests of strangers, the worst that reviews found.
func (c *costSite) costliest() map[string]func(*http.Request) {
	query := func(s string) func(*http.Request) { return func(q *http.Request) { q.URL.RawQuery = s } }
	path := func(s string) func(*http.Request) { return func(q *http.Request) { q.URL.Path = s } }
	gated := c.gated()
	pass := strings.TrimPrefix(webtest.PassOf(c.Enter(gated, "a cafe", "192.0.2.1")), "Cookie: ")
	return map[string]func(*http.Request){
		"GET /docs/search, eight letters": query("q=e+t+o+n+r+s+l+d"),
		"GET /docs/search, eight words":   query("q=link+file+page+report+views+upload+account+address"),
		"GET /p/{slug}, protected": func(q *http.Request) {
			q.URL.Path = "/p/" + string(gated.Slug)
			q.Header.Set("Cookie", pass)
		},
		"GET /p/{slug}, a ZIP":    path("/p/" + string(c.zip.Slug)),
		"GET /p/{slug}, Markdown": path("/p/" + string(c.Links["hours.md"].Slug)),
		"GET /p/{slug}, its text": path("/p/" + string(c.Links["hours.md"].Slug) + ".md"),
		"GET /p/{slug}, a PDF":    path("/p/" + string(c.Links["catalogue.pdf"].Slug)),
		"GET /p/{slug}, random UTM": query("utm_source=" + strings.Repeat("x",
			100) + "&utm_campaign=" + strings.Repeat("y", 100)),
		"GET /r/{token}, filtered":          query("range=all&filter=country:is:DE"),
		"GET /p/{slug}/qr.png, the largest": query("size=4096"),
	}
}

// cost is what a request takes.
type cost struct {
	cpu             time.Duration
	live, allocated uint64
	status          int    // the highest
	to              string // where the last one leads
}

// costOf sends a request several times, the last ones beside a collector that
// finds at once what is not used any more. What prepares a request is not
// measured.
func costOf(request func() (http.Handler, *http.Request)) (c cost) {
	send := func() func() {
		h, q := request()
		return func() {
			w := &webtest.Nothing{Kept: http.Header{}}
			h.ServeHTTP(w, q)
			c.status, c.to = max(c.status, w.Status), w.Kept.Get("Location")
		}
	}
	send()() // what is made once
	c.cpu = time.Hour
	for range 5 {
		f := send()
		before := processorTime()
		f()
		c.cpu = min(c.cpu, processorTime()-before)
	}
	f := send()
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	f()
	runtime.ReadMemStats(&to)
	c.allocated = to.TotalAlloc - from.TotalAlloc
	c.live = c.allocated
	if c.allocated > mostLive {
		c.live = min(c.allocated, peak(send))
	}
	return c
}

// peak returns the most bytes that are in use while a request is answered,
// without what was before: the most that collections find which begin all the
// time. They stop the request ("make bench-costs"), so a busy machine changes
// nothing.
func peak(send func() func()) (most uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	in := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	found := func() uint64 {
		runtime.GC()
		metrics.Read(in)
		return in[0].Value.Uint64()
	}
	for range 3 {
		f, done := send(), make(chan struct{})
		found() // empties pools
		base := found()
		go func() {
			defer close(done)
			f()
		}()
		for answered := false; !answered; {
			if now := found(); now > base {
				most = max(most, now-base)
			}
			select {
			case <-done:
				answered = true
			default:
			}
		}
	}
	return most
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCosts measures a request of each kind and prints the rows of the
// page of costs, the most expensive first.
func BenchmarkCosts(b *testing.B) {
	defer password.SetCost(password.Memory, password.Passes)()
	c := newCostSite(b)
	h := c.Server.Handler()
	var rows []string
	add := func(name string, r route, change func(*http.Request)) {
		got := costOf(func() (http.Handler, *http.Request) {
			on, q := c.request(r)
			change(q)
			if on == c.Site {
				return h, q
			}
			return on.Server.Handler(), q
		})
		refused := got.status >= 400 || strings.HasPrefix(got.to, "/sign-in") && r.of() != "stranger"
		if refused != (refusals[r.String()] != "") {
			b.Errorf("%s is answered with status %d %s", r, got.status, got.to)
		}
		ms := float64(got.cpu.Microseconds()) / 1000
		kib := func(n uint64) string { return strconv.FormatUint((n+1023)>>10, 10) }
		rows = append(rows, fmt.Sprintf("%09.3f| %s | %s | %.1f | %s | %s | %d |", ms, name, r.of(), ms, kib(got.live),
			kib(got.allocated), got.status))
	}
	worst, routes := c.costliest(), routeTable(b)
	order := func(r route) int {
		return slices.Index([]string{"", "GET", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"}, r.method)
	}
	slices.SortStableFunc(routes, func(a, b route) int { return order(a) - order(b) }) // what deletes is last
	for _, r := range routes {
		name := "`" + r.String() + "`"
		add(name, r, func(*http.Request) {})
		for what, change := range worst {
			if of, which, _ := strings.Cut(what, ", "); of == r.String() {
				add(name+", "+which, r, change)
			}
		}
	}
	slices.Sort(rows)
	slices.Reverse(rows)
	for i := range rows {
		rows[i] = rows[i][len("00000.000"):]
	}
	out := costHead + strings.Join(rows, "\n") + "\n"
	if os.Getenv("VITRINE_COSTS") == "" {
		fmt.Print(out)
	} else if err := os.WriteFile(costPage, []byte(out), 0o644); err != nil {
		b.Fatal(err)
	}
}

// costHead begins the page of costs.
const costHead = `# What a request costs

` + "`make bench-costs`" + ` measures one request of each route on a demo with some thousand views, with
SQLite and a directory, without a connection, and writes this page. A test fails if a route has no
row, or if a row is above its bound: 60 ms of processor time and 1 MiB of memory in use at once.
Four kinds of requests may be above it, and wait for a turn or have another bound:

- A check of a password takes 19 MiB. As many run at once as there are processors ([decision
  15](../docs/decisions/0015-limits-on-attempts.md)).
- A shared report with a filter reads views. Two are made at once, one for a network.
- A file of an archive may need what lies before it to be unpacked, at most 64 MiB. Two are unpacked
  at once, one for a network.
- An export has the reports of all links, one after the other. An account has one export at once.

A page that is not in the cache lays out its text, once for all who wait for it: some 17 MiB for
1 MiB of JSON, which is the most that a page shows. As many are laid out at once as there are
processors, and networks take turns. The table has the page from the cache.

Each request does what its route is for; ` + "`/` and `/api/v1/`" + ` only refuse. Processor time is the least
of five requests, and includes what runs in the background. Memory in use is at most what was
allocated. Accounts are new where a request can be made once.

| request | from | processor ms | in use, KiB | allocated, KiB | status |
|---|---|---|---|---|---|
`

// unsetSite returns a site without accounts, and the token of its owner.
func unsetSite(d *webtest.Demo) (s *webtest.AccountSite, token string) {
	s = webtest.NewAccountSite(d.T, auth.SignUpOpen, false)
	store, err := sqlstore.Open(filepath.Join(d.T.TempDir(), "empty.db"))
	d.Check(err)
	d.T.Cleanup(func() { store.Close() })
	s.Server.Accounts.Store, s.Server.Sessions.Store = store, store
	s.Server.Keys.Store, s.Server.Uploads.Store, s.Server.Links.Store = store, store, store
	text, err := s.Server.Accounts.OfferSetup(d.T.Context())
	d.Check(err)
	return s, string(text)
}

// session ends another session of an account.
func (c *costSite) session() ask {
	a, _ := c.other()
	cookie := c.SignIn(a)
	return ask{path: c.Attr(c.Get("/account", cookie).Text, `action="(/account/sessions/\d+)"`), as: cookie}
}
