package scan

import (
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// matcher applies a filter to rows. It checks each label once.
type matcher struct {
	word  func(segment.LabelID) (*segment.Labels, error)
	parts [kinds]part
	flags report.Filter // conditions on fields of the row itself
	kinds []int         // the parts that have conditions
}

// part is the part of a filter for one kind of labels.
type part struct {
	filter report.Filter
	set    func(o *report.View, l *[4]string)
	known  []byte // by number: 0 unknown, 1 no match, 2 match
}

func newMatcher(q *Query) matcher {
	f := q.Filter
	m := matcher{word: q.Word, flags: f.On(report.OnQR, report.OnReturning, report.OnVersion)}
	m.parts = [kinds]part{
		place: {filter: f.On(report.OnCountry, report.OnCity),
			set: func(o *report.View, l *[4]string) { o.Country, o.City = l[0], l[1] }},
		origin: {filter: f.On(report.OnReferrer, report.OnSource),
			set: func(o *report.View, l *[4]string) { o.Referrer, o.Source = l[0], l[1] }},
		agent: {filter: f.On(report.OnDevice, report.OnBrowser, report.OnOS),
			set: func(o *report.View, l *[4]string) { o.Device, o.Browser, o.OS = l[0], l[1], l[2] }},
		campaign: {filter: f.On(report.OnCampaign, report.OnMedium, report.OnContent, report.OnTerm),
			set: func(o *report.View, l *[4]string) {
				o.Campaign, o.Medium, o.Content, o.Term = l[0], l[1], l[2], l[3]
			}},
		screen: {filter: f.On(report.OnScreen), set: func(o *report.View, l *[4]string) {
			o.Session = &report.Session{Screen: l[0]}
		}},
	}
	for kind := range m.parts {
		if len(m.parts[kind].filter) > 0 {
			m.kinds = append(m.kinds, kind)
		}
	}
	return m
}

// holds reports whether the label with a number matches the part.
func (m *matcher) holds(kind int, id segment.LabelID) (bool, error) {
	p := &m.parts[kind]
	if id < segment.LabelID(len(p.known)) && p.known[id] != 0 {
		return p.known[id] == 2, nil
	}
	l, err := m.word(id)
	if err != nil {
		return false, err
	}
	var o report.View
	p.set(&o, &l.Labels)
	holds := p.filter.Match(&o)
	if id < fewLabels {
		if int(id) >= len(p.known) {
			p.known = append(p.known, make([]byte, int(id)+1-len(p.known))...)
		}
		if p.known[id] = 1; holds {
			p.known[id] = 2
		}
	}
	return holds, nil
}

// row reports whether a row matches.
func (m *matcher) row(r *segment.Row) (bool, error) {
	if len(m.flags) > 0 {
		o := report.View{QR: r.Flags&segment.ViewQR != 0, Returning: r.Flags&segment.ViewReturning != 0,
			Version: r.Version}
		if !m.flags.Match(&o) {
			return false, nil
		}
	}
	for _, kind := range m.kinds {
		if ok, err := m.holds(kind, labelOf(r, kind)); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// labelOf returns the number of a row's label of a kind.
func labelOf(r *segment.Row, kind int) segment.LabelID {
	switch {
	case kind == place:
		return r.Place
	case kind == origin:
		return r.Origin
	case kind == agent:
		return r.Agent
	case kind == campaign:
		return r.Campaign
	case r.Engaged: // screen
		return r.Session.Screen
	}
	return 0
}

// mayMatch reports whether a segment may contain rows that match. It checks the
// columns of labels that every row has.
func (m *matcher) mayMatch(u *segment.Decoder) (bool, error) {
	for kind, column := range [...]segment.Column{place: segment.PlaceColumn, origin: segment.OriginColumn,
		agent: segment.AgentColumn} {
		if len(m.parts[kind].filter) == 0 {
			continue
		}
		found := false
		for r := u.Column(column); r.More() && !found; {
			var err error
			if found, err = m.holds(kind, r.Word()); err != nil {
				return false, err
			}
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}
