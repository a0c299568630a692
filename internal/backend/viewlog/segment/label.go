package segment

import (
	"encoding/binary"

	"vitrine/report"
)

// WordID is the number of a word. All labels of word 0 are unknown.
type WordID uint64

// The kinds of words. A word combines labels that often occur together, such as
// a city and its country, or a browser and its system.
const (
	WordPlace    = 'p'
	WordOrigin   = 'o'
	WordAgent    = 'a'
	WordBot      = 'b' // reason, [product]
	WordScreen   = 's'
	WordCampaign = 'c'
	WordLabel    = 'l' // of a tally
)

// WordKind is a kind of words that have labels of views.
type WordKind struct {
	Kind       byte
	Dimensions []report.Dimension // in the order of the labels, at most maxLabels
	// ID returns where a record has the number of the word; nil: the word
	// belongs to the engagement.
	ID func(v *View) *WordID

	rows []*report.DimensionRow
}

// The indexes of WordKinds.
const (
	KindPlace = iota
	KindOrigin
	KindAgent
	KindCampaign
	KindScreen
	Kinds // how many there are
)

// WordKinds says in which word a row has each label.
var WordKinds = [Kinds]WordKind{
	KindPlace: {Kind: WordPlace, ID: func(v *View) *WordID { return &v.Place },
		Dimensions: []report.Dimension{report.OnCountry, report.OnCity}},
	KindOrigin: {Kind: WordOrigin, ID: func(v *View) *WordID { return &v.Origin },
		Dimensions: []report.Dimension{report.OnReferrer, report.OnSource}},
	KindAgent: {Kind: WordAgent, ID: func(v *View) *WordID { return &v.Agent },
		Dimensions: []report.Dimension{report.OnDevice, report.OnBrowser, report.OnOS}},
	KindCampaign: {Kind: WordCampaign, ID: func(v *View) *WordID { return &v.Campaign },
		Dimensions: []report.Dimension{report.OnCampaign, report.OnMedium, report.OnContent, report.OnTerm}},
	KindScreen: {Kind: WordScreen, Dimensions: []report.Dimension{report.OnScreen}},
}

func init() {
	for i := range WordKinds {
		k := &WordKinds[i]
		for _, d := range k.Dimensions {
			k.rows = append(k.rows, d.Row())
		}
	}
}

// Read sets the labels of a view to those of a word.
func (k *WordKind) Read(l *Labels, v *report.View) {
	for i, d := range k.rows {
		if field := d.Field(v); field != nil {
			*field = l.Labels[i]
		}
	}
}

// Number returns a row's number of the word.
func (k *WordKind) Number(r *Row) WordID {
	switch {
	case k.ID != nil:
		return *k.ID(&r.View)
	case r.Engaged:
		return r.Session.Screen
	}
	return 0
}

// Of returns the labels of a view for a word.
func (k *WordKind) Of(v *report.View) []string {
	labels := make([]string, len(k.rows))
	for i, d := range k.rows {
		if field := d.Field(v); field != nil {
			labels[i] = *field
		}
	}
	return labels
}

// maxLabels is the most labels of a word.
const maxLabels = 4

// Labels is some labels. Its stored form is the kind, then the length and
// bytes of each label.
type Labels struct {
	kind   byte
	Labels [maxLabels]string
}

// Unknown are the labels of the number 0: all empty.
var Unknown = new(Labels)

// AppendLabels appends the stored form of labels: the kind, then the length and
// the bytes of each.
func AppendLabels(b []byte, kind byte, labels ...string) []byte {
	b = append(b, kind)
	for _, l := range labels {
		b = binary.AppendUvarint(b, uint64(len(l)))
		b = append(b, l...)
	}
	return b
}

// ParseLabels reads what AppendLabels wrote. Damaged bytes lead to ErrDamaged.
func ParseLabels(b []byte) (*Labels, error) {
	if len(b) == 0 {
		return nil, ErrDamaged
	}
	w := &Labels{kind: b[0]}
	b = b[1:]
	text := string(b) // of all labels, which share its memory
	for i := 0; len(b) > 0; i++ {
		n, size := binary.Uvarint(b)
		if i == len(w.Labels) || size <= 0 || n > uint64(len(b)-size) {
			return nil, ErrDamaged
		}
		end := size + int(n)
		w.Labels[i] = text[size:end]
		b, text = b[end:], text[end:]
	}
	return w, nil
}
