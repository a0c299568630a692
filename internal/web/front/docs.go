package front

import (
	"net/http"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/publish"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// docsRoot is the path of the documentation for members; docs/ in the source is
// for administrators.
const docsRoot = "/docs"

// docPage is a page of the documentation.
type docPage struct {
	Path, Group, Title, Description string
	Sections                        []docSection // headings by anchor
	template                        string
	guide                           func() guide // from the repository; nil if the text is in the template
}

type docSection struct{ ID, Title string }

// docPages lists the pages in reading order. The first one lists the others.
var docPages = []docPage{
	{docsRoot, "", "Documentation", "Publish files, follow how they are read, and run your own instance.", nil,
		"docs_overview.html", nil},
	{docsRoot + "/send-a-deck", "Use", "Send a deck and follow it",
		"From a PDF to a link, and how to see how far it was read.",
		[]docSection{{"upload", "Upload the deck"}, {"prepare", "Prepare the link"}, {"send", "Send it"},
			{"follow", "See how it is read"}, {"correct", "Correct a mistake"}}, "docs_deck.html", nil},
	{docsRoot + "/links", "Use", "Change or delete a link",
		"Correct a link, replace its file, disable it for a while, or delete it for good.",
		[]docSection{{"change", "Change"}, {"replace", "Replace the file"}, {"disable", "Disable and enable"},
			{"delete", "Delete"}, {"programs", "From programs"}}, "docs_links.html", nil},
	{docsRoot + "/reports", "Use", "Read and share reports", "Filter a report, look at one visit, and share the numbers.",
		nil, "docs_guide.html", newGuide("reports.md")},
	{docsRoot + "/websites", "Use", "Websites and albums",
		"Publish a whole static site, or several links under one address.",
		nil, "docs_guide.html", newGuide("websites.md")},
	{docsRoot + "/embedding", "Use", "Embedding and sharing", "Show a file on another page, in a chat, or on paper.",
		[]docSection{{"frame", "In a frame"}, {"oembed", "By oEmbed"}, {"unfurl", "In chats and networks"},
			{"qr", "On paper"}, {"view-only", "View only"}}, "docs_embedding.html", nil},
	{docsRoot + "/how-we-count", "Use", "How we count",
		"What every number of a report means, and what Vitrine knows about a reader.",
		[]docSection{{"opens", "Views"}, {"readers", "Unique viewers"}, {"time", "Average time"},
			{"progress", "Completion"}, {"bots", "Bots"}, {"own", "Your own visits"}, {"change", "Changes and ranges"},
			{"downloads", "Downloads and QR scans"}, {"where", "Where they came from"},
			{"privacy", "What is stored about a reader"}}, "docs_counting.html", nil},
	{docsRoot + "/file-types", "Use", "File types",
		"Which files you can publish, what their pages show, and how progress is measured.",
		[]docSection{{"kinds", "Kinds"}, {"extensions", "Extensions"}, {"scan", "How files are checked"},
			{"refused", "What is refused"}, {"states", "What happens to a file"},
			{"reason-codes", "Reason codes"}}, "docs_types.html", nil},
	{docsRoot + "/limits", "Use", "Limits", "The limits of an account, and those of all accounts.",
		[]docSection{{"plans", "Limits of an account"}, {"fixed", "Limits for all accounts"},
			{"names", "Link addresses"}, {"counting", "How limits count"}}, "docs_limits.html", nil},
	{docsRoot + "/missing", "Use", "What Vitrine does not do", "What is missing, and the nearest way to do it today.",
		[]docSection{{"webhooks", "Webhooks"}, {"notifications", "Notifications"}, {"slides", "Word and PowerPoint"},
			{"recipients", "Recipients"}, {"link-password", "Link passwords"}, {"names", "Names of readers"},
			{"undo", "Undo"}, {"folders", "Folders and teams"}, {"domains", "Domains"}, {"sign-on", "Single sign-on"}},
		"docs_missing.html", nil},
	{docsRoot + "/quick-start", "Build", "API quick start", "From a file to a link in three steps: with curl, JavaScript, Python or Go, or on the command line.",
		[]docSection{{"key", "Get a key"}, {"upload", "Upload a file"}, {"cli", "On the command line"},
			{"replace", "Replace a file"}, {"retries", "Retries"}, {"reading", "Read how it is read"}},
		"docs_start.html", nil},
	{docsRoot + "/command-line", "Build", "Publish from scripts",
		"Publish files, change links and read reports with the program vitrine.",
		nil, "docs_guide.html", newGuide("command-line.md")},
	{apiRoot, "Build", "API reference", "Every operation of the API with its parameters, bodies, responses and errors.",
		nil, "docs_api.html", nil},
	{apiRoot + "/uploads", "Build", "Uploads API", "Publish a file, or replace the file of a link, in three steps.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/links", "Build", "Links API", "List, read, change and delete links, and fetch their files.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/versions", "Build", "Versions API", "List, restore and delete earlier files of a link.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/captions", "Build", "Captions API", "Add, list and delete captions of video and audio files.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/websites", "Build", "Websites API", "List the websites of the account.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/analytics", "Build", "Analytics API", "Read the report of a link or of all links, and single visits.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/" + reportSchemas, "Build", "Report schemas", "What a report and a visit contain, field by field.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/keys", "Build", "Keys API", "Create, list and revoke API keys, and log in from a program.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/service", "Build", "Service API", "Check whether the instance answers, and its version.",
		nil, "docs_api_group.html", nil},
	{apiRoot + "/" + sharedSchemas, "Build", "Shared schemas", "Objects and values that several operations use.",
		nil, "docs_api_group.html", nil},
	{docsRoot + "/errors", "Build", "Errors", "Every error code of the API: when it occurs, and what to do.",
		[]docSection{{"body", "What an error looks like"}, {"codes", "Codes"}, {"order", "Order of checks"},
			{"again", "When to retry"}}, "docs_errors.html", nil},
	{docsRoot + "/agents", "Build", "AI agents", "Let an agent publish, replace and ask how it was read, with the tools of this instance.",
		[]docSection{{"connect", "Connect an agent"}, {"tools", "Tools"}, {"shell", "Agents with a shell"}},
		"docs_agents.html", nil},
	{docsRoot + "/self-hosting", "Run", "Self-hosting", "Run Vitrine on your own server: one binary, one directory.",
		[]docSection{{"run", "With Docker"}, {"source", "From source"}, {"address", "Give it an address"},
			{"proxy", "Behind a reverse proxy"}, {"systemd", "With systemd"}, {"accounts", "Accounts and limits"},
			{"safety", "Scanning and previews"}, {"cities", "Cities in reports"}, {"keeping", "Backups"},
			{"upgrade", "Upgrades"}, {"health", "Health"}},
		"docs_hosting.html", nil},
	{docsRoot + "/accounts", "Run", "Accounts and mail", "Create accounts, invite people, send mail, and help people sign in.",
		nil, "docs_guide.html", newGuide("accounts.md")},
	{docsRoot + "/moderation", "Run", "Moderation", "Review files that are held for a moderator.", nil,
		"docs_guide.html", newGuide("moderation.md")},
}

// docsPage is the data of a page of the documentation.
type docsPage struct {
	frontPage
	Doc        *docPage
	All        []docPage
	Prev, Next *docPage
	Site       string // address of the site
	Base       string // address of the API
	API        *apiReference
	Errors     []docError
	Reasons    []vitrine.Reason
	Plans      []planRow
	Bounds     []docBound
	Kinds      []docKind
	Bucket     bool   // signed URLs lead to a bucket
	Scanned    bool   // a malware scanner is configured
	Scan       string // what files are checked for
	Guide      guide
	Query      string // the search text
	Found      []docFound
	Matches    int // of which Found are the first
}

// Doc serves a page of the documentation.
func (s *Handler) Doc(w http.ResponseWriter, r *http.Request) error {
	path := strings.TrimSuffix(r.URL.Path, ".md")
	i := slices.IndexFunc(docPages, func(d docPage) bool { return d.Path == path })
	if i < 0 {
		return httpx.ErrNoPage
	}
	p := s.docsPage(r, i)
	w.Header().Add("Vary", "Accept")
	if asMarkdown(r) {
		return s.writeMarkdown(w, r, docPages[i].template, p)
	}
	return s.writeFront(w, r, docPages[i].template, p.Nonce, p)
}

// docsPage returns the data of a page for the reader.
func (s *Handler) docsPage(r *http.Request, i int) *docsPage {
	d := docPages[i]
	p := &docsPage{frontPage: s.newFrontPage(r, d.Title, d.Description, "docs"), Doc: &d, All: docPages,
		Site: s.PublicURL.String()}
	if d.guide != nil {
		p.Guide = d.guide()
		d.Sections = p.Guide.Sections
	}
	p.Base = p.Site + httpx.APIRoot
	p.Bucket = s.Bucket
	p.Scanned, p.Scan = s.Scanned, s.ScanWords()
	p.Errors, p.Reasons, p.Bounds, p.Kinds = docErrors, vitrine.Reasons(), docBounds(), docKinds()
	switch {
	case s.Sold():
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
		p.Prev = &docPages[i-1]
	}
	if i+1 < len(docPages) {
		p.Next = &docPages[i+1]
	}
	return p
}

// docBound is a limit that is the same for all plans.
type docBound struct{ What, Value string }

// docBounds returns these limits from the constants that enforce them.
func docBounds() []docBound {
	return []docBound{
		{"A signed upload URL is valid for", httpx.Wait(vitrine.URLLife) +
			", for one file of exactly the size and type that were declared"},
		{"An upload reserves a custom address for", httpx.Wait(vitrine.UploadHold)},
		{"An upload that is not completed is deleted after", httpx.Wait(vitrine.UploadLife)},
		{"The body of an API request", "16 KiB, nested at most 8 deep"},
		{"Name of a file", "255 bytes"},
		{"Title of a link", "200 characters"},
		{"Rows of a list of links", "100; 20 unless asked otherwise"},
		{"Captions of one link", "20 languages, 1 MiB each"},
		{"Rows of a breakdown", "8; of top links and recent visits 25"},
		{"One view is measured for at most", "4 hours"},
		{"The address of a deleted link can be used again after", "90 days"},
		{"A video that is not scanned goes to review after", httpx.Wait(publish.ScanTime)},
	}
}

// docKind is a kind of file in the documentation.
type docKind struct {
	Name, Title, Shown, Measured, Figure string
	Types                                []docType
}

// docType is a type of file in the documentation.
type docType struct {
	filetype.Type
	What string
}

// kindWords describes what the page of each kind shows.
var kindWords = map[filetype.Kind][2]string{
	filetype.PDF: {"PDF", "Its pages, with thumbnails, contents, search, zoom and text to select, or text alone that fits a phone. " +
		"It is read in parts, so that the first page comes at once."},
	filetype.Image:    {"Images", "The image, fitted to the window; zoom, pan and pinch."},
	filetype.Video:    {"Video", "The browser’s player, with speed and captions."},
	filetype.Audio:    {"Audio", "The browser’s player, with speed and captions."},
	filetype.Document: {"Documents", "Pages or sheets as they would be printed, if this instance has LibreOffice; otherwise a card with the download."},
	filetype.Text:     {"Text", "Markdown as a document, tables as tables, JSON, XML and YAML as lines with colours, other text as is. Up to 1 MiB is shown."},
	filetype.HTML:     {"Web pages", "The page, in an isolated frame with its own origin."},
	filetype.Archive:  {"Archives", "A tree of what is in it; nothing is unpacked."},
}

// measures describes how reading is measured for each kind of content.
var measures = map[report.ContentKind][2]string{
	report.ContentPages:  {"Pages seen", "distinct pages reached, of the pages in the file"},
	report.ContentMedia:  {"Time played", "distinct time played, of the duration"},
	report.ContentScroll: {"Depth scrolled", "the furthest depth that came into view"},
	report.ContentNone:   {"Opened", "opened or not; there is nothing to read"},
}

func docKinds() (kinds []docKind) {
	for _, k := range filetype.Kinds() {
		m := measures[vitrine.ContentKindOf(k)]
		d := docKind{Name: string(k), Title: kindWords[k][0], Shown: kindWords[k][1], Measured: m[0], Figure: m[1]}
		for _, t := range filetype.Supported {
			if t.Kind == k {
				d.Types = append(d.Types, docType{t, ui.TypeName(t)})
			}
		}
		kinds = append(kinds, d)
	}
	return kinds
}
