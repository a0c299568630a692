package reportpage

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/analytics"
	"vitrine/internal/filetype"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report"
	"vitrine/report/part"
)

// The reading map: a file with the attention of its readers laid over it, part
// by part.

// mapPage shows the map of a link.
type mapPage struct {
	app.Page
	Head   *app.LinkHead // nil for readers of a shared report
	Of     string
	Back   string // address of the report
	Period string
	Why    string // why there is no map; "" if there is one
	Note   string // what a reader of the map should know; often ""
	Noun   string // what a part is
	Parts  []mapPart
	// Pictures and Texts report what the parts show of the file. Without
	// either, the map is a list.
	Pictures, Texts bool
	Banded          bool // quarters of a part were measured
}

// mapPart is a part of the file.
type mapPart struct {
	Number  int
	Label   string // the heading of a section; often ""
	Reading string // "Read", "Skimmed", "Skipped", or "" without words
	Time    string // on average, of those that saw it
	Takes   string // the time that its words take; "" without words
	Seen    string // by how many of the sessions
	// Level is from 0 to 4: the time of all readers, of that which the words
	// of a section take. Slides and pages may have few words and much else,
	// so that they are compared with the one that was read longest.
	Level int
	// Bands has the levels of the quarters, from the top, and Quarters what
	// they are in words. Without Bands they were not measured.
	Bands    []int
	Quarters string
	Picture  string
	HTML     template.HTML
}

// mapViewers is how many viewers a map needs, so that it shows the reading of
// no single person.
const mapViewers = 3

// mapVisits is how many of the newest visits are looked through for them.
const mapVisits = 1000

// viewersOf counts the different viewers whose reading a content card is of, up
// to mapViewers.
func (s *Handler) viewersOf(ctx context.Context, owner *vitrine.Account, n *numbers) (int, error) {
	rows := n.visits
	for {
		names := map[string]bool{}
		for _, v := range rows {
			if c := n.link.Content; v.Engaged && !v.Atypical && (c.Version == 0 || c.Version == v.Version) {
				names[v.Viewer] = true
			}
		}
		if len(names) >= mapViewers || len(rows) != maxRecent {
			return min(len(names), mapViewers), nil
		}
		var err error
		if rows, err = s.Analytics.RecentVisits(ctx, owner, n.link.Link.Slug,
			analytics.VisitQuery{Query: onPage(owner, n.q), N: mapVisits}); err != nil {
			return 0, err
		}
	}
}

// fillMap fills a page with the map of a link. may reports whether the reader
// of the page may open the file.
func (s *Handler) fillMap(r *http.Request, p *mapPage, owner *vitrine.Account, l *vitrine.Link, here place,
	may bool) error {
	n, err := s.numbersOf(r.Context(), owner, subject{link: l}, here.q)
	if err != nil {
		return err
	}
	c := &n.link.Content
	summary := reportPage{Summary: &n.link.Summary, Zone: zoneName(&n.link.Summary.Range)}
	p.Of, p.Back, p.Period = ui.Title(l), here.at(""), summary.Period()
	rows := newStatsPages(c, true)
	sessions := c.Sessions
	if c.PartKind != "" {
		rows, sessions = newStatsParts(c, true), *c.PartSessions
	}
	if rows == nil {
		return httpx.ErrNoPage // nothing is measured by part
	}
	p.Noun, p.Note = rows.Noun, rows.Note
	viewers, err := s.viewersOf(r.Context(), owner, n)
	switch {
	case err != nil:
		return err
	case rows.Unread != "":
		p.Why = rows.Unread
		return nil
	case viewers < mapViewers || sessions < mapViewers:
		p.Why = fmt.Sprintf("The map appears from %d viewers on, so that it shows nobody’s own reading. So far: %d.",
			mapViewers, viewers)
		return nil
	}
	p.list(rows, c, sessions)
	switch {
	case !may:
		p.Note = strings.TrimSpace(p.Note + " The file cannot be opened with this address, so its parts are only listed.")
	case c.Version != 0 && c.Version != l.Version:
		p.Note = strings.TrimSpace(fmt.Sprintf("%s These numbers are of version %d, and only the current version is shown.",
			p.Note, c.Version))
	default:
		return s.showParts(r, p, rows, l, here.root)
	}
	return nil
}

