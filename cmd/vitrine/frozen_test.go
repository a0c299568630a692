package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
)

// frozenWithin bounds how long a request may wait for a database that is
// frozen: longer than it takes on a busy machine. Without any bound it would
// wait for ever.
const frozenWithin = 45 * time.Second

// TestDatabaseFrozen stops a PostgreSQL that all is on in the middle of its
// work, so that it takes connections and answers nothing. Two servers under
// load refuse whatever they are asked, in time, and go on by themselves when it
// does, and when it was gone. Nothing that was acknowledged is lost.
func TestDatabaseFrozen(t *testing.T) {
	tier.Need(t, tier.All, "a fleet whose database is frozen")
	t.Parallel()
	away := awayFor(t)
	database := vitrinetest.Postgres(t)
	f := newFleetOver(t, database.NewDatabase(t), "")
	key := f.account("owner@example.org", "lifetime")
	r := f.begin(key, f.ships[0].url, f.ships[1].url)
	r.answered(100)
	cookie := f.signIn(f.ships[0], "owner@example.org")
	database.Freeze(t)

	known := false
	ask := func(s *ship, method, path, body string) {
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
			return // from memory, and its view is in the spool
		}
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" ||
			time.Since(began) > frozenWithin {
			t.Errorf("%s %s answered %s, Retry-After %q, after %v", method, path, res.Status,
				res.Header.Get("Retry-After"), time.Since(began))
		}
	}
	for range 2 { // while nobody knows of it, and then
		var all sync.WaitGroup
		for _, s := range f.ships {
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
		for _, s := range f.ships {
			f.within(hang, "it is ready", func() bool { return f.balancer.ready(s.url) })
		}
		t.Logf("%v after the database was back 50 pages were answered", time.Since(began).Round(time.Millisecond))
	}
	<-time.After(away)
	database.Thaw(t)
	again()
	database.Stop(t)
	<-time.After(away)
	database.Start(t)
	again()
	r.end()
	f.run("audit", "--deep")
}
