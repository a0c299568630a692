package app

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// linksBatch is the number of links on a page of the list; maxLinksPage is the
// highest page number.
const (
	linksBatch   = 50
	maxLinksPage = 1_000_000
)

// linksPage is the list of an account's links, or the result of a search.
type linksPage struct {
	Page
	Rows                 []linkRow
	Views                bool // the rows show views
	Total                int64
	More                 bool // links match beyond this page
	Bytes                int64
	Search               links.LinkSearch
	Kinds, States, Sorts []ui.Option
	Albums               []ui.Option
	Labels               []ui.Option  // nil if no link has any
	Outcome              *bulkOutcome // nil if no form about several links led here
	Number               int
	Previous, Next       string // addresses; "" for none
	Here                 string // the address of this page
	All                  string // the address of the list without a search
}

// Searching reports whether not all links are asked for.
func (p *linksPage) Searching() bool {
	return p.Search.Text != "" || p.Search.Kind != "" || p.Search.State != "" || p.Search.Key != 0 ||
		p.Search.Label != ""
}

// From returns the number of the first link on the page.
func (p *linksPage) From() int { return p.Search.Skip + 1 }

// Matches returns how many of all links were found, as far as known.
func (p *linksPage) Matches() string {
	if p.More {
		return fmt.Sprintf("more than %s of %s", ui.Figure(p.To()), ui.Counted(p.Total, "link", "links"))
	}
	return fmt.Sprintf("%s of %s", ui.Figure(p.To()), ui.Counted(p.Total, "link", "links"))
}

// heading is the heading of a column by which the list can be ordered.
type heading struct {
	Name, Sort string
	Address    string // of the list in that order
	Current    bool
	Up         bool   // the smallest comes first
	Says       string // the order, for a tooltip
}

// Heading returns the heading of a column. A second choice of "Created" turns
// the order round.
func (p *linksPage) Heading(name, by string) heading {
	sort := vitrine.LinkSort(by)
	h := heading{Name: name, Current: sort == p.Search.Sort}
	switch {
	case sort != vitrine.SortNewest:
	case h.Current:
		sort = vitrine.SortOldest
	default:
		h.Current = p.Search.Sort == vitrine.SortOldest
	}
	h.Up = h.Current && (p.Search.Sort == vitrine.SortOldest || p.Search.Sort == vitrine.SortTitle)
	next := p.Search
	next.Sort, h.Sort = sort, string(sort)
	h.Address = searchAddress(next, 1)
	for _, o := range sortNames {
		if o.Value == string(sort) {
			h.Says = o.Name
		}
	}
	return h
}

// To returns the number of the last link on the page.
func (p *linksPage) To() int { return p.Search.Skip + len(p.Rows) }

var kindNames = map[filetype.Kind]string{
	filetype.PDF: "PDF", filetype.Image: "Images", filetype.Video: "Videos", filetype.Audio: "Audio",
	filetype.Document: "Documents",
	filetype.Text:     "Text", filetype.HTML: "Web pages", filetype.Archive: "Archives",
}

var sortNames = []ui.Option{
	{Value: string(vitrine.SortNewest), Name: "Newest first"},
	{Value: string(vitrine.SortOldest), Name: "Oldest first"},
	{Value: string(vitrine.SortTitle), Name: "Title"},
	{Value: string(vitrine.SortSize), Name: "Largest first"},
	{Value: string(vitrine.SortViews), Name: "Most viewed"},
}

// linkSearch parses a search. It ignores invalid choices.
func linkSearch(q url.Values, me *vitrine.Account) (links.LinkSearch, int) {
	search := links.LinkSearch{Text: strings.TrimSpace(q.Get("q")), Limit: linksBatch, Views: me.Plan.Pro()}
	if k := filetype.Kind(q.Get("kind")); slices.Contains(filetype.Kinds(), k) {
		search.Kind = k
	}
	if st := vitrine.LinkState(q.Get("status")); ui.StateNames[st] != "" {
		search.State = st
	}
	for _, o := range sortNames {
		if o.Value == q.Get("sort") && (o.Value != string(vitrine.SortViews) || search.Views) {
			search.Sort = vitrine.LinkSort(o.Value)
		}
	}
	if id, err := strconv.ParseInt(q.Get("key"), 10, 64); err == nil && id > 0 {
		search.Key = vitrine.KeyID(id)
	}
	search.Label = filetype.OneLine(q.Get("label"))
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		page = 1
	}
	page = min(max(page, 1), maxLinksPage)
	search.Skip = (page - 1) * linksBatch
	return search, page
}

