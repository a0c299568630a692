package scan

import (
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// matcher applies a filter to rows. It checks each label once.
type matcher struct {
	word  func(segment.WordID) (*segment.Labels, error)
	parts [segment.Kinds]wordFilter
	flags report.Filter // conditions on fields of the row itself
	kinds []int         // the parts that have conditions
	left  []int         // those that rows may not match: kinds, or some
	some  []int         // those that not all rows of a segment match
}

// wordFilter is the part of a filter for one kind of words.
type wordFilter struct {
	filter report.Filter
	known  []byte // by number: 0 unknown, 1 no match, 2 match
}

func newMatcher(q *Query) matcher {
	m := matcher{word: q.Word, flags: q.Filter.On(report.OnQR, report.OnReturning, report.OnVersion,
		report.OnRecipient, report.OnAlbum)}
	for kind := range m.parts {
		m.parts[kind].filter = q.Filter.On(segment.WordKinds[kind].Dimensions...)
		if len(m.parts[kind].filter) > 0 {
			m.kinds = append(m.kinds, kind)
		}
	}
	m.left = m.kinds
	return m
}

// holds reports whether the label with a number matches the part.
func (m *matcher) holds(kind int, id segment.WordID) (bool, error) {
	p := &m.parts[kind]
	if id < segment.WordID(len(p.known)) && p.known[id] != 0 {
		return p.known[id] == 2, nil
	}
	l, err := m.word(id)
	if err != nil {
		return false, err
	}
	holds := p.filter.Match(viewOf(kind, l))
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
		v := report.View{QR: r.Flags&segment.ViewQR != 0, Returning: r.Flags&segment.ViewReturning != 0,
			Version: r.Version, Recipient: r.Recipient, Album: r.Album}
		if !m.flags.Match(&v) {
			return false, nil
		}
	}
	for _, kind := range m.left {
		if ok, err := m.holds(kind, segment.WordKinds[kind].Number(r)); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// viewOf returns a view with only the labels of a word.
func viewOf(kind int, l *segment.Labels) *report.View {
	var v report.View
	if kind == segment.KindScreen {
		v.Session = new(report.Session)
	}
	segment.WordKinds[kind].Read(l, &v)
	return &v
}

// mayMatch reports whether a segment may contain rows that match, and prepares
// for its rows. It checks the columns of labels that every row has.
func (m *matcher) mayMatch(u *segment.Decoder) (bool, error) {
	if !u.Named() && !m.flags.On(report.OnRecipient).Match(new(report.View)) {
		return false, nil // all views are through the plain address
	}
	if !u.FromAlbums() && m.flags.FromAlbums() {
		return false, nil // none came from an album
	}
	m.some = m.some[:0]
	for _, kind := range m.kinds {
		some, all := wordColumns[kind] == 0, false
		if !some {
			var err error
			if some, all, err = m.among(kind, u.Words(wordColumns[kind])); err != nil || !some {
				return false, err
			}
		}
		if !all {
			m.some = append(m.some, kind)
		}
	}
	m.left = m.some
	return true, nil
}

// wordColumns are the columns of labels that every row has.
var wordColumns = [segment.Kinds]segment.Column{segment.KindPlace: segment.PlaceColumn,
	segment.KindOrigin: segment.OriginColumn, segment.KindAgent: segment.AgentColumn}

// among reports whether some or all of the labels match the part.
func (m *matcher) among(kind int, labels []int64) (some, all bool, err error) {
	all = true
	for _, id := range labels {
		holds, err := m.holds(kind, segment.WordID(id))
		if err != nil {
			return false, false, err
		}
		some, all = some || holds, all && holds
	}
	return some, all, nil
}