// list adds the parts without what they show of the file.
func (p *mapPage) list(rows *statsPages, c *report.Content, sessions int64) {
	var most, mostBand int64 // the time of all readers in a part, and in a quarter of one
	for i, row := range rows.Rows {
		if c.PartKind != "" {
			of := c.Parts[i]
			row.Words, row.Reading, row.BandsPct = of.Words, of.Reading, of.BandsPct
			rows.Rows[i] = row
		}
		most = max(most, row.AvgMs*row.Views)
		for _, share := range row.BandsPct {
			mostBand = max(mostBand, bandMs(&row, share))
		}
	}
	for _, row := range rows.Rows {
		shown := mapPart{Number: row.Page, Label: row.Label, Reading: ui.Capital(string(row.Reading)), Time: row.Time,
			Seen: fmt.Sprintf("%s of %s", row.Seen, ui.Counted(sessions, "session", "sessions"))}
		all := most
		if row.Words > 0 {
			shown.Takes = ui.Lasting(int64(row.Words) * part.WordMs).String()
			if c.PartKind == part.Section {
				all = int64(row.Words) * part.WordMs * sessions
			}
		}
		shown.Level = level(row.AvgMs*row.Views, all)
		if c.PartKind != part.Section && row.Views > 0 {
			shown.addBands(&row, mostBand)
		}
		p.Banded = p.Banded || shown.Bands != nil
		p.Parts = append(p.Parts, shown)
	}
}

// bandMs returns the time of all readers on a quarter of a page, by its share.
func bandMs(row *statsPageRow, share report.Tenths) int64 {
	return row.AvgMs * row.Views * int64(share) / 1000
}

// addBands adds the quarters of a page. all is the time that stands for the
// highest level.
func (m *mapPart) addBands(row *statsPageRow, all int64) {
	if row.BandsPct == nil {
		m.Quarters = "Quarters not measured then"
		return
	}
	var texts []string
	for _, share := range row.BandsPct {
		m.Bands = append(m.Bands, level(bandMs(row, share), all))
		texts = append(texts, ui.Percent(share))
	}
	m.Quarters = "Quarters from the top: " + strings.Join(texts, ", ")
}

// level returns how much of a time was spent, in quarters; 1 for any time.
func level(ms, all int64) int {
	if ms <= 0 || all <= 0 {
		return 0
	}
	return int(min(max(4*ms/all, 1), 4))
}

// showParts adds to the parts what they show of the file: pictures of pages, or
// the text of sections.
func (s *Handler) showParts(r *http.Request, p *mapPage, rows *statsPages, l *vitrine.Link, root string) error {
	rows.show(root, l)
	for i, row := range rows.Rows {
		p.Parts[i].Picture = row.Thumb
		p.Pictures = p.Pictures || row.Thumb != ""
	}
	if p.Pictures || l.Kind != filetype.Text || !l.HasBytes {
		return nil
	}
	text, cut, err := s.Viewers.Text(r, l)
	if err != nil {
		return err
	}
	return s.Viewers.LayOut(r, func() {
		for i, shown := range markup.Divide(viewer.Arrange(l.Name, text, cut).Document) {
			if i < len(p.Parts) {
				p.Parts[i].HTML, p.Texts = shown, true
			}
		}
	})
}

// Map returns the address of the map, or "" if there is none.
func (p *reportPage) Map() string {
	if p.mapped == "" || p.Pages == nil && p.Parts == nil {
		return ""
	}
	return p.mapped
}

// ShowMap answers with the reading map of a link.
func (s *Handler) ShowMap(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	of, err := s.subjectOf(r, me)
	if err != nil {
		return err
	}
	if err := api.NeedPro(me); err != nil {
		return err
	}
	q, err := s.queryOf(r, me, of)
	if err != nil {
		return err
	}
	view := of.view()
	p := &mapPage{Page: s.Shell.NewAppPage(r, me, "Reading map of "+ui.Title(of.link), view.section),
		Head: s.Shell.LinkHead(me, of.link, app.LinkAnalytics)}
	may := access.File{Link: of.link, Account: me}.Check(access.Asker{Account: me}, s.Now()) == nil
	if err := s.fillMap(r, p, me, of.link, place{root: view.root, q: q}, may); err != nil {
		return err
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "map.html", p.Nonce, p)
}

// ShowSharedMap answers with the reading map of a shared report. Readers who
// may not open the link see no text or picture of it.
func (s *Handler) ShowSharedMap(w http.ResponseWriter, r *http.Request) error {
	setPrivateHeaders(w)
	found, in, err := s.readShared(r)
	switch {
	case err != nil:
		return err
	case !in:
		return httpx.Redirect(w, r, path.Join(sharedRoot, r.PathValue("token")))
	case found.Link == nil:
		return httpx.ErrNoPage
	}
	return s.inTurn(w, r, httpx.SharedReport, "shared_map.html", func() (any, string, error) {
		p := &mapPage{Page: app.Page{Page: s.Pages.NewChrome("Reading map · Vitrine")}}
		q, err := s.sharedQuery(r, found)
		if err != nil {
			return nil, "", err
		}
		_, closed := s.Links.PublicByID(r.Context(), found.Link.ID, s.Viewers.Reader(r))
		err = s.fillMap(r, p, found.Owner, found.Link, sharedPlace(r, found, q), closed == nil)
		return p, p.Nonce, err
	})
}