// searchAddress returns the address of a page of a search's results.
func searchAddress(search links.LinkSearch, page int) string {
	number, key := "", ""
	if page > 1 {
		number = strconv.Itoa(page)
	}
	if search.Key != 0 {
		key = strconv.FormatInt(int64(search.Key), 10)
	}
	return httpx.WithQuery(linksRoot, url.Values{}, "q", search.Text, "kind", string(search.Kind), "status",
		string(search.State),
		"key", key, "label", search.Label, "sort", string(search.Sort), "page", number)
}

func (s *LinkPages) List(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	query, err := httpx.Query(r)
	if err != nil {
		return err
	}
	return s.writeList(w, r, me, query, nil)
}

// writeList answers with the links that a query selects, and the result of a
// form about several links, or nil if none.
func (s *LinkPages) writeList(w http.ResponseWriter, r *http.Request, me *vitrine.Account, query url.Values,
	out *bulkOutcome) error {
	p := linksPage{Page: s.Shell.NewAppPage(r, me, "Links", "links"), Views: me.Plan.Pro(), All: linksRoot,
		Outcome: out}
	p.Search, p.Number = linkSearch(query, me)
	usage, err := s.Uploads.Usage(r.Context(), me)
	if err != nil {
		return err
	}
	p.Total, p.Bytes = usage.Links-usage.Sites-usage.HeldLinks, usage.Bytes-usage.HeldBytes
	asked := p.Search
	asked.Text = searchedText(asked.Text)
	found, more, err := s.Links.Search(r.Context(), me, asked)
	if err != nil {
		return err
	}
	p.Rows = s.Shell.linkRows(found)
	albums, err := s.Albums.List(r.Context(), me)
	if err != nil {
		return err
	}
	p.Albums = []ui.Option{{Name: "Album…"}}
	for _, a := range albums {
		p.Albums = append(p.Albums, ui.Option{Value: string(a.Slug), Name: a.Title})
	}
	p.Albums = append(p.Albums, ui.Option{Value: newAlbum, Name: "New album"})
	if p.Labels, err = s.labelOptions(r, me, p.Search.Label); err != nil {
		return err
	}
	p.Here = searchAddress(p.Search, p.Number)
	if p.Number > 1 {
		p.Previous = searchAddress(p.Search, p.Number-1)
	}
	if p.More = more; more {
		p.Next = searchAddress(p.Search, p.Number+1)
	}
	p.Kinds = []ui.Option{{Name: "All kinds"}}
	for _, k := range filetype.Kinds() {
		p.Kinds = append(p.Kinds, ui.Option{Value: string(k), Name: kindNames[k], Chosen: k == p.Search.Kind})
	}
	p.States = []ui.Option{{Name: "Any status"}}
	for _, st := range []vitrine.LinkState{vitrine.StateLive, vitrine.StateReview, vitrine.StateProcessing,
		vitrine.StateDisabled} {
		p.States = append(p.States, ui.Option{Value: string(st), Name: ui.StateName(st), Chosen: st == p.Search.State})
	}
	for _, o := range sortNames {
		if o.Value == string(vitrine.SortViews) && !p.Views {
			continue // views require analytics
		}
		o.Chosen = o.Value == string(p.Search.Sort)
		p.Sorts = append(p.Sorts, o)
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "links.html", p.Nonce, &p)
}

// labelOptions returns the choice of a label for the filter, or nil if no link
// has any.
func (s *LinkPages) labelOptions(r *http.Request, me *vitrine.Account, chosen string) ([]ui.Option, error) {
	labels, err := s.Links.Labels(r.Context(), me)
	if err != nil || len(labels) == 0 && chosen == "" {
		return nil, err
	}
	options := []ui.Option{{Name: "Any label"}}
	for _, label := range labels {
		options = append(options, ui.Option{Value: label, Name: label,
			Chosen: vitrine.LabelWord(label) == vitrine.LabelWord(chosen)})
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Chosen }) {
		options = append(options, ui.Option{Value: chosen, Name: chosen, Chosen: true})
	}
	return options, nil
}
