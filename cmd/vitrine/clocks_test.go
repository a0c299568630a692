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
	"vitrine/internal/vitrinetest"

	"github.com/google/uuid"
)

// TestClocksApart runs two servers of one instance. The clock of the first is a
// minute behind their database and bucket, that of the second a minute ahead.
// Each server must accept what the other issued, limits must be the same, and
// no view or engaged time may be lost or changed.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	a := apart{fleet: newFleetAt(t, [2]time.Duration{time.Minute, -time.Minute}, vitrinetest.PostgresDatabase(t), "")}
	a.key = a.account("owner@example.org", "lifetime")
	var read sync.WaitGroup
	read.Go(a.reads) // which takes its time
	a.both(a.uploads)
	a.hourly()
	a.both(a.signs)
	a.both(a.revokes)
	read.Wait()
	for _, s := range a.ships {
		a.runAt(s, "audit", "--deep")
	}
}

// apart is a fleet whose servers find it different times.
type apart struct {
	*fleet
	key string
}

// both does something with each of the servers as the first.
func (a *apart) both(do func(one, other *ship)) {
	a.t.Helper()
	do(a.ships[0], a.ships[1])
	do(a.ships[1], a.ships[0])
}

// runAt runs a verb by the clock of a server.
func (f *fleet) runAt(s *ship, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("vitrine", args...)
	cmd.Env = append(os.Environ(), f.settings(s)...)
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("vitrine %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// uploads begins an upload at one server and completes it at the other.
func (a *apart) uploads(one, other *ship) {
	id := uuid.NewString()
	b := a.post(one, a.key, "/uploads", beginText("idempotencyKey", id))
	if again := a.post(other, a.key, "/uploads", beginText("idempotencyKey", id)); b.Path == "" ||
		again.Path != b.Path {
		a.t.Errorf("one key began %+v and %+v", b, again)
	}
	if status, body := a.send(http.MethodPut, b.SignedURL, "", fleetText); status != http.StatusOK {
		a.t.Fatalf("a signed URL: %d, %s", status, body)
	}
	done := a.post(other, a.key, "/uploads/complete",
		map[string]any{"path": b.Path, "name": "a.txt", "type": "text/plain"})
	if done.Slug == "" {
		a.t.Fatalf("complete: %+v", done)
	}
	if again := a.post(one, a.key, "/uploads", beginText("idempotencyKey", id)); again.Existing == nil ||
		again.Existing.Slug != done.Slug {
		a.t.Errorf("the key of %s: %+v", done.Slug, again)
	}
	for _, s := range a.ships {
		if status, _, err := getPage(a.t.Context(), s.url+"/p/"+done.Slug); status != http.StatusOK {
			a.t.Errorf("its page: %d, %v", status, err)
		}
	}
}

// hourly begins more uploads than an account may in an hour, at both servers in
// turn.
func (a *apart) hourly() {
	key := a.account("hourly@example.org", "pro")
	all := a.race(40, func(s *ship) outcome { return a.post(s, key, "/uploads", beginText()) })
	if begun, late := ofStatus(all, 200, ""), ofStatus(all, 429, "rate_limited"); begun != 15 || late != 25 {
		a.t.Errorf("%d were begun and %d refused of 40, with 15 an hour", begun, late)
	}
}

// send sends a request with cookies and returns the status and the body, or
// where it leads.
func (a *apart) send(method, address, cookie string, body []byte) (int, string) {
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

// signs uses a token of one server at the other, and a session of the other at
// both.
func (a *apart) signs(one, other *ship) {
	cookie := a.signInWith(other, a.runAt(one, "account", "sign-in", "owner@example.org"))
	for _, s := range a.ships {
		if status, to := a.send(http.MethodGet, s.url+"/dashboard", cookie, nil); status != http.StatusOK {
			a.t.Errorf("a session of the other: %d, %s", status, to)
		}
	}
	if status, to := a.send(http.MethodPost, one.url+"/sign-out", cookie, nil); status != http.StatusSeeOther {
		a.t.Errorf("signing out: %d, %s", status, to)
	}
	if status, _ := a.send(http.MethodGet, other.url+"/dashboard", cookie, nil); status != http.StatusSeeOther {
		a.t.Errorf("a session that one has ended: %d", status)
	}
}

// revokes revokes a key by the clock of one server. Then the other must refuse
// it.
func (a *apart) revokes(one, other *ship) {
	email := fmt.Sprintf("revoked%v@example.org", one.ahead.Seconds())
	key := a.runAt(one, "account", "create", email, "--plan", "lifetime")
	for _, s := range a.ships {
		if o := a.post(s, key, "/uploads", beginText()); o.status != http.StatusOK {
			a.t.Errorf("a key that was just made: %+v", o)
		}
	}
	a.runAt(one, "key", "revoke", email, strings.Fields(a.run("key", "list", email))[0])
	if o := a.post(other, key, "/uploads", beginText()); o.Code != "unauthorized" {
		a.t.Errorf("a key that was revoked: %+v", o)
	}
}

// readFor is how long the readers of a link are at it: longer than a claim may
// be ahead of the server's clock, which is 2 s.
const readFor = 3500 * time.Millisecond

// reads loads a link at one server and sends its beacons to the other, then the
// reverse. Both must report the same, correct figures.
func (a *apart) reads() {
	f := a.fleet
	ctx := f.t.Context()
	l, err := f.client(f.ships[0].url, a.key).Upload(ctx, textFile(), client.Options{})
	if err != nil {
		f.t.Error(err)
		return
	}
	const views = 12
	beacon := regexp.MustCompile(`data-beacon="[^"]*(/p/[^"]+)"`)
	f.race(views, func(s *ship) outcome {
		other := f.ships[0]
		if s == other {
			other = f.ships[1]
		}
		status, body, err := getPage(ctx, s.url+"/p/"+l.Slug)
		began := time.Now()
		m := beacon.FindStringSubmatch(body)
		if err != nil || status != http.StatusOK || m == nil {
			f.t.Errorf("%d, %v, %.200s", status, err, body)
			return outcome{}
		}
		address := strings.ReplaceAll(m[1], "&amp;", "&")
		tick := time.NewTicker(readFor / 5)
		defer tick.Stop()
		for turn, at := range []*ship{other, s, other, s, other} {
			<-tick.C
			ms := time.Since(began).Milliseconds()
			if turn == 4 {
				ms = readFor.Milliseconds() - 100
			}
			status, answer := a.sendText(at.url+address,
				fmt.Sprintf(`{"engaged": %d, "present": %d, "depth": 60}`, ms, ms))
			if status != http.StatusNoContent {
				f.t.Errorf("beacon: %d, %s", status, answer)
			}
		}
		if d := downloadAddress.FindString(body); d != "" {
			a.follow(other, strings.ReplaceAll(d, "&amp;", "&"))
		} else {
			f.t.Error("nothing to download")
		}
		return outcome{}
	})
	negative := regexp.MustCompile(`[:\[,]-\d`)
	var told [2][]byte
	for i, s := range f.ships {
		r, err := f.client(s.url, a.key).LinkAnalytics(ctx, l.Slug, client.ReportQuery{Range: "7d"})
		if err != nil {
			f.t.Error(err)
			return
		}
		told[i], _ = json.Marshal(r)
		if n := r.Totals; n.Views != views || n.Sessions != views || n.Downloads != views ||
			n.AvgEngagedMs != readFor.Milliseconds()-100 {
			b, _ := json.Marshal(n)
			f.t.Errorf("server %d: %s", i, b)
		}
		if at := negative.FindIndex(told[i]); at != nil {
			f.t.Errorf("less than nothing: %s", told[i][max(at[0]-40, 0):at[1]])
		}
	}
	if !bytes.Equal(told[0], told[1]) {
		f.t.Errorf("one says %s\nthe other %s", told[0], told[1])
	}
}

// sendText sends a beacon.
func (a *apart) sendText(address, body string) (int, string) {
	res, err := http.Post(address, "text/plain", strings.NewReader(body))
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

// follow fetches a file from a server, wherever that leads.
func (a *apart) follow(s *ship, path string) {
	address := s.url + path
	for range 3 {
		status, body := a.send(http.MethodGet, address, "", nil)
		switch u, err := url.Parse(body); {
		case status == http.StatusOK && body == string(fleetText):
			return
		case status/100 == 3 && err == nil:
			address = s.url + u.RequestURI()
		default:
			a.t.Errorf("%s answered %s", path, strconv.Itoa(status)+" "+body[:min(len(body), 200)])
			return
		}
	}
}
