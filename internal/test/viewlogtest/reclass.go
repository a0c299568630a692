package viewlogtest

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// reclass tests that new rules change the numbers of stored views, and that
// undoing them restores the numbers, on days with and without a roll-up.
func (t logTest) reclass() {
	const day = 24 * time.Hour
	first, again, person := bot(view(1, 0, 5)), bot(view(1, day, 5)), view(1, 2*day, 5)
	first.Product, again.Product = "Lynx", "Lynx"
	driven, scanner := bot(view(1, 3*day, 6)), view(1, 4*day, 7)
	driven.Bot, scanner.Bot, scanner.Product = report.BotAutomation, report.BotMailNetwork, "Net"
	t.view(first, again, person, driven, scanner)
	t.append(vitrine.Batch{Downloads: []vitrine.Download{download(first, time.Minute), download(person, time.Minute)},
		Snapshots: []vitrine.Snapshot{snapshot(scanner, time.Second, report.Session{EngagedMs: 500, PresentMs: 900})}})
	t.counted(1, 1, 1)
	all := []vitrine.ViewRecord{first, again, person, driven, scanner}
	says := func(reason string, count bool, of ...vitrine.ViewRecord) {
		t.Helper()
		var b vitrine.Batch
		for _, v := range of {
			b.Reclasses = append(b.Reclasses, vitrine.Reclass{Link: 1, View: id(v),
				Reclass: report.Reclass{Reason: reason, Count: count}})
		}
		vitrinetest.Equal(t, "refused", t.append(b), nil)
		t.audit()
	}
	is := func(what string, want ...[4]string) {
		t.Helper()
		var got [][4]string
		for _, v := range t.all(1) {
			got = append(got, [4]string{v.Bot, v.Product, v.WasBot, v.WasProduct})
		}
		vitrinetest.Equal(t, what, got, want)
	}
	asStored := [][4]string{{"crawler", "Lynx"}, {"crawler", "Lynx"}, {}, {report.BotAutomation},
		{report.BotMailNetwork, "Net"}}
	for rolledUp := range 2 {
		if rolledUp == 1 {
			if err := t.log.RollUp(ctx, report.DayOf(scanner.At)+1); err != nil {
				t.Fatal(err)
			}
		}
		says("monitor", false, all...)
		is("another reason", [4]string{"monitor", "Lynx", "crawler", "Lynx"},
			[4]string{"monitor", "Lynx", "crawler", "Lynx"},
			asStored[2], asStored[3], asStored[4])
		t.counted(1, 1, 1)
		says("", true, all...)
		is("people's", [4]string{"", "", "crawler", "Lynx"}, [4]string{"", "", "crawler", "Lynx"}, [4]string{},
			asStored[3],
			[4]string{"", "", report.BotMailNetwork, "Net"})
		t.counted(1, 4, 2)
		vitrinetest.Equal(t, "returning", t.returns(1), []bool{true, true, false, false, false})
		says("", true, all...) // again
		t.counted(1, 4, 2)
		says("crawler", false, all...)
		t.counted(1, 1, 1)
		is("a crawler's", asStored[0], asStored[1], asStored[2], asStored[3],
			[4]string{"crawler", "Net", report.BotMailNetwork, "Net"})
		says(report.BotMailNetwork, false, all...)
		is("all back", asStored...)
	}
	// A view that was read long enough is no longer undecided.
	says("", true, scanner)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{snapshot(scanner, time.Hour, report.Session{EngagedMs: 1500,
		PresentMs: 2000})}})
	says(report.BotMailNetwork, false, scanner)
	t.counted(1, 2, 1)
	// A snapshot that reports automation overrides the rules.
	says("", true, first)
	t.append(vitrine.Batch{Snapshots: []vitrine.Snapshot{automationSnapshot(first)}})
	says("", true, first)
	says("crawler", false, first)
	is("told", [4]string{report.BotAutomation}, asStored[1], asStored[2], asStored[3],
		[4]string{"", "", report.BotMailNetwork, "Net"})
	t.counted(1, 2, 1)
	vitrinetest.Equal(t, "sent again", t.append(vitrine.Batch{Views: all}), nil)
}

// reclassTogether tests that the changes of one batch see each other: several
// views of few viewers, on rolled-up and on running days.
func (t logTest) reclassTogether() {
	const days, n = 6, 96
	c, m := random{rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))}, newMemory()
	var b vitrine.Batch
	for i := range n {
		v := view(vitrine.LinkID(1+i%2), time.Duration(i/2%days)*24*time.Hour+time.Duration(i)*time.Second,
			c.Uint64N(20))
		if c.IntN(3) > 0 {
			v.Bot, v.Product = "crawler", "Lynx"
		}
		if c.IntN(3) == 0 {
			b.Downloads = append(b.Downloads, download(v, time.Minute))
		}
		b.Views = append(b.Views, v)
	}
	t.append(b)
	m.append(b)
	if err := t.log.RollUp(ctx, report.DayOf(b.Views[0].At)+days-2); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		var changes vitrine.Batch
		for range c.IntN(3 * n) {
			v := &b.Views[c.IntN(n)]
			d := vitrine.Reclass{Link: vitrine.LinkID(v.Link), View: id(*v),
				Reclass: report.Reclass{Reason: "monitor"}}
			if c.IntN(2) == 0 {
				d.Reason, d.Count = "", true
			}
			changes.Reclasses = append(changes.Reclasses, d)
		}
		t.append(changes)
		m.append(changes)
		for link := range vitrine.LinkID(2) {
			vitrinetest.Equal(t, "views", t.all(link+1), m.list(link+1, firstDay, lastDay))
			counts := m.counts(link + 1)
			t.counted(link+1, counts.Views, counts.Downloads)
		}
		for link := range vitrine.LinkID(3) { // 0: the account
			s := vitrine.Scope{Account: 1, Link: link}
			from := report.DayOf(b.Views[0].At)
			got, _ := t.tally(s, from, from+days, 0)
			vitrinetest.Equal(t, "reports", reports(s, got, from, from+days),
				reports(s, m.tally(s, from, from+days), from, from+days))
		}
		t.audit()
	}
}

