package markup

import (
	"strconv"

	"vitrine/internal/filetype"
)

const maxSheets = 50

// Sheets renders a workbook with tabs that work without scripts. Cells have the
// letters and numbers of a spreadsheet. The style sheet shows the tab whose
// radio button is checked.
//
// address returns that of all rows of a sheet, as for [Table]. nil: there is no
// script.
func Sheets(w filetype.Workbook, address func(sheet int) string) Document {
	var p page
	d := Document{Cut: w.Cut}
	sheets := w.Sheets
	if len(sheets) > maxSheets {
		sheets, d.Cut = sheets[:maxSheets], true
	}
	cells := maxCells
	tabs := len(sheets) > 1
	if tabs {
		p.tags(`<fieldset class="sheets"><legend>Sheets</legend>`)
	}
	for i, sheet := range sheets {
		label := name(sheet.Name, maxName)
		if label == "" {
			label = "Sheet " + strconv.Itoa(i+1)
		}
		id := "doc-sheet-" + strconv.Itoa(i+1)
		if tabs {
			p.tags(`<input type="radio" name="doc-sheet" id="`, id, `"`, textIf(i == 0, " checked"), `><label for="`, id,
				`"><bdi>`)
			p.text(label)
			p.tags("</bdi></label><section>")
		}
		g := grid{rows: sheet.Rows, letters: true, header: header(sheet.Rows)}
		if address != nil && sheet.Total > firstRows(len(sheet.Rows), widest(sheet.Rows)) {
			g.address = address(i)
			d.First = "Only the first rows of each sheet."
		}
		cut := p.grid(g, label, cells)
		for _, row := range sheet.Rows {
			cells -= len(row)
		}
		if cut || sheet.Cut {
			d.Cut = true
			p.tags(`<p class="more">Only the first rows and columns of this sheet are shown.</p>`)
		}
		if tabs {
			p.tags("</section>")
		}
	}
	switch {
	case tabs:
		p.tags("</fieldset>")
	case len(sheets) == 0:
		p.tags(`<p class="none">Empty</p>`)
	}
	if d.Cut {
		d.Note = "Only the beginning of this workbook is shown."
	}
	d.HTML = p.html()
	return d
}
