package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"vitrine/report/part"
)

// Tally is an exact summary of the views of one scope (a link, or an account)
// over some days. Tallies add up: Add in any order and Merge of any split of
// the facts (views, viewer days, downloads) give the same tally. The zero value
// is empty and ready.
//
// The size of a tally grows with its days, links and distinct labels, and by 4
// bytes per session for the exact median. Several goroutines may read a tally
// at once.
type Tally struct {
	views     int64
	qr        int64
	returning int64
	bots      counts // views by reason
	products  counts // views with a known product, by product
	atypical  int64

	sessions engagement
	bounces  int64
	times    times // engaged times of counted sessions

	days     map[Day]*dayRow
	heat     [7][24]int64            // views by weekday, 0 = Sunday, and hour
	labels   [len(dimensions)]counts // by index; of those with cards
	pages    map[int]*pageSums
	outlined int64    // sessions in which the parts of a file were measured
	clicks   counts   // on links inside files, by part and target
	media    progress // by furthest point
	scroll   progress // by depth
	parts    partSums
	links    map[int64]*linkSums
	files    fileSums // of replacements
	points   *points  // nil if not counted
}

// dayRow holds the counts of a day for the series and the spark.
type dayRow struct {
	views     int64
	sessions  int64
	engagedMs int64
	downloads int64
	seen      seen
}

// Add counts a view. AddViewerDays and AddLinkViewers count its distinct
// viewer, and AddDownloads its download events.
func (t *Tally) Add(v *View) { t.count(v, 1, nil) }

// Remove undoes Add of the same view.
func (t *Tally) Remove(v *View) {
	t.count(v, -1, nil)
	t.tidy(DayOf(v.At), v.Link)
	t.files.tidy(fileOf(v))
}

// count adds a view n times.
func (t *Tally) count(v *View, n int64, steps *Steps) {
	if v.Atypical() {
		t.atypical += n
	}
	if !v.Counted() {
		t.AddBots(v.Bot, v.Product, n)
		return
	}
	t.views += n
	if v.QR {
		t.qr += n
	}
	if v.Returning {
		t.returning += n
	}
	step, weekday, hour := steps.Place(v.At)
	row := t.day(step)
	row.views += n
	t.heat[weekday][hour] += n
	t.addLabels(v, n)
	link := entry(&t.links, v.Link)
	link.views += n
	var file *fileCount
	if v.Version > 1 {
		file = entry(&t.files, fileOf(v))
		file.views += n
	}
	if v.CountedSession() {
		e := t.addSession(v.Session, row, link, n)
		if file != nil {
			file.sessions.add(e)
		}
	}
}

// addSession counts a session that is not atypical, and returns its sums.
func (t *Tally) addSession(s *Session, row *dayRow, link *linkSums, n int64) engagement {
	engaged := within(s.EngagedMs, maxMs)
	e := engagement{
		sessions:  n,
		engagedMs: n * engaged,
		pages:     n * t.addPages(s.Pages, n),
		played:    n * within(s.Played, Whole),
		depth:     n * within(s.Depth, Whole),
	}
	if s.Unmeasured {
		e.unmeasured = n
	}
	t.sessions.add(e)
	link.sessions.add(e)
	row.sessions += n
	row.engagedMs += e.engagedMs
	if n > 0 {
		t.times.add(uint32(engaged))
	} else {
		t.times.remove(uint32(engaged))
	}
	if engaged < bounceMs {
		t.bounces += n
	}
	t.media.add(s.Played > 0, s.Reached, n)
	t.scroll.add(s.Depth > 0, s.Depth, n)
	if t.points != nil {
		t.points.add(s, n)
	}
	t.parts.add(s.Parts, n)
	if s.Outlined {
		t.outlined += n
	}
	for _, c := range s.Clicks {
		t.AddClick(c.Part, c.Target, n*c.Count)
	}
	return e
}

// addPages counts the pages that a session saw, n times, and returns their
// number.
func (t *Tally) addPages(pages []PageTime, n int64) int64 {
	var seen int64
	last := 0
	for _, p := range pages {
		if p.Page < 1 {
			continue
		}
		seen++
		last = p.Page
		s := entry(&t.pages, p.Page)
		s.sessions += n
		ms := within(p.Ms, maxMs)
		s.ms += n * ms
		s.bands = s.bands.Add(p.Bands.Within(ms), n)
	}
	if last > 0 {
		t.pages[last].last += n
	}
	for _, p := range pages {
		if s := t.pages[p.Page]; s != nil && *s == (pageSums{}) {
			delete(t.pages, p.Page)
		}
	}
	return seen
}

