package app

import (
	"fmt"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/links"
	"vitrine/internal/web/ui"
)

// LinksRoot is where an account's links are listed.
const LinksRoot = "/links"

// LinkAddress is the address of a link's page on the site.
func LinkAddress(l *vitrine.Link) string { return LinksRoot + "/" + string(l.Slug) }

// LinkRow is a link as lists show it.
type LinkRow struct {
	links.FoundLink
	Badge   string
	URL     string // public address
	Address string // the same without its scheme
	Manage  string // address of its page on the site
	Why     string // why it is held, in words
	Spark   string // points of a line of its daily views; "" without them
	Peak    int64  // of a day
}

// MayDisable reports whether the owner may take it off display.
func (r LinkRow) MayDisable() bool { return r.State == vitrine.StateLive }

// MayRestore reports whether the owner may enable it again.
func (r LinkRow) MayRestore() bool {
	return r.State == vitrine.StateDisabled && r.Reason == vitrine.ReasonOwner
}

func (s *Shell) LinkRows(found []links.FoundLink) (rows []LinkRow) {
	for _, f := range found {
		t, _ := filetype.ByExt(f.Name)
		r := LinkRow{FoundLink: f, Badge: ui.Badge(t), URL: s.LinkURL(f.Slug), Address: s.PublicURL.Host + "/p/" + string(f.Slug), Manage: LinkAddress(f.Link)}
		if r.Badge == "" {
			r.Badge = strings.ToUpper(string(f.Kind))
		}
		if f.Reason != "" {
			r.Why = ui.ReasonName(f.Reason)
		}
		if len(f.Daily) > 0 {
			r.Peak = slices.Max(f.Daily)
			r.Spark = Spark(f.Daily)
		}
		rows = append(rows, r)
	}
	return rows
}

// SearchedText is what is looked for when a text was typed: of a link's whole
// address its slug.
func SearchedText(text string) string {
	if _, rest, ok := strings.Cut(text, "/p/"); ok {
		slug, _, _ := strings.Cut(rest, "?")
		slug, _, _ = strings.Cut(slug, "/")
		return slug
	}
	return text
}

// Spark is the points of a line through daily numbers, the highest of which is
// at the top.
func Spark(daily []int64) string {
	peak := max(slices.Max(daily), 1)
	var b strings.Builder
	for i, n := range daily {
		x := 1 + float64(i)*(sparkWidth-2)/float64(max(len(daily)-1, 1))
		y := sparkHeight - 1.5 - float64(n)*(sparkHeight-3)/float64(peak)
		fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
	}
	return strings.TrimSpace(b.String())
}

// The box that a spark is drawn in.
const sparkWidth, sparkHeight = 90, 22
