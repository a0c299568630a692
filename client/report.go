package client

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// The types of reports. The API's description says what the figures mean.

// Summary is the common part of both reports.
type Summary struct {
	Range       Range    `json:"range"`
	Totals      Totals   `json:"totals"`
	Previous    Previous `json:"previous"`
	Deltas      Deltas   `json:"deltas"`
	Granularity string   `json:"granularity"` // hour, day or week
	Series      []Point  `json:"series"`
	// Breakdowns has the cards by name, such as countries: counted views by
	// label, the largest first.
	Breakdowns map[string][]Bucket `json:"breakdowns"`
	Timing     Timing              `json:"timing"`
	Insights   []Insight           `json:"insights"`
	Filter     []string            `json:"filter,omitempty"`    // the conditions
	FinalUntil Time                `json:"finalUntil,omitzero"` // the time before which views no longer change
	Excluded   []Excluded          `json:"excluded,omitzero"`   // on request
}

// LinkReport is the report of a link.
type LinkReport struct {
	Link struct {
		Slug   string `json:"slug"`
		Title  string `json:"title"`
		URL    string `json:"url"`
		Kind   string `json:"kind"`
		Status string `json:"status,omitempty"`
		Reason string `json:"reason,omitempty"`
	} `json:"link"`
	Summary
	Content   Content      `json:"content"`
	Recent    []RecentView `json:"recent"`
	Truncated bool         `json:"truncated"` // too many views for exact numbers: these are lower bounds
	Marks     []DayMark    `json:"marks,omitempty"`
}

// AccountReport is the report of all links of an account.
type AccountReport struct {
	Summary
	TopLinks []LinkSummary `json:"top_links"`
	Mix      []Bucket      `json:"mix"` // views by kind of file
	AllTime  struct {
		Views     int64 `json:"views"`
		Downloads int64 `json:"downloads"`
		Links     int64 `json:"links"`
	} `json:"all_time"`
	// Trash is what the report counts of links in the trash; nil: nothing.
	Trash     *Trashed `json:"trash,omitempty"`
	Truncated bool     `json:"truncated"` // as in LinkReport
}

// Trashed are the links in the trash that have views in a report.
type Trashed struct {
	Links int64 `json:"links"`
	Views int64 `json:"views"`
}

// Explanation says what makes a figure of a report.
type Explanation struct {
	Figure string          `json:"figure"` // a JSON pointer into the report
	Value  json.RawMessage `json:"value"`  // as in the report
	// Kind says how the figure follows from the visits: count, distinct, sum,
	// mean, median, share, mean_share, derived or none.
	Kind string   `json:"kind"`
	Rule string   `json:"rule"`
	Unit string   `json:"unit,omitempty"` // of values: ms, pages or millionths
	From []string `json:"from,omitempty"` // the figures from which it follows
	// Count is the number of visits, Sum the sum of their values, and Of of
	// what these are of, over all pages.
	Count  int64            `json:"count"`
	Sum    int64            `json:"sum"`
	Of     int64            `json:"of"`
	Visits []ExplainedVisit `json:"visits"`
	// Excluded counts the views of the same time and filter that are not part
	// of the figure, by reason.
	Excluded   map[string]int64 `json:"excluded"`
	Without    int64            `json:"without"`            // counted without a visit
	KeptFrom   string           `json:"keptFrom,omitempty"` // visits before this day have expired
	NextCursor *string          `json:"nextCursor"`         // nil on the last page
}

// ExplainedVisit is a visit and its part in a figure.
type ExplainedVisit struct {
	ID     string `json:"id"`
	Link   string `json:"link,omitempty"` // its slug, in the report of an account
	At     Time   `json:"at"`
	Value  int64  `json:"value"`
	Of     int64  `json:"of"`
	Viewer int    `json:"viewer,omitempty"` // the same for a viewer within one answer
}

// Range is the time that a report covers.
type Range struct {
	Key      string `json:"key"`
	From     Time   `json:"from"`
	To       Time   `json:"to"` // exclusive
	Days     int    `json:"days"`
	Label    string `json:"label"`
	Timezone string `json:"timezone,omitempty"` // "" means UTC
	Compare  string `json:"compare,omitempty"`  // "year", "none", or "" for the time before
}

