package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"vitrine/report/part"
)

// VisitRow is one view of a link with everything the log has, except what would
// identify its viewer (analytics, Visits).
type VisitRow struct {
	ID     string `json:"id"`
	Viewer string `json:"viewer"` // a name for the viewer, on this link only

	At         time.Time `json:"at"`
	Country    string    `json:"country"` // labels are "" when unknown
	City       string    `json:"city"`
	Device     string    `json:"device"`
	Browser    string    `json:"browser"`
	OS         string    `json:"os"`
	Source     string    `json:"source"`
	EngagedMs  int64     `json:"engagedMs"`
	Progress   string    `json:"progress"`
	Downloaded bool      `json:"downloaded"`
	Returning  bool      `json:"returning"`
	Atypical   bool      `json:"atypical"`

	Referrer  string       `json:"referrer"`
	Campaign  string       `json:"campaign"`
	Medium    string       `json:"medium"`
	Content   string       `json:"content"`
	Term      string       `json:"term"`
	Screen    string       `json:"screen"`
	Version   int          `json:"version"`
	Recipient string       `json:"recipient"` // its ID; "" is the link's plain address
	Album     string       `json:"album"`     // the ID of the album it was opened from; "" is none
	QR        bool         `json:"qr"`
	Excluded  string       `json:"excluded"` // the reason code of a view that does not count
	Product   string       `json:"product"`  // the program of such a view, where it is known
	Undecided bool         `json:"-"`        // excluded until it is read
	Engaged   bool         `json:"engaged"`  // whether there is engagement data; otherwise the rest is zero
	PresentMs int64        `json:"presentMs"`
	Pages     []PageSeen   `json:"pages,omitzero"`      // of a PDF, in order; nil if not measured
	Parts     []PartSeen   `json:"parts,omitzero"`      // as Pages, of other files
	Clicks    []part.Click `json:"clicks,omitempty"`    // on links inside the file, by part and target
	Played    *Tenths      `json:"playedPct,omitempty"` // of media
	Reached   *Tenths      `json:"reachedPct,omitempty"`
	PlayedIn  [][2]int     `json:"playedIn,omitempty"` // ranges of hundredths that were played, where known
	Depth     *Tenths      `json:"depthPct,omitempty"` // of what is scrolled

	// SameViewer lists all visits of the same viewer, newest first, including
	// this one. It is set only for a single visit, not in lists.
	SameViewer []SameVisit `json:"sameViewer,omitempty"`
}

// SameVisit is the summary of a visit.
type SameVisit struct {
	ID string
	At time.Time
}

// MarshalJSON writes At as dateTime does.
func (v SameVisit) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"id": v.ID, "at": dateTime(v.At)})
}

// PageSeen is a page that a visit saw.
type PageSeen struct {
	Page  int     `json:"page"`
	Ms    int64   `json:"ms"`
	Bands []int64 `json:"bands,omitempty"` // of Ms, on each quarter from the top; nil if not measured
}

// PartSeen is a part of a file that a visit read.
type PartSeen struct {
	Part  int     `json:"part"`
	Ms    int64   `json:"ms"`
	Bands []int64 `json:"bands,omitempty"` // as of a page
}

// VisitOf renders a view of a link, with the progress in the file that it
// showed.
func VisitOf(l *Link, id, viewer string, v *View) VisitRow {
	l = l.withFile(v.Version)
	row := VisitRow{ID: id, Viewer: viewer, At: time.UnixMilli(v.At).UTC(), Progress: "opened",
		Downloaded: v.Downloaded, Returning: v.Returning, Atypical: v.Atypical(), Version: max(v.Version, 1),
		Recipient: IDText(v.Recipient), Album: IDText(v.Album), QR: v.QR,
		Excluded: ShownReason(v.Bot), Product: v.Product,
		Undecided: Undecided(v.Bot)}
	for _, d := range labelled {
		if label := d.Field(v); label != nil {
			*d.Visit(&row) = *label
		}
	}
	row.Source = cmp.Or(row.Source, directSource)
	s := v.Session
	if s == nil {
		return row
	}
	row.Engaged, row.EngagedMs, row.PresentMs, row.Progress = true, s.EngagedMs, s.PresentMs, progressText(l, s)
	if l.Content == ContentPages || l.Content == ContentScroll {
		row.Clicks = slices.Clone(s.Clicks)
	}
	if s.Unmeasured {
		return row
	}
	switch l.Content {
	case ContentPages:
		row.Pages = []PageSeen{}
		for _, p := range s.Pages {
			row.Pages = append(row.Pages, PageSeen{p.Page, p.Ms, p.Bands.List()})
		}
	case ContentMedia:
		played, reached := pct(within(s.Played, Whole), Whole), pct(within(s.Reached, Whole), Whole)
		row.Played, row.Reached = &played, &reached
		s.Parts.Ranges(func(from, to int) { row.PlayedIn = append(row.PlayedIn, [2]int{from, to}) })
	case ContentScroll:
		depth := pct(within(s.Depth, Whole), Whole)
		row.Depth = &depth
		if s.Outlined {
			row.Parts = []PartSeen{}
		}
		for _, p := range s.parts() {
			row.Parts = append(row.Parts, PartSeen{p.Page, p.Ms, p.Bands.List()})
		}
	}
	return row
}

// MarshalJSON writes At as dateTime does.
func (v VisitRow) MarshalJSON() ([]byte, error) {
	type plain VisitRow
	return json.Marshal(struct {
		plain
		At string `json:"at"`
	}{plain(v), dateTime(v.At)})
}
