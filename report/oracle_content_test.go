package report_test

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"vitrine/report"
	"vitrine/report/part"
)

// The oracle's cards of the content, the recent views and an account's links.

func oracleContent(l report.Link, sessions []report.View) object {
	all := sessions // clicks count in each
	sessions = slices.DeleteFunc(slices.Clone(sessions), func(x report.View) bool { return x.Session.Unmeasured })
	of := func(share func(*report.Session) int64) (values []int64) {
		for _, x := range sessions {
			values = append(values, share(x.Session))
		}
		return values
	}
	switch l.Kind {
	case "pdf":
		return oracleClicks(all, object{"kind": "pages", "pages": oraclePages(l.Pages, sessions)})
	case "video", "audio":
		played := of(func(s *report.Session) int64 { return s.Played })
		reached := of(func(s *report.Session) int64 { return s.Reached })
		marks, dropoff := oracleMarks(played, reached)
		return object{"kind": "media", "media": object{
			"playedPct":    percent(atLeast(played, 1), int64(len(sessions))),
			"avgPlayedPct": round(over(100*sum(played), 1_000_000*int64(len(sessions))), 1),
			"finishedPct":  percent(atLeast(reached, 950_000), int64(len(sessions))),
			"quartiles":    marks, "dropoff": dropoff,
		}}
	case "image", "html", "text", "document":
		depth := of(func(s *report.Session) int64 { return s.Depth })
		marks, dropoff := oracleMarks(depth, depth)
		return oracleClicks(all, oracleParts(l.Outline, sessions, object{"kind": "scroll", "scroll": object{
			"avgDepthPct":  round(over(100*sum(depth), 1_000_000*int64(len(sessions))), 1),
			"readToEndPct": percent(atLeast(depth, 950_000), int64(len(sessions))),
			"depths":       marks, "dropoff": dropoff,
		}}))
	}
	return object{"kind": "none"}
}

// oracleClicks adds the links that were followed, by how often.
func oracleClicks(sessions []report.View, content object) object {
	type link struct {
		part   int
		target string
	}
	count := map[link]int64{}
	for _, x := range sessions {
		for _, c := range x.Session.Clicks {
			count[link{c.Part, c.Target}] += c.Count
		}
	}
	var links []link
	for l := range count {
		links = append(links, l)
	}
	sort.Slice(links, func(i, j int) bool {
		a, b := links[i], links[j]
		if count[a] != count[b] {
			return count[a] > count[b]
		}
		return a.part < b.part || a.part == b.part && a.target < b.target
	})
	var rows []any
	for _, l := range links {
		rows = append(rows, object{"part": whole(int64(l.part)), "target": l.target, "count": whole(count[l])})
	}
	if rows != nil {
		content["clicks"] = rows
	}
	return content
}

// oracleParts adds the parts of a file: what the pages of a PDF would be, over
// the sessions that measured parts.
func oracleParts(o part.Outline, sessions []report.View, content object) object {
	if o == "" {
		return content
	}
	var measured []report.View
	for _, x := range sessions {
		if x.Session.Outlined {
			measured = append(measured, x)
		}
	}
	content["partKind"], content["partSessions"] = string(o.Kind()), whole(int64(len(measured)))
	if len(measured) == 0 {
		return content
	}
	pages := oraclePages(o.Len(), measured)
	rows := []any{}
	for i, row := range pages["pages"].([]any) {
		part := row.(object)
		part["part"], part["label"] = part["page"], o.Parts()[i].Label
		delete(part, "page")
		if o.Kind() == "section" {
			delete(part, "bandsPct")
		}
		if words := o.Parts()[i].Words; words > 0 {
			part["words"], part["reading"] = whole(int64(words)), oracleReading(words, i+1, measured)
		}
		rows = append(rows, part)
	}
	lost := pages["dropoff"].(object)
	content["parts"] = rows
	content["partDropoff"] = object{"afterPart": lost["afterPage"], "lostPct": lost["lostPct"]}
	return content
}