// AddClick adds n clicks of counted sessions on a target in a part.
func (t *Tally) AddClick(in int, target string, n int64) {
	t.clicks.add(part.ClickLabel(in, target), n)
}

// tidy deletes entries that a removal has left empty.
func (t *Tally) tidy(d Day, link int64) {
	if r := t.days[d]; r != nil && r.empty() {
		delete(t.days, d)
	}
	if l := t.links[link]; l != nil && l.empty() {
		delete(t.links, link)
	}
}

// Merge adds the counts of u to t. It does not change u, and t shares no memory
// with u.
func (t *Tally) Merge(u *Tally) {
	t.views += u.views
	t.qr += u.qr
	t.returning += u.returning
	t.atypical += u.atypical
	t.bounces += u.bounces
	t.outlined += u.outlined
	t.sessions.add(u.sessions)
	t.times.merge(u.times)
	for w := range u.heat {
		for h, n := range u.heat[w] {
			t.heat[w][h] += n
		}
	}
	to := t.counted()
	for i, c := range u.counted() {
		to[i].merge(*c)
	}
	t.media.merge(u.media)
	t.scroll.merge(u.scroll)
	if u.points != nil {
		if t.points == nil {
			t.points = new(points)
		}
		t.points.merge(u.points)
	}
	t.parts.merge(&u.parts)
	if t.days == nil {
		t.days = make(map[Day]*dayRow, len(u.days))
	}
	for d, row := range u.days {
		t.day(d).merge(row)
	}
	for p, s := range u.pages {
		entry(&t.pages, p).merge(s)
	}
	if t.links == nil {
		t.links = make(map[int64]*linkSums, len(u.links))
	}
	for id, l := range u.links {
		entry(&t.links, id).merge(l)
	}
	t.files.merge(u.files)
}

// MergeCounts merges all but the values of engaged times, which are stored
// elsewhere.
func (t *Tally) MergeCounts(u *Tally) {
	c := *u
	c.times = nil
	t.Merge(&c)
	for k, b := range u.times {
		entry(&t.times, k).n += b.n
	}
}

// Equal reports whether t and u have counted the same facts, so that no report
// differs, regardless of other values.
func (t *Tally) Equal(u *Tally) bool {
	return slices.EqualFunc(t.counted(), u.counted(),
		func(a, b *counts) bool { return maps.EqualFunc(*a, *b, same) }) &&
		t.views == u.views && t.qr == u.qr && t.returning == u.returning &&
		t.atypical == u.atypical && t.sessions == u.sessions && t.bounces == u.bounces &&
		t.heat == u.heat && t.media == u.media && t.scroll == u.scroll && t.parts == u.parts &&
		t.outlined == u.outlined &&
		t.points.orEmpty() == u.points.orEmpty() &&
		maps.EqualFunc(t.pages, u.pages, same) &&
		maps.EqualFunc(t.links, u.links, (*linkSums).equal) &&
		maps.EqualFunc(t.files, u.files, same) &&
		maps.EqualFunc(t.days, u.days, (*dayRow).equal) &&
		t.times.equal(u.times)
}

// Empty reports whether nothing was added.
func (t *Tally) Empty() bool { return len(t.days) == 0 && t.atypical == 0 && len(t.bots) == 0 }

// Size returns about how many bytes t takes.
func (t *Tally) Size() int {
	const counter, page, row, link = 64, 112, 160, 240 // with their entry in a map
	n := 2048 + row*len(t.days) + link*len(t.links) + 2*counter*len(t.files) + 4*t.Times() +
		page*len(t.pages) + counter*len(t.times)
	for _, c := range t.counted() {
		n += counter * len(*c)
	}
	for _, r := range t.days {
		n += 12 * cap(r.seen.prevs)
	}
	return n
}

// Views returns the number of counted views.
func (t *Tally) Views() int64 { return t.views }

// Uniques returns the number of distinct viewers on the days [from, to).
func (t *Tally) Uniques(from, to Day) int64 {
	var n int64
	for d, row := range t.days {
		if from <= d && d < to {
			n += row.seen.before(from)
		}
	}
	return n
}

