package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// TestFleet runs two servers of one instance and sends them competing requests.
// It checks what may be granted only once, what the other server has revoked,
// and what both must agree on, while one of them is killed and both are
// replaced.
func TestFleet(t *testing.T) {
	t.Parallel()
	database := vitrinetest.Postgres(t)
	f := newFleetOver(t, database.NewDatabase(t), "")
	var setups []string
	for _, s := range f.servers {
		address, _ := s.log.wait(`/setup/(\S+)`)
		setups = append(setups, address)
	}
	if setups[0] != setups[1] {
		t.Errorf("the servers print different addresses for the first account")
	}
	key := f.account("owner@example.org", "lifetime")
	for _, test := range []struct {
		name string
		run  func(f *fleet, key string)
	}{
		{"Complete", (*fleet).complete},
		{"IdempotencyKey", (*fleet).idempotency},
		{"HourlyLimit", (*fleet).hourly},
		{"Chunks", (*fleet).chunks},
		{"Quota", (*fleet).quota},
		{"Slug", (*fleet).slug},
		{"Reports", (*fleet).reports},
		{"Revoked", (*fleet).revoked},
		{"Recipients", (*fleet).recipients},
		{"Rolling", (*fleet).rolling},
		{"Restarted", func(f *fleet, key string) { f.restarted(database, key, 1) }},
		{"CutDelete", (*fleet).cutDelete},
		{"Killed", (*fleet).killed}, // late, because its leases last for a while
		{"ChunksKilled", (*fleet).chunksKilled},
	} {
		t.Run(test.name, func(t *testing.T) {
			inner := *f
			inner.t = t
			test.run(&inner, key)
		})
	}
	f.run("admin", "audit", "--deep")
}

// complete completes one upload on both servers at once. It must create one
// link.
func (f *fleet) complete(key string) {
	b := f.post(f.servers[0], key, "/uploads", beginText())
	req, err := http.NewRequest(http.MethodPut, b.SignedURL, bytes.NewReader(fleetText))
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/plain")
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		f.t.Fatal(res, err)
	}
	res.Body.Close()
	all := f.race(20, func(s *fleetServer) outcome {
		return f.post(s, key, "/uploads/complete",
			map[string]any{"path": b.Path, "name": "a.txt", "type": "text/plain"})
	})
	for _, o := range all {
		if o.Slug == "" || o.Slug != all[0].Slug {
			f.t.Errorf("outcomes %+v and %+v, want the same slug", o, all[0])
		}
	}
}

// idempotency uses one idempotency key on both servers at once. It must begin
// one upload.
func (f *fleet) idempotency(key string) {
	id := uuid.NewString()
	all := f.race(20, func(s *fleetServer) outcome {
		return f.post(s, key, "/uploads",
			beginText("idempotencyKey", id))
	})
	for _, o := range all {
		if o.Path == "" || o.Path != all[0].Path {
			f.t.Errorf("outcomes %+v and %+v, want the same upload", o, all[0])
		}
	}
}