// Totals are the main figures of a report.
type Totals struct {
	Views           int64   `json:"views"`
	Uniques         int64   `json:"uniques"`
	Sessions        int64   `json:"sessions"`
	AvgEngagedMs    int64   `json:"avgEngagedMs"`
	MedianEngagedMs int64   `json:"medianEngagedMs"`
	TotalEngagedMs  int64   `json:"totalEngagedMs"`
	CompletionPct   *Tenths `json:"completionPct"`
	Downloads       int64   `json:"downloads"`      // all-time
	RangeDownloads  int64   `json:"rangeDownloads"` // of the range
	QRScans         int64   `json:"qrScans"`
	ReturningPct    Tenths  `json:"returningPct"`
	BouncePct       Tenths  `json:"bouncePct"`
	BotsExcluded    int64   `json:"botsExcluded"`
	OwnExcluded     int64   `json:"ownExcluded"` // views by the owner
	Atypical        int64   `json:"atypical"`
}

// Previous has figures of the time with which a report is compared.
type Previous struct {
	Views         int64   `json:"views"`
	Uniques       int64   `json:"uniques"`
	AvgEngagedMs  int64   `json:"avgEngagedMs"`
	Downloads     int64   `json:"downloads"`
	Sessions      int64   `json:"sessions"`
	CompletionPct *Tenths `json:"completionPct"` // of a link; nil for an account, or without sessions that have one
	QRScans       int64   `json:"qrScans"`
	ReturningPct  Tenths  `json:"returningPct"`
	BouncePct     Tenths  `json:"bouncePct"`
}

// Deltas are the changes against Previous.
type Deltas struct {
	Views        Delta `json:"views"`
	Uniques      Delta `json:"uniques"`
	AvgEngagedMs Delta `json:"avgEngagedMs"`
	Downloads    Delta `json:"downloads"`
	QRScans      Delta `json:"qrScans"`
}

// Delta is a change.
type Delta struct {
	Pct *int64 `json:"pct"` // signed; nil if the previous figure was 0
	Dir string `json:"dir"` // up, down or flat
}

// Point is a day, week or hour of a series.
type Point struct {
	Date        string `json:"date"`
	Label       string `json:"label"`
	Views       int64  `json:"views"`
	Uniques     int64  `json:"uniques"`
	AvgEngagedS int64  `json:"avgEngagedS"`
	At          string `json:"at,omitempty"` // the start of an hour
}

// Bucket is a row of a breakdown.
type Bucket struct {
	Key   string `json:"key"`
	Count int64  `json:"count"`
	Pct   Tenths `json:"pct"` // of all labels of the breakdown
}

// Timing has counted views by hour and weekday, from Sunday.
type Timing struct {
	ByHour      [24]int64    `json:"byHour"`
	ByWeekday   [7]int64     `json:"byWeekday"`
	Heat        [7][24]int64 `json:"heat"` // [weekday][hour]
	PeakHour    *int         `json:"peakHour"`
	PeakWeekday *int         `json:"peakWeekday"`
}

// Insight is a sentence about the figures.
type Insight struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Value  string `json:"value"`
	Detail string `json:"detail"`
	Tone   string `json:"tone"` // good, neutral or warn
}

// Excluded are the views that are excluded for one reason.
type Excluded struct {
	Reason   string    `json:"reason"`
	Count    int64     `json:"count"`
	Pct      Tenths    `json:"pct"` // of all excluded views
	Programs []Program `json:"programs"`
}

// Program is a program or network that is known by name.
type Program struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Content says how the file was read. The part of its kind is set.
type Content struct {
	Kind     string         `json:"kind"`               // pages, media, scroll or none
	Version  int            `json:"version,omitempty"`  // of the file, if it was replaced
	Sessions *int64         `json:"sessions,omitempty"` // of this version
	Pages    *PagesContent  `json:"pages,omitempty"`
	Media    *MediaContent  `json:"media,omitempty"`
	Scroll   *ScrollContent `json:"scroll,omitempty"`

	// Of a file with sections or slides: what its parts are, in how many
	// sessions they were measured, and if in any, the parts and where readers
	// stopped.
	PartKind     string       `json:"partKind,omitempty"` // section, slide or page
	PartSessions *int64       `json:"partSessions,omitempty"`
	Parts        []PartRow    `json:"parts,omitempty"`
	PartDropoff  *PartDropoff `json:"partDropoff,omitempty"`

	// Clicks has the links inside the file that were followed, first those that
	// were followed most often.
	Clicks []Click `json:"clicks,omitempty"`
}

