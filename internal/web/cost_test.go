package web_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
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
	"vitrine/internal/auth"
	"vitrine/internal/password"
	"vitrine/internal/sharedreport"
)

// The most that a request of a stranger costs (bench/costs.md).
const (
	mostCPU   = 60 * time.Millisecond
	mostLive  = 1 << 20 // bytes
	mostShown = 4 << 20 // for the page of a text file
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
// route, that requests of strangers are within their bounds, and that it has no
// other rows. "make bench-costs" writes it.
func TestEveryRouteHasACost(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(costPage)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]*)`(?:, ([^|]*))? \\| (\\w+) \\| ([\\d.]+) \\| ([\\d,]+) \\| [\\d,]+ \\| \\d+ \\|").
		FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = true
		cpu, err1 := strconv.ParseFloat(m[4], 64)
		live, err2 := strconv.Atoi(strings.ReplaceAll(m[5], ",", ""))
		if err1 != nil || err2 != nil {
			t.Errorf("row %q is not numbers: %v, %v", m[0], err1, err2)
		}
		most := mostLive
		if slices.Contains([]string{"GET /p/{slug}", "GET /p/{slug}/embed"}, m[1]) {
			most = mostShown
		}
		if m[3] == "stranger" && otherwise[m[1]] == "" && (cpu > mostCPU.Seconds()*1000 || live > most>>10) {
			t.Errorf("%s costs a stranger %v ms and %d KiB, more than the bound", m[1], cpu, live)
		}
	}
	for r := range otherwise {
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

// otherwise are the routes that may cost a stranger more, with what bounds them
// instead.
var otherwise = map[string]string{
	"POST /sign-in":                         byHash,
	"POST /sign-up":                         byHash,
	"POST /sign-up/{token}":                 byHash,
	"POST /password/{token}":                byHash,
	"POST /setup/{token}":                   byHash,
	"POST /r/{token}":                       byHash,
	"GET /r/{token}":                        byReport,
	"GET /r/{token}/embed":                  byReport,
	"GET /c/{token}/entry/{entry}":          byEntry,
	"GET /c/{token}/entry/{entry}/view":     byEntry,
	"GET /c/{token}/entry/{entry}/bytes":    byEntry,
	"GET /c/{token}/entry/{entry}/download": byEntry,
}

const (
	byHash   = "a hash of a password takes 19 MiB: as many at once as processors (password.Hash), 10 seconds of waiting"
	byReport = "a filter reads views: two pages at once, one of a network (reportpage.sharedReports), 30 seconds of waiting"
	byEntry  = "what lies before it is unpacked, at most 64 MiB: two at once, one of a network (content.unpacks), 30 seconds of waiting"
)

// costSite is a site to send one request of each kind to.
type costSite struct {
	*demo
	json, zip *vitrine.Link
	key       string
	sent      int
	cookies   map[string]string // by who sends a request
	values    map[string]string // of the wildcards, by the path up to them
	content   map[string]string // an address on the content origin, by what follows its token
}

func newCostSite(b testing.TB) *costSite {
	c := &costSite{demo: newDemo(b), content: map[string]string{}}
	ctx := b.Context()
	c.json = c.publish("data.json", []byte(`[`+strings.Repeat(`{"name":"a value","n":[1,2,3]},`, 33_000)+`0]`))
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	f, err := w.Create("notes.md")
	c.check(err)
	_, err = f.Write([]byte(strings.Repeat("# Heading\n\nSome *text* with `code` and [a link](https://example.org).\n\n- one\n- two\n\n", 11_000)))
	c.check(err)
	c.check(w.Close())
	c.zip = c.publish("notes.zip", z.Bytes())
	secret, err := (&sharedreport.Service{Store: c.server.Links.Store, Signer: c.server.Sessions.Signer, Now: c.server.Now}).
		Create(ctx, c.pro, nil, sharedreport.Options{})
	c.check(err)
	text, err := c.server.Keys.Create(ctx, c.pro.Email, auth.KeyRequest{Name: "costs", Scope: vitrine.ScopeFull})
	c.check(err)
	owner := c.join("boss@example.org", vitrine.RoleOwner)
	c.key = string(text.Text)
	c.cookies = map[string]string{"member": c.signIn(c.pro), "owner": c.signIn(owner), "moderator": c.signIn(c.moderator)}
	pdf, site, none := string(c.links["annual-report.pdf"].Slug), string(c.website.Slug), strings.Repeat("x", 43)
	c.values = map[string]string{
		"/api/v1/links/": pdf, "/captions/": "en", "/versions/": "1", "/visits/": "1", "/api/v1/keys/": "1",
		"/storage/": none, "/docs/": "reports", "/docs/api/": "links", "/assets/": "app.css", "/p/": string(c.json.Slug),
		"/a/": string(c.album.Slug), "/report/website/": site, "/c/": none, "/part/": "cells", "/entry/": "0", "/s/": site,
		"/sign-in/": none, "/sign-up/": none, "/password/": none, "/setup/": none, "/links/": pdf, "/pages/": "1",
		"/share/": "999", "/r/": secret, "/websites/": site, "/albums/": string(c.album.Slug), "/account/email/": none,
		"/account/sessions/": "1", "/keys/": "1", "/people/invitations/": "1", "/moderation/links/": string(c.held.Slug),
		"/moderation/accounts/": strconv.FormatInt(int64(c.free.ID), 10)}
	for _, l := range []*vitrine.Link{c.json, c.zip, c.links["annual-report.pdf"], c.links["guide.mp3"],
		c.links["invitation.html"], c.links["hours.md"], c.links["visitors.csv"]} {
		page := c.get("/p/"+string(l.Slug), "User-Agent: "+desktop).body
		for _, m := range regexp.MustCompile(`/c/[^/"?&]+/(\w+)([^"?&#\s]*)`).FindAllStringSubmatch(page, -1) {
			if c.content[m[1]] == "" {
				c.content[m[1]] = m[0]
			}
		}
	}
	return c
}