// cutDelete kills a server between the commit of a delete and the rest of it.
// The other one finishes it within a minute (promise 21); the next regular
// purge may be five minutes away.
func (f *fleet) cutDelete(key string) {
	ctx := f.t.Context()
	l, err := f.client(f.servers[1].url, key).Upload(ctx, textFile(), client.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	other := f.client(f.servers[1].url, key)
	views := func() (n int64) {
		r, err := other.Analytics(ctx, client.ReportQuery{Range: "all"})
		if err != nil {
			f.t.Fatal(err)
		}
		return r.Totals.Views
	}
	before := views()
	if status, _, err := getPage(ctx, f.servers[1].url+"/p/"+l.Slug); err != nil || status != 200 {
		f.t.Fatal(status, err)
	}
	if n := views(); n != before+1 {
		f.t.Fatalf("%d views after a page, want %d", n, before+1)
	}
	log, err := pgx.Connect(ctx, f.places.Database)
	if err != nil {
		f.t.Fatal(err)
	}
	defer log.Close(context.Background())
	locked, err := log.Begin(ctx)
	if err == nil {
		_, err = locked.Exec(ctx, "LOCK TABLE vitrine_views.links IN SHARE MODE") // it can be read, and not changed
	}
	if err != nil {
		f.t.Fatal(err)
	}
	cut := make(chan error, 1)
	go func() {
		_, err := f.client(f.servers[0].url, key).DeleteLink(ctx, l.Slug, client.Deletion{Permanent: true})
		cut <- err
	}()
	f.within(hang, "the link is gone", func() bool {
		status, _, err := getPage(ctx, f.servers[1].url+"/p/"+l.Slug)
		return err == nil && status == 404
	})
	f.kill(f.servers[0])
	if err := <-cut; err == nil {
		f.t.Error("the delete was answered before it was killed")
	}
	if err := locked.Rollback(ctx); err != nil {
		f.t.Fatal(err)
	}
	began := time.Now()
	f.within(hang, "the views of the link are gone", func() bool { return views() == before })
	f.t.Logf("the other server finished the delete within %v", time.Since(began).Round(time.Second))
	f.start(f.servers[0])
	f.await(f.servers[0])
}

// hourly begins more uploads than the account's hourly limit.
func (f *fleet) hourly(string) {
	key := f.account("hourly@example.org", "pro")
	all := f.race(40, func(s *fleetServer) outcome { return f.post(s, key, "/uploads", beginText()) })
	if begun, late := ofStatus(all, 200, ""), ofStatus(all, 429, "rate_limited"); begun != 15 || late != 25 {
		f.t.Errorf("of 40 uploads %d began and %d were refused, want 15 and 25", begun, late)
	}
}

// quota publishes more links than an account's plan permits.
func (f *fleet) quota(string) {
	key := f.account("quota@example.org", "free")
	all := f.race(20, func(s *fleetServer) outcome { return f.post(s, key, "/uploads", beginText()) })
	if begun, full := ofStatus(all, 200, ""), ofStatus(all, 403, "link_limit"); begun != 10 || full != 10 {
		f.t.Errorf("of 20 uploads %d began and %d were refused, want 10 and 10", begun, full)
	}
}

// slug requests one slug many times at once.
func (f *fleet) slug(key string) {
	all := f.race(20, func(s *fleetServer) outcome { return f.post(s, key, "/uploads", beginText("slug", "wanted")) })
	if begun, taken := ofStatus(all, 200, ""), ofStatus(all, 400, "slug_taken"); begun != 1 || taken != 19 {
		f.t.Errorf("%d uploads hold the slug and %d were refused, want 1 and 19", begun, taken)
	}
}

// reports views a link through both servers. Both must report the same.
func (f *fleet) reports(key string) {
	ctx := f.t.Context()
	l, err := f.client(f.servers[0].url, key).Upload(ctx, textFile(), client.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	const views = 24
	beacon := regexp.MustCompile(`data-beacon="[^"]*(/p/[^"]+)"`)
	f.race(views, func(s *fleetServer) outcome {
		status, body, err := getPage(ctx, s.url+"/p/"+l.Slug)
		m := beacon.FindStringSubmatch(body)
		if err != nil || status != 200 || m == nil {
			f.t.Errorf("page: status %d, %v, %.200s", status, err, body)
			return outcome{}
		}
		other := f.servers[0]
		if s == other {
			other = f.servers[1]
		}
		res, err := http.Post(other.url+strings.ReplaceAll(m[1], "&amp;", "&"), "text/plain",
			strings.NewReader(`{"engaged": 1000, "present": 1500, "depth": 60}`))
		if err != nil || res.StatusCode != http.StatusNoContent {
			f.t.Errorf("beacon: %v, %v, want 204", res, err)
			return outcome{}
		}
		res.Body.Close()
		return outcome{}
	})
	// A server whose log took longer than its patience has views in its spool,
	// which it replays soon.
	var reports [2][]byte
	f.within(seen, "reports of all views that are equal", func() bool {
		for i, s := range f.servers {
			r, err := f.client(s.url, key).LinkAnalytics(ctx, l.Slug, client.ReportQuery{Range: "7d"})
			if err != nil {
				f.t.Fatal(err)
			}
			if reports[i], _ = json.Marshal(r); r.Totals.Views != views || r.Totals.AvgEngagedMs == 0 {
				return false
			}
		}
		return bytes.Equal(reports[0], reports[1])
	})
	if f.t.Failed() {
		f.t.Logf("reports: %s\nand: %s", reports[0], reports[1])
	}
}

// seen is the time within which all processes see a change. Usually it takes at
// most 5 s; on a busy machine it takes longer. After a minute (evictEvery) they
// see it in any case.
const seen = 30 * time.Second

// revoked revokes on one server what the other has just granted.
func (f *fleet) revoked(string) {
	ctx, one, other := f.t.Context(), f.servers[0], f.servers[1]
	key := f.account("revoked@example.org", "lifetime")
	l, err := f.client(one.url, key).Upload(ctx, textFile(), client.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	cookie := f.signIn(one, "revoked@example.org")
	status := func(s *fleetServer, path string) int {
		req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		req.Header.Set("Cookie", cookie)
		req.Header.Set("User-Agent", person)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			f.t.Error(err)
			return 0
		}
		res.Body.Close()
		return res.StatusCode
	}
	form := func(s *fleetServer, path string) {
		req, err := http.NewRequest(http.MethodPost, s.url+path, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		req.Header.Set("Cookie", cookie)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil || res.StatusCode != http.StatusSeeOther {
			f.t.Errorf("%s: %v, %v, want 303", path, res, err)
			return
		}
		res.Body.Close()
	}
	for range 3 { // puts it into the caches of both
		if a, b, c := status(one, "/p/"+l.Slug), status(other, "/p/"+l.Slug), status(other, "/dashboard"); a != 200 ||
			b != 200 || c != 200 {
			f.t.Fatalf("link: status %d and %d, dashboard: status %d, want 200 for all", a, b, c)
		}
	}
	form(one, "/links/"+l.Slug+"/disable")
	f.within(seen, "a link that is taken down", func() bool { return status(other, "/p/"+l.Slug) == http.StatusGone })
	form(other, "/links/"+l.Slug+"/undo")
	f.within(seen, "a link that is put back", func() bool {
		return status(one, "/p/"+l.Slug) == 200 &&
			status(other, "/p/"+l.Slug) == 200
	})
	f.run("admin", "account", "suspend", "revoked@example.org") // by a process that is not a server
	for _, s := range f.servers {
		f.within(seen, "an account that is suspended", func() bool {
			return status(s, "/p/"+l.Slug) == http.StatusGone && status(s, "/dashboard") == http.StatusSeeOther &&
				f.post(s, key, "/uploads", beginText()).Code == "banned"
		})
	}
	f.run("admin", "account", "unsuspend", "revoked@example.org")
	cookie = f.signIn(one, "revoked@example.org")
	if n := status(other, "/dashboard"); n != 200 {
		f.t.Errorf("a session of the other server: status %d, want 200", n)
	}
	form(one, "/sign-out")
	f.within(seen, "a session that has ended", func() bool {
		return status(other,
			"/dashboard") == http.StatusSeeOther
	})
	id := strings.Fields(f.run("admin", "key", "list", "revoked@example.org"))[0]
	f.run("admin", "key", "revoke", "revoked@example.org", id, "--yes")
	f.within(seen, "a key that is revoked", func() bool {
		return f.post(other, key, "/uploads",
			beginText()).Code == "unauthorized"
	})
}

// signIn signs in on a server and returns the cookies.
func (f *fleet) signIn(s *fleetServer, email string) string {
	f.t.Helper()
	return f.signInWith(s, f.run("admin", "account", "sign-in", email))
}

// signInWith signs in on a server with a sign-in link from "account sign-in".
func (f *fleet) signInWith(s *fleetServer, address string) string {
	f.t.Helper()
	return signInAt(f.t, s.url, address)
}

// signInAt signs in on a server with a sign-in link from "account sign-in" and
// returns the cookies.
func signInAt(t testing.TB, server, address string) string {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, server+u.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusSeeOther {
		t.Fatal(res, err)
	}
	res.Body.Close()
	var all []string
	for _, c := range res.Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// killed kills a server under load at random steps, again and again, while the
// other continues.
func (f *fleet) killed(key string) {
	const start, uploads = 30, 200 // steps of a start, and of some uploads after it
	random := seeded(f.t)
	r := f.begin(key, f.servers[0].url, f.servers[1].url)
	for range tier.Pick(1, 5) {
		s := f.servers[0]
		f.kill(s)
		f.start(s, killSetting(start+random.IntN(uploads)))
		s.log.drain()
		f.kill(s)
		f.start(s)
		f.await(s)
		if f.t.Failed() {
			break
		}
		r.answered(50)
	}
	r.end()
}

// restarted restarts the database under load the given number of times.
func (f *fleet) restarted(database *vitrinetest.PostgresServer, key string, times int) {
	away := awayFor(f.t)
	r := f.begin(key, f.servers[0].url, f.servers[1].url)
	for range times {
		r.answered(50)
		database.Stop(f.t)
		<-time.After(away)
		database.Start(f.t)
	}
	began := time.Now()
	r.answered(100)
	f.t.Logf("100 pages were answered within %v after the database was back", time.Since(began).Round(time.Millisecond))
	r.end()
	if f.t.Failed() {
		for _, s := range f.servers {
			_ = s.process.Process.Kill()
			f.t.Log(s.log.drain())
		}
		f.t.Log(strings.Join(r.failures[:min(len(r.failures), 20)], "\n"))
	}
}

// chores returns the process that holds the lease for chores, or "".
func (f *fleet) chores() (holder string) {
	f.t.Helper()
	err := f.store.Read(f.t.Context(), func(tx vitrine.Tx) error {
		holder = ""
		l, err := tx.Lease("chores")
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		if err == nil && time.Until(l.Until) > 0 {
			holder = l.Holder
		}
		return err
	})
	if err != nil {
		f.t.Error(err)
	}
	return holder
}

// rolling replaces both servers under load, one after the other. No request
// fails, although the balancer never retries, and the other server takes over
// the chores.
func (f *fleet) rolling(key string) {
	before := f.chores()
	ready := func(s *fleetServer) { f.within(hang, "it is ready", func() bool { return f.balancer.ready(s.url) }) }
	for _, s := range f.servers {
		ready(s)
	}
	r := f.begin(key, f.url)
	for _, s := range f.servers {
		r.answered(50)
		f.term(s)
		f.start(s)
		f.await(s)
		ready(s)
	}
	r.answered(50)
	r.end()
	for _, failure := range r.failures {
		f.t.Error(failure)
	}
	f.within(hang, "the chores are another's", func() bool { now := f.chores(); return now != "" && now != before })
}
