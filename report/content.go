package report

import (
	"slices"

	"vitrine/report/part"
)

// ContentKind is how reading a link is measured.
type ContentKind string

// The content kinds (analytics, Content).
const (
	ContentPages  ContentKind = "pages"
	ContentMedia  ContentKind = "media"
	ContentScroll ContentKind = "scroll"
	ContentNone   ContentKind = "none"
)

// ContentOf returns how progress through a kind of file is measured (contract,
// createUpload), or ContentNone for an unknown kind.
func ContentOf[K ~string](kind K) ContentKind {
	switch kind {
	case "pdf":
		return ContentPages
	case "video", "audio":
		return ContentMedia
	case "html", "image", "text", "document":
		return ContentScroll
	}
	return ContentNone
}

// Content is `content` of a link's report, over counted sessions of which it is
// known how far they came (analytics, Content). Only the card of its kind is
// set; with ContentNone none is.
type Content struct {
	Kind ContentKind `json:"kind"`
	// Version is the version of the file that the card describes, or 0 if the
	// file was never replaced.
	Version int `json:"version,omitempty"`
	// OfVersion is Sessions, if the card is of one version. If it is 0, nothing
	// was measured, and all figures are 0.
	OfVersion *int64 `json:"sessions,omitempty"`
	// Sessions is how many sessions the card is of.
	Sessions int64          `json:"-"`
	Pages    *PagesContent  `json:"pages,omitempty"`
	Media    *MediaContent  `json:"media,omitempty"`
	Scroll   *ScrollContent `json:"scroll,omitempty"`

	// Of a file with an outline: what its parts are, how many sessions measured
	// them, and if any did, the parts and where readers stopped.
	PartKind     part.Kind    `json:"partKind,omitempty"`
	PartSessions *int64       `json:"partSessions,omitempty"`
	Parts        []PartRow    `json:"parts,omitempty"`
	PartDropoff  *PartDropoff `json:"partDropoff,omitempty"`

	// Clicks has the links inside the file that were followed, the most often
	// followed ones first.
	Clicks []part.Click `json:"clicks,omitempty"`
}

// PagesContent is how a document was read. If its length is unknown, PagesTotal
// and ReadToEndPct are 0 and Pages ends with the furthest page seen.
type PagesContent struct {
	PagesTotal   int         `json:"pagesTotal"`
	AvgPagesSeen Tenths      `json:"avgPagesSeen"`
	ReadToEndPct Tenths      `json:"readToEndPct"`
	Pages        []PageRow   `json:"pages"`
	Dropoff      PageDropoff `json:"dropoff"`
	ExpectedMs   *int64      `json:"expectedMs,omitempty"` // on request: the median of the pages
	parts        []part.Part // with their words, where they are known
}

// PageRow is one page of a document, counted from 1.
type PageRow struct {
	Page         int          `json:"page"`
	Views        int64        `json:"views"`                 // sessions that saw it
	ReachPct     Tenths       `json:"reachPct"`              // share whose furthest page is this or a later one
	AvgMs        int64        `json:"avgMs"`                 // among those that saw it
	AttentionPct Tenths       `json:"attentionPct"`          // share of the time on all pages
	ExpectedPct  *Tenths      `json:"expectedPct,omitempty"` // on request, as the rest: AvgMs, of the expected time
	BandsPct     []Tenths     `json:"bandsPct,omitempty"`    // of the time, on each quarter from the top; nil if not measured
	Words        int          `json:"words,omitempty"`
	Reading      part.Reading `json:"reading,omitempty"`
}

// PageDropoff is the page after which most sessions stopped; both fields are
// nil if too few did.
type PageDropoff struct {
	AfterPage *int    `json:"afterPage"`
	LostPct   *Tenths `json:"lostPct"`
}

// MediaContent is how a video or an audio was played.
type MediaContent struct {
	PlayedPct    Tenths      `json:"playedPct"`    // share that played at all
	AvgPlayedPct Tenths      `json:"avgPlayedPct"` // distinct time played, of the duration
	FinishedPct  Tenths      `json:"finishedPct"`
	Quartiles    []Mark      `json:"quartiles"` // by furthest point
	Dropoff      MarkDropoff `json:"dropoff"`

	// On request, 100 points each.
	Curve  []Tenths `json:"curve,omitzero"`  // share whose furthest point is this percent or beyond
	Played []Tenths `json:"played,omitzero"` // share that played this hundredth, of those with known data
}

// ScrollContent is how far a page was scrolled.
type ScrollContent struct {
	AvgDepthPct  Tenths      `json:"avgDepthPct"`
	ReadToEndPct Tenths      `json:"readToEndPct"`
	Depths       []Mark      `json:"depths"`
	Dropoff      MarkDropoff `json:"dropoff"`

	Curve []Tenths `json:"curve,omitzero"` // on request: share that came to this percent or further, 100 points
}

// Mark is the share of sessions that reached a point of 25, 50, 75 or 100
// percent.
type Mark struct {
	Pct      int64  `json:"pct"`
	ReachPct Tenths `json:"reachPct"`
}

// MarkDropoff is the mark before which most sessions stopped; both fields are
// nil if too few did.
type MarkDropoff struct {
	BeforePct *int64  `json:"beforePct"`
	LostPct   *Tenths `json:"lostPct"`
}

// ContentOfTally returns only the content card of a link.
func ContentOfTally(l *Link, t *Tally) Content { return content(l, orEmpty(t)) }

