package analytics_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

func openLog(t *testing.T) *viewlog.ViewLog {
	t.Helper()
	log, err := viewlog.Open(sqltest.NewPlace(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

var day = report.DayOf(vitrinetest.Epoch.UnixMilli())

// fill adds n views of programs a day to a link of an account.
func fill(t *testing.T, log vitrine.ViewLog, a vitrine.AccountID, link vitrine.LinkID, days, n int,
	classes ...[2]string) {
	t.Helper()
	var b vitrine.Batch
	for i := range days * n {
		id := vitrine.ViewIDAt((day+report.Day(i/n)).StartMs()+int64(i%n), int(link))
		class := classes[i%len(classes)]
		b.Views = append(b.Views, vitrine.ViewRecord{Account: a, View: report.View{ID: int64(id), At: id.Ms(),
			Link: int64(link), Viewer: uint64(i % 7), Bot: class[0], Product: class[1]}})
	}
	if _, err := log.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// byClass counts the views of a link by reason and product.
func byClass(t *testing.T, log vitrine.ViewLog, link vitrine.LinkID) map[string]int {
	t.Helper()
	n := map[string]int{}
	err := log.Views(t.Context(), link, 0, math.MaxInt32, func(v *report.View) error {
		n[strings.TrimSpace(v.Bot+" "+v.Product)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func rules(reasons map[string]string) func(reason, product string) string {
	return func(reason, product string) string {
		if to, ok := reasons[product]; ok {
			return to
		}
		return reason
	}
}

// TestExpired checks that days whose views have expired do not change, and that
// the result says how many views would have.
func TestExpired(t *testing.T) {
	log := openLog(t)
	fill(t, log, 1, 1, 100, 10, [2]string{"crawler", "A"}, [2]string{"crawler", "B"}, [2]string{})
	if err := log.RollUp(t.Context(), day+100); err != nil {
		t.Fatal(err)
	}
	if err := log.Expire(t.Context(), day+60); err != nil {
		t.Fatal(err)
	}
	from, err := log.RetainedFrom(t.Context(), 1)
	if err != nil || from <= day || from > day+60 {
		t.Fatalf("views are kept from %v on, %v", from, err)
	}
	whole := func() *report.Tally {
		tally, _, err := log.Tally(t.Context(), vitrine.TallyQuery{Scope: vitrine.Scope{Account: 1}, From: day,
			To: day + 100})
		if err != nil {
			t.Fatal(err)
		}
		return tally
	}
	before, kept := whole(), byClass(t, log, 1)
	gone := int64(before.Views()) - int64(kept[""])
	s := &analytics.Reclassify{Log: log, Rule: rules(map[string]string{"A": "", "B": "ai_training"})}
	r, err := s.Run(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	expired := 1000 - int64(kept[""]+kept["crawler A"]+kept["crawler B"])
	vitrinetest.Equal(t, "views", r.Views, 1000-expired)
	vitrinetest.Equal(t, "of expired days", [2]int64{r.Gone, r.GoneOther}, [2]int64{expired - gone, expired - gone})
	vitrinetest.Equal(t, "changes", r.Changes, map[analytics.ClassChange]int64{
		{From: "crawler", To: "", Product: "A"}:            int64(kept["crawler A"]),
		{From: "crawler", To: "ai_training", Product: "B"}: int64(kept["crawler B"])})
	vitrinetest.Equal(t, "applied", r.Applied, r.Changed())
	vitrinetest.Equal(t, "views by people", whole().Views(), before.Views()+int64(kept["crawler A"]))
	audit(t, log)
}

func audit(t *testing.T, log vitrine.ViewLog) {
	t.Helper()
	if err := log.Audit(t.Context(), true, func(fault string, _ bool) { t.Error(fault) }); err != nil {
		t.Error(err)
	}
}

// TestMany checks that more changes than fit in memory are made in parts, each
// once.
func TestMany(t *testing.T) {
	analytics.KeepInMemory(t, 4000)
	log := openLog(t)
	for i := range 5 {
		fill(t, log, 1, vitrine.LinkID(1+i%2), 5, 6000+i, [2]string{"crawler", fmt.Sprint("A", i)},
			[2]string{"crawler", "B"})
	}
	s := &analytics.Reclassify{Log: log, Rule: rules(map[string]string{"B": "monitor"})}
	reported := int64(0)
	s.Tell = func(r analytics.Reclassified) { reported = r.Applied }
	r, err := s.Run(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(byClass(t, log, 1)["monitor B"] + byClass(t, log, 2)["monitor B"])
	vitrinetest.Equal(t, "changed", []int64{r.Changed(), r.Applied, reported}, []int64{n, n, n})
	if r, err = s.Run(t.Context(), true); err != nil || r.Applied != 0 || n < 25_000 {
		t.Errorf("second run: %d of %d views changed, %v, want 0", r.Applied, n, err)
	}
	audit(t, log)
}

// TestHistory checks that the history of each account, and of a website's
// owner, names the changes before they are made, and has no entry without
// changes.
func TestHistory(t *testing.T) {
	in := fixture.New(t)
	log := openLog(t)
	const website, page, gone = vitrine.FirstSitePage + 5, vitrine.FirstSitePage + 6, vitrine.FirstSitePage + 7
	other := &vitrine.Account{Email: "other@example.org", ViewerKey: []byte("k"), CreatedAt: vitrinetest.Epoch,
		Plan: vitrine.PlanFree}
	site := &vitrine.Site{Account: in.Account.ID, Slug: "site", CreatedAt: vitrinetest.Epoch}
	in.Must(in.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return errors.Join(tx.AddAccount(other), tx.AddSite(site),
			tx.AddSitePage(&vitrine.SitePage{Site: site.ID, Number: website}))
	}))
	fill(t, log, in.Account.ID, 1, 2, 5, [2]string{"crawler", "A"}, [2]string{"crawler", "B"})
	fill(t, log, website, page, 1, 3, [2]string{"crawler", "A"})
	fill(t, log, gone, gone+1, 1, 3, [2]string{"crawler", "A"})
	fill(t, log, other.ID, 2, 1, 5, [2]string{"crawler", "C"}, [2]string{"", ""})
	s := &analytics.Reclassify{Store: in.Store, Log: log, Now: in.Clock.Now,
		Rule: rules(map[string]string{"A": "", "B": "monitor"})}
	history := func() (did []string) {
		in.Must(in.Store.Read(t.Context(), func(tx vitrine.Tx) error {
			list, err := tx.Changes(vitrine.ChangeQuery{})
			for _, c := range list {
				if c.Action == vitrine.ActionReclass {
					did = append(did, fmt.Sprintf("%d by %s: %s", c.Account-in.Account.ID, c.By.Kind, c.Detail))
				}
			}
			return err
		}))
		return did
	}
	r, err := s.Run(t.Context(), false)
	in.Must(err)
	vitrinetest.Equal(t, "history of a dry run", history(), nil)
	vitrinetest.Equal(t, "changed by a dry run", []int64{r.Changed(), r.Applied}, []int64{16, 0})
	r, err = s.Run(t.Context(), true)
	in.Must(err)
	want := []string{"0 by administrator: crawler → person: 3", "0 by administrator: crawler → person: 5, crawler → monitor: 5"}
	vitrinetest.Equal(t, "history", history(), want)
	vitrinetest.Equal(t, "changed", []int64{r.Changed(), r.Applied}, []int64{16, 16})
	_, err = s.Run(t.Context(), true)
	in.Must(err)
	vitrinetest.Equal(t, "history after another run", history(), want)
	audit(t, log)
}