// Click is a link inside a file that was followed.
type Click struct {
	Part   int    `json:"part"`   // page or part with the link; 0 if it is not known
	Target string `json:"target"` // an https address, or the name of another scheme
	Count  int64  `json:"count"`
}

// PartRow is a part of a file that is no PDF.
type PartRow struct {
	Part         int    `json:"part"`
	Label        string `json:"label"`
	Views        int64  `json:"views"`
	ReachPct     Tenths `json:"reachPct"`
	AvgMs        int64  `json:"avgMs"`
	AttentionPct Tenths `json:"attentionPct"`
	// BandsPct has the shares of its four quarters, from the top, in the time
	// on it; nil if they were not measured.
	BandsPct []Tenths `json:"bandsPct,omitempty"`
	Words    int      `json:"words,omitempty"`
	Reading  string   `json:"reading,omitempty"` // read, skimmed or skipped; "" without words
}

// PartDropoff is the part after which most sessions stopped.
type PartDropoff struct {
	AfterPart *int    `json:"afterPart"`
	LostPct   *Tenths `json:"lostPct"`
}

// PagesContent says how a PDF was read.
type PagesContent struct {
	PagesTotal   int       `json:"pagesTotal"`
	AvgPagesSeen Tenths    `json:"avgPagesSeen"`
	ReadToEndPct Tenths    `json:"readToEndPct"`
	Pages        []PageRow `json:"pages"`
	Dropoff      struct {
		AfterPage *int    `json:"afterPage"`
		LostPct   *Tenths `json:"lostPct"`
	} `json:"dropoff"`
	ExpectedMs *int64 `json:"expectedMs,omitempty"` // on request
}

// PageRow is a page of a PDF.
type PageRow struct {
	Page         int      `json:"page"`
	Views        int64    `json:"views"`
	ReachPct     Tenths   `json:"reachPct"`
	AvgMs        int64    `json:"avgMs"`
	AttentionPct Tenths   `json:"attentionPct"`
	BandsPct     []Tenths `json:"bandsPct,omitempty"`    // as of a part
	ExpectedPct  *Tenths  `json:"expectedPct,omitempty"` // on request, as the rest
	Words        int      `json:"words,omitempty"`
	Reading      string   `json:"reading,omitempty"`
}

// MediaContent says how a video or sound was played.
type MediaContent struct {
	PlayedPct    Tenths      `json:"playedPct"`
	AvgPlayedPct Tenths      `json:"avgPlayedPct"`
	FinishedPct  Tenths      `json:"finishedPct"`
	Quartiles    []Mark      `json:"quartiles"`
	Dropoff      MarkDropoff `json:"dropoff"`
	Curve        []Tenths    `json:"curve,omitzero"`  // on request
	Played       []Tenths    `json:"played,omitzero"` // on request
}

// ScrollContent says how far a page was scrolled.
type ScrollContent struct {
	AvgDepthPct  Tenths      `json:"avgDepthPct"`
	ReadToEndPct Tenths      `json:"readToEndPct"`
	Depths       []Mark      `json:"depths"`
	Dropoff      MarkDropoff `json:"dropoff"`
	Curve        []Tenths    `json:"curve,omitzero"` // on request
}

// Mark is the share of sessions that reached a point.
type Mark struct {
	Pct      int64  `json:"pct"`
	ReachPct Tenths `json:"reachPct"`
}

// MarkDropoff is the mark before which most sessions stopped.
type MarkDropoff struct {
	BeforePct *int64  `json:"beforePct"`
	LostPct   *Tenths `json:"lostPct"`
}

// RecentView is one of the newest views with engagement data.
type RecentView struct {
	At         Time   `json:"at"`
	Country    string `json:"country"`
	City       string `json:"city"`
	Device     string `json:"device"`
	Browser    string `json:"browser"`
	OS         string `json:"os"`
	Source     string `json:"source"`
	EngagedMs  int64  `json:"engagedMs"`
	Progress   string `json:"progress"`
	Downloaded bool   `json:"downloaded"`
	Returning  bool   `json:"returning"`
	Atypical   bool   `json:"atypical"`
	Excluded   bool   `json:"excluded"`
}

