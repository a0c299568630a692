package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// notAdding matches the paths of numbers in a report that do not add up over
// recipients: they count viewers, are averages, shares or places, or describe
// the link and the range.
var notAdding = regexp.MustCompile(`uniques|unique|median|avg|Pct|pct|dropoff|peak|^\.link|^\.range\.|pagesTotal|insights|recent|deltas`)

// numbersIn adds the numbers of a part of a report that add up, by their path.
// Rows of a card are named by their key.
func numbersIn(part any, path string, sums map[string]float64) {
	switch v := part.(type) {
	case map[string]any:
		for name, member := range v {
			numbersIn(member, path+"."+name, sums)
		}
	case []any:
		for i, row := range v {
			name := fmt.Sprint(i)
			if row, ok := row.(map[string]any); ok {
				for _, key := range []string{"date", "key", "page"} {
					if value, ok := row[key]; ok {
						name = fmt.Sprint(value)
						delete(row, key)
					}
				}
			}
			numbersIn(row, path+"["+name+"]", sums)
		}
	case float64:
		if v != 0 && !notAdding.MatchString(path) {
			sums[path] += v
		}
	}
}

// TestRecipientsAddUp reads a link at random by its plain address and those of
// 500 recipients, and asks for its reports as a program does: that of each
// address is the recount of its views, and together they are that of the link
// in each number that adds.
func TestRecipientsAddUp(t *testing.T) {
	read, views := tier.Pick(60, 500), 3000 // read: recipients with views
	f := webtest.NewFixture(t)
	key := f.Account(vitrine.PlanPro)
	slug := f.Published(key, webtest.Fields{"name": "report.pdf", "type": "application/pdf",
		"size": len(webtest.Samples["report.pdf"])}, string(webtest.Samples["report.pdf"]))
	var labels []string
	for i := range 500 {
		labels = append(labels, fmt.Sprint("Address ", i))
	}
	rows := added(f, key, slug, named(labels...))
	l, err := f.Server.Links.BySlug(t.Context(), slug)
	f.Check(err)
	recipients, err := vitrine.Read(t.Context(), f.Server.Links.Store, func(tx vitrine.Tx) ([]*vitrine.Recipient, error) {
		return tx.Recipients(vitrine.RecipientQuery{Link: l.ID})
	})
	f.Check(err)

	random := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	g, folds := vitrinetest.NewTraffic(1, 1), make([]report.Fold, read+1) // the last is the plain address
	downloads := make([]int64, read+1)
	begin, some := l.CreatedAt.UnixMilli(), make([]vitrine.ViewRecord, views)
	for i := range some {
		v := g.Imported()
		at := random.IntN(read + 1)
		v.Account, v.Link, v.At = l.Account, int64(l.ID), begin+int64(i)*(20*24*3600*1000/int64(views))
		v.ID = int64(vitrine.ViewIDAt(v.At, random.IntN(1<<20)))
		if at < read {
			v.Recipient = int64(recipients[at].ID)
		}
		some[i] = v
		folds[at].Add(&v.View)
		if v.Session != nil && v.Session.Downloaded {
			folds[at].AddDownload(report.DayOf(v.At))
			downloads[at]++
		}
	}
	f.Check(f.Log.Import(t.Context(), vitrine.ImportReceipt{File: [32]byte{1}, Lines: int64(views)}, some))
	f.Clock.Advance(20 * 24 * time.Hour)

	ask := func(filter string) map[string]any {
		return f.Call(key, "GET", "/links/"+slug+"/analytics?range=all"+filter, nil).Want(200, "").JSON()
	}
	w := report.Window{Key: report.RangeAll, From: report.DayOf(begin), To: report.DayOf(f.Clock.Now().UnixMilli()) + 1}
	whole, sum := map[string]float64{}, map[string]float64{}
	numbersIn(ask(""), "", whole)
	for i := range folds {
		id := ""
		if i < read {
			id = rows[i].ID
		}
		got := ask("&filter=recipient:is:" + id)
		facts := report.Link{Content: report.ContentPages, Pages: l.Pages, Downloads: downloads[i]}
		text, err := json.Marshal(report.ForLink(facts, w, folds[i].Tally(), nil, nil))
		f.Check(err)
		var want map[string]any
		f.Check(json.Unmarshal(text, &want))
		for _, part := range []string{"totals", "series", "breakdowns", "timing"} {
			vitrinetest.Equal(t, fmt.Sprintf("%s of recipient %d", part, i), got[part], want[part])
		}
		numbersIn(got, "", sum)
	}
	if len(whole) < 100 || whole[".totals.views"] == 0 || whole[".totals.botsExcluded"] == 0 {
		t.Errorf("the report has only %d numbers: %v", len(whole), whole)
	}
	for path, n := range whole {
		if sum[path] != n && !full[cardOf(path)] {
			t.Errorf("%s is %v, and that of all addresses together %v", path, n, sum[path])
		}
	}
}

// full are the cards with more rows than a report shows, so that a row of one
// address may be missing in another.
var full = map[string]bool{"countries": true, "cities": true, "referrers": true, "sources": true}

var card = regexp.MustCompile(`^\.breakdowns\.([a-z]+)`)

// cardOf returns the card of a number in a report; "" if it is in none.
func cardOf(path string) string {
	if m := card.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	return ""
}
