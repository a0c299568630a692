package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	hourMs = 60 * 60 * 1000
	dayMs  = 24 * hourMs
)

// Each calls f for every view, by account and time. It reuses the value for the
// next call. It stops and returns the first error of f.
func (p Params) Each(f func(*Open) error) error {
	for account := range p.Accounts {
		if err := p.EachOf(account, f); err != nil {
			return err
		}
	}
	return nil
}

// EachOf calls f for every view of one account, counted from 0.
func (p Params) EachOf(account int, f func(*Open) error) error {
	g := &generator{Params: p, account: account, r: random(p.Seed, account, 2), links: p.LinksOf(account),
		draws: makeDraws(p.Links), direct: make([]uint16, len(Referrers))}
	for i, host := range Referrers {
		g.direct[i] = uint16(max(0, slices.Index(Sources, sourceOf[host])))
	}
	return g.run(f)
}

type draws struct{ link, country, city, referrer, source, device, browser, os, screen draw }

func makeDraws(links int) draws {
	return draws{link: zipf(links, 1.05), country: zipf(len(Countries)-1, 1.1), city: zipf(citiesOfCountry, 1),
		referrer: zipf(len(Referrers)-1, 1.1),
		source:   zipf(len(Sources), 1.2), device: zipf(len(Devices)-1, 1.2), browser: zipf(len(Browsers)-1, 1.2),
		os:     zipf(len(Systems)-1, 0.9),
		screen: zipf(len(Screens)-1, 0.8)}
}

type generator struct {
	Params
	draws
	account int
	r       *rand.Rand
	links   []Link
	direct  []uint16 // the source of each referrer
	viewers uint64   // number so far
	open    Open
}

// run generates the views day by day, distributed over the hours.
func (g *generator) run(f func(*Open) error) error {
	weights, total := g.days()
	first, done, sum := g.From(), 0, 0.0
	for i, w := range weights {
		sum += w
		n := int(sum/total*float64(g.Opens)+0.5) - done
		if i == len(weights)-1 {
			n = g.Opens - done
		}
		done += n
		day, end := first.AddDate(0, 0, i), int64(dayMs)
		if i >= g.Days {
			day = g.Until.UTC().Truncate(24 * time.Hour)
			end = g.Until.UnixMilli() - day.UnixMilli()
		}
		if err := g.day(day, end, n, f); err != nil {
			return err
		}
	}
	return nil
}

// days returns the weight of each day: it grows over time, is lower at
// weekends, and varies randomly.
func (g *generator) days() (weights []float64, total float64) {
	for i := range g.Days {
		w := (1 + 0.5*float64(i)/float64(g.Days)) * (0.8 + 0.4*g.r.Float64())
		if d := g.From().AddDate(0, 0, i).Weekday(); d == time.Saturday || d == time.Sunday {
			w *= 0.55
		}
		weights = append(weights, w)
	}
	if !g.Until.IsZero() {
		today := g.Until.UTC().Truncate(24 * time.Hour)
		cum := busy(today.Weekday())
		weights = append(weights, 1.5*share(&cum, g.Until.UnixMilli()-today.UnixMilli())/cum[24])
	}
	for _, w := range weights {
		total += w
	}
	return weights, total
}

// busy returns the cumulative share of a day at each full hour.
func busy(d time.Weekday) (cum [25]float64) {
	peak, width := 14.0, 5.0 // working hours
	if d == time.Saturday || d == time.Sunday {
		peak, width = 18, 6
	}
	for h := range 24 {
		x := (float64(h) - peak) / width
		cum[h+1] = cum[h] + 0.25 + math.Exp(-x*x)
	}
	return cum
}

func share(cum *[25]float64, ms int64) float64 {
	if ms >= dayMs {
		return cum[24]
	}
	h := ms / hourMs
	return cum[h] + (cum[h+1]-cum[h])*float64(ms%hourMs)/hourMs
}

func (g *generator) day(day time.Time, end int64, n int, f func(*Open) error) error {
	cum := busy(day.Weekday())
	last := share(&cum, end)
	start, h := day.UnixMilli(), 0
	for i := range n {
		u := (float64(i) + g.r.Float64()) / float64(n) * last
		for h < 23 && cum[h+1] < u {
			h++
		}
		at := start + int64(h)*hourMs + int64((u-cum[h])/(cum[h+1]-cum[h])*hourMs)
		g.next(min(at, start+end-1))
		if err := f(&g.open); err != nil {
			return err
		}
	}
	return nil
}

