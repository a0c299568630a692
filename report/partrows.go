package report

import (
	"strconv"

	"vitrine/report/part"
)

// parts returns the parts that a session read, or nil if they were not
// measured.
func (s *Session) parts() []PageTime {
	if !s.Outlined {
		return nil
	}
	return s.Pages
}

// PartRow is one part of a file that is no PDF, counted from 1. Its figures are
// those of a page, over the sessions in which parts were measured.
type PartRow struct {
	Part         int          `json:"part"`
	Label        string       `json:"label"`
	Views        int64        `json:"views"`
	ReachPct     Tenths       `json:"reachPct"`
	AvgMs        int64        `json:"avgMs"`
	AttentionPct Tenths       `json:"attentionPct"`
	BandsPct     []Tenths     `json:"bandsPct,omitempty"` // as of a page
	Words        int          `json:"words,omitempty"`
	Reading      part.Reading `json:"reading,omitempty"`
}

// PartDropoff is the part after which most sessions stopped; both fields are
// nil if too few did.
type PartDropoff struct {
	AfterPart *int    `json:"afterPart"`
	LostPct   *Tenths `json:"lostPct"`
}

// addParts adds how the parts of a file were read. Without a session in which
// they were measured, there are no rows: nothing is known, which is not zero.
func (c *Content) addParts(o part.Outline, t *Tally) {
	n := o.Len()
	if n == 0 {
		return
	}
	c.PartKind, c.PartSessions = o.Kind(), &t.outlined
	if t.outlined == 0 {
		return
	}
	furthest := t.furthest()
	parts := o.Parts()
	for i, row := range pageRows(n, furthest, t.outlined, t) {
		if c.PartKind == part.Section {
			row.BandsPct = nil // a section has no quarters
		}
		c.Parts = append(c.Parts, PartRow{row.Page, parts[i].Label, row.Views, row.ReachPct, row.AvgMs,
			row.AttentionPct, row.BandsPct, parts[i].Words,
			part.ReadingOf(parts[i].Words, row.Views, t.outlined, row.AvgMs)})
	}
	d := pageDropoff(n, t.outlined, t)
	c.PartDropoff = &PartDropoff{d.AfterPage, d.LostPct}
}

// PartName returns how a sentence names a part: "section 3", or "section 3
// (Prices)".
func (c *Content) PartName(part int) string {
	name := string(c.PartKind) + " " + strconv.Itoa(part)
	if label := c.Parts[part-1].Label; label != "" {
		name += " (" + label + ")"
	}
	return name
}
