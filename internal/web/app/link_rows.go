package app

import (
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
)

// linksRoot is the path of an account's links.
const linksRoot = "/links"

// LinkAddress returns the address of a link's page in the app.
func LinkAddress(l *vitrine.Link) string { return linksRoot + "/" + string(l.Slug) }

// linkRow is a link in lists.
type linkRow struct {
	links.FoundLink
	Badge  string
	Small  string      // address of a small picture; "" for none
	URL    string      // public address
	Host   string      // of that address
	Manage string      // address of its page on the site
	Why    string      // why it is held, in words
	Spark  chart.Spark // its daily views
	Peak   int64       // of a day
}

// Title returns the title of the link as its public page shows it.
func (r linkRow) Title() string { return ui.Title(r.Link) }

// Look returns how its sheet is drawn.
func (r linkRow) Look() string { return ui.Look(r.Link) }

// MayDisable reports whether the owner may take it off display.
func (r linkRow) MayDisable() bool { return r.State == vitrine.StateLive }

// DeleteText says what deleting the link does.
func (r linkRow) DeleteText() string { return deleteText(r.Link) }

// MayRestore reports whether the owner may enable it again.
func (r linkRow) MayRestore() bool {
	return r.State == vitrine.StateDisabled && r.Reason == vitrine.ReasonOwner
}

// PagePicture is the address of the small picture of a page of a document,
// below that of a report.
func PagePicture(report string, l *vitrine.Link, page int) string {
	return report + "/pages/" + strconv.Itoa(page) + "?version=" + strconv.Itoa(l.Version)
}

// small returns the address of the smallest picture of a link's file that its
// owner may see; "" for none.
func (s *Shell) small(l *vitrine.Link) string {
	if l.HasBytes && l.Parts.Has(vitrine.PartThumbs) {
		return PagePicture(LinkAddress(l)+string(LinkAnalytics), l, 1)
	}
	return s.Viewers.Cover(l).Picture
}

func (s *Shell) linkRows(found []links.FoundLink) (rows []linkRow) {
	for _, f := range found {
		r := linkRow{FoundLink: f, Badge: ui.Badge(f.Link), Small: s.small(f.Link), URL: s.Server.LinkURL(f.Slug),
			Host: s.Server.PublicURL.Host, Manage: LinkAddress(f.Link)}
		switch f.Reason {
		case "":
		case vitrine.ReasonOwner: // the list is its owner's
			r.Why = "By you"
		default:
			r.Why = ui.ReasonName(f.Reason)
		}
		if len(f.Daily) > 0 {
			r.Peak = slices.Max(f.Daily)
			r.Spark = chart.NewSpark(f.Daily, "day")
		}
		rows = append(rows, r)
	}
	return rows
}

// searchedText returns the text to search for. For the address of a link it is
// the slug.
func searchedText(text string) string {
	if _, rest, ok := strings.Cut(text, "/p/"); ok {
		slug, _, _ := strings.Cut(rest, "?")
		slug, _, _ = strings.Cut(slug, "/")
		return slug
	}
	return text
}
