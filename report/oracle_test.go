package report_test

import (
	"encoding/json"
	"math/big"
	"sort"
	"strings"
	"time"

	"vitrine/report"
)

// The oracle recounts a report from its views in the simplest way: with maps,
// sets of viewers and rational numbers, card by card as in
// docs/specification/analytics.md. It shares only the input types with the
// engine. It leaves out the insights.

type object = map[string]any

type oracle struct {
	now, before []report.View // of the window and of the previous one
	down, was   int           // download events of both
	from, to    time.Time     // in the zone
	hourly      bool
	year        bool // compared with the year before
	zoned       bool
	links       map[int64]report.Link
}

func newOracle(w *scenario, win report.Window, links ...report.Link) *oracle {
	from, to := win.Bounds()
	o := &oracle{hourly: win.Hourly(), year: w.compare == report.CompareYear, links: map[int64]report.Link{},
		zoned: w.zone != nil}
	zone := time.UTC
	if o.zoned {
		zone = w.zone
	}
	o.from, o.to = time.UnixMilli(from).In(zone), time.UnixMilli(to).In(zone)
	for _, l := range links {
		o.links[l.ID] = l
	}
	from, to = win.Previous().Bounds()
	if win.Key == report.RangeAll {
		from, to = 0, 0 // the range all has no previous window
	}
	past, end := time.UnixMilli(from), time.UnixMilli(to)
	for _, x := range w.views {
		switch at := time.UnixMilli(x.At); {
		case !at.Before(o.from) && at.Before(o.to):
			o.now = append(o.now, x)
		}
		if at := time.UnixMilli(x.At); !at.Before(past) && at.Before(end) {
			o.before = append(o.before, x)
		}
	}
	for _, d := range w.downloads {
		switch at := time.UnixMilli(d.at); {
		case !at.Before(o.from) && at.Before(o.to):
			o.down++
		}
		if at := time.UnixMilli(d.at); !at.Before(past) && at.Before(end) {
			o.was++
		}
	}
	return o
}

func (o *oracle) link(l report.Link, win report.Window) object {
	r := o.common(win, l.Downloads)
	r["link"] = object{"slug": l.Slug, "title": l.Title, "url": l.URL, "kind": l.Kind}
	r["content"] = oracleContent(l, ofLast(l, sessionsOf(o.now)))
	r["recent"] = oracleRecent(l, o.now)
	r["previous"].(object)["completionPct"] = o.completion(sessionsOf(o.before))
	return r
}

func (o *oracle) account(win report.Window, all report.AllTime) object {
	r := o.common(win, all.Downloads)
	r["all_time"] = object{"views": whole(all.Views), "downloads": whole(all.Downloads), "links": whole(all.Links)}
	r["top_links"] = o.topLinks()
	r["mix"] = oracleBuckets(o.now, func(x report.View) string {
		if x.Bot != "" {
			return ""
		}
		return fileShown(o.links[x.Link], x).Kind
	})
	return r
}

func (o *oracle) common(win report.Window, downloads int64) object {
	return object{
		"range":       o.rangeOf(win),
		"totals":      o.totals(downloads),
		"previous":    o.previous(),
		"deltas":      o.deltas(),
		"granularity": o.granularity(),
		"series":      o.series(),
		"breakdowns":  o.breakdowns(),
		"timing":      oracleTiming(people(o.now), o.from.Location()),
		"truncated":   false,
	}
}

func (o *oracle) rangeOf(win report.Window) object {
	r := object{
		"key": string(win.Key), "from": o.from.UTC().Format("2006-01-02T15:04:05.000Z"),
		"to":   o.to.UTC().Format("2006-01-02T15:04:05.000Z"),
		"days": whole(int64(o.days())),
	}
	if win.Key == report.RangeDay {
		r["days"] = whole(1)
	}
	first, last := o.from.Format("2 Jan 2006"), o.to.Add(-1).Format("2 Jan 2006")
	if r["label"] = first + " – " + last; first == last {
		r["label"] = first
	}
	if label := map[string]string{"7d": "Last 7 days", "14d": "Last 14 days", "30d": "Last 30 days",
		"90d": "Last 90 days", "all": "All time", "24h": "Last 24 hours"}[string(win.Key)]; label != "" {
		r["label"] = label
	}
	if o.zoned {
		r["timezone"] = o.from.Location().String()
	}
	if o.year {
		r["compare"] = "year"
	}
	return r
}

func (o *oracle) granularity() string {
	switch {
	case o.hourly:
		return "hour"
	case o.days() > 120:
		return "week"
	}
	return "day"
}

// days returns the number of dates that clocks show between two moments.
func (o *oracle) days() int {
	return int(dateAt(o.to.Add(-time.Millisecond))-dateAt(o.from)) + 1
}

// dateAt returns the date that clocks show.
func dateAt(t time.Time) report.Day { return dateOf(t.Year(), t.Month(), t.Day()) }

func dateOf(y int, m time.Month, d int) report.Day {
	return report.DayOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli())
}

