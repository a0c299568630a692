package terminal

import (
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// numbers are the headers of columns that are aligned to the right.
var numbers = []string{"SIZE", "VIEWS", "VIEWS 30D", "REPORTS", "VERSION", "VERSIONS", "LINKS", "STORAGE", "ID"}

// dates are the headers of columns that are omitted first, and not shortened.
var dates = []string{"CREATED", "DEPLOYED", "LAST USED", "SINCE", "TIME"}

// states are the headers of columns that are never omitted.
var states = []string{"STATE", "STATUS", "ACTION"}

const (
	// minColumn is the width to which a table shortens long texts. Below it,
	// columns are omitted.
	minColumn = 20
	minState  = 10
)

// Table writes rows: aligned with a header on a terminal, otherwise separated
// by tabs. If a terminal is too narrow, long texts are shortened, then columns
// are omitted: dates, then from the last on, but never a state. The slug, or
// else the first column, is shortened last, in its middle: commands take its
// values. Addresses are never shortened or omitted.
func (t *Terminal) Table(header []string, rows [][]string) error { return t.table(header, rows, true) }

// More writes further rows of a table, without a header.
func (t *Terminal) More(header []string, rows [][]string) error { return t.table(header, rows, false) }

func (t *Terminal) table(header []string, rows [][]string, headed bool) error {
	var b strings.Builder
	if !t.OutTTY {
		for _, r := range rows {
			b.WriteString(Plain(strings.Join(clean(r), "\t"), '\t') + "\n")
		}
		_, err := io.WriteString(t.Out, b.String())
		return err
	}
	all := append([][]string{header}, rows...)
	width := make([]int, len(header))
	for i, r := range all {
		all[i] = clean(r)
		for j, cell := range all[i] {
			width[j] = max(width[j], uniseg.StringWidth(cell))
		}
	}
	whole := slices.Contains(header, "ADDRESS")
	if t.Width > 0 && !whole {
		fit(width, header, t.Width)
	}
	last := len(width) - 1
	for last > 0 && width[last] == 0 {
		last--
	}
	key := keyColumn(header)
	for i, r := range all {
		var line strings.Builder
		for j, w := range width {
			if w == 0 {
				continue
			}
			cell := Truncate(r[j], w)
			if j == key {
				cell = truncateMiddle(r[j], w)
			}
			switch {
			case slices.Contains(numbers, header[j]):
				cell = PadLeft(cell, w)
			default:
				cell = Pad(cell, w)
			}
			if line.WriteString(cell); j < last {
				line.WriteString("  ")
			}
		}
		s := strings.TrimRight(line.String(), " ")
		if i == 0 {
			if !headed {
				continue
			}
			s = t.Paint(Dim, s)
		}
		b.WriteString(s + "\n")
	}
	_, err := io.WriteString(t.Out, b.String())
	return err
}

// keyColumn returns the index of the column whose values commands take.
func keyColumn(header []string) int { return max(slices.Index(header, "SLUG"), 0) }

// fit changes the widths of columns so that they fit a terminal. A column of
// width 0 is omitted.
func fit(width []int, header []string, room int) {
	key := keyColumn(header)
	excess := func() int {
		sum := -room - 2
		for _, w := range width {
			if w > 0 {
				sum += w + 2
			}
		}
		return sum
	}
	least := func(j int) int {
		switch {
		case slices.Contains(states, header[j]):
			return minState
		case j == key || slices.Contains(numbers, header[j]) || slices.Contains(dates, header[j]):
			return width[j]
		}
		return minColumn
	}
	shorten := func(least func(j int) int) bool {
		widest := -1
		for j, w := range width {
			if w > least(j) && (widest < 0 || w > width[widest]) {
				widest = j
			}
		}
		if widest >= 0 {
			width[widest] = max(width[widest]-excess(), least(widest))
		}
		return widest >= 0
	}
	whole := slices.Clone(width)
	for {
		for excess() > 0 && shorten(least) {
		}
		if excess() <= 0 || !omit(width, header, key) {
			break
		}
		for j, w := range width {
			if w > 0 { // there is room again
				width[j] = whole[j]
			}
		}
	}
	// What is left are the first column, the key and states: the key stays
	// whole, if the others can be short.
	for excess() > 0 && shorten(func(j int) int {
		if j == key {
			return width[j]
		}
		return minState
	}) {
	}
	left := len(slices.DeleteFunc(slices.Clone(width), func(w int) bool { return w == 0 }))
	for excess() > 0 && shorten(func(int) int { return max((room+2)/left-2, 1) }) {
	}
}

// omit omits the least important column, if one may be.
func omit(width []int, header []string, key int) bool {
	may := func(j int) bool {
		return width[j] > 0 && j > 0 && j != key && !slices.Contains(states, header[j])
	}
	for _, first := range []func(j int) bool{
		func(j int) bool { return may(j) && slices.Contains(dates, header[j]) }, may} {
		for j := len(width) - 1; j > 0; j-- {
			if first(j) {
				width[j] = 0
				return true
			}
		}
	}
	return false
}
