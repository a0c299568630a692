package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// frozenWithin bounds how long a request may wait for a frozen database. It
// leaves room for a busy machine; without any bound the request would wait
// forever.
const frozenWithin = 45 * time.Second

// TestDatabaseFrozen suspends PostgreSQL, which has all of the data, so that it
// accepts connections and does not answer. Two servers under load refuse every
// request in time, and recover without help when it resumes and after it was
// down. Nothing acknowledged is lost.
func TestDatabaseFrozen(t *testing.T) {
	tier.Need(t, tier.All, "a fleet whose database is frozen")
	t.Parallel()
	away := awayFor(t)
	database := vitrinetest.Postgres(t)
	f := newFleetOver(t, database.NewDatabase(t), "")
	key := f.account("owner@example.org", "lifetime")
	r := f.begin(key, f.servers[0].url, f.servers[1].url)
	r.answered(100)
	cookie := f.signIn(f.servers[0], "owner@example.org")
	database.Freeze(t)

	known := false
	ask := func(s *fleetServer, method, path, body string) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*frozenWithin)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("User-Agent", person)
		req.Header.Set("Cookie", cookie)
		if strings.HasPrefix(path, "/api/") {
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+key)
		}
		began := time.Now()
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Errorf("%s %s: %v", method, path, err)
			return
		}
		res.Body.Close()
		if !known && res.StatusCode == http.StatusOK && strings.HasPrefix(path, "/p/") &&
			time.Since(began) < frozenWithin {
			return // served from memory, with its view in the spool
		}
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" ||
			time.Since(began) > frozenWithin {
			t.Errorf("%s %s: %s, Retry-After %q, after %v, want 503 with Retry-After in time", method, path, res.Status,
				res.Header.Get("Retry-After"), time.Since(began))
		}
	}
	for range 2 { // before and after the servers have noticed
		var all sync.WaitGroup
		for _, s := range f.servers {
			for _, of := range [][3]string{
				{"GET", "/p/" + r.slug},
				{"GET", "/readyz"},
				{"GET", "/dashboard"},
				{"GET", "/api/v1/links"},
				{"GET", "/api/v1/links/" + r.slug + "/analytics"},
				{"POST", "/api/v1/uploads", `{"name": "a.txt", "type": "text/plain", "size": 5}`},
			} {
				all.Go(func() { ask(s, of[0], of[1], of[2]) })
			}
		}
		all.Wait()
		known = true
	}
	again := func() {
		t.Helper()
		began := time.Now()
		r.answered(50)
		for _, s := range f.servers {
			f.within(hang, "it is ready", func() bool { return f.balancer.ready(s.url) })
		}
		t.Logf("50 pages were answered within %v after the database was back",
			time.Since(began).Round(time.Millisecond))
	}
	<-time.After(away)
	database.Thaw(t)
	again()
	database.Stop(t)
	<-time.After(away)
	database.Start(t)
	again()
	r.end()
	f.run("admin", "audit", "--deep")
}
