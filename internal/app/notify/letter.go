package notify

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/base/notation"
	"vitrine/report/country"
)

// letter is what a mail says. Its text and its HTML say the same.
type letter struct {
	Subject string // also the heading
	Lines   []string
	Facts   []fact
	Links   []fact // the most viewed ones
	Notes   []string
	Do, URL string // the button

	Site     string // name of the instance
	Kind     string // "first views"
	StopLink string // address that ends mails about the link; "" if there is none
	Stop     string // address that ends all mails of the kind
	Settings string
}

// fact is a number or a text with its name. URL is its page; "" for none.
type fact struct{ Name, Value, URL string }

//go:embed letter.html
var letterHTML string

var page = template.Must(template.New("letter").Parse(letterHTML))

// message formats the letter.
func (m *letter) message(to string) (vitrine.Message, error) {
	var html bytes.Buffer
	err := page.Execute(&html, m)
	return vitrine.Message{To: to, Subject: m.Subject, Text: m.text(), HTML: html.String(), Stop: m.Stop}, err
}

// text formats the letter as plain text.
func (m *letter) text() string {
	var b strings.Builder
	for _, line := range append([]string{m.Subject}, m.Lines...) {
		b.WriteString(wrap(line) + "\n\n")
	}
	for _, list := range [][]fact{m.Facts, m.Links} {
		for _, f := range list {
			b.WriteString(wrap(f.Name+": "+f.Value) + "\n")
		}
		if len(list) > 0 {
			b.WriteString("\n")
		}
	}
	for _, line := range m.Notes {
		b.WriteString(wrap(line) + "\n\n")
	}
	fmt.Fprintf(&b, "%s:\n%s\n\n-- \nVitrine at %s\n", m.Do, m.URL, m.Site)
	if m.StopLink != "" {
		fmt.Fprintf(&b, "Stop mails about this link: %s\n", m.StopLink)
	}
	fmt.Fprintf(&b, "Stop mails about %s: %s\nChoose your mails: %s\n", m.Kind, m.Stop, m.Settings)
	return b.String()
}

// textWidth is the longest line of a text, in characters.
const textWidth = 72