// next returns the end of the day, or of the hour, of a moment.
func (o *oracle) next(at time.Time) time.Time {
	t := at
	if o.hourly {
		_, offset := at.Zone()
		for t.Before(o.to) {
			t = t.Add(time.Minute)
			if _, now := t.Zone(); t.Hour() != at.Hour() || now != offset {
				break
			}
		}
		return t
	}
	for t = t.Add(20 * time.Hour); dateAt(t) <= dateAt(at); {
		t = t.Add(time.Minute)
	}
	return t
}

func people(all []report.View) (views []report.View) {
	for _, x := range all {
		if x.Bot == "" {
			views = append(views, x)
		}
	}
	return views
}

func gone(x report.View) bool {
	return x.Session != nil && x.Bot != "own" && (x.Bot != "" || x.Session.EngagedMs < 1000 &&
		x.Session.PresentMs < 2000)
}

// sessionsOf returns the counted sessions.
func sessionsOf(views []report.View) (s []report.View) {
	views = people(views)
	for _, x := range views {
		if x.Session != nil && !gone(x) {
			s = append(s, x)
		}
	}
	return s
}

func viewers(views []report.View) int64 {
	set := map[uint64]bool{}
	for _, x := range views {
		set[x.Viewer] = true
	}
	return int64(len(set))
}

func engagedSum(views []report.View) (sum int64) {
	for _, x := range views {
		sum += x.Session.EngagedMs
	}
	return sum
}

func some(views []report.View, is func(report.View) bool) (n int64) {
	for _, x := range views {
		if is(x) {
			n++
		}
	}
	return n
}

func (o *oracle) totals(downloads int64) object {
	views, sessions := people(o.now), sessionsOf(o.now)
	returned := some(views, func(x report.View) bool { return x.Returning })
	return object{
		"views": whole(int64(len(views))), "uniques": whole(viewers(views)), "sessions": whole(int64(len(sessions))),
		"avgEngagedMs":    round(over(engagedSum(sessions), int64(len(sessions))), 0),
		"medianEngagedMs": oracleMedian(sessions),
		"totalEngagedMs":  whole(engagedSum(sessions)),
		"completionPct":   o.completion(sessions),
		"downloads":       whole(downloads),
		"rangeDownloads":  whole(int64(o.down)),
		"qrScans":         whole(scans(views)),
		"returningPct":    percent(returned, int64(len(views))),
		"bouncePct":       percent(bounces(sessions), int64(len(sessions))),
		"botsExcluded":    whole(some(o.now, func(x report.View) bool { return x.Bot != "" && x.Bot != "own" })),
		"ownExcluded":     whole(some(o.now, func(x report.View) bool { return x.Bot == "own" })),
		"atypical":        whole(some(o.now, gone)),
	}
}

func scans(views []report.View) int64 { return some(views, func(x report.View) bool { return x.QR }) }

func bounces(sessions []report.View) int64 {
	return some(sessions, func(x report.View) bool { return x.Session.EngagedMs < 5000 })
}

func oracleMedian(sessions []report.View) json.Number {
	var ms []int
	for _, x := range sessions {
		ms = append(ms, int(x.Session.EngagedMs))
	}
	sort.Ints(ms)
	if len(ms) == 0 {
		return "0"
	}
	lower, upper := ms[(len(ms)-1)/2], ms[len(ms)/2]
	return round(over(int64(lower+upper), 2), 0)
}

