package report_test

import (
	"testing"

	"vitrine/report"
)

// Reasons with which the laws of classes are tested. Rules know the reasons
// that are named, and treat all others alike.
var (
	firstReasons = []string{"", report.BotOwn, report.BotMailNetwork, report.BotDatacenter, report.BotAutomation, "crawler", "monitor"}
	someEvents   = allEvents()
)

func allEvents() (events []report.Event) {
	for _, ms := range []int64{0, report.DecidedMs - 1, report.DecidedMs} {
		for _, automation := range []bool{false, true} {
			events = append(events, report.Beacon{EngagedMs: ms, Automation: automation})
		}
	}
	for _, reason := range append(firstReasons, "other") {
		for _, count := range []bool{false, true} {
			events = append(events, report.Reclass{Reason: reason, Count: count})
		}
	}
	return append(events, report.Downloaded{})
}

// counted is a view in a log that applies effects as [report.Effect] says.
type counted struct {
	report.Class
	downloads int // that count
}

// views is 1 if the view counts.
func (v counted) views() int {
	if v.Counts() {
		return 1
	}
	return 0
}

// after returns the view after events, and the views that it adds to its link.
func (v counted) after(events ...report.Event) (after counted, views int) {
	for _, e := range events {
		var effect report.Effect
		v.Class, effect = v.Decide(e)
		if effect.Download {
			v.downloads++
		}
		if effect.Views < 0 && v.downloads > 0 {
			v.downloads = 0
			v.Class, _ = v.Decide(report.Downloaded{})
		}
		views += effect.Views
	}
	return v, views
}

// reachable returns every view that a log can have: the stored ones, and what
// events make of them.
func reachable() (all []counted) {
	seen := map[counted]bool{}
	var add func(v counted)
	add = func(v counted) {
		v.downloads = min(v.downloads, 1)
		if seen[v] {
			return
		}
		seen[v] = true
		all = append(all, v)
		for _, e := range someEvents {
			after, _ := v.after(e)
			add(after)
		}
	}
	for _, reason := range firstReasons {
		for _, own := range []bool{false, true} {
			c := report.Class{Bot: reason, Own: own}
			if reason != "" && reason != report.BotOwn {
				c.Product = "program"
			}
			add(counted{Class: c})
		}
	}
	return all
}

// TestClassLaws checks what every event does to every view.
func TestClassLaws(t *testing.T) {
	all := reachable()
	if len(all) < 100 {
		t.Fatalf("only %d views", len(all))
	}
	for _, v := range all {
		for _, e := range someEvents {
			after, views := v.after(e)
			fail := func(law string) { t.Errorf("%s: %+v, %#v: %+v", law, v, e, after) }
			if v.views()+views != after.views() {
				fail("the effect is not the difference")
			}
			if !after.Counts() && after.downloads > 0 {
				fail("a download of an excluded view counts")
			}
			if after.Waits && (after.Counts() || after.Bot == report.BotAutomation) {
				fail("a download waits for nothing")
			}
			if v.EngagedMs > after.EngagedMs || v.Decided && !after.Decided || v.SelfReported && !after.SelfReported {
				fail("something is forgotten")
			}
			if v.Bot == report.BotAutomation && (after.Bot != v.Bot || views != 0) {
				fail("automation is not final")
			}
			if again, more := after.after(e); e != (report.Event)(report.Downloaded{}) && (again != after || more != 0) {
				fail("not idempotent")
			}
			classLaws(e, v, after, fail)
		}
	}
}

// classLaws checks what an event may do.
func classLaws(e report.Event, before, after counted, fail func(law string)) {
	excluded := before.Bot != "" || before.WasBot != ""
	switch e := e.(type) {
	case report.Downloaded:
		if after.Bot != before.Bot || after.Decided != before.Decided {
			fail("a download decides")
		}
		if after.Bot != report.BotAutomation && !after.Waits && after.downloads == 0 {
			fail("a download is lost")
		}
	case report.Beacon:
		if after.Bot != before.Bot && !report.Undecided(before.Bot) && after.Bot != report.BotAutomation {
			fail("a beacon changes a decided view")
		}
		if e.Automation && before.Counts() && after.Counts() {
			fail("a program's view counts")
		}
		if report.Undecided(after.Bot) && after.EngagedMs >= report.DecidedMs {
			fail("a view that was read is undecided")
		}
	case report.Reclass:
		if !before.Own && !excluded && after != before {
			fail("a view that was never excluded is reclassified")
		}
		if before.Own && after.Bot != before.Bot && after.Bot != report.BotOwn && !after.Counts() {
			fail("the owner's view gets a reason")
		}
		if before.Own && e.Count && after.Bot == report.BotOwn {
			fail("the owner's view does not count")
		}
		if report.Undecided(after.Bot) && after.EngagedMs >= report.DecidedMs {
			fail("a view that was read becomes undecided")
		}
		if after.EngagedMs != before.EngagedMs || after.SelfReported != before.SelfReported {
			fail("a reclass changes what was measured")
		}
	}
}

// TestClassOrder checks that the order in which beacons and downloads arrive
// does not matter, nor that of a download and a change of rules. Several
// downloads that wait count as one, so only whether there are any is compared.
func TestClassOrder(t *testing.T) {
	for _, v := range reachable() {
		for _, e := range someEvents {
			for _, f := range someEvents {
				if _, rules := e.(report.Reclass); rules && f != (report.Event)(report.Downloaded{}) {
					continue
				}
				if _, rules := f.(report.Reclass); rules && e != (report.Event)(report.Downloaded{}) {
					continue
				}
				a, m := v.after(e, f)
				b, n := v.after(f, e)
				a.downloads, b.downloads = min(a.downloads, 1), min(b.downloads, 1)
				if a != b || m != n {
					t.Fatalf("%+v: %#v, %#v: %+v (%d), but in the other order %+v (%d)", v, e, f, a, m, b, n)
				}
			}
		}
	}
}

// TestReclassBack checks that a change of rules can be undone: with the reason
// with which a view was stored, everything is as it was, except that it is
// known to be decided and that several waiting downloads count as one.
func TestReclassBack(t *testing.T) {
	for _, v := range reachable() {
		if v.WasBot != "" || v.Own || v.Counts() || v.EngagedMs >= report.DecidedMs {
			continue
		}
		for _, e := range someEvents {
			r, is := e.(report.Reclass)
			if !is {
				continue
			}
			changed, _ := v.after(r)
			back, views := changed.after(report.Reclass{Reason: v.Bot})
			back.Decided = v.Decided
			if back != v || v.views() != back.views() || views > 0 {
				t.Errorf("%+v: %#v: back: %+v", v, r, back)
			}
		}
	}
}