// next generates the view at a time.
func (g *generator) next(at int64) {
	r := g.r
	link := &g.links[0]
	for try := 0; try < 20; try++ {
		if l := &g.links[g.link.at(r.Uint64())]; l.Created.UnixMilli() <= at {
			link = l
			break
		}
	}
	o, bits := &g.open, r.Uint64()
	*o = Open{At: at, Link: link, Pages: o.Pages[:0], Bot: bits&0xff < 13} // 5 %
	bits >>= 8
	again := g.viewer()
	g.describe(bits)
	bits >>= 24
	o.Returning = again && bits&0xf < 11
	o.QR = o.Source == sourceQR
	sessionPct := link.sessionPct
	if o.Bot {
		sessionPct = 15
	}
	if r.IntN(100) < sessionPct {
		g.session()
	}
}

var sourceQR = uint16(slices.Index(Sources, "QR code"))

// viewer chooses the viewer: a new one for a quarter of views, otherwise an
// earlier one. Frequent and recent viewers are more likely. It reports whether
// the viewer is an earlier one.
func (g *generator) viewer() (again bool) {
	r := g.r
	n := g.viewers
	if x := r.Float64(); n > 0 && x >= 0.25 {
		y := r.Float64()
		if x < 0.55 {
			n = g.viewers - 1 - uint64(float64(g.viewers)*y*y*y) // recent viewers
		} else {
			n = uint64(float64(g.viewers) * y * y) // frequent viewers
		}
		n, again = min(n, g.viewers-1), true
	} else {
		g.viewers++
	}
	g.open.Viewer = mix(n ^ g.Seed<<40 ^ uint64(g.account)<<48)
	return again
}

// describe sets the labels: location and browser are the same for all views of
// a viewer, the source varies.
func (g *generator) describe(bits uint64) {
	o := &g.open
	a, b := mix(o.Viewer^1), mix(o.Viewer^2)
	if b&0x3f != 0 { // otherwise unknown
		o.Country = 1 + g.country.at(a)
		if b&0x7c0 != 0 {
			o.City = 1 + (o.Country-1)*citiesOfCountry + g.city.at(a>>16)
		}
	}
	o.Device = 1 + g.device.at(a>>32)
	o.Browser = 1 + g.browser.at(a>>48)
	o.OS = 1 + g.os.at(b>>16)
	o.Screen = 1 + g.screen.at(b>>32)
	if bits&3 != 0 {
		o.Referrer = 1 + g.referrer.at(bits>>8)
		o.Source = g.direct[o.Referrer]
	} else {
		o.Source = g.source.at(bits >> 8)
	}
}

// session generates the engagement data of a view.
func (g *generator) session() {
	o, r := &g.open, g.r
	o.Session = true
	atypical := r.IntN(100) == 0 || o.Bot && r.IntN(4) > 0
	if atypical {
		o.EngagedMs = r.Int64N(atypicalEngagedMs)
		o.PresentMs = o.EngagedMs + r.Int64N(atypicalPresentMs-o.EngagedMs)
	} else {
		o.EngagedMs = min(int64(math.Exp(math.Log(25_000)+1.2*r.NormFloat64())), 4*hourMs)
		o.PresentMs = min(o.EngagedMs+int64(r.ExpFloat64()*20_000), 4*hourMs)
	}
	bits := r.Uint64()
	o.Downloaded = !atypical && bits&0xff < 20
	switch o.Link.Content() {
	case "pages":
		g.pages(atypical)
	case "media":
		if bits&0x700 != 0 && !atypical { // otherwise never played
			o.ReachedPct = int(100*math.Sqrt(r.Float64()) + 0.5)
			o.PlayedPct = int(float64(o.ReachedPct)*(0.6+0.4*r.Float64()) + 0.5)
		}
	case "scroll":
		if !atypical {
			o.DepthPct = min(100, int(130*math.Sqrt(r.Float64())))
		}
	}
}

// pages distributes the time over consecutive pages and skips some.
func (g *generator) pages(atypical bool) {
	o, r := &g.open, g.r
	last := 1
	for !atypical && last < o.Link.Pages && r.Float64() < 0.87 {
		last++
	}
	left, skip := o.EngagedMs, r.Uint64()
	for p := 1; p <= last; p, skip = p+1, skip>>3|skip<<61 {
		if p > 1 && p < last && skip&7 == 0 {
			continue
		}
		ms := left
		if p < last {
			ms = int64(float64(left) * min(1, r.Float64()*2/float64(last-p+1)))
		}
		left -= ms
		o.Pages = append(o.Pages, Page{Page: p, Ms: ms})
	}
}
