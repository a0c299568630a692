package report

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
)

// fileKey identifies a version of the file of a link.
type fileKey struct {
	link    int64
	version int
}

// fileCount counts the views that showed one file.
type fileCount struct {
	views    int64
	sessions engagement
}

// fileSums counts views by the file that they showed, without first versions:
// those have the rest of their link's views.
type fileSums map[fileKey]*fileCount

func fileOf(v *View) fileKey { return fileKey{v.Link, v.Version} }

func (c *fileCount) merge(d *fileCount) {
	c.views += d.views
	c.sessions.add(d.sessions)
}

// minus returns c without d.
func (c fileCount) minus(d *fileCount) fileCount {
	return fileCount{c.views - d.views, engagement{
		sessions:   c.sessions.sessions - d.sessions.sessions,
		unmeasured: c.sessions.unmeasured - d.sessions.unmeasured,
		engagedMs:  c.sessions.engagedMs - d.sessions.engagedMs,
		pages:      c.sessions.pages - d.sessions.pages,
		played:     c.sessions.played - d.sessions.played,
		depth:      c.sessions.depth - d.sessions.depth,
	}}
}

func (f *fileSums) merge(g fileSums) {
	for k, c := range g {
		entry(f, k).merge(c)
	}
}

// tidy deletes an entry that a removal has left empty.
func (f fileSums) tidy(k fileKey) {
	if c := f[k]; c != nil && *c == (fileCount{}) {
		delete(f, k)
	}
}

// versions lists the versions of each link, without first ones.
func (f fileSums) versions() map[int64][]int {
	of := map[int64][]int{}
	for k := range f {
		of[k.link] = append(of[k.link], k.version)
	}
	return of
}

// each calls show with each file that views of a link showed and what they
// count, given the counts of the whole link and its versions except the first.
// The link is the one that show gets if its file was never replaced.
func (f fileSums) each(l *Link, all fileCount, versions []int, show func(*Link, fileCount)) {
	if len(l.Files) == 0 {
		show(l, all)
		return
	}
	for _, n := range versions {
		c := f[fileKey{l.ID, n}]
		all = all.minus(c)
		show(l.withFile(n), *c)
	}
	show(l.withFile(1), all)
}

// SessionsByVersion returns how many counted sessions each version of a
// replaced link has, without versions that have none.
func (t *Tally) SessionsByVersion(l *Link) map[int]int64 {
	of := map[int]int64{1: t.sessions.sessions}
	for k, c := range t.files {
		if n := c.sessions.sessions; k.link == l.ID && n > 0 {
			of[k.version] = n
			of[1] -= n
		}
	}
	if of[1] == 0 {
		delete(of, 1)
	}
	return of
}

func (f fileSums) append(b []byte) []byte {
	b = appendNumber(b, int64(len(f)))
	link := int64(0)
	for _, k := range slices.SortedFunc(maps.Keys(f), func(a, b fileKey) int {
		return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.version, b.version))
	}) {
		b = binary.AppendVarint(b, k.link-link)
		link = k.link
		b = appendNumber(b, int64(k.version))
		b = appendNumber(b, f[k].views)
		b = f[k].sessions.append(b)
	}
	return b
}

func (r *pieceReader) files(f *fileSums) {
	link := int64(0)
	for range r.count() {
		link += r.signed()
		c := entry(f, fileKey{link, int(r.number())})
		c.views += r.number()
		c.sessions.add(r.engagement())
	}
}
