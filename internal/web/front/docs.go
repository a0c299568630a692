package front

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"vitrine/internal/web/httpx"
)

// docsRoot is the path of the documentation.
const docsRoot = "/docs"

// docPage is a page of the documentation.
type docPage struct {
	Path, Group, Title, Description string
	Sections                        []docSection // headings by anchor, once the page is made
	guide                           *guide       // its text; nil for a page of the API reference
}

type docSection struct{ ID, Title string }

// docPages returns the pages in reading order. The first one lists the others.
// Those of the API reference follow its overview.
var docPages = sync.OnceValue(func() (pages []docPage) {
	for _, d := range readGuides() {
		pages = append(pages, d)
		if d.Path == apiRoot {
			pages = append(pages, apiPages...)
		}
	}
	return pages
})

// apiPages are the pages of the API reference.
var apiPages = []docPage{
	{Path: apiRoot + "/uploads", Group: "Build", Title: "Uploads API",
		Description: "Publish a file, or replace the file of a link, in three steps."},
	{Path: apiRoot + "/links", Group: "Build", Title: "Links API",
		Description: "List, read, change and delete links, and fetch their files."},
	{Path: apiRoot + "/trash", Group: "Build", Title: "Trash API",
		Description: "List deleted links and restore them."},
	{Path: apiRoot + "/versions", Group: "Build", Title: "Versions API",
		Description: "List, restore and delete earlier files of a link."},
	{Path: apiRoot + "/recipients", Group: "Build", Title: "Recipients API",
		Description: "Give a link named addresses, and change, list and revoke them."},
	{Path: apiRoot + "/captions", Group: "Build", Title: "Captions API",
		Description: "Add, list and delete captions of video and audio files."},
	{Path: apiRoot + "/websites", Group: "Build", Title: "Websites API",
		Description: "List the websites of the account."},
	{Path: apiRoot + "/analytics", Group: "Build", Title: "Analytics API",
		Description: "Read the report of a link or of all links, and single visits."},
	{Path: apiRoot + "/" + reportSchemas, Group: "Build", Title: "Report schemas",
		Description: "What a report and a visit contain, field by field."},
	{Path: apiRoot + "/events", Group: "Build", Title: "Events API",
		Description: "List what happened with the links of the account, oldest first."},
	{Path: apiRoot + "/webhooks", Group: "Build", Title: "Webhooks API",
		Description: "Send events to a program or a chat, and read the log."},
	{Path: apiRoot + "/keys", Group: "Build", Title: "Keys API",
		Description: "Create, list and revoke API keys, and log in from a program."},
	{Path: apiRoot + "/service", Group: "Build", Title: "Service API",
		Description: "Check whether the instance answers, and its version."},
	{Path: apiRoot + "/" + sharedSchemas, Group: "Build", Title: "Shared schemas",
		Description: "Objects and values that several operations use."},
}

// docsPage is the data of a page of the documentation.
type docsPage struct {
	frontPage
	Doc        *docPage
	All        []docPage
	Prev, Next *docPage
	Agent      bool          // it is for an agent, in Markdown
	Site       string        // address of the site
	Base       string        // address of the API
	HTML       template.HTML // of a guide
	API        *apiReference // of a page of the reference
	Plans      []planRow
	Bucket     bool   // signed URLs lead to a bucket
	Scanned    bool   // a malware scanner is configured
	Scan       string // what files are checked for
	Query      string // the search text
	Found      []docFound
	Matches    int // of which Found are the first
}

// Doc serves a page of the documentation.
func (s *Handler) Doc(w http.ResponseWriter, r *http.Request) error {
	path := strings.TrimSuffix(r.URL.Path, ".md")
	i := slices.IndexFunc(docPages(), func(d docPage) bool { return d.Path == path })
	if i < 0 {
		return httpx.ErrNoPage
	}
	p := s.docsPage(r, i)
	w.Header().Add("Vary", "Accept")
	if p.Agent = asMarkdown(r); p.Agent {
		return s.writeMarkdown(w, r, p)
	}
	name, err := s.makeDoc(p)
	if err != nil {
		return err
	}
	return s.writeFront(w, r, name, p.Nonce, p)
}

// makeDoc makes what a page shows, and returns the name of its template.
func (s *Handler) makeDoc(p *docsPage) (string, error) {
	if p.Doc.guide == nil {
		return "docs_api.html", nil
	}
	return "docs_guide.html", s.render(p)
}

// docsPage returns the data of a page for the reader.
func (s *Handler) docsPage(r *http.Request, i int) *docsPage {
	all := docPages()
	d := all[i]
	p := &docsPage{frontPage: s.newFrontPage(r, d.Title, d.Description, "docs"), Doc: &d, All: all,
		Site: s.Server.PublicURL.String()}
	p.Base = p.Site + httpx.APIRoot
	p.Bucket = s.Bucket
	p.Scanned, p.Scan = s.Pages.Scanned, s.Pages.ScanWords()
	switch {
	case s.Server.Sold():
		p.Plans = s.planRows(nil)
	case p.Me == nil && !s.mayJoin():
		p.Plans = s.accessRows()
	default:
		p.Plans = s.planRows(p.Me)
	}
	if name, ok := d.apiPage(); ok {
		p.API = loadReference().page(name)
		d.Sections = p.API.sections(name)
	}
	if i > 0 {
		p.Prev = &all[i-1]
	}
	if i+1 < len(all) {
		p.Next = &all[i+1]
	}
	return p
}
