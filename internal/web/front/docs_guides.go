package front

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	texttemplate "text/template"

	"vitrine/docs"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// guide is a page of docs/guide.
type guide struct {
	name    string // of its file, without .md
	order   int
	text    *texttemplate.Template
	anchors map[string]string // IDs that headings have here, by those that they have in the repository
}

// readGuides returns the pages of docs/guide in their order. It panics if one
// is wrong: they are part of the program.
func readGuides() (pages []docPage) {
	files, err := fs.Glob(docs.Guides, "guide/*.md")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		source, err := docs.Guides.ReadFile(file)
		if err != nil {
			panic(err)
		}
		pages = append(pages, newGuide(strings.TrimSuffix(path.Base(file), ".md"), string(source)))
	}
	slices.SortFunc(pages, func(a, b docPage) int { return cmp.Compare(a.guide.order, b.guide.order) })
	return pages
}

var (
	guideHeading = regexp.MustCompile(`(?m)^## (.+?) *(?:<!--.*"(.+)".*-->)?$`)
	noAnchor     = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// newGuide reads a guide.
func newGuide(name, source string) docPage {
	d := docPage{Path: docsRoot + "/" + name, guide: &guide{name: name, anchors: map[string]string{}}}
	if name == "overview" {
		d.Path = docsRoot
	}
	parts := strings.SplitN(source, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		panic(name + " has no front matter")
	}
	for line := range strings.Lines(parts[1]) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "title":
			d.Title = value
		case "description":
			d.Description = value
		case "group":
			d.Group = value
		case "order":
			d.guide.order, _ = strconv.Atoi(value)
		}
	}
	if d.Title == "" || d.Description == "" || d.guide.order == 0 {
		panic("the front matter of " + name + " lacks a title, a description or an order")
	}
	for _, m := range guideHeading.FindAllStringSubmatch(parts[2], -1) {
		if m[2] != "" {
			d.guide.anchors[strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = m[2]
		}
	}
	d.guide.text = texttemplate.Must(texttemplate.New(name).Delims("<!--", "-->").Parse(parts[2]))
	return d
}

// What a guide says to readers of the repository.
var (
	guidePicture = regexp.MustCompile(`!\[([^\]]*)\]\(\.\./\.\./internal/web/(front/pictures/[a-z]+)-light\.webp\)`)
	repoPicture  = regexp.MustCompile(`!\[[^\]]*\]\(\.\./[^)]*\)\n*`)
	repoLink     = regexp.MustCompile(`\[([^\]]*)\]\(\.\./[^)]*\)`)
	guideLink    = regexp.MustCompile(`\]\(([a-z-]*)(?:\.md)?(#[a-z0-9_-]+)?\)`)
)

// markdown returns the text of a guide with what this instance says: for
// agents, or to be rendered.
func (g *guide) markdown(p *docsPage) (string, error) {
	var b strings.Builder
	if err := g.text.Execute(&b, p); err != nil {
		return "", err
	}
	text := guidePicture.ReplaceAllStringFunc(b.String(), p.picture)
	text = repoLink.ReplaceAllString(repoPicture.ReplaceAllString(text, ""), "$1")
	text = guideLink.ReplaceAllStringFunc(text, func(link string) string { return p.address(g, link) })
	if !p.Agent {
		text = strings.ReplaceAll(text, "]("+sampleSite+"/", "](/")
	}
	return strings.ReplaceAll(text, sampleSite, p.Site), nil
}

