package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/client"
	"vitrine/internal/test/vitrinetest"

	"github.com/google/uuid"
)

// TestClocksApart runs two servers of one instance. The clock of the first is a
// minute behind that of their database and bucket, and the clock of the second
// a minute ahead. Each server must accept what the other issued, limits must be
// the same, and no view or engaged time may be lost or changed.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	a := skewedFleet{fleet: newFleetAt(t, [2]time.Duration{time.Minute, -time.Minute}, vitrinetest.PostgresDatabase(t),
		"")}
	a.key = a.account("owner@example.org", "lifetime")
	var read sync.WaitGroup
	read.Go(a.reads) // takes a few seconds
	a.both(a.uploads)
	a.hourly()
	a.both(a.signs)
	a.both(a.revokes)
	read.Wait()
	for _, s := range a.servers {
		a.runAt(s, "admin", "audit", "--deep")
	}
}

// skewedFleet is a fleet whose servers have different clocks.
type skewedFleet struct {
	*fleet
	key string
}

// both calls do twice, with each server as the first one.
func (a *skewedFleet) both(do func(one, other *fleetServer)) {
	a.t.Helper()
	do(a.servers[0], a.servers[1])
	do(a.servers[1], a.servers[0])
}

// runAt runs a command with a server's clock.
func (f *fleet) runAt(s *fleetServer, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("vitrine", args...)
	cmd.Env = append(os.Environ(), f.settings(s)...)
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// uploads begins an upload on one server and completes it on the other.
func (a *skewedFleet) uploads(one, other *fleetServer) {
	id := uuid.NewString()
	b := a.post(one, a.key, "/uploads", beginText("idempotencyKey", id))
	if again := a.post(other, a.key, "/uploads", beginText("idempotencyKey", id)); b.Path == "" ||
		again.Path != b.Path {
		a.t.Errorf("the same idempotency key began %+v and %+v, want one upload", b, again)
	}
	if status, body := a.send(http.MethodPut, b.SignedURL, "", fleetText); status != http.StatusOK {
		a.t.Fatalf("PUT to a signed URL: status %d, %s, want 200", status, body)
	}
	done := a.post(other, a.key, "/uploads/complete",
		map[string]any{"path": b.Path, "name": "a.txt", "type": "text/plain"})
	if done.Slug == "" {
		a.t.Fatalf("complete = %+v, want a slug", done)
	}
	if again := a.post(one, a.key, "/uploads", beginText("idempotencyKey", id)); again.Existing == nil ||
		again.Existing.Slug != done.Slug {
		a.t.Errorf("a completed upload's idempotency key for %s = %+v, want the existing link", done.Slug, again)
	}
	for _, s := range a.servers {
		if status, _, err := getPage(a.t.Context(), s.url+"/p/"+done.Slug); status != http.StatusOK {
			a.t.Errorf("page of the new link: status %d, %v, want 200", status, err)
		}
	}
}

// hourly begins more uploads than the hourly limit allows, on both servers in
// turn.
func (a *skewedFleet) hourly() {
	key := a.account("hourly@example.org", "pro")
	all := a.race(40, func(s *fleetServer) outcome { return a.post(s, key, "/uploads", beginText()) })
	if begun, late := ofStatus(all, 200, ""), ofStatus(all, 429, "rate_limited"); begun != 15 || late != 25 {
		a.t.Errorf("of 40 uploads %d began and %d were refused, want 15 and 25", begun, late)
	}
}

// send sends a request with cookies. It returns the status and the body, or the
// Location of a redirect.
func (a *skewedFleet) send(method, address, cookie string, body []byte) (int, string) {
	a.t.Helper()
	req, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	req.Header.Set("User-Agent", person)
	req.Header.Set("Cookie", cookie)
	switch method {
	case http.MethodPut:
		req.Header.Set("Content-Type", "text/plain")
	case http.MethodPost:
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	if to := res.Header.Get("Location"); to != "" {
		b = []byte(to)
	}
	return res.StatusCode, string(b)
}

// signs uses a one-time token of one server on the other, and a session of that
// server on both.
func (a *skewedFleet) signs(one, other *fleetServer) {
	cookie := a.signInWith(other, a.runAt(one, "admin", "account", "sign-in", "owner@example.org"))
	for _, s := range a.servers {
		if status, to := a.send(http.MethodGet, s.url+"/dashboard", cookie, nil); status != http.StatusOK {
			a.t.Errorf("the other server's session: status %d, %s, want 200", status, to)
		}
	}
	if status, to := a.send(http.MethodPost, one.url+"/sign-out", cookie, nil); status != http.StatusSeeOther {
		a.t.Errorf("sign-out: status %d, %s, want 303", status, to)
	}
	if status, _ := a.send(http.MethodGet, other.url+"/dashboard", cookie, nil); status != http.StatusSeeOther {
		a.t.Errorf("a session that was signed out on the other server: status %d, want 303", status)
	}
}

// revokes revokes a key with the clock of one server. The other server must
// then refuse it.
func (a *skewedFleet) revokes(one, other *fleetServer) {
	email := fmt.Sprintf("revoked%v@example.org", one.ahead.Seconds())
	key := a.runAt(one, "admin", "account", "create", email, "--plan", "lifetime")
	for _, s := range a.servers {
		if o := a.post(s, key, "/uploads", beginText()); o.status != http.StatusOK {
			a.t.Errorf("a new key: %+v, want status 200", o)
		}
	}
	a.runAt(one, "admin", "key", "revoke", email, strings.Fields(a.run("admin", "key", "list", email))[0], "--yes")
	if o := a.post(other, key, "/uploads", beginText()); o.Code != "unauthorized" {
		a.t.Errorf("a revoked key: %+v, want unauthorized", o)
	}
}

// readFor is how long a reader stays on the page. It is longer than the 2 s by
// which a claim may be ahead of the server's clock.
const readFor = 3500 * time.Millisecond

// reads loads a link on one server and sends its beacons to the other, then the
// reverse. Both servers must report the same, correct numbers.
func (a *skewedFleet) reads() {
	f := a.fleet
	ctx := f.t.Context()
	l, err := f.client(f.servers[0].url, a.key).Upload(ctx, textFile(), client.Options{})
	if err != nil {
		f.t.Error(err)
		return
	}
	const views = 12
	beacon := regexp.MustCompile(`data-beacon="[^"]*(/p/[^"]+)"`)
	f.race(views, func(s *fleetServer) outcome {
		other := f.servers[0]
		if s == other {
			other = f.servers[1]
		}
		status, body, err := getPage(ctx, s.url+"/p/"+l.Slug)
		began := time.Now()
		m := beacon.FindStringSubmatch(body)
		if err != nil || status != http.StatusOK || m == nil {
			f.t.Errorf("page: status %d, %v, %.200s", status, err, body)
			return outcome{}
		}
		address := strings.ReplaceAll(m[1], "&amp;", "&")
		tick := time.NewTicker(readFor / 5)
		defer tick.Stop()
		for turn, at := range []*fleetServer{other, s, other, s, other} {
			<-tick.C
			ms := time.Since(began).Milliseconds()
			if turn == 4 {
				ms = readFor.Milliseconds() - 100
			}
			status, answer := a.sendText(at.url+address,
				fmt.Sprintf(`{"engaged": %d, "present": %d, "depth": 60}`, ms, ms))
			if status != http.StatusNoContent {
				f.t.Errorf("beacon: status %d, %s, want 204", status, answer)
			}
		}
		if d := downloadAddress.FindString(body); d != "" {
			a.follow(other, strings.ReplaceAll(d, "&amp;", "&"))
		} else {
			f.t.Error("the page has no download link")
		}
		return outcome{}
	})
	negative := regexp.MustCompile(`[:\[,]-\d`)
	var reports [2][]byte
	for i, s := range f.servers {
		r, err := f.client(s.url, a.key).LinkAnalytics(ctx, l.Slug, client.ReportQuery{Range: "7d"})
		if err != nil {
			f.t.Error(err)
			return
		}
		reports[i], _ = json.Marshal(r)
		if n := r.Totals; n.Views != views || n.Sessions != views || n.Downloads != views ||
			n.AvgEngagedMs != readFor.Milliseconds()-100 {
			b, _ := json.Marshal(n)
			f.t.Errorf("server %d: unexpected totals: %s", i, b)
		}
		if at := negative.FindIndex(reports[i]); at != nil {
			f.t.Errorf("negative number in a report: %s", reports[i][max(at[0]-40, 0):at[1]])
		}
	}
	if !bytes.Equal(reports[0], reports[1]) {
		f.t.Errorf("reports differ: %s\nand: %s", reports[0], reports[1])
	}
}

// sendText sends a beacon.
func (a *skewedFleet) sendText(address, body string) (int, string) {
	res, err := http.Post(address, "text/plain", strings.NewReader(body))
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

// follow downloads a file from a server and follows redirects.
func (a *skewedFleet) follow(s *fleetServer, path string) {
	address := s.url + path
	for range 3 {
		status, body := a.send(http.MethodGet, address, "", nil)
		switch u, err := url.Parse(body); {
		case status == http.StatusOK && body == string(fleetText):
			return
		case status/100 == 3 && err == nil:
			address = s.url + u.RequestURI()
		default:
			a.t.Errorf("GET %s: %s", path, strconv.Itoa(status)+" "+body[:min(len(body), 200)])
			return
		}
	}
}
