package segment

import "encoding/binary"

// LabelID is the number of a word. All labels of word 0 are unknown.
type LabelID uint64

// The kinds of words. A word combines labels that often occur together, such as
// a city and its country, or a browser and its system.
const (
	WordPlace    = 'p' // country, city
	WordOrigin   = 'o' // referrer, source
	WordAgent    = 'a' // device, browser, os
	WordBot      = 'b' // reason, [product]
	WordScreen   = 's'
	WordCampaign = 'c' // campaign, medium, content, term
	WordLabel    = 'l' // of a tally
)

// Labels is up to four labels. Its stored form is the kind, then the length and
// bytes of each label.
type Labels struct {
	kind   byte
	Labels [4]string
}

var Unknown = new(Labels)

func AppendLabels(b []byte, kind byte, labels ...string) []byte {
	b = append(b, kind)
	for _, l := range labels {
		b = binary.AppendUvarint(b, uint64(len(l)))
		b = append(b, l...)
	}
	return b
}

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