// oracleReading says how a part was read: seen by half of the sessions, and
// then for half of a quarter of a second a word.
func oracleReading(words, part int, measured []report.View) string {
	var ms, views int64
	for _, x := range measured {
		for _, p := range x.Session.Pages {
			if p.Page == part {
				views, ms = views+1, ms+p.Ms
			}
		}
	}
	mean, err := strconv.ParseInt(round(over(ms, max(views, 1)), 0).String(), 10, 64)
	switch {
	case err != nil:
		panic(err)
	case float64(views)/float64(len(measured)) < 0.5:
		return "skipped"
	case float64(mean) < float64(words)*250/2:
		return "skimmed"
	}
	return "read"
}

func oracleMarks(began, furthest []int64) (marks []any, dropoff object) {
	n := int64(len(furthest))
	dropoff = object{"beforePct": nil, "lostPct": nil}
	before, most := atLeast(began, 1), int64(0)
	for _, m := range []struct{ pct, least int64 }{{25, 250_000}, {50, 500_000}, {75, 750_000}, {100, 950_000}} {
		reach := atLeast(furthest, m.least)
		marks = append(marks, object{"pct": whole(m.pct), "reachPct": percent(reach, n)})
		if lost := before - reach; lost > most {
			most = lost
			if n >= 3 && over(lost, n).Cmp(over(1, 10)) >= 0 {
				dropoff = object{"beforePct": whole(m.pct), "lostPct": percent(lost, n)}
			}
		}
		before = reach
	}
	return marks, dropoff
}

func oraclePages(total int, sessions []report.View) object {
	n := int64(len(sessions))
	var seen, toEnd, allMs int64
	last := total
	for _, x := range sessions {
		seen += int64(len(x.Session.Pages))
		for _, p := range x.Session.Pages {
			allMs += p.Ms
			if total == 0 {
				last = max(last, p.Page)
			}
		}
		if total > 0 && furthestPage(x.Session) == total {
			toEnd++
		}
	}
	reach := func(page int) int64 {
		return some(sessions, func(x report.View) bool { return furthestPage(x.Session) >= page })
	}
	rows, dropoff, most := []any{}, object{"afterPage": nil, "lostPct": nil}, int64(0)
	for page := 1; page <= last; page++ {
		var views, ms int64
		var bands [4]int64
		for _, x := range sessions {
			for _, p := range x.Session.Pages {
				if p.Page == page {
					views++
					ms += p.Ms
					for i := range bands {
						bands[i] += p.Bands[i]
					}
				}
			}
		}
		row := object{
			"page": whole(int64(page)), "views": whole(views), "reachPct": percent(reach(page), n),
			"avgMs": round(over(ms, views), 0), "attentionPct": percent(ms, allMs),
		}
		if all := bands[0] + bands[1] + bands[2] + bands[3]; all > 0 {
			row["bandsPct"] = []any{percent(bands[0], all), percent(bands[1], all), percent(bands[2], all), percent(bands[3], all)}
		}
		rows = append(rows, row)
		if lost := reach(page) - reach(page+1); page < last && lost > most {
			most = lost
			if n >= 3 && 10*lost >= n {
				dropoff = object{"afterPage": whole(int64(page)), "lostPct": percent(lost, n)}
			}
		}
	}
	return object{
		"pagesTotal": whole(int64(total)), "avgPagesSeen": round(over(seen, n), 1), "readToEndPct": percent(toEnd, n),
		"pages": rows, "dropoff": dropoff,
	}
}

func furthestPage(s *report.Session) int {
	furthest := 0
	for _, p := range s.Pages {
		furthest = max(furthest, p.Page)
	}
	return furthest
}

