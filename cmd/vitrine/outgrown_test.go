package main

import (
	"cmp"
	"os"
	"testing"
	"time"

	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"
)

// awayFor returns the least time for which a removed thing stays away.
// VITRINE_TEST_AWAY sets it, for example to 60s.
func awayFor(t testing.TB) time.Duration {
	t.Helper()
	span, err := time.ParseDuration(cmp.Or(os.Getenv("VITRINE_TEST_AWAY"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	return span
}

// TestOutgrown runs two servers over PostgreSQL, ClickHouse and a bucket, and
// takes away what they stand on, under load: nothing that was acknowledged is
// lost, nothing is counted twice, and nobody has to do anything about it.
func TestOutgrown(t *testing.T) {
	tier.Need(t, tier.All, "a fleet over ClickHouse whose servers stop under load")
	t.Parallel()
	away := awayFor(t)
	database, log := vitrinetest.Postgres(t), vitrinetest.ClickHouse(t)
	f := newFleetOver(t, database.NewDatabase(t), log.Database(t))
	key := f.account("owner@example.org", "lifetime")
	sub := func(name string, run func(f *fleet)) {
		t.Run(name, func(t *testing.T) {
			inner := *f
			inner.t = t
			run(&inner)
			inner.run("audit", "--deep")
		})
	}
	sub("Reports", func(f *fleet) { f.reports(key) })
	sub("LogAway", func(f *fleet) {
		r := f.begin(key, f.ships[0].url, f.ships[1].url)
		r.answered(50)
		log.Stop()
		for _, s := range f.ships {
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
		for _, s := range f.ships {
			if text, ok := s.log.wait(`spool drained`); !ok {
				f.t.Fatal(text)
			}
		}
		f.t.Logf("%d pages were served without the log; %v after it was back its spools were empty", pages,
			time.Since(began).Round(time.Millisecond))
		r.answered(50)
		r.end()
	})
	sub("DatabaseRestarted", func(f *fleet) { f.restarted(database, key, 2) })
}
