package viewlogtest

import (
	"fmt"
	"math/rand/v2"

	"vitrine"
	"vitrine/report"
	"vitrine/report/part"
)

// random generates random batches with many conflicts: few links, viewers and
// IDs.
type random struct{ *rand.Rand }

const (
	modelLinks = 4
	modelDays  = 20
)

func (c random) word(s string) string {
	if n := c.IntN(4); n > 0 {
		return fmt.Sprint(s, n)
	}
	return ""
}

// recipient returns the ID of one of three recipients, or 0.
func (c random) recipient() int64 { return int64(c.IntN(4)) << 40 }

// id returns an ID of one of a few minutes of a day: whether a viewer returns
// depends on half hours, also over midnight.
func (c random) id() vitrine.ViewID {
	minute := []int{0, 15, 30, 50}[c.IntN(4)] + 60*[]int{0, 6, 12, 18, 23}[c.IntN(5)]
	return vitrine.ViewIDAt((day+report.Day(c.IntN(modelDays))).StartMs()+int64(minute)*60_000, c.IntN(2))
}

func (c random) view() vitrine.ViewRecord {
	id, link := c.id(), c.Int64N(modelLinks)+1
	v := report.View{ID: int64(id), At: id.Ms(), Link: link, Viewer: uint64(c.IntN(8)), QR: c.IntN(4) == 0,
		Returning: c.IntN(2) == 0, Recipient: c.recipient(), Album: int64(max(0, c.IntN(6)-3))}
	if c.IntN(6) == 0 {
		v.Bot, v.Product = "crawler", c.word("Bot")
	}
	switch c.IntN(8) {
	case 0:
		v.Bot, v.Product = report.BotMailNetwork, c.word("network ")
	case 1:
		if v.Own, v.Bot, v.Product = true, "", ""; c.IntN(3) > 0 {
			v.Bot = report.BotOwn
		}
	}
	for _, d := range report.Labels() {
		if field := d.Field(&v); field != nil && (!d.Extra || c.IntN(3) == 0) {
			*field = c.word(string(d.Dimension) + " ")
		}
	}
	if c.IntN(3) == 0 {
		v.Version = 2 * c.IntN(3)
	}
	return vitrine.ViewRecord{Account: vitrine.AccountID(1 + link%2), View: v}
}

func (c random) session() report.Session {
	s := report.Session{PresentMs: c.Int64N(3_600_000), Screen: c.word("screen "), Downloaded: c.IntN(3) == 0}
	s.EngagedMs = c.Int64N(s.PresentMs + 1)
	s.Outlined = c.IntN(3) == 0
	if c.IntN(3) == 0 {
		s.Clicks = c.clicks()
	}
	if c.IntN(4) == 0 {
		s.EngagedMs %= 1500
	}
	switch c.IntN(4) {
	case 0:
		for p := 1; p < 10; p += 1 + c.IntN(3) {
			seen := report.PageTime{Page: p, Ms: c.Int64N(10_000)}
			if c.IntN(2) == 0 {
				seen.Bands = part.Bands{c.Int64N(5000), 0, c.Int64N(5000), c.Int64N(5000)}.Within(seen.Ms)
			}
			s.Pages = append(s.Pages, seen)
		}
	case 1:
		s.Played, s.Reached = c.Int64N(1_000_001), c.Int64N(1_000_001)
		s.Parts.AddRange(c.IntN(report.PartCount), c.IntN(report.PartCount))
		s.Parts.Add(c.IntN(report.PartCount))
	case 2:
		s.Depth = c.Int64N(1_000_001)
	}
	return s
}

// clicks returns clicks on a few links, in order.
func (c random) clicks() (clicks []part.Click) {
	for in := range 3 {
		for _, target := range []string{"https://a.example/", "https://b.example/x", "mailto"} {
			if c.IntN(4) == 0 {
				clicks = append(clicks, part.Click{Part: in, Target: target, Count: 1 + c.Int64N(3)})
			}
		}
	}
	return clicks
}

// known returns a view that usually exists.
func (c random) known(m *memory) (vitrine.LinkID, vitrine.ViewID) {
	link := vitrine.LinkID(c.IntN(modelLinks) + 1)
	if views := m.list(link, firstDay, lastDay); len(views) > 0 && c.IntN(10) > 0 {
		return link, vitrine.ViewID(views[c.IntN(len(views))].ID)
	}
	return link, c.id()
}

func (c random) batch(m *memory) (b vitrine.Batch) {
	for range c.IntN(6) {
		b.Views = append(b.Views, c.view())
	}
	for range c.IntN(6) {
		link, of := c.known(m)
		s := vitrine.Snapshot{Link: link, View: of, At: of.Ms() + c.Int64N(3_600_000), Session: c.session()}
		if c.IntN(8) == 0 {
			s.Bot = report.BotAutomation
		}
		b.Snapshots = append(b.Snapshots, s)
	}
	for range c.IntN(4) {
		link, of := c.known(m)
		d := vitrine.Download{ID: vitrine.ViewIDAt(of.Ms()+c.Int64N(3)*86_400_000, c.IntN(3)), Link: link, View: of}
		if c.IntN(3) == 0 {
			d.View, d.Account, d.Recipient = 0, vitrine.AccountID(1+link%2), vitrine.RecipientID(c.recipient())
		}
		b.Downloads = append(b.Downloads, d)
	}
	for range c.IntN(4) {
		link, of := c.known(m)
		b.Reclasses = append(b.Reclasses, vitrine.Reclass{Link: link, View: of,
			Reclass: report.Reclass{Count: c.IntN(2) == 0, Reason: c.reason()}})
	}
	return b
}

// modelSteps is the number of steps of a model test.
const modelSteps = 250
