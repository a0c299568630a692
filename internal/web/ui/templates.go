package ui

import (
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
)

// page is a row of the table of pages. Names of its templates are unique, so
// none has a folder; those of viewers do, and viewer.Table lists them.
type page struct {
	name   string   // its own file, which is read last
	layout []string // the files around it, the first is executed; nil: its own file is executed
	with   []string // the files whose blocks it uses
}

// The layouts.
var (
	bare   = []string{"layout.html", "icons.html"}
	plain  = []string{"layout.html", "icons.html", "parts.html"}
	entry  = []string{"layout.html", "icons.html", "parts.html", "signin_entry.html"} // defines "head" and "body"
	front  = []string{"layout.html", "icons.html", "parts.html", "front.html"}        // a page defines "main"
	docs   = []string{"layout.html", "icons.html", "parts.html", "front.html", "docs.html"}
	member = []string{"layout.html", "icons.html", "parts.html", "app.html"} // a page defines "main"
	inLink = []string{"layout.html", "icons.html", "parts.html", "app.html", "chart.html", "link_head.html"}
	review = []string{"layout.html", "icons.html", "parts.html", "app.html", "moderation.html"}
)

// pages is the table of all pages and templates. A page is parsed on first use,
// so that no command waits for pages that it does not serve.
var pages = []page{
	// ui
	{"error.html", bare, nil},
	{"gallery.html", plain, nil},
	{"signin_notice.html", entry, nil},

	// app/entry
	{"device.html", entry, []string{"grant_fields.html"}},
	{"factor.html", entry, nil},
	{"grant.html", entry, []string{"grant_fields.html"}},
	{"reset.html", entry, nil},
	{"reset_password.html", entry, nil},
	{"setup.html", entry, nil},
	{"setup_unset.html", entry, nil},
	{"signin.html", entry, []string{"providers.html"}},
	{"signin_code.html", entry, nil},
	{"signup.html", entry, []string{"providers.html"}},
	{"signup_accept.html", entry, nil},

	// app
	{"account.html", member, []string{"account_providers.html"}},
	{"album.html", member, []string{"chart.html", "link_protection.html", "link_rows.html"}},
	{"albums.html", member, []string{"chart.html", "link_rows.html"}},
	{"events.html", member, nil},
	{"mail.html", member, nil},
	{"dashboard.html", member, []string{"chart.html", "link_rows.html", "visit_table.html", "website_offer.html"}},
	{"keys.html", member, nil},
	{"link_overview.html", inLink, []string{"link_tabs.html", "visit_table.html", "website_offer.html"}},
	{"link_settings.html", inLink, []string{"link_tabs.html", "visit_table.html"}},
	{"link_share.html", inLink, []string{"link_protection.html", "link_recipients.html", "link_tabs.html",
		"visit_table.html"}},
	{"links.html", member, []string{"chart.html", "link_rows.html"}},
	{"people.html", member, nil},
	{"trash.html", member, nil},
	{"readers.html", inLink, nil},
	{"versions.html", inLink, nil},
	{"webhook.html", member, []string{"hook_fields.html"}},
	{"webhooks.html", member, []string{"hook_fields.html"}},
	{"website.html", member, []string{"website_drop.html"}},
	{"websites.html", member, []string{"website_drop.html"}},

	// app/reportpage
	{"explain.html", inLink, []string{"explanation.html"}},
	{"map.html", inLink, []string{"map_parts.html"}},
	{"shared_map.html", member, []string{"map_parts.html"}},
	{"shared_explain.html", member, []string{"explanation.html"}},
	{"shared.html", member, []string{"chart.html", "stats.html", "stats_chart.html", "stats_content.html",
		"stats_tables.html", "visit_table.html"}},
	{"shared_embed.html", bare, []string{"chart.html"}},
	{"shared_password.html", entry, nil},
	{"stats.html", inLink, []string{"stats_chart.html", "stats_content.html", "stats_tables.html",
		"stats_share.html", "visit_table.html"}},
	{"visit.html", inLink, []string{"stats_tables.html", "visit_table.html"}},
	{"visits.html", inLink, []string{"stats.html", "stats_tables.html", "visit_table.html"}},

	// moderator
	{"moderation_account.html", review, nil},
	{"moderation_case.html", review, nil},
	{"moderation_history.html", review, nil},
	{"moderation_queue.html", review, nil},

	// front
	{"docs_api.html", docs, nil},
	{"docs_guide.html", docs, nil},
	{"docs_search.html", docs, nil},
	{"home.html", front, nil},
	{"plans.html", front, nil},

	// public; a link is shown by a file of its viewer
	{"album_public.html", plain, nil},
	{"embed.html", plain, []string{"content.html"}},
	{"gate.html", entry, nil},
	{"link.html", plain, []string{"content.html"}},
	{"own.html", nil, nil}, // in link.html
	{"report.html", bare, nil},

	// content; inert.html shows a message, or a file of a viewer
	{"inert.html", nil, nil},
	{"website_gone.html", nil, []string{"icons.html"}},
}

// files returns the files of a template and which of them is executed.
func (p page) files() (all []string, first string) {
	first = p.name
	if len(p.layout) > 0 {
		first = p.layout[0]
	}
	return slices.Concat(p.layout, p.with, []string{p.name}), first
}

// PageNames returns the names of the table.
func PageNames() []string {
	var names []string
	for _, p := range pages {
		names = append(names, p.name)
	}
	return names
}

// parsed has the templates that were used, by their names and parts.
var parsed sync.Map

// Template returns the template of a page of the table, with more files that a
// viewer defines. A name with a folder is a whole document of a viewer. It
// panics if the page is not in the table or cannot be parsed.
func Template(name string, parts ...string) *template.Template {
	parse := func() *template.Template { return parse(name, parts) }
	if Developing() {
		return parse()
	}
	key := strings.Join(append([]string{name}, parts...), " ")
	once, ok := parsed.Load(key)
	if !ok {
		once, _ = parsed.LoadOrStore(key, sync.OnceValue(parse))
	}
	return once.(func() *template.Template)()
}

func parse(name string, parts []string) *template.Template {
	p := page{name: name}
	if !strings.Contains(name, "/") {
		i := slices.IndexFunc(pages, func(p page) bool { return p.name == name })
		if i < 0 {
			panic("no page is called " + name)
		}
		p = pages[i]
	}
	files, first := p.files()
	t := template.New(first).Funcs(template.FuncMap{"asset": AssetPath,
		"style":  func(name string) template.CSS { return template.CSS(inline(name)) },
		"script": func(name string) template.JS { return template.JS(inline(name)) },
		"speeds": func() []string { return speeds }}).Funcs(wordFuncs).Funcs(componentFuncs)
	for _, file := range append(files, parts...) {
		text, err := templateFiles()[file].read()
		if err != nil {
			panic(err)
		}
		part := t
		if file != first {
			part = t.New(file)
		}
		template.Must(part.Parse(string(text)))
	}
	return t
}

// TemplateNames returns the names of all files of templates.
func TemplateNames() []string { return slices.Sorted(maps.Keys(templateFiles())) }

// speeds are the playback speeds of videos and sounds.
var speeds = []string{"0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"}