// address returns the end of a link to a guide, or to a part of one, as the
// page needs it.
func (p *docsPage) address(from *guide, link string) string {
	m := guideLink.FindStringSubmatch(link)
	to, anchor := from, strings.TrimPrefix(m[2], "#")
	if m[1] != "" {
		i := slices.IndexFunc(p.All, func(d docPage) bool { return d.guide != nil && d.guide.name == m[1] })
		if i < 0 {
			return link // of another kind
		}
		to = p.All[i].guide
	}
	if id := to.anchors[anchor]; id != "" && !p.Agent {
		anchor = id
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	switch {
	case m[1] == "":
		return "](" + anchor + ")"
	case p.Agent:
		return "](" + p.Site + docsRoot + "/" + m[1] + ".md" + anchor + ")"
	default:
		return "](" + docsRoot + "/" + m[1] + anchor + ")"
	}
}

// picture returns a picture of the app, light and dark (make pictures).
func (p *docsPage) picture(image string) string {
	m := guidePicture.FindStringSubmatch(image)
	light, dark := ui.AssetPath(m[2]+"-light.webp"), ui.AssetPath(m[2]+"-dark.webp")
	alt := strings.Join(strings.Fields(m[1]), " ")
	if p.Agent {
		return "![" + alt + "](" + p.Site + light + ")"
	}
	size := pictureSize(strings.TrimPrefix(m[2], "front/") + "-light.webp")
	return fmt.Sprintf(`<div class="app-picture"><picture><source media="(prefers-color-scheme: dark)" srcset="%s">`+
		`<img src="%s" alt="%s" width="%d" height="%d" loading="lazy"></picture></div>`,
		dark, light, html.EscapeString(alt), size.Width, size.Height)
}

// ID gives the heading before it an ID, other than that of its text.
func (p *docsPage) ID(id string) string {
	if p.Agent {
		return ""
	}
	return " {#" + id + "}"
}

// Tabs begins an example in several languages. What follows a block of code
// belongs to its language.
func (p *docsPage) Tabs(name string) (string, error) {
	if p.Agent {
		return "", nil
	}
	var b strings.Builder
	err := ui.Template("docs_guide.html").ExecuteTemplate(&b, "lang-tabs", name)
	return `<div class="langs">` + b.String(), err
}

// EndTabs ends the example.
func (p *docsPage) EndTabs() string {
	if p.Agent {
		return ""
	}
	return "</div>"
}

// ThreeSteps returns the requests that publish a file, with curl.
func (p *docsPage) ThreeSteps() (string, error) {
	var b strings.Builder
	err := ui.Template("docs_guide.html").ExecuteTemplate(&b, "three-steps", p)
	return "```sh Three steps with curl\n" + html.UnescapeString(b.String()) + "\n```", err
}

// rendered is a guide as HTML, as it was last made.
type rendered struct {
	text     string
	HTML     template.HTML
	sections []docSection
}

// render fills the page with the HTML of its guide. A guide whose text is as
// before is not made again.
func (s *Handler) render(p *docsPage) error {
	text, err := p.Doc.guide.markdown(p)
	if err != nil {
		return err
	}
	last, ok := s.rendered.Load(p.Doc.Path)
	if !ok || last.(*rendered).text != text {
		last = newRendered(text)
		s.rendered.Store(p.Doc.Path, last)
	}
	p.HTML = last.(*rendered).HTML
	if p.Doc.Group != "" { // the overview has the groups beside it
		p.Doc.Sections = last.(*rendered).sections
	}
	return nil
}

//go:embed docs_api.tmpl
var apiMarkdownText string

// apiMarkdown returns the template of a page of the API reference for agents.
var apiMarkdown = sync.OnceValue(func() *texttemplate.Template {
	return texttemplate.Must(texttemplate.New("docs_api.tmpl").Parse(apiMarkdownText))
})

// asMarkdown reports whether a request asks for a page of the documentation as
// Markdown, by its address or its Accept header.
func asMarkdown(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, ".md") || httpx.PrefersMarkdown(r)
}

// writeMarkdown answers with a page for agents.
func (s *Handler) writeMarkdown(w http.ResponseWriter, r *http.Request, p *docsPage) error {
	var b strings.Builder
	if p.Doc.guide == nil {
		if err := apiMarkdown().Execute(&b, p); err != nil {
			return err
		}
	} else {
		text, err := p.Doc.guide.markdown(p)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "# %s\n\n%s\n\n%s\n", p.Doc.Title, p.Doc.Description, strings.TrimSpace(text))
	}
	return s.writeText(w, r, "text/markdown; charset=utf-8", []byte(b.String()))
}

// writeText answers with text for programs, which may cache it for an hour.
func (s *Handler) writeText(w http.ResponseWriter, r *http.Request, kind string, text []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=3600")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	_, _ = w.Write(text) // the reader may have gone away
	return nil
}
