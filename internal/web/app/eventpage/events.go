// Package eventpage shows the events of an account, its choice of mails, and
// its webhooks.
package eventpage

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/notify"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report/country"
)

// EventPages serve the list of events, and the choice of mails.
type EventPages struct {
	Server *httpx.Server
	Shell  *app.Shell
	Events *events.Service
	Notify *notify.Service
}

const eventsRoot = "/events"

// eventsOnPage is how many events a page lists.
const eventsOnPage = 50

// eventsPage lists events, newest first.
type eventsPage struct {
	app.Page
	Rows      []eventRow
	Kinds     []ui.Option
	Link      string // slug that is selected; "" for all
	Searching bool   // some are selected
	Older     string // address of more; "" for none
}

// eventRow is an event on the page.
type eventRow struct {
	At      time.Time
	Words   string
	Title   string // of the link; "" if there is none
	Address string // of its page in the app; "" if it is gone
	Details string
}

// Show serves the page of events.
func (s *EventPages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	values, err := httpx.Query(r)
	if err != nil {
		return err
	}
	p := &eventsPage{Page: s.Shell.NewAppPage(r, me, "Events", "events"), Link: slugOfText(values.Get("link"))}
	q := events.LatestQuery{Link: p.Link, Limit: eventsOnPage}
	kind := values.Get("type")
	if events.KindOf(vitrine.EventKind(kind)) != nil {
		q.Kinds = []vitrine.EventKind{vitrine.EventKind(kind)}
	}
	p.Searching = p.Link != "" || len(q.Kinds) > 0
	if text := values.Get("before"); text != "" {
		if q.Before, err = strconv.ParseInt(text, 10, 64); err != nil || q.Before < 1 {
			return httpx.ErrPage("before")
		}
	}
	list, older, err := s.Events.Latest(r.Context(), me, q)
	if vitrine.CodeOf(err) == vitrine.CodeNotFound && p.Link != "" {
		err = nil // no link, no events
	}
	if err != nil {
		return err
	}
	p.Kinds = []ui.Option{{Value: "", Name: "All events", Chosen: len(q.Kinds) == 0}}
	for _, k := range events.Kinds {
		p.Kinds = append(p.Kinds, ui.Option{Value: string(k.Name), Name: k.Words, Chosen: string(k.Name) == kind})
	}
	for i := range list {
		p.Rows = append(p.Rows, rowOf(&list[i]))
	}
	if older > 0 {
		next := url.Values{"before": {strconv.FormatInt(older, 10)}}
		for name, value := range map[string]string{"type": kind, "link": p.Link} {
			if value != "" {
				next.Set(name, value)
			}
		}
		p.Older = eventsRoot + "?" + next.Encode()
	}
	return s.Shell.WriteApp(w, r, http.StatusOK, "events.html", p.Nonce, p)
}

// slugOfText returns the slug in what people type: a slug or an address.
func slugOfText(text string) string {
	text = strings.TrimSpace(text)
	if _, after, ok := strings.Cut(text, "/p/"); ok {
		text = after
	}
	text, _, _ = strings.Cut(text, "/")
	return text
}

// rowOf describes an event.
func rowOf(e *events.Item) eventRow {
	row := eventRow{At: e.At, Words: string(e.Kind)}
	if k := events.KindOf(e.Kind); k != nil {
		row.Words = k.Words
	}
	switch {
	case e.Site != nil:
		row.Title, row.Address = e.Site.Title, app.WebsiteAddress(e.Site.Slug)
	case e.Of != nil:
		row.Title = ui.Title(e.Of)
		if e.Of.DeletedAt.IsZero() {
			row.Address = app.LinkAddress(e.Of)
		}
	}
	row.Details = detailsOf(e)
	return row
}

// detailsOf says what is known about an event, in the words of the report.
func detailsOf(e *events.Item) string {
	var d struct {
		events.Numbers
		Reason, Detail string
	}
	var week events.Week
	if errors.Join(json.Unmarshal(e.Data, &d), json.Unmarshal(e.Data, &week)) != nil {
		return ""
	}
	var words []string
	add := func(list ...string) {
		for _, w := range list {
			if w != "" {
				words = append(words, w)
			}
		}
	}
	if d.Reason != "" {
		add(ui.ReasonName(d.Reason))
	}
	add(d.Detail)
	if e.Recipient != nil {
		add(e.Recipient.Label)
	}
	if d.Milestone > 0 {
		add(ui.Counted(d.Milestone, "view", "views"))
	}
	if d.Spike != nil {
		add(ui.Counted(d.Today, "view", "views")+" today", strconv.FormatFloat(d.Median, 'f', -1, 64)+" on a usual day")
	}
	if week.From != "" {
		add(week.From+" to "+week.To, ui.Counted(week.Views, "view", "views"),
			ui.Counted(week.Excluded, "excluded", "excluded"))
	}
	if v := d.Visit; v != nil {
		if v.Engaged {
			add(ui.Lasting(v.EngagedMs).String(), v.Progress)
		}
		add(country.Name(v.Country), v.Device, v.Browser)
	}
	return strings.Join(words, " · ")
}

// mailPage is the choice of mails.
type mailPage struct {
	app.Page
	Settings  []notify.Setting
	SendsMail bool
	Site      string // address of the instance
}

// ShowMail serves the choice of mails.
func (s *EventPages) ShowMail(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	p := &mailPage{Page: s.Shell.NewAppPage(r, me, "Mails", "events"), Settings: notify.Settings(me),
		SendsMail: s.Notify.SendsMail(), Site: httpx.Origin(s.Server.PublicURL)}
	return s.Shell.WriteApp(w, r, http.StatusOK, "mail.html", p.Nonce, p)
}

// ChangeMail takes the choice of mails: those that are named are on.
func (s *EventPages) ChangeMail(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	on := map[string]bool{}
	for _, m := range notify.Settings(me) {
		on[m.Name] = r.PostForm.Has(m.Name)
	}
	if _, err := s.Notify.Change(r.Context(), me.ID, on); err != nil {
		return err
	}
	return httpx.Redirect(w, r, app.Said(notify.SettingsPage, "saved"))
}
