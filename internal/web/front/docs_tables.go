package front

import (
	"fmt"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// The tables of guides that the program makes, in Markdown.

// markdownTable returns a table. Without heads it is a list of members.
func markdownTable(heads []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(heads)
	b.WriteString(strings.Repeat("|---", len(heads)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func inCode(s string) string { return "`" + s + "`" }

// Pages lists the pages of a group.
func (p *docsPage) Pages(group string) string {
	var rows [][]string
	for _, d := range p.All {
		if d.Group == group && !d.Below() {
			rows = append(rows, []string{"[" + d.Title + "](" + p.to(d.Path) + ")", d.Description})
		}
	}
	return markdownTable([]string{"", ""}, rows)
}

// to returns the address of a page for its reader.
func (p *docsPage) to(path string) string {
	if !p.Agent {
		return path
	}
	path, anchor, found := strings.Cut(path, "#")
	if found {
		anchor = "#" + anchor
	}
	return p.Site + path + ".md" + anchor
}

// Operations lists all operations and schemas of the API.
func (p *docsPage) Operations() (string, error) {
	ref := loadReference()
	var b strings.Builder
	for _, g := range ref.Groups {
		fmt.Fprintf(&b, "## %s%s\n\n", g.Name, p.ID("tag-"+g.Tag))
		if g.About != "" {
			b.WriteString(string(g.About) + ".\n\n")
		}
		if !p.Agent {
			if err := ui.Template("docs_guide.html").ExecuteTemplate(&b, "all-ops", g.Ops); err != nil {
				return "", err
			}
		} else {
			for _, op := range g.Ops {
				fmt.Fprintf(&b, "- [`%s %s`](%s): %s\n", op.Method, op.Path, p.to(op.Address()), op.Summary)
			}
		}
		b.WriteString("\n\n")
	}
	b.WriteString("## Schemas\n\nEach is described with the operations that use it.\n\n")
	if !p.Agent {
		err := ui.Template("docs_guide.html").ExecuteTemplate(&b, "all-schemas", ref.Schemas)
		return b.String(), err
	}
	for _, s := range ref.Schemas {
		fmt.Fprintf(&b, "- [%s](%s)\n", s.Name, p.to(s.Address()))
	}
	return strings.TrimSpace(b.String()), nil
}

// About is the description of the API.
func (p *docsPage) About() string { return string(loadReference().About) }

// Version is the version of the API.
func (p *docsPage) Version() string { return loadReference().Version }

// Errors lists the codes of errors.
func (p *docsPage) Errors() string {
	var rows [][]string
	for _, e := range docErrors {
		when := e.When
		if e.OnlyPut() {
			when += " (the signed PUT)"
		}
		rows = append(rows, []string{strconv.Itoa(e.Status()), inCode(string(e.Code)), when, e.Then})
	}
	return markdownTable([]string{"Status", "Code", "When", "What to do"}, rows)
}

// Reasons lists the reason codes.
func (p *docsPage) Reasons() string {
	var rows [][]string
	for _, r := range vitrine.Reasons() {
		rows = append(rows, []string{inCode(string(r.Code)), r.Meaning})
	}
	return markdownTable([]string{"Reason", "Meaning"}, rows)
}

// Kinds lists the kinds of files.
func (p *docsPage) Kinds() string {
	var rows [][]string
	for _, k := range docKinds() {
		rows = append(rows, []string{k.Title + " " + inCode(k.Name), k.Shown, k.Measured + ": " + k.Figure})
	}
	return markdownTable([]string{"Kind", "What the page shows", "Progress is"}, rows)
}

// Measures says how progress is measured.
func (p *docsPage) Measures() string {
	var rows [][]string
	for _, k := range docKinds() {
		rows = append(rows, []string{k.Title, k.Figure})
	}
	return markdownTable([]string{"Kind", "Completion of one view is"}, rows)
}

// Extensions lists the types of files.
func (p *docsPage) Extensions() string {
	var rows [][]string
	for _, k := range docKinds() {
		for _, t := range k.Types {
			var spellings []string
			for _, ext := range t.Spellings() {
				spellings = append(spellings, inCode("."+ext))
			}
			rows = append(rows, []string{strings.Join(spellings, " "), t.What, inCode(t.MIME), inCode(k.Name)})
		}
	}
	return markdownTable([]string{"Extension", "What it is", "MIME type", "Kind"}, rows)
}

// Limits lists the limits of plans or accounts.
func (p *docsPage) Limits() string {
	heads := []string{"Links", "File size", "Storage", "Uploads per hour", "Earlier versions",
		"Recipients of a link", "Analytics, custom addresses"}
	named := p.Sold || len(p.Plans) > 1
	switch {
	case p.Sold:
		heads = append([]string{"Plan"}, heads...)
	case named:
		heads = append([]string{"Account"}, heads...)
	}
	var rows [][]string
	for _, plan := range p.Plans {
		pro := "no"
		if plan.Pro {
			pro = "yes"
		}
		row := []string{plan.Links, plan.File, plan.Storage, plan.Uploads, plan.Versions,
			plan.Recipients, pro}
		if named {
			row = append([]string{plan.Name}, row...)
		}
		rows = append(rows, row)
	}
	return markdownTable(heads, rows)
}

// Hold is how long an upload reserves what it needs.
func (p *docsPage) Hold() string { return httpx.Wait(vitrine.UploadHold) }

// Bounds lists the limits that are the same for all plans.
func (p *docsPage) Bounds() string {
	return markdownTable([]string{"", ""}, [][]string{
		{"A signed upload URL is valid for", httpx.Wait(vitrine.URLLife) +
			", for one file of exactly the size and type that were declared"},
		{"An upload reserves a custom address for", httpx.Wait(vitrine.UploadHold)},
		{"An upload that is not completed is deleted after", httpx.Wait(vitrine.UploadLife)},
		{"The body of an API request", "16 KiB, nested at most 8 deep"},
		{"Name of a file", "255 bytes"},
		{"Title of a link", "200 characters"},
		{"Rows of a list of links", "100; 20 unless asked otherwise"},
		{"Captions of one link", "20 languages, 1 MiB each"},
		{"Rows of a breakdown", "8; of top links and recent visits 25"},
		{"One view is measured for at most", "4 hours"},
		{"The address of a deleted link can be used again after", "90 days"},
		{"A video that is not scanned goes to review after", httpx.Wait(publish.ScanTime)},
	})
}

// docKind is a kind of file in the documentation.
type docKind struct {
	Name, Title, Shown, Measured, Figure string
	Types                                []docType
}

// docType is a type of file in the documentation.
type docType struct {
	filetype.Type
	What string
}

// kindWords describes what the page of each kind shows.
var kindWords = map[filetype.Kind][2]string{
	filetype.PDF: {"PDF", "Its pages, with thumbnails, contents, search, zoom and text to select, or text alone that fits a phone. " +
		"It is read in parts, so that the first page comes at once."},
	filetype.Image:    {"Images", "The image, fitted to the window; zoom, pan and pinch."},
	filetype.Video:    {"Video", "The browser’s player, with speed and captions."},
	filetype.Audio:    {"Audio", "The browser’s player, with speed and captions."},
	filetype.Document: {"Documents", "Pages or sheets as they would be printed, if this instance has LibreOffice; otherwise a card with the download."},
	filetype.Text:     {"Text", "Markdown as a document, tables as tables, JSON, XML and YAML as lines with colors, other text as is. Up to 1 MiB is shown."},
	filetype.HTML:     {"Web pages", "The page, in an isolated frame with its own origin."},
	filetype.Archive:  {"Archives", "A tree of what is in it; nothing is unpacked."},
}

// measures describes how reading is measured for each kind of content.
var measures = map[report.ContentKind][2]string{
	report.ContentPages:  {"Pages seen", "distinct pages reached, of the pages in the file"},
	report.ContentMedia:  {"Time played", "distinct time played, of the duration"},
	report.ContentScroll: {"Depth scrolled", "the furthest depth that came into view"},
	report.ContentNone:   {"Opened", "opened or not; there is nothing to read"},
}

func docKinds() (kinds []docKind) {
	for _, k := range filetype.Kinds() {
		m := measures[report.ContentOf(k)]
		d := docKind{Name: string(k), Title: kindWords[k][0], Shown: kindWords[k][1], Measured: m[0], Figure: m[1]}
		for _, t := range filetype.Supported {
			if t.Kind == k {
				d.Types = append(d.Types, docType{t, ui.TypeName(t)})
			}
		}
		kinds = append(kinds, d)
	}
	return kinds
}
