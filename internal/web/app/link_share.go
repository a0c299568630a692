package app

import (
	"context"
	"html"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// shareText is a text with the link's address for copying.
type shareText struct {
	ID, Name, Text string
	Rows           int
}

// inMarkdown escapes a title for a link in Markdown.
var inMarkdown = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

func shareTexts(title, address string) []shareText {
	return []shareText{
		{"text-plain", "Message", title + "\n" + address, 2},
		{"text-markdown", "Markdown", "[" + inMarkdown.Replace(title) + "](" + address + ")", 2},
		{"text-html", "HTML link", `<a href="` + html.EscapeString(address) + `">` + html.EscapeString(title) + "</a>",
			2},
	}
}

// mailTo begins an e-mail with the address.
func mailTo(title, address string) template.URL {
	return template.URL("mailto:?subject=" + url.PathEscape(title) + "&body=" + url.QueryEscape(address))
}

// channelRows is how many sources of a report are looked at for channels.
const channelRows = 20

// channel is a source of a link's views, and the address for more of them.
type channel struct {
	Name, URL string
	Views     int64
	Report    string // address of the report of these views
}

// channels returns the sources of a link that an address can name. Sources that
// are hosts of other pages, and those of no address, are left out.
func (s *LinkPages) channels(ctx context.Context, me *vitrine.Account, l *vitrine.Link) (list []channel, err error) {
	if !me.Plan.Pro() {
		return nil, nil
	}
	q := analytics.In(report.RangeAll)
	q.Rows = channelRows
	rep, err := s.Analytics.Link(ctx, me, string(l.Slug), q)
	if err != nil {
		return nil, err
	}
	b := rep.Breakdowns
	for _, source := range b.Sources {
		name := source.Key
		linked := slices.ContainsFunc(b.Referrers, func(r report.Bucket) bool { return r.Key == name })
		if linked || name == visitor.Direct || name == visitor.QRCode || visitor.SourceOf(name) != name {
			continue
		}
		only := report.Condition{Dimension: report.OnSource, Value: name}
		list = append(list, channel{name, s.Server.LinkURL(l.Slug) + "?utm_source=" + url.QueryEscape(name),
			source.Count, LinkAddress(l) + string(LinkAnalytics) + "?" +
				url.Values{"range": {"all"}, "filter": {only.String()}}.Encode()})
	}
	return list, nil
}