// DailyViews returns the number of counted views on each of the days [from,
// to).
func (t *Tally) DailyViews(from, to Day) []int64 {
	views := make([]int64, max(to-from, 0))
	for i := range views {
		views[i] = t.row(from + Day(i)).views
	}
	return views
}

// HourViews returns the number of counted views in the UTC hour that begins at
// a time, in Unix milliseconds. The tally must be of at most a week of UTC
// days.
func (t *Tally) HourViews(at int64) int64 {
	d := DayOf(at)
	return t.heat[d.Weekday()][d.hourOf(at)]
}

// Links lists the links of the scope that the tally counts something of, in
// any order.
func (t *Tally) Links() []int64 { return slices.Collect(maps.Keys(t.links)) }

// LinkViews returns the number of counted views of a link of the scope.
func (t *Tally) LinkViews(link int64) int64 { return t.link(link).views }

// own returns the number of excluded views by the owner.
func (t *Tally) own() int64 {
	if n := t.bots[BotOwn]; n != nil {
		return *n
	}
	return 0
}

// Bots lists the excluded views by reason, most first, ties by reason.
func (t *Tally) Bots() []Bucket {
	c := counts{}
	for reason, n := range t.bots {
		c.add(ShownReason(reason), *n)
	}
	return topBuckets(c, len(c))
}

// Product is the number of views of an excluded program or network for a
// reason.
type Product struct {
	Reason, Product string
	Count           int64
}

// Products lists the excluded views with a known product, by reason, most
// first, ties by product.
func (t *Tally) Products() []Product {
	c := counts{}
	for key, n := range t.products {
		reason, product, _ := strings.Cut(key, productBreak)
		c.add(ShownReason(reason)+productBreak+product, *n)
	}
	var list []Product
	for key, n := range c {
		reason, product, _ := strings.Cut(key, productBreak)
		list = append(list, Product{reason, product, *n})
	}
	slices.SortFunc(list, func(a, b Product) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Product, b.Product))
	})
	return list
}

// ProductsOf lists the programs and networks of a reason, whatever they read,
// most first, with their share of the known ones.
func (s *Summary) ProductsOf(reason string) []Bucket {
	by := counts{}
	for _, p := range s.Products {
		if p.Reason == reason {
			program, _ := TextRead(p.Product)
			by.add(program, p.Count)
		}
	}
	return topBuckets(by, len(by))
}

// productBreak separates a reason and a product in a label, and textBreak a
// program and the parts of a text that it read, in a product.
const productBreak, textBreak = "\x1f", ", parts "

// TextProduct returns the product of a view in which a program read parts of
// the text of a file, such as "ChatGPT-User, parts 3-5".
func TextProduct(program, parts string) string { return cmp.Or(program, "unknown") + textBreak + parts }

// TextRead returns the program of a product and the parts of a text that it
// read, or "" if it loaded the page.
func TextRead(product string) (program, parts string) {
	program, parts, _ = strings.Cut(product, textBreak)
	return program, parts
}

// Top lists the n links with the most views, most first; on a tie the newer
// link is first. Links without views are left out.
func (t *Tally) Top(links []Link, n int) []Link {
	type viewed struct {
		*Link
		views int64
	}
	var all []viewed
	for i := range links {
		if l := t.links[links[i].ID]; l != nil && l.views > 0 {
			all = append(all, viewed{&links[i], l.views})
		}
	}
	slices.SortFunc(all, func(a, b viewed) int { return byViews(a.Link, b.Link, a.views, b.views) })
	var top []Link
	for _, l := range all[:min(n, len(all))] {
		top = append(top, *l.Link)
	}
	return top
}

// link returns the sums of a link, or zero sums.
func (t *Tally) link(id int64) linkSums {
	if l := t.links[id]; l != nil {
		return *l
	}
	return linkSums{}
}

// row returns the counts of a day, or zero counts.
func (t *Tally) row(d Day) dayRow {
	if r := t.days[d]; r != nil {
		return *r
	}
	return dayRow{}
}

func (t *Tally) day(d Day) *dayRow { return entry(&t.days, d) }

// Downloads returns the number of download events.
func (t *Tally) Downloads() int64 {
	var n int64
	for _, row := range t.days {
		n += row.downloads
	}
	return n
}

// byViews orders links: most views first, then the newer link.
func byViews(a, b *Link, aViews, bViews int64) int {
	return cmp.Or(cmp.Compare(bViews, aViews), b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
}