func (o *oracle) completion(sessions []report.View) any {
	sum, n := new(big.Rat), int64(0)
	for _, x := range sessions {
		if c := completionOf(fileShown(o.links[x.Link], x), x.Session); c != nil {
			sum.Add(sum, c)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return round(sum.Mul(sum, over(100, n)), 1)
}

func completionOf(l report.Link, s *report.Session) *big.Rat {
	if s.Unmeasured {
		return nil
	}
	switch l.Kind {
	case "pdf":
		if l.Pages > 0 {
			return over(int64(len(s.Pages)), int64(l.Pages))
		}
	case "video", "audio":
		return over(s.Played, 1_000_000)
	case "image", "html", "text", "document":
		return over(s.Depth, 1_000_000)
	}
	return nil
}

func (o *oracle) previous() object {
	views, sessions := people(o.before), sessionsOf(o.before)
	return object{
		"views": whole(int64(len(views))), "uniques": whole(viewers(views)), "sessions": whole(int64(len(sessions))),
		"avgEngagedMs": round(over(engagedSum(sessions), int64(len(sessions))), 0),
		"downloads":    whole(int64(o.was)), "completionPct": nil,
		"qrScans":      whole(scans(views)),
		"returningPct": percent(some(views, func(x report.View) bool { return x.Returning }), int64(len(views))),
		"bouncePct":    percent(bounces(sessions), int64(len(sessions))),
	}
}

func (o *oracle) deltas() object {
	now, before := people(o.now), people(o.before)
	s, t := sessionsOf(o.now), sessionsOf(o.before)
	return object{
		"views":        oracleDelta(over(int64(len(now)), 1), over(int64(len(before)), 1)),
		"uniques":      oracleDelta(over(viewers(now), 1), over(viewers(before), 1)),
		"avgEngagedMs": oracleDelta(over(engagedSum(s), int64(len(s))), over(engagedSum(t), int64(len(t)))),
		"downloads":    oracleDelta(over(int64(o.down), 1), over(int64(o.was), 1)),
		"qrScans":      oracleDelta(over(scans(now), 1), over(scans(before), 1)),
	}
}

func oracleDelta(now, before *big.Rat) object {
	d := object{"dir": "flat", "pct": nil}
	if now.Cmp(before) > 0 {
		d["dir"] = "up"
	} else if now.Cmp(before) < 0 {
		d["dir"] = "down"
	}
	if before.Sign() != 0 {
		change := new(big.Rat).Sub(now, before)
		d["pct"] = round(change.Mul(change.Quo(change, before), over(100, 1)), 0)
	}
	return d
}

func (o *oracle) series() []any {
	points := []any{}
	for at := o.from; at.Before(o.to); {
		end := o.next(at)
		for o.granularity() == "week" && end.Weekday() != time.Monday && end.Before(o.to) {
			end = o.next(end)
		}
		var in []report.View
		for _, x := range o.now {
			if t := time.UnixMilli(x.At); !t.Before(at) && t.Before(end) {
				in = append(in, x)
			}
		}
		label := at.Format("2 Jan")
		if o.days() > 365 {
			label = at.Format("2 Jan 2006")
		}
		sessions := sessionsOf(in)
		point := object{
			"date": at.Format("2006-01-02"), "label": label,
			"views": whole(int64(len(people(in)))), "uniques": whole(viewers(people(in))),
			"avgEngagedS": round(over(engagedSum(sessions), 1000*int64(len(sessions))), 0),
		}
		if o.hourly {
			point["label"], point["at"] = at.Format("15:04"), at.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		points = append(points, point)
		at = end
	}
	return points
}

func (o *oracle) breakdowns() object {
	views := people(o.now)
	of := func(key func(report.View) string) []any { return oracleBuckets(views, key) }
	return object{
		"countries": of(func(x report.View) string { return x.Country }),
		"cities": of(func(x report.View) string {
			if x.City != "" && x.Country != "" {
				return x.City + ", " + x.Country
			}
			return x.City
		}),
		"referrers": of(func(x report.View) string { return x.Referrer }),
		"sources": of(func(x report.View) string {
			if x.Source == "" {
				return "Direct"
			}
			return x.Source
		}),
		"devices":  of(func(x report.View) string { return x.Device }),
		"browsers": of(func(x report.View) string { return x.Browser }),
		"os":       of(func(x report.View) string { return x.OS }),
		"screens": of(func(x report.View) string {
			if x.Session == nil {
				return ""
			}
			return x.Session.Screen
		}),
	}
}

func oracleBuckets(views []report.View, key func(report.View) string) []any {
	counts, all := map[string]int64{}, int64(0)
	for _, x := range views {
		if k := key(x); k != "" {
			counts[k]++
			all++
		}
	}
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if counts[keys[i]] != counts[keys[j]] {
			return counts[keys[i]] > counts[keys[j]]
		}
		return keys[i] < keys[j]
	})
	rows := []any{}
	for i, k := range keys {
		if i < 8 {
			rows = append(rows, object{"key": k, "count": whole(counts[k]), "pct": percent(counts[k], all)})
		}
	}
	return rows
}

func oracleTiming(views []report.View, zone *time.Location) object {
	var hours [24]int64
	var weekdays [7]int64
	var heat [7][24]int64
	for _, x := range views {
		at := time.UnixMilli(x.At).In(zone)
		hours[at.Hour()]++
		weekdays[at.Weekday()]++
		heat[at.Weekday()][at.Hour()]++
	}
	var rows []any
	for _, r := range heat {
		rows = append(rows, wholes(r[:]))
	}
	return object{
		"byHour": wholes(hours[:]), "byWeekday": wholes(weekdays[:]), "heat": rows,
		"peakHour": oraclePeak(hours[:]), "peakWeekday": oraclePeak(weekdays[:]),
	}
}

func oraclePeak(counts []int64) any {
	best := -1
	for i, n := range counts {
		if n > 0 && (best < 0 || n > counts[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return whole(int64(best))
}

// Numbers in JSON.

func over(a, b int64) *big.Rat {
	if b == 0 {
		return new(big.Rat)
	}
	return big.NewRat(a, b)
}

func round(r *big.Rat, decimals int) json.Number {
	s := strings.TrimSuffix(r.FloatString(decimals), ".0")
	if s == "-0" {
		s = "0"
	}
	return json.Number(s)
}

func percent(part, all int64) json.Number { return round(over(100*part, all), 1) }

func whole(n int64) json.Number { return round(over(n, 1), 0) }

func wholes(ns []int64) []any {
	var out []any
	for _, n := range ns {
		out = append(out, whole(n))
	}
	return out
}

func sum(ns []int64) (s int64) {
	for _, n := range ns {
		s += n
	}
	return s
}

func atLeast(ns []int64, least int64) (count int64) {
	for _, n := range ns {
		if n >= least {
			count++
		}
	}
	return count
}
