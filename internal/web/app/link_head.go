package app

import (
	"context"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/ui"
)

// A LinkTab is one of the pages of a link.
type LinkTab string

// The pages of a link, by the last part of their address; the overview has
// none.
const (
	LinkOverview  LinkTab = ""
	LinkAnalytics LinkTab = "/analytics"
	LinkShare     LinkTab = "/share"
	LinkVersions  LinkTab = "/versions"
	LinkSettings  LinkTab = "/settings"
)

// linkTabs lists the pages in their order.
var linkTabs = []struct {
	Tab  LinkTab
	Name string
}{{LinkOverview, "Overview"}, {LinkAnalytics, "Analytics"}, {LinkShare, "Share"}, {LinkVersions, "Versions"},
	{LinkSettings, "Settings"}}

// LinkHead is the top of each page of a link: its title, address and numbers,
// and the tabs (link_head.html, "link-head").
type LinkHead struct {
	*vitrine.Link
	Badge   string
	Small   string // address of a small picture; "" for none
	Facts   []string
	URL     string // public address
	Address string // the same without its scheme
	Here    string // address of the overview
	Tab     LinkTab
	Custom  bool         // the account's plan has custom addresses
	Sample  bool         // the numbers on the page are made up
	Mail    bool         // the instance sends mail
	Numbers *LinkNumbers // nil if none
}

// Title returns the title of the link as its public page shows it.
func (h *LinkHead) Title() string { return ui.Title(h.Link) }

// Bells are the choices of mails about the link.
func (h *LinkHead) Bells() (list []ui.Option) {
	for _, o := range []ui.Option{{Value: "first", Name: "At the first view by a person"},
		{Value: "daily", Name: "At the first view of each day"}, {Value: "off", Name: "Never"}} {
		o.Chosen = o.Value == links.BellName(h.Bell)
		list = append(list, o)
	}
	return list
}

// Look returns how the sheet of its file is drawn.
func (h *LinkHead) Look() string { return ui.Look(h.Link) }

// LinkNumbers summarizes all views of a link.
type LinkNumbers struct {
	Figures []LinkFigure
	Spark   chart.Spark
}

// LinkFigure is a number with its label.
type LinkFigure struct{ Name, Value string }

// LinkHead returns the head of one of the pages of a link, without numbers.
func (s *Shell) LinkHead(me *vitrine.Account, l *vitrine.Link, tab LinkTab) *LinkHead {
	t, _ := filetype.ByExt(l.Name)
	h := &LinkHead{Link: l, Badge: ui.Badge(l), Small: s.small(l), Facts: ui.Facts(l, t),
		URL: s.Server.LinkURL(l.Slug), Here: LinkAddress(l), Tab: tab, Custom: me.Plan.Pro()}
	h.Mail = s.SendsMail != nil && s.SendsMail()
	h.Address = s.Server.PublicURL.Host + "/p/" + string(l.Slug)
	return h
}

// AddNumbers adds the numbers of the link to its overview, unless the plan has
// no analytics or there are no views.
func (s *Shell) AddNumbers(ctx context.Context, me *vitrine.Account, h *LinkHead) error {
	if !me.Plan.Pro() || h.Tab != LinkOverview {
		return nil
	}
	n, err := s.Analytics.Numbers(ctx, h.Link)
	if err != nil || n.Views == 0 {
		return err
	}
	var views []int64
	for _, p := range n.Series {
		views = append(views, p.Views)
	}
	h.Numbers = &LinkNumbers{Figures: []LinkFigure{{Name: "Views", Value: ui.Figure(n.Views).String()},
		{Name: "Unique viewers", Value: ui.Figure(n.Uniques).String()},
		{Name: "Average time", Value: ui.TimeOf(n.AvgEngagedMs, n.Sessions)},
		{Name: "Completion", Value: ui.CompletionOf(n.CompletionPct)}},
		Spark: chart.NewSpark(views, n.Granularity)}
	return nil
}

// Tabs returns the pages of the link.
func (h *LinkHead) Tabs() (tabs []ui.Tab) {
	for _, t := range linkTabs {
		tabs = append(tabs, ui.Tab{Name: t.Name, Address: h.Here + string(t.Tab), Current: t.Tab == h.Tab})
	}
	return tabs
}
