package report

import (
	"cmp"
	"slices"
	"strconv"
)

// Dimension is what views are counted and filtered by: a label of a view, or of
// its link. Its value is its name in filters and in CSV files.
type Dimension string

// The dimensions (analytics, Filters).
const (
	OnCountry   Dimension = "country"
	OnCity      Dimension = "city" // "City, CC", as its card has it
	OnReferrer  Dimension = "referrer"
	OnSource    Dimension = "source"
	OnDevice    Dimension = "device"
	OnBrowser   Dimension = "browser"
	OnOS        Dimension = "os"
	OnScreen    Dimension = "screen" // of the engagement
	OnCampaign  Dimension = "campaign"
	OnMedium    Dimension = "medium"
	OnContent   Dimension = "content"
	OnTerm      Dimension = "term"
	OnVersion   Dimension = "version"   // of the file, from 1
	OnRecipient Dimension = "recipient" // its ID; "" is the plain address
	OnAlbum     Dimension = "album"     // its ID; "" is none
	OnQR        Dimension = "qr"        // yes or no
	OnReturning Dimension = "returning" // yes or no
	OnKind      Dimension = "kind"      // of the link's file; of account reports
	OnLink      Dimension = "link"      // its slug; of account reports
)

// DimensionRow is what the program knows of a dimension. Filters, cards, CSV
// files, pages and the view log follow the table of them.
//
// A new label of views needs a field of [View] and one of [VisitRow], its row
// here, with its buckets in [Breakdowns] if it has a card, and its place in
// segment.WordKinds, by which the view log stores it. Something must set the
// field: what a request reveals is in internal/visitor. The tests of the log
// and of filters then cover it. The table has the order of filters and of the
// stored form of tallies, so a new row comes after those with cards.
type DimensionRow struct {
	Dimension
	Name string // on pages

	// Card is the name of its card in the API and in addresses, and Title on
	// pages. Without a card, views are not counted by it.
	Card, Title string
	// Sessions reports whether its card counts sessions, not views.
	Sessions bool
	// Extra reports whether its card is made only on request, and shown only
	// with rows.
	Extra bool
	// Sent reports whether anyone can send any value, so that the different
	// values of a network are limited.
	Sent bool

	// Field returns the label of a view; nil: none. A view without engagement
	// has no screen: it is nil, too.
	Field func(view *View) *string
	// Visit returns the label of a visit.
	Visit func(v *VisitRow) *string
	// buckets returns the rows of its card.
	buckets func(b *Breakdowns) *[]Bucket
	// key returns the value in filters and on the card; nil: the label.
	key   func(view *View) string
	index int // in the table
}

var dimensions = [...]DimensionRow{
	{Dimension: OnLink, Name: "Link"},
	{Dimension: OnKind, Name: "Kind"},
	{Dimension: OnCountry, Name: "Country", Card: "countries", Title: "Countries",
		Field:   func(view *View) *string { return &view.Country },
		Visit:   func(v *VisitRow) *string { return &v.Country },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Countries }},
	{Dimension: OnCity, Name: "City", Card: "cities", Title: "Cities",
		Field:   func(view *View) *string { return &view.City },
		Visit:   func(v *VisitRow) *string { return &v.City },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Cities },
		key:     func(view *View) string { return cityKey(view.City, view.Country) }},
	{Dimension: OnReferrer, Name: "Referrer", Card: "referrers", Title: "Referrers", Sent: true,
		Field:   func(view *View) *string { return &view.Referrer },
		Visit:   func(v *VisitRow) *string { return &v.Referrer },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Referrers }},
	{Dimension: OnSource, Name: "Source", Card: "sources", Title: "Sources", Sent: true,
		Field:   func(view *View) *string { return &view.Source },
		Visit:   func(v *VisitRow) *string { return &v.Source },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Sources },
		key:     func(view *View) string { return cmp.Or(view.Source, directSource) }},
	{Dimension: OnDevice, Name: "Device", Card: "devices", Title: "Devices",
		Field:   func(view *View) *string { return &view.Device },
		Visit:   func(v *VisitRow) *string { return &v.Device },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Devices }},
	{Dimension: OnBrowser, Name: "Browser", Card: "browsers", Title: "Browsers",
		Field:   func(view *View) *string { return &view.Browser },
		Visit:   func(v *VisitRow) *string { return &v.Browser },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Browsers }},
	{Dimension: OnOS, Name: "System", Card: "os", Title: "Systems",
		Field:   func(view *View) *string { return &view.OS },
		Visit:   func(v *VisitRow) *string { return &v.OS },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.OS }},
	{Dimension: OnScreen, Name: "Window width", Card: "screens", Title: "Window widths", Sessions: true,
		Field: func(view *View) *string {
			if view.Session == nil {
				return nil
			}
			return &view.Session.Screen
		},
		Visit:   func(v *VisitRow) *string { return &v.Screen },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Screens }},
	{Dimension: OnCampaign, Name: "Campaign", Card: "campaigns", Title: "Campaigns", Extra: true, Sent: true,
		Field:   func(view *View) *string { return &view.Campaign },
		Visit:   func(v *VisitRow) *string { return &v.Campaign },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Campaigns }},
	{Dimension: OnMedium, Name: "Medium", Card: "mediums", Title: "Campaign mediums", Extra: true, Sent: true,
		Field:   func(view *View) *string { return &view.Medium },
		Visit:   func(v *VisitRow) *string { return &v.Medium },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Mediums }},
	{Dimension: OnContent, Name: "Content", Card: "contents", Title: "Campaign contents", Extra: true, Sent: true,
		Field:   func(view *View) *string { return &view.Content },
		Visit:   func(v *VisitRow) *string { return &v.Content },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Contents }},
	{Dimension: OnTerm, Name: "Term", Card: "terms", Title: "Campaign terms", Extra: true, Sent: true,
		Field:   func(view *View) *string { return &view.Term },
		Visit:   func(v *VisitRow) *string { return &v.Term },
		buckets: func(b *Breakdowns) *[]Bucket { return &b.Terms }},
	{Dimension: OnVersion, Name: "Version", key: func(view *View) string { return strconv.Itoa(max(view.Version, 1)) }},
	{Dimension: OnRecipient, Name: "Recipient", key: func(view *View) string { return IDText(view.Recipient) }},
	{Dimension: OnAlbum, Name: "Album", key: func(view *View) string { return IDText(view.Album) }},
	{Dimension: OnQR, Name: "QR scan", key: func(view *View) string { return yesNo(view.QR) }},
	{Dimension: OnReturning, Name: "Returning", key: func(view *View) string { return yesNo(view.Returning) }},
}