func oracleRecent(l report.Link, views []report.View) []any {
	var with []report.View
	for _, x := range views {
		if x.Session != nil && x.Bot != "own" {
			with = append(with, x)
		}
	}
	sort.Slice(with, func(i, j int) bool {
		if with[i].At != with[j].At {
			return with[i].At > with[j].At
		}
		return with[i].ID > with[j].ID
	})
	rows := []any{}
	for i, x := range with {
		if i == 25 {
			break
		}
		source := x.Source
		if source == "" {
			source = "Direct"
		}
		rows = append(rows, object{
			"at": time.UnixMilli(x.At).UTC().Format("2006-01-02T15:04:05.000Z"), "country": x.Country, "city": x.City,
			"device": x.Device, "browser": x.Browser, "os": x.OS, "source": source,
			"engagedMs": whole(x.Session.EngagedMs), "progress": oracleProgress(fileShown(l, x), x.Session),
			"downloaded": x.Downloaded, "returning": x.Returning, "atypical": gone(x),
			"excluded": x.Bot != "",
		})
	}
	return rows
}

// ofLast returns the views of the last version of a link, the current one.
func ofLast(l report.Link, views []report.View) (some []report.View) {
	for _, x := range views {
		if l.Files == nil || x.Version == len(l.Files) {
			some = append(some, x)
		}
	}
	return some
}

// fileShown returns a link as it was at a view, with the file of the version
// that the view names.
func fileShown(l report.Link, x report.View) report.Link {
	if l.Files == nil {
		return l
	}
	version := x.Version
	if version == 0 {
		version = 1
	}
	f := l.Files[version]
	l.Kind, l.Pages, l.Outline = f.Kind, f.Pages, f.Outline
	return l
}

func oracleProgress(l report.Link, s *report.Session) string {
	if s.Unmeasured {
		return "unknown"
	}
	switch l.Kind {
	case "pdf":
		text := fmt.Sprintf("%d pages", len(s.Pages))
		if l.Pages > 0 {
			text = fmt.Sprintf("%d of %d pages", len(s.Pages), l.Pages)
		}
		if l.Pages == 1 || l.Pages == 0 && len(s.Pages) == 1 {
			text = strings.TrimSuffix(text, "s")
		}
		return text
	case "video", "audio":
		return string(round(over(s.Played, 10_000), 0)) + "% played"
	case "image", "html", "text", "document":
		if k := l.Outline.Kind(); s.Outlined && k != "" && k != part.Section {
			word := string(k) + "s"
			if l.Outline.Len() == 1 {
				word = string(k)
			}
			return fmt.Sprintf("%d of %d %s", len(s.Pages), l.Outline.Len(), word)
		}
		return string(round(over(s.Depth, 10_000), 0)) + "% scrolled"
	}
	return "opened"
}

func (o *oracle) topLinks() []any {
	byLink := map[int64][]report.View{}
	for _, x := range o.now {
		byLink[x.Link] = append(byLink[x.Link], x)
	}
	var ids []int64
	for id := range byLink {
		if len(people(byLink[id])) > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int64) int {
		if d := len(people(byLink[b])) - len(people(byLink[a])); d != 0 {
			return d
		}
		return o.links[b].Created.Compare(o.links[a].Created)
	})
	rows := []any{}
	for i, id := range ids {
		if i == 25 {
			break
		}
		l, views, sessions := o.links[id], people(byLink[id]), sessionsOf(byLink[id])
		rows = append(rows, object{
			"id": l.PublicID, "slug": l.Slug, "title": l.Title, "kind": l.Kind,
			"views": whole(int64(len(views))), "uniques": whole(viewers(views)),
			"sessions":      whole(int64(len(sessions))),
			"avgEngagedMs":  round(over(engagedSum(sessions), int64(len(sessions))), 0),
			"completionPct": o.completion(sessions), "downloads": whole(l.Downloads), "spark": o.spark(views),
		})
	}
	return rows
}

// spark counts views by the dates that clocks show, also if the series has
// hours.
func (o *oracle) spark(views []report.View) []any {
	var all []int64
	for at := o.from; at.Before(o.to); {
		end := at
		for end.Before(o.to) && dateAt(end) <= dateAt(at) {
			end = end.Add(5 * time.Minute)
		}
		all = append(all, some(views, func(x report.View) bool {
			return !time.UnixMilli(x.At).Before(at) &&
				time.UnixMilli(x.At).Before(end)
		}))
		at = end
	}
	return wholes(all[max(len(all)-30, 0):])
}
