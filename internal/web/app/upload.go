package app

import (
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/recipients"
	"vitrine/internal/filetype"
	"vitrine/internal/web/api"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// UploadPages serves the page for publishing files, and the requests of its
// scripts.
type UploadPages struct {
	Server     *httpx.Server
	Viewers    *viewer.Viewers
	Shell      *Shell
	Analytics  *analytics.Service
	Now        func() time.Time
	Uploads    *publish.Uploads
	Previews   *publish.Previews
	Links      *links.Service
	Sites      *collections.Sites
	Recipients *recipients.Service
	Sample     func() *Sample // what a report looks like, for accounts without links
	API        *api.Handler
}

// recentLinks and recentVisits are the numbers of links and visits below the
// drop zone.
const (
	recentLinks  = 10
	recentVisits = 3
)

// dashboardPage is the page for publishing files.
type dashboardPage struct {
	Page
	Usage     []usageBar // only limits that are at least half used
	Full      string     // why no file is taken; ""
	Held      string     // what of it unfinished uploads hold, and until when; ""
	Deletable bool       // the account has links to delete
	Day       int64      // views of the last 24 hours
	Visits    []Visit    // the newest of them
	Recent    []linkRow
	Views     bool   // the rows show views
	Prefix    string // the part of an address before the slug, for display
	FileLimit int64  // bytes; 0 if none
	FileText  string // the same for people; "" for none
	Accepts   string // extensions of files that can be uploaded, with commas between them
	Programs  string // extensions of executables and scripts
	Base      string // address of the API
	Site      string // address of the site
	Pages     bool   // office documents are shown, and measured, page by page
	Offer     *websiteOffer
	Sample    *Sample // nil once there are links, and for accounts without reports
}

// Sample has parts of the report of a made-up link, as the page of a report
// shows them.
type Sample struct {
	Title, Range             string
	Totals, Series, Contents template.HTML
}

func (s *UploadPages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	p := dashboardPage{Page: s.Shell.NewAppPage(r, me, "Upload", "dashboard"), Views: me.Plan.Pro(),
		Prefix: s.Server.PublicURL.Host + "/p/",
		Base:   s.Server.PublicURL.String() + httpx.APIRoot, Site: s.Server.PublicURL.String(),
		Pages: s.Previews.Makes(vitrine.PartPages, "pptx"), Offer: s.Shell.websiteOffer(me, "")}
	usage, err := s.Uploads.Usage(r.Context(), me)
	if err != nil {
		return err
	}
	p.Usage, p.Full, p.Held, p.Deletable = slices.DeleteFunc(s.Shell.usageBars(usage), usageBar.Low), fullLimit(usage),
		s.Shell.heldNote(usage),
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
	p.Recent = s.Shell.linkRows(found)
	if p.Views && len(found) == 0 {
		p.Sample = s.Sample()
	}
	if p.Views {
		latest, err := s.Analytics.Latest(r.Context(), me, me.Zone(), recentVisits)
		if err != nil {
			return err
		}
		p.Day = latest.Views
		for _, v := range latest.Visits {
			v.Viewer = "" // its name is of one link only
			visit, err := NewVisits(r.Context(), s.Recipients, v.Link, []report.VisitRow{v.VisitRow}, s.Now())
			if err != nil {
				return err
			}
			visit[0].Title = ui.Title(v.Link)
			p.Visits = append(p.Visits, visit...)
		}
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "dashboard.html", p.Nonce, &p)
}
