package vitrinetest

import (
	"math/rand/v2"
	"strconv"
	"time"

	"vitrine"
	"vitrine/report"
)

// Traffic generates views of some links of account 1 like those of a real log:
// a third by returning viewers, a tenth by bots.
type Traffic struct {
	Rand    *rand.Rand
	ids     *vitrine.ViewIDs
	links   int
	ms      int64
	step    int // average time to the next view, in ms
	viewers []uint64
}

// NewTraffic returns traffic that begins in 2026.
func NewTraffic(links, step int) *Traffic {
	return &Traffic{Rand: rand.New(rand.NewPCG(1, 2)), ids: vitrine.NewViewIDs(), links: links, step: step,
		ms: 1_767_225_600_000}
}

// SetStep sets the average time to the next view, in ms.
func (g *Traffic) SetStep(ms int) { g.step = ms }

// Open returns the next view, as of a page load.
func (g *Traffic) Open() vitrine.ViewRecord {
	pick := func(prefix string, n int) string {
		return prefix + strconv.Itoa(min(g.Rand.IntN(n), g.Rand.IntN(n)))
	}
	g.ms += int64(g.Rand.IntN(2*g.step + 1))
	viewer := g.Rand.Uint64()
	if len(g.viewers) > 1000 && g.Rand.IntN(3) == 0 {
		viewer = g.viewers[g.Rand.IntN(len(g.viewers))]
	} else {
		g.viewers = append(g.viewers, viewer)
	}
	country := pick("C", 60)
	v := report.View{Link: int64(1 + g.Rand.IntN(g.links)), ID: int64(g.ids.Next(time.UnixMilli(g.ms))), At: g.ms,
		Viewer:  viewer,
		Country: country, City: country + pick(" city ", 8), Referrer: pick("host", 30), Source: pick("source", 12),
		Device: pick("device", 3), Browser: pick("browser", 8), OS: pick("os", 6), QR: g.Rand.IntN(20) == 0}
	if g.Rand.IntN(10) == 0 {
		v.Bot = pick("reason", 6)
	}
	return vitrine.ViewRecord{Account: 1, View: v}
}

// Imported returns the next view of another system's history, usually with
// engagement data.
func (g *Traffic) Imported() vitrine.ViewRecord {
	v := g.Open()
	if v.Bot == "" && g.Rand.IntN(10) < 7 {
		s := &report.Session{EngagedMs: g.Rand.Int64N(200_000), Screen: "1200-1439", Downloaded: g.Rand.IntN(10) == 0}
		s.PresentMs = s.EngagedMs + g.Rand.Int64N(20_000)
		for p := range g.Rand.IntN(12) {
			s.Pages = append(s.Pages, report.PageTime{Page: p + 1, Ms: g.Rand.Int64N(20_000)})
		}
		v.Session = s
	}
	return v
}
