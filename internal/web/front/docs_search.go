package front

import (
	"bytes"
	"cmp"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// docsSearch is the path of the search.
const docsSearch = docsRoot + "/search"

// The limits of a search: bytes of the query, results, and bytes of text around
// a match.
const (
	maxDocsQuery   = 200
	maxDocsFound   = 20
	docsFoundChars = 180
)

// docPart is a section of a page: what follows a heading.
type docPart struct {
	Address, Page, Title string
	Text                 string // without marks
	lower                string // of all
}

// docFound is a section that matches, with the text around the first match.
type docFound struct {
	docPart
	Before, Match, After string
	rank                 int
}

var (
	docHeading = regexp.MustCompile(`(?s)<h[23] id="([^"]+)"[^>]*>(.*?)</h[23]>`)
	docMark    = regexp.MustCompile(`(?s)<(?:nav|button|script)\b.*?</(?:nav|button|script)>|<[^>]*>`)
	docSpaces  = regexp.MustCompile(`\s+`)
	docArticle = regexp.MustCompile(`(?s)<article\b[^>]*>(.*)</article>`)
)

// plain returns HTML as text.
func plain(s string) string {
	return strings.TrimSpace(docSpaces.ReplaceAllString(html.UnescapeString(docMark.ReplaceAllString(s, " ")), " "))
}

// docParts cuts the article of a rendered page at its headings.
func docParts(d *docPage, page string) (parts []docPart) {
	m := docArticle.FindStringSubmatch(page)
	if m == nil {
		return nil
	}
	article := m[1]
	add := func(id, title, body string) {
		p := docPart{Address: d.Path, Page: d.Title, Title: cmp.Or(title, d.Title), Text: plain(body)}
		if id != "" {
			p.Address += "#" + id
		}
		p.lower = strings.ToLower(p.Page + "\n" + p.Title + "\n" + p.Text)
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

// docsIndex renders the pages as a stranger reads them, and cuts them up. It is
// made when somebody searches first.
func (s *Handler) docsIndex() ([]docPart, error) {
	s.indexOnce.Do(func() {
		for i := range docPages {
			if docPages[i].Group == "" {
				continue // lists the other pages
			}
			r, err := http.NewRequest(http.MethodGet, docPages[i].Path, nil)
			if err != nil {
				s.indexErr = err
				return
			}
			var b bytes.Buffer
			if err := ui.Template(docPages[i].template).Execute(&b, s.docsPage(r, i)); err != nil {
				s.indexErr = err
				return
			}
			s.index = append(s.index, docParts(&docPages[i], b.String())...)
		}
	})
	return s.index, s.indexErr
}

// found returns the sections that contain all words, those with words in their
// title first.
func found(index []docPart, query string) (list []docFound) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	for _, p := range index {
		f := docFound{docPart: p}
		title := strings.ToLower(p.Title)
		for _, w := range words {
			if !strings.Contains(p.lower, w) {
				f.rank = -1
				break
			}
			if strings.Contains(title, w) {
				f.rank += 4
			}
			if title == w {
				f.rank += 4
			}
			f.rank += min(strings.Count(p.lower, w), 3)
		}
		if f.rank < 0 {
			continue
		}
		f.around(words[0])
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b docFound) int { return cmp.Compare(b.rank, a.rank) })
	return list[:min(len(list), maxDocsFound)]
}

// around cuts the text around the first place of a word, at spaces.
func (f *docFound) around(word string) {
	at := strings.Index(strings.ToLower(f.Text), word)
	if at < 0 || at+len(word) > len(f.Text) { // in the title, or where lower case is longer
		at, word = 0, ""
	}
	end := at + len(word)
	from, to := max(0, at-docsFoundChars/3), min(len(f.Text), end+docsFoundChars)
	before, after := "", ""
	if i := strings.IndexByte(f.Text[from:at], ' '); from > 0 && i >= 0 {
		before, from = "… ", from+i+1
	}
	if i := strings.LastIndexByte(f.Text[end:to], ' '); to < len(f.Text) && i >= 0 {
		after, to = " …", end+i
	}
	f.Before = before + strings.ToValidUTF8(f.Text[from:at], "")
	f.Match = strings.ToValidUTF8(f.Text[at:end], "")
	f.After = strings.ToValidUTF8(f.Text[end:to], "") + after
}

// SearchDocs lists the parts of the documentation that have all words.
func (s *Handler) SearchDocs(w http.ResponseWriter, r *http.Request) error {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(query) > maxDocsQuery {
		query = strings.ToValidUTF8(query[:maxDocsQuery], "")
	}
	index, err := s.docsIndex()
	if err != nil {
		return err
	}
	d := &docPage{Path: docsSearch, Title: "Search the documentation"}
	p := docsPage{frontPage: s.newFrontPage(r, d.Title, d.Description, "docs"), Doc: d, All: docPages, Query: query,
		Found: found(index, query)}
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