// wrap breaks a line between words.
func wrap(line string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(line) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > textWidth:
			b.WriteString("\n")
			at = 0
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// shownTitle is how much of a title or label a mail shows, in characters.
const shownTitle = 60

// shown returns a title on one line, without what mail programs would turn into
// a link to somewhere else.
func shown(title string) string {
	title = strings.Join(strings.Fields(title), " ")
	if r := []rune(title); len(r) > shownTitle {
		title = string(r[:shownTitle]) + "…"
	}
	return linkLike.Replace(title)
}

// linkLike breaks addresses with a character that has no width.
var linkLike = strings.NewReplacer("://", ":\u2060//", ".", ".\u2060", "@", "@\u2060")

func (s *Service) link(l *vitrine.Link, page string) string {
	return s.Public + "/links/" + url.PathEscape(string(l.Slug)) + page
}

// viewed is the letter about a view of a link: the first one, that of a day, or
// the first one by a recipient.
func (s *Service) viewed(l *vitrine.Link, a *vitrine.Account, n *events.Numbers, who string, at time.Time,
	kind vitrine.EventKind) *letter {
	m := &letter{Subject: "“" + shown(l.Title) + "” was viewed for the first time", Do: "Open the link’s page",
		URL: s.link(l, "")}
	switch kind {
	case events.Daily:
		m.Subject = "“" + shown(l.Title) + "” was viewed"
	case vitrine.EventRecipientOpened:
		m.Subject = cmp.Or(shown(who), "A recipient") + " has opened “" + shown(l.Title) + "”"
	}
	v := n.Visit
	if !a.Plan.Pro() || v == nil {
		m.Lines = []string{"A person has viewed your link."}
		return m
	}
	m.Lines = []string{"A person has viewed your link. These are the numbers so far; the visit may go on."}
	if kind == vitrine.EventRecipientOpened {
		m.Lines[0] = "A person has viewed your link through this recipient’s address, for the first time. These are the numbers so far; the visit may go on."
	}
	m.Do, m.URL = "See the visit", s.link(l, "/analytics/visits/"+v.ID)
	add := func(name, value string) {
		if value != "" {
			m.Facts = append(m.Facts, fact{Name: name, Value: value})
		}
	}
	add("Recipient", shown(who))
	add("When", at.In(a.Zone()).Format("2 Jan 2006, 15:04 MST"))
	if v.Engaged {
		add("Time so far", notation.Lasting(v.EngagedMs))
		add("Progress so far", v.Progress)
	} else {
		add("Time so far", "not measured")
	}
	place := country.Name(v.Country)
	if v.City != "" {
		place = v.City + ", " + place
	}
	add("Place", place)
	add("Device", strings.Join(words(v.Device, v.Browser, v.OS), ", "))
	add("Views of the link", notation.Count(n.Views))
	add("Downloads", notation.Count(n.Downloads))
	return m
}

func words(list ...string) (some []string) {
	for _, w := range list {
		if w != "" {
			some = append(some, w)
		}
	}
	return some
}

// spike is the letter about unusually many views.
func (s *Service) spike(l *vitrine.Link, a *vitrine.Account, n *events.Numbers) *letter {
	m := &letter{Subject: "“" + shown(l.Title) + "” has unusually many views", Do: "Open the link’s page",
		URL: s.link(l, "")}
	if !a.Plan.Pro() || n.Spike == nil {
		m.Lines = []string{"Your link has at least 10 times as many views today as on a usual day."}
		return m
	}
	m.Lines = []string{"Your link has at least 10 times as many views by people today as on a usual day. You get no other alert about it for 12 hours."}
	m.Facts = []fact{{Name: "Views today (UTC)", Value: notation.Count(n.Today)},
		{Name: "Views on a usual day", Value: strings.TrimSuffix(fmt.Sprintf("%.1f", n.Median), ".0")},
		{Name: "Views of the link", Value: notation.Count(n.Views)}}
	m.Do, m.URL = "See the report", s.link(l, "/analytics")
	return m
}

// week is the letter that sums up a week.
func (s *Service) week(w *events.Week) *letter {
	views := notation.Count(w.Views) + " views"
	if w.Views == 1 {
		views = "1 view"
	}
	m := &letter{Subject: "Your week: " + views, Do: "See the report",
		URL: s.Public + "/analytics?from=" + w.From + "&to=" + w.To}
	m.Lines = []string{"All your links, " + date(w.From) + " to " + date(w.To) + " (" + w.Timezone + ")."}
	average := "not measured"
	if w.Sessions > 0 {
		average = notation.Lasting(w.AvgEngagedMs)
	}
	m.Facts = []fact{{Name: "Views", Value: notation.Count(w.Views)},
		{Name: "Unique viewers", Value: notation.Count(w.Uniques)},
		{Name: "Average time", Value: average}, {Name: "Downloads", Value: notation.Count(w.Downloads)}}
	for _, l := range w.Links {
		to := "/links/" + url.PathEscape(l.Slug) + "/analytics"
		if l.Trashed {
			to = "/trash"
		}
		m.Links = append(m.Links, fact{Name: shown(l.Title), Value: notation.Count(l.Views), URL: s.Public + to})
	}
	if w.Trash != nil {
		m.Notes = append(m.Notes, "In the trash: "+notation.Count(w.Trash.Views)+
			" of these views are of deleted links. They count until the links are deleted for good.")
	}
	if w.Excluded > 0 {
		m.Notes = append(m.Notes, "Excluded: "+notation.Count(w.Excluded)+
			" views by programs, such as scanners and link previews. They count in no other number.")
	}
	return m
}

// date returns a date such as 2026-11-02 for people.
func date(text string) string {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return text
	}
	return t.Format("2 Jan 2006")
}