func content(l *Link, t *Tally) Content {
	c := Content{Kind: l.Content, Sessions: t.sessions.measured()}
	switch l.Content {
	case ContentPages:
		c.Pages, c.Clicks = pagesContent(max(l.Pages, 0), t), t.clickRows()
		c.Pages.parts = l.Outline.Parts()
	case ContentMedia:
		c.Media = mediaContent(t)
	case ContentScroll:
		c.Scroll, c.Clicks = scrollContent(t), t.clickRows()
		c.addParts(l.Outline, t)
	default:
		c.Kind = ContentNone
	}
	return c
}

// clickRows lists the most clicked links.
func (t *Tally) clickRows() (rows []part.Click) {
	for label, n := range t.clicks {
		rows = append(rows, part.ClickOf(label, *n))
	}
	return part.TopClicks(rows)
}

func pagesContent(total int, t *Tally) *PagesContent {
	furthest := t.furthest()
	end := total
	if total == 0 {
		end = furthest
	}
	sessions := t.sessions.measured()
	c := &PagesContent{
		PagesTotal:   total,
		AvgPagesSeen: Tenths(ratio(t.sessions.pages, sessions, 10)),
		Pages:        pageRows(end, furthest, sessions, t),
		Dropoff:      pageDropoff(end, sessions, t),
	}
	if total > 0 {
		c.ReadToEndPct = pct(t.reach(total), sessions)
	}
	return c
}

// furthest returns the furthest page that a session saw.
func (t *Tally) furthest() (page int) {
	for p := range t.pages {
		page = max(page, p)
	}
	return page
}

// reach returns how many sessions have page p or a later page as their furthest
// page.
func (t *Tally) reach(p int) int64 {
	var n int64
	for q, s := range t.pages {
		if q >= p {
			n += s.last
		}
	}
	return n
}

// pageRows lists the pages 1 to end, as so many sessions read them; of a
// document of absurd length, only the pages that a session reached.
func pageRows(end, furthest int, sessions int64, t *Tally) []PageRow {
	if end > maxPageRows {
		end = min(furthest, maxPageRows)
	}
	var allMs int64
	for _, s := range t.pages {
		allMs += s.ms
	}
	rows := make([]PageRow, end)
	reach := t.reach(end + 1)
	for i, row := range slices.Backward(rows) {
		var s pageSums
		if seen := t.pages[i+1]; seen != nil {
			s = *seen
		}
		reach += s.last
		row = PageRow{
			Page:         i + 1,
			Views:        s.sessions,
			ReachPct:     pct(reach, sessions),
			AvgMs:        mean(s.ms, s.sessions),
			AttentionPct: pct(s.ms, allMs),
			BandsPct:     bandsPct(s.bands),
		}
		rows[i] = row
	}
	return rows
}

// bandsPct returns the share of each quarter of a page, or nil if no session
// measured them.
func bandsPct(b part.Bands) (shares []Tenths) {
	all := b.Sum()
	for i := 0; all > 0 && i < len(b); i++ {
		shares = append(shares, pct(b[i], all))
	}
	return shares
}

// pageDropoff returns the page before end that was the furthest page of the
// most of the sessions: reach(p) − reach(p+1) is their number.
func pageDropoff(end int, sessions int64, t *Tally) PageDropoff {
	page, lost := 0, int64(0)
	for p, s := range t.pages {
		if p < end && (s.last > lost || s.last == lost && p < page) {
			page, lost = p, s.last
		}
	}
	if !isNotableLoss(lost, sessions) {
		return PageDropoff{}
	}
	lostPct := pct(lost, sessions)
	return PageDropoff{AfterPage: &page, LostPct: &lostPct}
}

func mediaContent(t *Tally) *MediaContent {
	sessions := t.sessions.measured()
	return &MediaContent{
		PlayedPct:    pct(t.media.begun, sessions),
		AvgPlayedPct: pct(t.sessions.played, sessions*Whole),
		FinishedPct:  pct(t.media.finished(), sessions),
		Quartiles:    t.media.marks(sessions),
		Dropoff:      t.media.dropoff(sessions),
	}
}

func scrollContent(t *Tally) *ScrollContent {
	sessions := t.sessions.measured()
	return &ScrollContent{
		AvgDepthPct:  pct(t.sessions.depth, sessions*Whole),
		ReadToEndPct: pct(t.scroll.finished(), sessions),
		Depths:       t.scroll.marks(sessions),
		Dropoff:      t.scroll.dropoff(sessions),
	}
}

// finished returns how many sessions reached the end.
func (p *progress) finished() int64 { return p.reached[len(marks)-1] }

func (p *progress) marks(sessions int64) []Mark {
	m := make([]Mark, len(marks))
	for i := range m {
		m[i] = Mark{Pct: marks[i].pct, ReachPct: pct(p.reached[i], sessions)}
	}
	return m
}

// dropoff returns the mark with the largest loss against the mark before; the
// first mark is compared with the sessions that began.
func (p *progress) dropoff(sessions int64) MarkDropoff {
	mark, lost, before := 0, int64(0), p.begun
	for i, n := range p.reached {
		if before-n > lost {
			mark, lost = i, before-n
		}
		before = n
	}
	if !isNotableLoss(lost, sessions) {
		return MarkDropoff{}
	}
	lostPct := pct(lost, sessions)
	return MarkDropoff{BeforePct: &marks[mark].pct, LostPct: &lostPct}
}

// isNotableLoss reports whether a loss is worth naming.
func isNotableLoss(lost, sessions int64) bool {
	return sessions >= dropoffMinSessions && 100*lost >= dropoffMinPoints*sessions
}
