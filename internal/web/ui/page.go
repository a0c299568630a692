package ui

import (
	"bytes"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"vitrine/internal/web/httpx"
)

// A Template returns the template of a page. It is parsed on first use, so that
// no command waits for pages that it does not serve.
type Template func() *template.Template

// pageTemplates lists all that Parse has returned.
var pageTemplates []Template

// Parse returns the template of the first file, with the blocks of the others.
// It panics on first use if one of them cannot be parsed.
func Parse(names ...string) Template {
	parse := func() *template.Template {
		t := template.New(names[0]).Funcs(template.FuncMap{"asset": AssetPath,
			"speeds": func() []string { return speeds }}).Funcs(wordFuncs).Funcs(componentFuncs)
		for _, name := range names {
			text, err := templateFolders()[name].read(name)
			if err != nil {
				panic(err)
			}
			part := t
			if name != names[0] {
				part = t.New(name)
			}
			template.Must(part.Parse(string(text)))
		}
		return t
	}
	once := sync.OnceValue(parse)
	t := func() *template.Template {
		if Developing() {
			return parse()
		}
		return once()
	}
	pageTemplates = append(pageTemplates, t)
	return t
}

// Templates returns the templates of all pages.
func Templates() []Template { return pageTemplates }

// TemplateNames returns the names of all files of templates.
func TemplateNames() []string { return slices.Sorted(maps.Keys(templateFolders())) }

// Page is what the layout needs for every page.
type Page struct {
	Title string // of the window
	Nonce string // admits the page's own scripts and styles, and nothing else
	Icon  string // address of the icon of the tab
	Index bool   // search engines may list the page
	Sold  bool   // plans are sold; otherwise no page mentions plans
}

// NewChrome returns the data of a page. Its icon comes from the content origin,
// the only one that img-src admits.
func (s *Pages) NewChrome(title string) Page {
	return Page{Title: title, Nonce: httpx.NewNonce(), Icon: httpx.Origin(s.ContentURL) + AssetPath("ui/icon.svg"),
		Sold: s.Sold()}
}

// Page renders a handler for people. An error becomes a page that explains what
// happened and what to do.
func (s *Pages) Page(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.errorPage(w, r, err)
		}
	})
}

// Render answers with a page, compressed if accepted. The only secrets on a
// page are its own view token and the addresses of a moderator's preview.
// Nothing from the request is on the same page, so its compressed size reveals
// nothing (BREACH).
func Render(w http.ResponseWriter, r *http.Request, status int, t Template, data any) error {
	var b bytes.Buffer
	if err := t().Execute(&b, data); err != nil {
		return fmt.Errorf("render %s: %w", t().Name(), err)
	}
	if httpx.AcceptsGzip(r) {
		Send(w, r, status, httpx.Compress(b.Bytes()), true)
	} else {
		Send(w, r, status, b.Bytes(), false)
	}
	return nil
}

// Send answers with a page, uncompressed or as gzip.
func Send(w http.ResponseWriter, r *http.Request, status int, page []byte, gzipped bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	if gzipped {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(page)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page) // the reader may have gone away
	}
}

func ParseEntry(name string) Template {
	return Parse("layout.html", "icons.html", "parts.html", "signin_entry.html", name)
}

// speeds are the playback speeds of videos and sounds.
var speeds = []string{"0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"}
