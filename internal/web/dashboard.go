package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/links"
	"vitrine/internal/publish"
)

var dashboardTemplate = parseApp("link_rows.html", "dashboard.html")

// recentLinks is how many links stand below the drop zone.
const recentLinks = 10

// dashboardPage is where files are published.
type dashboardPage struct {
	appPage
	Usage     []usageBar
	Full      string // why no file is taken; ""
	Held      string // what of it unfinished uploads hold, and until when; ""
	Deletable bool   // the account has links to delete
	Recent    []linkRow
	Views     bool   // the rows tell views
	Prefix    string // what is before a slug in an address, as people read it
	FileLimit int64  // bytes; 0: none
	FileText  string // the same for people; "" for none
	Base      string // address of the API
	Site      string // address of the site
	Scan      string // what a file is checked for
}

// usageBar is one limit of the plan, and how much of it is used.
type usageBar struct {
	Name, Used string
	Limit      string // "" for none
	Part, Of   int64  // of a bar; Of is 0 without a limit
	Full       bool
	Note       string // what to know when it is full
}

func (s *uploadH) dashboard(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	p := dashboardPage{appPage: s.newAppPage(r, me, "Upload", "dashboard"), Views: me.Plan.Pro(), Prefix: s.PublicURL.Host + "/p/",
		Base: s.PublicURL.String() + apiRoot, Site: s.PublicURL.String(), Scan: s.scanWords()}
	usage, err := s.Uploads.Usage(r.Context(), me)
	if err != nil {
		return err
	}
	p.Usage, p.Full, p.Held, p.Deletable = s.usageBars(usage), full(usage), s.heldNote(usage), usage.Links > usage.HeldLinks
	if p.FileLimit = usage.Limits.FileBytes; p.FileLimit > 0 {
		p.FileText = byteSize(p.FileLimit)
	}
	found, _, err := s.Links.Search(r.Context(), me, links.LinkSearch{Limit: recentLinks, Views: p.Views})
	if err != nil {
		return err
	}
	p.Recent = s.linkRows(found)
	return s.writeApp(w, r, http.StatusOK, dashboardTemplate, p.Nonce, &p)
}

// linksInUse says that an account has as many links as it may have.
func linksInUse(most int64) string {
	if most == 1 {
		return "The one link of your account is in use"
	}
	return fmt.Sprintf("All %d links of your account are in use", most)
}

// full is what of a plan is used up so that no file can be published; ""
// as long as one can.
func full(u publish.Usage) string {
	switch most := u.Limits; {
	case most.Links > 0 && u.Links >= most.Links:
		return linksInUse(most.Links)
	case most.StorageBytes > 0 && u.Bytes >= most.StorageBytes:
		return "All " + byteSize(most.StorageBytes) + " of your account are in use"
	}
	return ""
}

// heldNote says that unfinished uploads hold a part of a plan, for how long; ""
// if they hold nothing.
func (s *appH) heldNote(u publish.Usage) string {
	if u.HeldBytes == 0 {
		return ""
	}
	return fmt.Sprintf("Unfinished uploads hold %s and %s for at most %s.", plural(u.HeldLinks, "link", "links"), byteSize(u.HeldBytes), wait(u.HeldUntil.Sub(s.Now())))
}

// usageBars are the limits of a plan as people read them.
func (s *appH) usageBars(u publish.Usage) []usageBar {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	bar := func(name string, used, limit int64, text func(int64) string, note string) usageBar {
		b := usageBar{Name: name, Used: text(used)}
		if limit > 0 {
			b.Limit, b.Part, b.Of, b.Full = text(limit), min(used, limit), limit, used >= limit
		}
		if b.Full {
			b.Note = note
		}
		return b
	}
	room := strings.TrimSpace("Delete a link to make room. " + s.heldNote(u))
	if u.Links == u.HeldLinks {
		room = s.heldNote(u)
	}
	bars := []usageBar{
		bar("Links", u.Links, u.Limits.Links, number, room),
		bar("Storage", u.Bytes, u.Limits.StorageBytes, byteSize, room),
		bar("Uploads this hour", u.Uploads, u.Limits.HourlyUploads, number, ""),
	}
	if last := &bars[len(bars)-1]; last.Full {
		last.Note = "The next is possible in " + wait(u.NextUpload.Sub(s.Now())) + "."
	}
	return bars
}