// Breakdowns is `breakdowns` of a report: counted views by label, the largest
// first (analytics, Breakdowns). Only Screens counts sessions.
type Breakdowns struct {
	Countries []Bucket `json:"countries"` // ISO 3166-1 alpha-2
	Cities    []Bucket `json:"cities"`    // "City, CC"
	Referrers []Bucket `json:"referrers"`
	Sources   []Bucket `json:"sources"`
	Devices   []Bucket `json:"devices"`
	Browsers  []Bucket `json:"browsers"`
	OS        []Bucket `json:"os"`
	Screens   []Bucket `json:"screens"`

	// Extra cards: the values of utm_ parameters.
	Campaigns []Bucket `json:"campaigns,omitzero"`
	Mediums   []Bucket `json:"mediums,omitzero"`
	Contents  []Bucket `json:"contents,omitzero"`
	Terms     []Bucket `json:"terms,omitzero"`
}

// byDimension has the rows by dimension, and labelled and carded those with a
// field and with a card.
var (
	byDimension      = map[Dimension]*DimensionRow{}
	labelled, carded []*DimensionRow
)

func init() {
	for i := range dimensions {
		row := &dimensions[i]
		row.index, byDimension[row.Dimension] = i, row
		if row.Field != nil {
			labelled = append(labelled, row)
		}
		if row.Card != "" {
			carded = append(carded, row)
		}
	}
}

// Dimensions returns the rows of all dimensions, in the order of a filter.
func Dimensions() []DimensionRow { return slices.Clone(dimensions[:]) }

// Labels returns the rows of the labels of views.
func Labels() []*DimensionRow { return labelled }

// Cards returns the rows with cards, in the order of pages: sources come before
// referrers, and cards that are not always there before the last one.
func Cards() []*DimensionRow {
	rank := func(d *DimensionRow) int {
		switch {
		case d.Dimension == OnSource:
			return byDimension[OnReferrer].index
		case d.Dimension == OnReferrer:
			return byDimension[OnSource].index
		case d.Sessions:
			return len(dimensions)
		}
		return d.index
	}
	return slices.SortedStableFunc(slices.Values(carded), func(a, b *DimensionRow) int { return rank(a) - rank(b) })
}

// Row returns the row of a dimension, or nil if there is none.
func (d Dimension) Row() *DimensionRow { return byDimension[d] }

// Buckets returns the rows of the dimension's card.
func (d *DimensionRow) Buckets(b *Breakdowns) []Bucket { return *d.buckets(b) }

// OfLink reports whether the dimension is one of links, not of views.
func (d *DimensionRow) OfLink() bool { return d.Field == nil && d.key == nil }

// Key returns the value of a view in filters and on the card, or "" if it is
// unknown.
func (d *DimensionRow) Key(v *View) string {
	if d.key != nil {
		return d.key(v)
	}
	if d.Field == nil {
		return ""
	}
	if label := d.Field(v); label != nil {
		return *label
	}
	return ""
}

func yesNo(b bool) string {
	if b {
		return Yes
	}
	return No
}

// cityKey returns the name of a city on its card.
func cityKey(city, country string) string {
	if city == "" || country == "" {
		return city
	}
	return city + ", " + country
}