// costBodies are the bodies of forms that are worth more than a refusal.
var costBodies = map[string]string{
	"POST /sign-in":         "email=ada@example.org&password=some+words+of+ada",
	"POST /sign-up":         "email=new1@example.org&password=some+words+of+new",
	"POST /reset":           "email=ada@example.org",
	"POST /p/{slug}/report": "reason=phishing&detail=" + strings.Repeat("word+", 100),
	"POST /p/{slug}/beacon": `{"v":1,"view":"x","engagedMs":1000}`,
	"POST /api/v1/logins":   `{"program":"vitrine","machine":"desk"}`,
	"POST /api/v1/keys":     `{"name":"costs","scope":"read"}`,
	"POST /api/v1/uploads":  `{"name":"notes.txt","type":"text/plain","size":4}`,
	"POST /mcp":             `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_links","arguments":{}}}`,
}

// request returns a request for a route, of one who may send it.
func (c *costSite) request(r route) *http.Request {
	path := strings.TrimSuffix(r.path, "{$}")
	for {
		i := strings.IndexByte(path, '{')
		if i < 0 {
			break
		}
		end := strings.IndexByte(path, '}')
		longest := ""
		for before := range c.values {
			if strings.HasSuffix(path[:i], before) && len(before) > len(longest) {
				longest = before
			}
		}
		value := c.values[longest]
		if longest == "" {
			value = "x"
		}
		path = path[:i] + value + path[end+1:]
	}
	if rest, ok := strings.CutPrefix(r.path, "/c/{token}/"); ok {
		first, more, _ := strings.Cut(rest, "/")
		if real := c.content[first]; real != "" {
			_, shown, _ := strings.Cut(strings.TrimPrefix(real, "/c/"), "/"+first)
			path = real
			if i := strings.LastIndexByte(more, '/'); i >= 0 { // what belongs to an entry
				path += more[i:]
			} else if shown == "" && more != "" {
				path += "/" + c.values["/"+first+"/"]
			}
		} else if real := c.content["file"]; real != "" {
			path = strings.Replace(path, c.values["/c/"], strings.Split(real, "/")[2], 1)
		}
	}
	method := r.method
	if method == "" {
		method = http.MethodGet
	}
	body := costBodies[r.String()]
	if body == "" && (method == http.MethodPost || method == http.MethodPatch) {
		body = "{}"
	}
	q := httptest.NewRequest(method, c.url+path, strings.NewReader(body))
	c.sent++ // each from another network: none is limited
	q.RemoteAddr = fmt.Sprintf("198.%d.%d.1:1000", c.sent>>8&0xff, c.sent&0xff)
	q.Header.Set("User-Agent", desktop)
	q.Header.Set("Origin", c.url)
	switch r.of() {
	case "key":
		q.Header.Set("Authorization", "Bearer "+c.key)
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json, text/event-stream")
	case "stranger":
		q.Header.Set("Content-Type", "application/json")
		if slices.Contains([]string{"form", "linkForm", "app", "entry"}, r.guard) {
			q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	default:
		name, value, _ := strings.Cut(c.cookies[r.of()], ": ")
		q.Header.Set(name, value)
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if r.guard == "data" {
			q.Header.Set("Content-Type", "application/json")
		}
	}
	return q
}

// costliest are further requests of strangers, the worst that reviews found.
func (c *costSite) costliest() map[string]func(*http.Request) {
	query := func(s string) func(*http.Request) { return func(q *http.Request) { q.URL.RawQuery = s } }
	path := func(s string) func(*http.Request) { return func(q *http.Request) { q.URL.Path = s } }
	return map[string]func(*http.Request){
		"GET /docs/search, eight letters":   query("q=e+t+o+n+r+s+l+d"),
		"GET /docs/search, eight words":     query("q=link+file+page+report+views+upload+account+address"),
		"GET /p/{slug}, a ZIP":              path("/p/" + string(c.zip.Slug)),
		"GET /p/{slug}, Markdown":           path("/p/" + string(c.links["hours.md"].Slug)),
		"GET /p/{slug}, a PDF":              path("/p/" + string(c.links["catalogue.pdf"].Slug)),
		"GET /p/{slug}, random UTM":         query("utm_source=" + strings.Repeat("x", 100) + "&utm_campaign=" + strings.Repeat("y", 100)),
		"GET /r/{token}, filtered":          query("range=all&filter=country:is:DE"),
		"GET /p/{slug}/qr.png, the largest": query("size=4096"),
	}
}

// nothing takes an answer and keeps nothing of it.
type nothing struct {
	header http.Header
	status int
}

func (n *nothing) Header() http.Header { return n.header }
func (n *nothing) WriteHeader(status int) {
	if n.status == 0 {
		n.status = status
	}
}
func (n *nothing) Write(b []byte) (int, error) { n.WriteHeader(http.StatusOK); return len(b), nil }

// cost is what a request takes.
type cost struct {
	cpu             time.Duration
	live, allocated uint64
	status          int
}

// costOf sends a request several times, the last ones beside a collector that
// finds at once what is not used any more.
func costOf(h http.Handler, request func() *http.Request) (c cost) {
	send := func() {
		w := &nothing{header: http.Header{}}
		h.ServeHTTP(w, request())
		c.status = w.status
	}
	send() // what is made once
	c.cpu = time.Hour
	for range 5 {
		before := processorTime()
		send()
		c.cpu = min(c.cpu, processorTime()-before)
	}
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	send()
	runtime.ReadMemStats(&to)
	c.allocated = to.TotalAlloc - from.TotalAlloc
	c.live = c.allocated
	if c.allocated > mostLive {
		c.live = min(c.allocated, peak(send))
	}
	return c
}

// peak returns the most bytes that are in use while f runs, without what was
// before.
func peak(f func()) (most uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	in := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range 3 {
		runtime.GC()
		metrics.Read(in)
		base, done, seen := in[0].Value.Uint64(), make(chan struct{}), make(chan uint64)
		go func() {
			in, top := slices.Clone(in), base
			for {
				select {
				case <-done:
					seen <- top - base
					return
				default:
					metrics.Read(in)
					top = max(top, in[0].Value.Uint64())
				}
			}
		}()
		f()
		close(done)
		most = max(most, <-seen)
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
	c := newCostSite(b)
	defer password.SetCost(password.Memory, password.Passes)()
	h := c.server.Handler()
	var rows []string
	add := func(name string, r route, change func(*http.Request)) {
		got := costOf(h, func() *http.Request {
			q := c.request(r)
			change(q)
			return q
		})
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
row, or if a row of a stranger is above its bound: 60 ms of processor time and 1 MiB of memory in
use at once. Four kinds of requests may be above it, and wait for a turn or have another bound:

- A check of a password takes 19 MiB. As many run at once as there are processors ([decision
  15](../docs/decisions/0015-limits-on-attempts.md)).
- A shared report with a filter reads views. Two are made at once, one for a network.
- A file of an archive may need what lies before it to be unpacked, at most 64 MiB. Two are unpacked
  at once, one for a network.
- The page of a text file takes some three times the bytes that it shows: at most 4 MiB.

A status of 400 or more shows what a refusal costs: the request has an empty form, or an identifier
that does not exist. Processor time is the least of five requests, and includes what runs in the
background. Memory in use is at most what was allocated.

| request | from | processor ms | in use, KiB | allocated, KiB | status |
|---|---|---|---|---|---|
`
