package reportpage

import (
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/links"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/chart"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// The marks of a chart: versions of the file, and the owner's notes with their
// forms.

// statsMarked is a mark in the list below the chart.
type statsMarked struct {
	report.DayMark
	Date string // for people
}

// mark adds the marks of a link's report to its chart, and lists them.
func (p *reportPage) mark(now time.Time) {
	at := map[int][]report.DayMark{}
	left := len(p.Summary.Series) - len(p.Series.Points)
	for _, m := range p.Of.Marks {
		p.Marked = append(p.Marked, statsMarked{m, ui.ShortDate(m.Day.Time(), time.UTC, now)})
		i := max(markedPoint(p.Summary.Series, m)-left, 0)
		at[i] = append(at[i], m)
	}
	for i := range p.Series.Chart.Points {
		point := &p.Series.Chart.Points[i]
		kind := ""
		for _, m := range at[i] {
			name := "Note"
			if m.Kind == analytics.MarkVersion {
				name = "File"
			}
			point.Tip += "\n" + chart.Row("mark", name, m.Text)
			if kind != "" && kind != m.Kind {
				kind = "both"
			} else {
				kind = m.Kind
			}
		}
		if kind != "" {
			p.Series.Chart.Flags = append(p.Series.Chart.Flags, chart.Flag{At: point.At, Class: kind})
		}
	}
}

// markedPoint returns the point of a series that a mark is at, or -1 if it is
// before the first.
func markedPoint(series []report.Point, m report.DayMark) int {
	at := -1
	for i, p := range series {
		switch {
		case p.At == "" && p.Date <= m.Day, p.At != "" && m.At != "" && p.At <= m.At:
			at = i
		case p.At != "" && m.At == "" && p.Date == m.Day && at < 0:
			at = i // the first hour of the day
		}
	}
	return at
}

// statsNotes are the forms of the notes of a link.
type statsNotes struct {
	Action string // address that adds a note; one is changed below it
	View   string // the query of the page
	First  string // day that a note can have
	Today  string // last day that a note can have

	// A note that was refused.
	Wrong httpx.FieldErrors
	ID    int // 0: a new one
	Day   string
	Text  string
}

// newStatsNotes returns the forms of a link's report.
func newStatsNotes(l *vitrine.Link, n *numbers, now time.Time) *statsNotes {
	zone, err := time.LoadLocation(n.link.Range.Timezone)
	if err != nil {
		zone = time.UTC
	}
	return &statsNotes{Action: reportRoot(l) + "/notes", View: n.q.Values().Encode(),
		First: l.CreatedAt.In(zone).Format(time.DateOnly), Today: now.In(zone).Format(time.DateOnly)}
}

// Form returns what the form of a note shows: what was typed, or the note.
func (s *statsNotes) Form(id int, day, text any) *statsNotes {
	form := *s
	if s.Wrong == nil || s.ID != id {
		form.Wrong, form.ID = nil, id
		form.Day, form.Text = toText(day), toText(text)
	}
	return &form
}

func toText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case report.Day:
		return v.String()
	}
	return ""
}

// AddNote takes the form of a new note of a link.
func (s *Handler) AddNote(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.changeNote(w, r, me, func(slug string, n links.Note) error {
		_, err := s.Links.AddNote(r.Context(), me, slug, n, nil)
		return err
	})
}

// EditNote takes the form of a changed note.
func (s *Handler) EditNote(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.changeNote(w, r, me, func(slug string, n links.Note) error {
		n.ID = api.NoteOf(r)
		return s.Links.EditNote(r.Context(), me, slug, n)
	})
}

// DeleteNote takes the form that deletes a note.
func (s *Handler) DeleteNote(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.changeNote(w, r, me, func(slug string, _ links.Note) error {
		return s.Links.DeleteNote(r.Context(), me, slug, api.NoteOf(r))
	})
}

func (s *Handler) changeNote(w http.ResponseWriter, r *http.Request, me *vitrine.Account,
	change func(slug string, n links.Note) error) error {
	if err := api.NeedPro(me); err != nil {
		return err
	}
	l, err := s.linkOf(r, me)
	if err != nil {
		return err
	}
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	q, err := viewOf(r.PostForm.Get("view"))
	if err != nil {
		return err
	}
	n := links.Note{Text: r.PostForm.Get("text"), Day: report.NoDay}
	day := r.PostForm.Get("day")
	_ = n.Day.UnmarshalText([]byte(day)) // what is no date stays NoDay, which is refused
	err = change(string(l.Slug), n)
	wrong := httpx.FieldErrorsOf(err)
	if err != nil && wrong == nil {
		return err
	}
	if wrong == nil {
		return httpx.Redirect(w, r, place{root: app.LinkAddress(l) + analyticsRoot, q: q}.at("")+"#marks")
	}
	_, status := s.Server.Known(w, r, err)
	return s.show(w, r, me, status, q, func(p *reportPage) {
		if p.Notes != nil {
			p.Notes.Wrong, p.Notes.ID, p.Notes.Day, p.Notes.Text = wrong, api.NoteOf(r), day, n.Text
		}
	})
}
