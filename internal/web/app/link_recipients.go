package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/recipients"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

const (
	// recipientsOnPage is how many rows of the table are on a page.
	recipientsOnPage = 100
	// maxRecipientForm bounds the form that adds recipients, in bytes: a table
	// of names, the names that were typed, and the rest of the form.
	maxRecipientForm = recipients.MaxNames + 512<<10
	// noName is what the table calls a recipient whose label was deleted.
	noName = "No name"
)

// Downloading returns the choices for downloads. An own switch cannot be taken
// back.
func (r *RecipientRow) Downloading() (list []ui.Option) {
	if r.Download == nil {
		list = append(list, ui.Option{Name: "As the link says", Chosen: true})
	}
	return append(list, ui.Option{Value: "yes", Name: "Allowed", Chosen: r.Download != nil && *r.Download},
		ui.Option{Value: "no", Name: "Not allowed", Chosen: r.Download != nil && !*r.Download})
}

// recipientOrder is a column of the table that sorts it.
type recipientOrder struct {
	Key, Name string
	Number    bool
	compare   func(a, b *RecipientRow) int
}

func newest(a, b time.Time) int { return b.Compare(a) }

// recipientOrders lists the columns. Without one, rows are in the order in
// which they were added.
var recipientOrders = []recipientOrder{
	{"name", "Name", false, func(a, b *RecipientRow) int {
		return strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	}},
	{"first", "First opened", false, func(a, b *RecipientRow) int { return newest(a.First, b.First) }},
	{"last", "Last opened", false, func(a, b *RecipientRow) int { return newest(a.Last, b.Last) }},
	{"time", "Time", true, func(a, b *RecipientRow) int { return cmp.Compare(b.EngagedMs, a.EngagedMs) }},
	{"progress", "Progress", false, func(a, b *RecipientRow) int { return cmp.Compare(b.Furthest, a.Furthest) }},
	{"downloads", "Downloads", true, func(a, b *RecipientRow) int {
		return cmp.Compare(b.Reading.Downloads, a.Reading.Downloads)
	}},
}

// recipientShows lists which recipients the table can show.
var recipientShows = []struct {
	Key, Name string
	numbers   bool // only with numbers
	has       func(*RecipientRow) bool
}{
	{"", "All", false, func(r *RecipientRow) bool { return r.RevokedAt.IsZero() }},
	{"unopened", "Not opened yet", true, func(r *RecipientRow) bool { return r.Ended == "" && !r.Opened() }},
	{"revoked", "Revoked", false, func(r *RecipientRow) bool { return !r.RevokedAt.IsZero() }},
}

// recipientChoice is one of several ways to see the table.
type recipientChoice struct {
	Name, Address  string
	Count          int64
	Chosen, Number bool
}

// recipientCard is the table of the recipients of a link, with its forms.
type recipientCard struct {
	Here    string // address of the link's page
	Numbers bool   // the plan has analytics
	Any     bool   // there is a recipient, shown or not
	Shows   []recipientChoice
	Columns []recipientChoice
	Rows    []*RecipientRow
	Newer   string // address of the page before; ""
	Older   string // address of the page after; ""
	Edit    *RecipientRow
	Back    string // address of the table without the form
	Names   string // typed
	Until   string // typed
}

// CSV returns the address of the table for mail merge.
func (c *recipientCard) CSV() string { return c.Here + "/recipients.csv" }

// recipientCard returns the table that a request asks for.
func (s *LinkPages) recipientCard(r *http.Request, me *vitrine.Account, l *vitrine.Link,
	wrong httpx.FieldErrors) (*recipientCard, error) {
	rows, err := s.Shell.RecipientRows(r.Context(), me, l, nil)
	if err != nil {
		return nil, err
	}
	asked := r.URL.Query()
	at := func(change ...string) string {
		q := url.Values{}
		for _, name := range []string{"show", "sort"} {
			if asked.Get(name) != "" {
				q.Set(name, asked.Get(name))
			}
		}
		for i := 0; i+1 < len(change); i += 2 {
			if q.Set(change[i], change[i+1]); change[i+1] == "" {
				q.Del(change[i])
			}
		}
		return httpx.WithQuery(LinkAddress(l)+string(LinkShare), q) + "#recipients"
	}
	c := &recipientCard{Here: LinkAddress(l), Numbers: me.Plan.Pro(), Any: len(rows) > 0, Back: at(),
		Names: r.PostForm.Get("names"), Until: r.PostForm.Get("until")}
	edited := cmp.Or(r.PostForm.Get("id"), r.PostForm.Get("recipient"), asked.Get("edit"))
	for _, row := range rows {
		row.Edit = at("edit", report.IDText(int64(row.ID)))
		if report.IDText(int64(row.ID)) == edited && row.RevokedAt.IsZero() {
			c.Edit = row
		}
	}
	if c.Edit != nil {
		if c.Edit.Protection, err = s.protection(r.Context(), l.For(c.Edit.Recipient)); err != nil {
			return nil, err
		}
		c.Edit.Protection.typed(r.PostForm, wrong)
	}
	c.choose(rows, asked, at)
	return c, nil
}