// reclass sets the class of a view by the new rules, unless it is the owner's.
// first is the reason with which an excluded view was stored.
func (m *memory) reclass(r *remembered, d vitrine.Reclass) {
	v := &r.view
	first := [2]string{v.Bot, v.Product}
	if v.WasBot != "" {
		first = [2]string{v.WasBot, v.WasProduct}
	}
	read := v.Session != nil && v.Session.EngagedMs >= report.DecidedMs
	if first[0] == "" || first[0] == report.BotAutomation || v.Bot == report.BotAutomation {
		return
	}
	switch d.Reason {
	case "":
		if d.Count && !v.Counted() {
			m.include(r)
			v.WasBot, v.WasProduct, r.decided = first[0], first[1], true
		}
		return
	case v.Bot, report.BotOwn, report.BotAutomation:
		return
	case report.BotMailNetwork:
		if first[0] != report.BotMailNetwork || read {
			return
		}
	}
	if v.Bot == report.BotMailNetwork {
		return
	}
	if v.Counted() {
		m.exclude(r, d.Reason)
	}
	v.Bot, v.Product, v.Returning, r.decided = d.Reason, first[1], false, true
	if v.WasBot, v.WasProduct = first[0], first[1]; v.Bot == first[0] {
		v.WasBot, v.WasProduct = "", ""
	}
}

// reason returns a random reason, which may not exist in the rules.
func (c random) reason() string {
	reasons := []string{"", "", "crawler", "ai_training", report.BotMailNetwork, report.BotOwn, report.BotAutomation}
	return reasons[c.IntN(len(reasons))]
}

// rules returns random rules. They are deterministic for a reason and product.
func (c random) rules() func(reason, product string) string {
	seed := c.Uint64()
	return func(reason, product string) string {
		r := random{rand.New(rand.NewPCG(seed, sum(reason+" "+product)))}
		if r.IntN(3) == 0 {
			return reason
		}
		return r.reason()
	}
}

func sum(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// newRules applies new rules to all views of the log and the model. It may be
// interrupted and repeated.
func (t logTest) newRules(c random, m *memory) {
	t.Helper()
	rule := c.rules()
	s := &analytics.Reclassify{Log: t.log, Rule: rule}
	planned, err := s.Run(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	if c.IntN(2) == 0 {
		some, stop := context.WithCancel(ctx)
		s.Log = &stopping{t.log, c.IntN(4), stop}
		if _, err := s.Run(some, true); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stop()
		s.Log = t.log
	}
	if _, err := s.Run(ctx, true); err != nil {
		t.Fatal(err)
	}
	changed := int64(0)
	for link := range vitrine.LinkID(modelLinks + 1) {
		for _, v := range m.list(link+1, firstDay, lastDay) {
			changed += m.byRule(m.views[link+1][vitrine.ViewID(v.ID)], rule)
		}
	}
	vitrinetest.Equal(t, "views that new rules change", planned.Changed(), changed)
	again, err := s.Run(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "changed again", again.Changed()+again.Applied, 0)
}

// byRule sets the class of a view by a rule and returns the number of changed
// views.
func (m *memory) byRule(r *remembered, rule func(reason, product string) string) int64 {
	v := &r.view
	before := [4]string{v.Bot, v.Product, v.WasBot, v.WasProduct}
	reason, product := v.Bot, v.Product
	if v.WasBot != "" {
		reason, product = v.WasBot, v.WasProduct
	}
	if v.Own || reason == "" {
		return 0
	}
	says := rule(reason, product)
	m.reclass(r, vitrine.Reclass{Reclass: report.Reclass{Reason: says, Count: says == ""}})
	if before == [4]string{v.Bot, v.Product, v.WasBot, v.WasProduct} {
		return 0
	}
	return 1
}

// stopping is a log that stops its writer within a batch, after a number of
// batches.
type stopping struct {
	vitrine.ViewLog
	left int
	stop func()
}

func (l *stopping) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	if l.left--; l.left < 0 {
		l.stop()
		b.Reclasses = b.Reclasses[:len(b.Reclasses)/2]
		_, err := l.ViewLog.Append(context.WithoutCancel(ctx), b)
		return vitrine.Outcome{}, errors.Join(err, ctx.Err())
	}
	return l.ViewLog.Append(ctx, b)
}
