package main

import (
	"cmp"
	"os"
	"testing"
	"time"

	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
)

// awayFor returns how long a backend is unavailable at least. VITRINE_TEST_AWAY
// sets it, for example to 60s.
func awayFor(t testing.TB) time.Duration {
	t.Helper()
	span, err := time.ParseDuration(cmp.Or(os.Getenv("VITRINE_TEST_AWAY"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	return span
}

// TestOutgrown runs two servers over a PostgreSQL for links, another one for
// views, and a bucket, and stops each of the databases under load. Nothing
// acknowledged is lost, nothing counts twice, and the servers recover without
// help.
func TestOutgrown(t *testing.T) {
	tier.Need(t, tier.All, "a fleet whose databases stop under load")
	t.Parallel()
	away := awayFor(t)
	database, log := vitrinetest.Postgres(t), vitrinetest.Postgres(t)
	f := newFleetOver(t, database.NewDatabase(t), log.NewDatabase(t))
	key := f.account("owner@example.org", "lifetime")
	sub := func(name string, run func(f *fleet)) {
		t.Run(name, func(t *testing.T) {
			inner := *f
			inner.t = t
			run(&inner)
			inner.run("admin", "audit", "--deep")
		})
	}
	sub("Reports", func(f *fleet) { f.reports(key) })
	sub("LogAway", func(f *fleet) {
		r := f.begin(key, f.servers[0].url, f.servers[1].url)
		r.answered(50)
		log.Stop(f.t)
		for _, s := range f.servers {
			if text, ok := s.log.wait(`spooling to disk`); !ok {
				f.t.Fatal(text)
			}
		}
		before := r.pages.Load()
		back := time.After(away)
		r.answered(500)
		<-back
		pages := r.pages.Load() - before
		began := time.Now()
		log.Start(f.t)
		for _, s := range f.servers {
			if text, ok := s.log.wait(`spool drained`); !ok {
				f.t.Fatal(text)
			}
		}
		f.t.Logf("%d pages were served without the log; the spools were empty %v after it was back", pages,
			time.Since(began).Round(time.Millisecond))
		r.answered(50)
		r.end()
	})
	sub("DatabaseRestarted", func(f *fleet) { f.restarted(database, key, 2) })
}
