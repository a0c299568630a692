package front

import (
	"cmp"
	"html"
	"net/http"
	"regexp"
	"strings"

	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// docsSearch is the path of the search.
const docsSearch = docsRoot + "/search"

// The limits of a search: bytes of the query and results.
const (
	maxDocsQuery = 200
	maxDocsFound = 20
)

// docPart is a section of a page: what follows a heading.
type docPart struct {
	Address, Page, Title string
	Text                 string  // without marks and code
	weight               float64 // how much a match is worth
	title, terms, lower  string  // the title, what is in bold, and all with code, in lower case
}

var (
	docHeading = regexp.MustCompile(`(?s)<h[23] id="([^"]+)"[^>]*>(.*?)</h[23]>`)
	docArticle = regexp.MustCompile(`(?s)<article\b[^>]*>(.*)</article>`)
	docAside   = regexp.MustCompile(`(?s)<(?:nav|button|script|fieldset|summary|h1)\b.*?</(?:nav|button|script|fieldset|summary|h1)>`)
	docCode    = regexp.MustCompile(`(?s)<pre\b.*?</pre>`)
	docEnd     = regexp.MustCompile(`</(?:p|li|t[hdr]|d[dt]|h4)>`)
	docInline  = regexp.MustCompile(`</?(?:a|b|code|em|i|kbd|small|span|strong|time)\b[^>]*>`)
	docMark    = regexp.MustCompile(`<[^>]*>`)
	docBold    = regexp.MustCompile(`(?s)<(?:b|strong)>(.*?)</(?:b|strong)>`)
	docCamel   = regexp.MustCompile(`[a-z]+(?:[A-Z][a-z]+)+`)
	docCapital = regexp.MustCompile(`[A-Z]`)
)

// plain returns HTML as text. Rows and cells, which do not end with a full
// stop, are separated by dots.
func plain(s string) string {
	var b strings.Builder
	for _, part := range docEnd.Split(s, -1) {
		part = docMark.ReplaceAllString(docInline.ReplaceAllString(part, ""), " ")
		part = strings.Join(strings.Fields(html.UnescapeString(part)), " ")
		switch {
		case part == "":
			continue
		case b.Len() == 0:
		case strings.HasSuffix(b.String(), ".") || strings.HasSuffix(b.String(), ":"):
			b.WriteString(" ")
		default:
			b.WriteString(" · ")
		}
		b.WriteString(part)
	}
	return b.String()
}

// docParts cuts the article of a rendered page at its headings.
func docParts(d *docPage, page string) (parts []docPart) {
	m := docArticle.FindStringSubmatch(page)
	if m == nil {
		return nil
	}
	article := docAside.ReplaceAllString(m[1], " ")
	add := func(id, title, body string) {
		p := docPart{Address: d.Path, Page: d.Title, Title: cmp.Or(title, d.Title), weight: d.weight(),
			Text: plain(docCode.ReplaceAllString(body, " "))}
		if id != "" {
			p.Address += "#" + id
		}
		all := strings.Join([]string{p.Page, p.Title, id, plain(body)}, "\n")
		for _, name := range docCamel.FindAllString(all, -1) { // uploadId is found by id
			all += " " + docCapital.ReplaceAllString(name, " $0")
		}
		p.title, p.lower = strings.ToLower(p.Title), strings.ToLower(all)
		for _, m := range docBold.FindAllStringSubmatch(body, -1) {
			p.terms += strings.ToLower(plain(m[1])) + "\n"
		}
		parts = append(parts, p)
	}
	id, title, from := "", "", 0
	for _, at := range docHeading.FindAllStringSubmatchIndex(article, -1) {
		add(id, title, article[from:at[0]])
		id, title, from = article[at[2]:at[3]], plain(article[at[4]:at[5]]), at[1]
	}
	add(id, title, article[from:])
	return parts
}

// weight returns how much a match on the page is worth: people who search for a
// word of everyday life want a guide, and those who want an operation of the
// API know its name.
func (d *docPage) weight() float64 {
	switch {
	case d.Path == apiRoot: // lists what the other pages describe
		return 0.1
	case d.Below():
		return 0.2
	case d.Path == docsRoot+"/errors":
		return 0.4
	case d.Group == "Build":
		return 0.7
	case d.Group == "Run":
		return 0.8
	default:
		return 1
	}
}

// docsIndex renders the pages as a stranger reads them, and cuts them up. It is
// made when somebody searches first.
func (s *Handler) docsIndex() (*docIndex, error) {
	s.indexOnce.Do(func() {
		var parts []docPart
		for i, d := range docPages() {
			if d.Group == "" {
				continue // lists the other pages
			}
			page, err := s.docText(i)
			if err != nil {
				s.indexErr = err
				return
			}
			parts = append(parts, docParts(&d, page)...)
		}
		s.index = newDocIndex(parts)
	})
	return s.index, s.indexErr
}

// docText returns a page as a stranger gets it.
func (s *Handler) docText(i int) (string, error) {
	r, err := http.NewRequest(http.MethodGet, docPages()[i].Path, nil)
	if err != nil {
		return "", err
	}
	p := s.docsPage(r, i)
	name, err := s.makeDoc(p)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = ui.Template(name).Execute(&b, p)
	return b.String(), err
}

// SearchDocs lists the parts of the documentation that match a query. The
// search field shows the same list while the user types.
func (s *Handler) SearchDocs(w http.ResponseWriter, r *http.Request) error {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	query = strings.ToValidUTF8(query[:min(len(query), maxDocsQuery)], "")
	index, err := s.docsIndex()
	if err != nil {
		return err
	}
	d := &docPage{Path: docsSearch, Title: "Search the documentation"}
	p := docsPage{frontPage: s.newFrontPage(r, d.Title, d.Description, "docs"), Doc: d, All: docPages(), Query: query,
		Found: index.found(query)}
	p.Matches, p.Found = len(p.Found), p.Found[:min(len(p.Found), maxDocsFound)]
	p.Index = false
	return s.writeFront(w, r, "docs_search.html", p.Nonce, &p)
}

// MovedTo redirects to the address of a page.
func MovedTo(to string) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, to, http.StatusPermanentRedirect)
		return nil
	}
}
