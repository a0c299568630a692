package terminal

import (
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// numbers are the headers of columns that are aligned to the right.
var numbers = map[string]bool{"SIZE": true, "VIEWS": true, "REPORTS": true, "VERSION": true, "ID": true}

// minColumn is the width to which a table shortens long texts. Below it,
// columns are omitted.
const minColumn = 20

// Table writes rows: aligned with a header on a terminal, otherwise separated
// by tabs. If a terminal is too narrow, long texts are shortened, then columns
// are omitted from the last on. The first column stays whole, as long as it
// fits: commands take its values. Addresses are never shortened or omitted.
func (t *Terminal) Table(header []string, rows [][]string) error {
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
		width = fit(width, header, t.Width)
	}
	for i, r := range all {
		var line strings.Builder
		for j, w := range width {
			cell := Truncate(r[j], w)
			switch {
			case numbers[header[j]]:
				cell = PadLeft(cell, w)
			case j < len(width)-1:
				cell = Pad(cell, w)
			}
			if line.WriteString(cell); j < len(width)-1 {
				line.WriteString("  ")
			}
		}
		s := strings.TrimRight(line.String(), " ")
		if i == 0 {
			s = t.Paint(Dim, s)
		}
		b.WriteString(s + "\n")
	}
	_, err := io.WriteString(t.Out, b.String())
	return err
}

// fit returns the widths of the columns that fit a terminal.
func fit(width []int, header []string, room int) []int {
	excess := func() int {
		sum := -room - 2
		for _, w := range width {
			sum += w + 2
		}
		return sum
	}
	for excess() > 0 {
		widest := 0
		for j := 1; j < len(width); j++ {
			if width[j] > minColumn && !numbers[header[j]] && (widest == 0 || width[j] > width[widest]) {
				widest = j
			}
		}
		switch {
		case widest > 0:
			width[widest] = max(width[widest]-excess(), minColumn)
		case len(width) > 1:
			width = width[:len(width)-1]
		default:
			return []int{max(room, 1)}
		}
	}
	return width
}