// LinkSummary is one of the most viewed links.
type LinkSummary struct {
	ID            string  `json:"id"`
	Slug          string  `json:"slug"`
	Title         string  `json:"title"`
	Kind          string  `json:"kind"`
	Views         int64   `json:"views"`
	Uniques       int64   `json:"uniques"`
	Sessions      int64   `json:"sessions"`
	AvgEngagedMs  int64   `json:"avgEngagedMs"`
	CompletionPct *Tenths `json:"completionPct"`
	Downloads     int64   `json:"downloads"` // all-time
	Spark         []int64 `json:"spark"`     // daily views, oldest first
	Trashed       bool    `json:"trashed,omitempty"`
}

// Visit is one view of a link.
type Visit struct {
	ID         string `json:"id"`
	At         Time   `json:"at"`
	Viewer     string `json:"viewer"` // a name for the viewer, on this link only
	Country    string `json:"country"`
	City       string `json:"city"`
	Device     string `json:"device"`
	Browser    string `json:"browser"`
	OS         string `json:"os"`
	Source     string `json:"source"`
	Referrer   string `json:"referrer"`
	Campaign   string `json:"campaign"`
	Medium     string `json:"medium"`
	Content    string `json:"content"`
	Term       string `json:"term"`
	Screen     string `json:"screen"`
	EngagedMs  int64  `json:"engagedMs"`
	PresentMs  int64  `json:"presentMs"`
	Progress   string `json:"progress"`
	Downloaded bool   `json:"downloaded"`
	Returning  bool   `json:"returning"`
	Atypical   bool   `json:"atypical"`
	Version    int    `json:"version"`
	Recipient  string `json:"recipient"` // ID of the named address that was opened; "" is the plain one
	Album      string `json:"album"`     // ID of the album from which the link was opened; "" is none
	QR         bool   `json:"qr"`
	Excluded   string `json:"excluded"` // reason code of a view that does not count
	Product    string `json:"product"`  // program of such a view, if known
	Engaged    bool   `json:"engaged"`  // whether there is engagement data

	Pages []struct {
		Page  int     `json:"page"`
		Ms    int64   `json:"ms"`
		Bands []int64 `json:"bands,omitempty"` // of Ms, on each quarter from the top
	} `json:"pages,omitempty"`
	Parts []struct {
		Part  int     `json:"part"`
		Ms    int64   `json:"ms"`
		Bands []int64 `json:"bands,omitempty"`
	} `json:"parts,omitempty"` // of a file that is no PDF
	Clicks     []Click  `json:"clicks,omitempty"`
	PlayedPct  *Tenths  `json:"playedPct,omitempty"`
	ReachedPct *Tenths  `json:"reachedPct,omitempty"`
	PlayedIn   [][2]int `json:"playedIn,omitempty"` // ranges of hundredths
	DepthPct   *Tenths  `json:"depthPct,omitempty"`

	// SameViewer lists all visits of the viewer, newest first. Only
	// [Client.Visit] sets it.
	SameViewer []struct {
		ID string `json:"id"`
		At Time   `json:"at"`
	} `json:"sameViewer,omitempty"`
}

// Time is a time, in JSON with milliseconds.
type Time struct{ time.Time }

// MarshalJSON writes the time as the API does.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// Tenths is a number with one decimal, in tenths: 333 is 33.3.
type Tenths int64

// String returns the number with at most one decimal, such as 33.3 or 100.
func (t Tenths) String() string { return strconv.FormatFloat(t.Float(), 'f', -1, 64) }

// Float returns the number.
func (t Tenths) Float() float64 { return float64(t) / 10 }

// MarshalJSON writes the number.
func (t Tenths) MarshalJSON() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalJSON reads a number and keeps one decimal.
func (t *Tenths) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(math.Abs(f) < 1<<48) {
		return fmt.Errorf("number with one decimal: %.40q", b)
	}
	*t = Tenths(math.Round(f * 10))
	return nil
}