// choose puts the rows that are asked for into the table.
func (c *recipientCard) choose(rows []*RecipientRow, asked url.Values, at func(...string) string) {
	has := recipientShows[0].has
	for _, show := range recipientShows {
		chosen := show.Key == asked.Get("show")
		if show.numbers && !c.Numbers {
			continue
		}
		if chosen {
			has = show.has
		}
		n := len(slices.DeleteFunc(slices.Clone(rows), func(r *RecipientRow) bool { return !show.has(r) }))
		c.Shows = append(c.Shows, recipientChoice{Name: show.Name, Address: at("show", show.Key), Count: int64(n),
			Chosen: chosen})
	}
	rows = slices.DeleteFunc(rows, func(r *RecipientRow) bool { return !has(r) })
	for i, o := range recipientOrders {
		if i > 0 && !c.Numbers {
			break
		}
		chosen := o.Key == asked.Get("sort")
		if chosen {
			slices.SortStableFunc(rows, o.compare)
		}
		c.Columns = append(c.Columns, recipientChoice{Name: o.Name, Address: at("sort", o.Key), Chosen: chosen,
			Number: o.Number})
	}
	page, _ := strconv.Atoi(asked.Get("page"))
	last := max(len(rows)-1, 0) / recipientsOnPage
	page = min(max(page, 0), last)
	if page > 0 {
		c.Newer = at("page", strconv.Itoa(page-1))
	}
	if page < last {
		c.Older = at("page", strconv.Itoa(page+1))
	}
	c.Rows = rows[page*recipientsOnPage : min(len(rows), (page+1)*recipientsOnPage)]
}

// AddRecipients adds recipients by the names that were typed, one on a line,
// and those of a table.
func (s *LinkPages) AddRecipients(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxRecipientForm)
	unread := r.ParseMultipartForm(maxRecipientForm) // in memory, all of it
	if errors.Is(unread, http.ErrNotMultipart) {
		unread = nil // without a table
	}
	o, err := s.Links.Own(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	if unread != nil {
		err = vitrine.Errorf(vitrine.CodeInvalidRequest,
			"The form could not be read: it is incomplete, or larger than 1 MB.")
	}
	var add recipients.Addition
	if err == nil {
		add, err = additionOf(r, me.Zone())
	}
	if err == nil {
		_, _, err = s.Recipients.Add(r.Context(), me, string(o.Slug), add)
	}
	if err != nil {
		return s.wrongLinkForm(w, r, me, o, LinkShare, onNames(err))
	}
	return httpx.Redirect(w, r, Said(LinkAddress(o.Link)+string(LinkShare), "recipients-added"))
}

// additionOf reads the form that adds recipients.
func additionOf(r *http.Request, zone *time.Location) (add recipients.Addition, err error) {
	until, err := endOf(r.PostFormValue("until"), zone)
	if err != nil {
		return add, err
	}
	var names []string
	for line := range strings.Lines(r.PostFormValue("names")) {
		if line = strings.TrimSpace(line); line != "" {
			names = append(names, line)
		}
	}
	file, _, err := r.FormFile("file")
	switch {
	case err == nil:
		defer file.Close()
		listed, err := recipients.ReadNames(file)
		if err != nil {
			return add, err
		}
		names = append(names, listed...)
	case !errors.Is(err, http.ErrMissingFile) && !errors.Is(err, http.ErrNotMultipart):
		return add, err
	}
	if len(names) == 0 {
		return add, vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Write at least one name, or choose a table with names in its first column.")
	}
	for _, name := range names {
		add.Recipients = append(add.Recipients, recipients.Request{Label: name, ExpiresAt: until})
	}
	return add, nil
}

// onNames returns an error of the form as one about the names, with the name
// that is wrong.
func onNames(err error) error {
	var e *vitrine.Error
	switch n := 0; {
	case !errors.As(err, &e):
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "names", Message: ui.Capital(err.Error())}
	case strings.HasSuffix(e.Field, "expiresAt"):
		return &vitrine.Error{Code: e.Code, Field: "until", Message: e.Message}
	case e.Field == "recipients", e.Code == vitrine.CodeRecipientLimit,
		e.Field == "" && e.Code == vitrine.CodeInvalidRequest:
		return &vitrine.Error{Code: e.Code, Field: "names", Message: e.Message}
	default:
		if _, none := fmt.Sscanf(e.Field, "recipients[%d].label", &n); none == nil {
			return &vitrine.Error{Code: e.Code, Field: "names", Message: fmt.Sprintf("Name %d: %s", n+1, e.Message)}
		}
	}
	return err
}

// recipientIn returns the ID of a recipient in a form, or 0, which none has.
func recipientIn(text string) vitrine.RecipientID {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return vitrine.RecipientID(n)
}

// protectRecipient changes what readers of a recipient's address need.
func (s *LinkPages) protectRecipient(ctx context.Context, me *vitrine.Account, slug string,
	f url.Values) (l *vitrine.Link, saying string, err error) {
	change := recipients.Change{AsLink: f.Get("remove") == "own"}
	if !change.AsLink {
		if change.Access, err = accessChange(f); err != nil {
			return nil, "", err
		}
	}
	l, _, err = s.Recipients.Edit(ctx, me, slug, recipientIn(f.Get("recipient")), change)
	return l, "access-saved", err
}

// changeRecipient changes or revokes a recipient.
func (s *LinkPages) changeRecipient(ctx context.Context, me *vitrine.Account, slug string,
	f url.Values) (l *vitrine.Link, saying string, err error) {
	id := recipientIn(f.Get("id"))
	if f.Get("do") == "revoke" {
		l, _, err = s.Recipients.Revoke(ctx, me, slug, id)
		return l, "recipient-revoked", err
	}
	change := recipients.Change{Label: new(f.Get("label"))}
	if d := f.Get("download"); d != "" {
		change.Download = new(d == "yes")
	}
	if f.Get("until") != f.Get("was") {
		until, err := endOf(f.Get("until"), me.Zone())
		if err != nil {
			return nil, "", err
		}
		change.ExpiresAt = &until
	}
	l, _, err = s.Recipients.Edit(ctx, me, slug, id, change)
	var e *vitrine.Error
	if errors.As(err, &e) && e.Field == "expiresAt" {
		err = &vitrine.Error{Code: e.Code, Field: "until", Message: e.Message}
	}
	return l, "saved", err
}
