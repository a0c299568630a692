package ui

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"

	"github.com/dustin/go-humanize"
)

// Badge shows a file's type on a sheet of paper, in at most five letters: its
// extension, or its kind where only that is known.
func Badge(l *vitrine.Link) string {
	if t, _ := filetype.ByExt(l.Name); t.Ext != "" {
		return strings.ToUpper(t.Ext)
	}
	switch l.Kind {
	case filetype.Image:
		return "IMG"
	case filetype.Document:
		return "DOC"
	case filetype.Archive:
		return "ZIP"
	}
	return strings.ToUpper(string(l.Kind))
}

// Look returns how the sheet of a file without a picture is drawn: the value of
// data-look (ui/components/badge.css).
func Look(l *vitrine.Link) string {
	switch t, _ := filetype.ByExt(l.Name); t.Ext {
	case "csv", "tsv", "xls", "xlsx", "ods":
		return "table"
	case "ppt", "pptx", "odp":
		return "slides"
	case "json", "xml", "yaml":
		return string(filetype.HTML)
	}
	return string(l.Kind)
}

// Title returns the title of a link on pages. A title that nobody chose is the
// name of the file, or of one that was replaced by another type, without its
// extension; the type is shown beside it.
func Title(l *vitrine.Link) string {
	t, ok := filetype.ByExt(l.Title)
	now, known := filetype.ByExt(l.Name)
	if !ok || l.Title != l.Name && (!known || now.Ext == t.Ext) {
		return l.Title
	}
	title := strings.TrimSuffix(l.Title[:len(l.Title)-len(path.Ext(l.Title))], ".")
	if t.Ext == "gz" && strings.EqualFold(path.Ext(title), ".tar") {
		title = title[:len(title)-len(".tar")]
	}
	if strings.TrimSpace(title) == "" {
		return l.Title
	}
	return title
}

// Facts describes a file: type, pages, size.
func Facts(l *vitrine.Link, t filetype.Type) []string {
	f := []string{TypeName(t)}
	if t.Label == "" && l.Kind != "" { // an imported link, of which only the kind is known
		f[0] = KindNoun(string(l.Kind))
	}
	if l.Kind == filetype.Audio { // a video file with sound alone
		f[0] = strings.Replace(f[0], " video", " audio file", 1)
	}
	if l.Pages > 1 {
		f = append(f, strconv.Itoa(l.Pages)+" pages")
	} else if l.Pages == 1 {
		f = append(f, "1 page")
	}
	if l.Size > 0 {
		f = append(f, ByteSize(l.Size))
	}
	return f
}

// TypeName returns what a type is, such as "PNG image".
func TypeName(t filetype.Type) string {
	label := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(t.Label, "an "), "a "), "file")
	return strings.ToUpper(label[:1]) + label[1:]
}

// ByteSize returns a size in decimal units, as plans count them.
func ByteSize(n int64) string { return humanize.Bytes(uint64(n)) }

// LimitSize returns a size that is a limit, which is mostly a round number.
func LimitSize(n int64) string {
	return strings.Replace(humanize.Bytes(uint64(max(n, 0))), ".0 ", " ", 1)
}
