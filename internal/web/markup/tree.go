package markup

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/filetype"

	"github.com/dustin/go-humanize"
)

// Tree renders the entries of an archive as folders that open without scripts.
// It shows names as stored, including "..", absolute paths and duplicates,
// because nothing is unpacked. Direction-changing characters are made visible.
//
// address returns the preview address of a file by its index in the listing, or
// "" without a preview. It may be nil. The address opens in the frame "entry".
func Tree(l filetype.Listing, address func(i int) string) Document {
	d := Document{}
	root := newFolder("")
	entries := l.Entries
	if len(entries) > maxEntries {
		entries = entries[:maxEntries]
	}
	for i, e := range entries {
		to := ""
		if address != nil && !e.Dir && !l.Encrypted {
			to = address(i)
		}
		root.add(e.Name, to, e.Size, e.Dir)
	}
	root.sum()
	var p page
	if len(entries) == 0 {
		p.tags(`<p class="none">Empty</p>`)
	} else {
		p.tags(`<div class="tree">`)
		p.folder(root, 0)
		p.tags("</div>")
	}
	if total := max(l.Total, len(l.Entries)); total > len(entries) {
		d.Cut = true
		d.Note = humanize.Comma(int64(len(entries))) + " of " + humanize.Comma(int64(total)) + " entries shown."
	}
	if l.Encrypted {
		d.Note = strings.TrimSpace(d.Note + " The files are encrypted: a password opens them.")
	}
	d.HTML = p.html()
	return d
}

type folder struct {
	name    string
	folders map[string]*folder
	files   []file
	count   int    // files at any depth
	size    uint64 // total size in bytes
}

type file struct {
	name    string
	address string // where it is seen; "" for nowhere
	size    uint64
}

// kind returns the kind of a file, for its icon: that of its type, "table", or
// "" if unknown.
func (f file) kind() string {
	switch t, ok := filetype.ByExt(f.name); {
	case !ok && f.address == "":
		return ""
	case !ok:
		return string(filetype.Text) // source code
	case slices.Contains([]string{"csv", "tsv", "xlsx", "xls", "ods"}, t.Ext):
		return "table"
	default:
		return string(t.Kind)
	}
}

func newFolder(name string) *folder { return &folder{name: name, folders: map[string]*folder{}} }

// add adds an entry at its path. Backslashes are separators too, because some
// programs write them.
func (f *folder) add(path, address string, size int64, dir bool) {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "." })
	if len(parts) > maxTreeDepth {
		parts = append(parts[:maxTreeDepth-1:maxTreeDepth-1], strings.Join(parts[maxTreeDepth-1:], "/"))
	}
	if len(parts) == 0 {
		if dir {
			return // root of the archive
		}
		parts = []string{path}
	}
	for i, part := range parts {
		if i == len(parts)-1 && !dir {
			f.files = append(f.files, file{part, address, uint64(max(size, 0))})
			return
		}
		next := f.folders[part]
		if next == nil {
			next = newFolder(part)
			f.folders[part] = next
		}
		f = next
	}
}

func (f *folder) sum() {
	f.count = len(f.files)
	for _, file := range f.files {
		f.size = addClamped(f.size, file.size)
	}
	for _, sub := range f.folders {
		sub.sum()
		f.count += sub.count
		f.size = addClamped(f.size, sub.size)
	}
}

// addClamped adds sizes without overflow, because archives may declare any
// size.
func addClamped(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// folder writes the content of a folder, folders first.
func (p *page) folder(f *folder, depth int) {
	p.tags("<ul>")
	for _, sub := range sorted(f.folders) {
		p.tags("<li><details", textIf(depth == 0, " open"), "><summary>")
		p.name(sub.name)
		p.tags("<small>", files(sub.count), " · ", humanize.Bytes(sub.size), "</small></summary>")
		p.folder(sub, depth+1)
		p.tags("</details></li>")
	}
	slices.SortStableFunc(f.files, func(a, b file) int { return Natural(a.name, b.name) })
	for _, file := range f.files {
		p.tags(`<li data-kind="`, file.kind(), `">`)
		if file.address != "" {
			p.tags(`<a target="entry" href="`)
			p.text(file.address)
			p.tags(`">`)
		}
		p.name(file.name)
		p.tags(textIf(file.address != "", "</a>"), "<small>", humanize.Bytes(file.size), "</small></li>")
	}
	p.tags("</ul>")
}

func sorted(folders map[string]*folder) []*folder {
	all := make([]*folder, 0, len(folders))
	for _, f := range folders {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *folder) int {
		return cmp.Or(Natural(a.name, b.name), strings.Compare(a.name, b.name))
	})
	return all
}

func (p *page) name(s string) {
	p.tags("<bdi>")
	p.text(name(s, maxName))
	p.tags("</bdi>")
}

func files(n int) string {
	switch n {
	case 0:
		return "no files"
	case 1:
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}

// Natural compares names ignoring case, with numbers by value.
func Natural(a, b string) int {
	x, y := strings.ToLower(a), strings.ToLower(b)
	for x != "" && y != "" {
		if digit(x[0]) && digit(y[0]) {
			m, n := digits(x), digits(y)
			v, w := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if c := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); c != 0 {
				return c
			}
			x, y = x[m:], y[n:]
			continue
		}
		if c := cmp.Compare(x[0], y[0]); c != 0 {
			return c
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}
