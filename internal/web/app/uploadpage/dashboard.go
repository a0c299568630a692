package uploadpage

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// recentLinks and recentVisits are the numbers of links and visits below the
// drop zone.
const (
	recentLinks  = 10
	recentVisits = 3
)

// dashboardPage is the page for publishing files.
type dashboardPage struct {
	app.Page
	Usage     []app.UsageBar // only limits that are at least half used
	Full      string         // why no file is taken; ""
	Held      string         // what of it unfinished uploads hold, and until when; ""
	Deletable bool           // the account has links to delete
	Day       int64          // views of the last 24 hours
	Visits    []app.Visit    // the newest of them
	Recent    []app.LinkRow
	Views     bool   // the rows show views
	Prefix    string // the part of an address before the slug, for display
	FileLimit int64  // bytes; 0 if none
	FileText  string // the same for people; "" for none
	Accepts   string // extensions of files that can be uploaded, with commas between them
	Programs  string // extensions of executables and scripts
	Base      string // address of the API
	Site      string // address of the site
	Offer     *app.WebsiteOffer
}

func (s *Handler) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	p := dashboardPage{Page: s.NewAppPage(r, me, "Upload", "dashboard"), Views: me.Plan.Pro(),
		Prefix: s.PublicURL.Host + "/p/",
		Base:   s.PublicURL.String() + httpx.APIRoot, Site: s.PublicURL.String(),
		Offer: s.WebsiteOffer(me, "")}
	usage, err := s.Uploads.Usage(r.Context(), me)
	if err != nil {
		return err
	}
	p.Usage, p.Full, p.Held, p.Deletable = slices.DeleteFunc(s.UsageBars(usage), app.UsageBar.Low), app.Full(usage),
		s.HeldNote(usage),
		usage.Links > usage.HeldLinks
	if p.FileLimit = usage.Limits.FileBytes; p.FileLimit > 0 {
		p.FileText = strings.ReplaceAll(ui.LimitSize(p.FileLimit), " ", "\u00a0") // it stays on one line
	}
	p.Accepts, p.Programs = strings.Join(filetype.Extensions(), ","),
		strings.Join(slices.Sorted(maps.Keys(filetype.Programs)), ",")
	found, _, err := s.Links.Search(r.Context(), me, links.LinkSearch{Limit: recentLinks, Views: p.Views})
	if err != nil {
		return err
	}
	p.Recent = s.LinkRows(found)
	if p.Views {
		latest, err := s.Analytics.Latest(r.Context(), me, app.Zone(me), recentVisits)
		if err != nil {
			return err
		}
		p.Day = latest.Views
		for _, v := range latest.Visits {
			v.Viewer = "" // its name is of one link only
			visit := app.NewVisit(v.Link, v.VisitRow, s.Now())
			visit.Title = ui.Title(v.Link)
			p.Visits = append(p.Visits, visit)
		}
	}
	return s.WriteApp(w, r, http.StatusOK, "dashboard.html", p.Nonce, &p)
}
