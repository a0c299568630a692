package reference

import "time"

// Figures are the numbers of a report, under the names that the API gives them,
// so that an answer of the API is read into the same type that the references
// fill. Whatever is worded (labels, insights) is left out.
type Figures struct {
	Range struct {
		From, To time.Time
		Days     int
	}
	Totals     Totals
	Previous   Previous
	Series     []Point
	Breakdowns Breakdowns
	Timing     struct {
		Heat [7][24]int64
	}
	// Of an account:
	TopLinks []TopLink `json:"top_links"`
	Mix      []Bucket
	// Of a link:
	Content struct {
		Pages *Pages
	}
	Recent []Recent
}

// Totals are those of the window.
type Totals struct {
	Views, Uniques, Sessions                      int64
	AvgEngagedMs, MedianEngagedMs, TotalEngagedMs int64
	CompletionPct                                 *float64
	Downloads, QRScans                            int64
	ReturningPct, BouncePct                       float64
	BotsExcluded, Atypical                        int64
}

// Previous is the window before.
type Previous struct{ Views, Uniques, AvgEngagedMs, Downloads, Sessions int64 }

// Point is a day or a week.
type Point struct {
	Date                        string
	Views, Uniques, AvgEngagedS int64
}

// Bucket is a key of a breakdown.
type Bucket struct {
	Key   string
	Count int64
	Pct   float64
}

// Breakdowns are the eight cards.
type Breakdowns struct{ Countries, Cities, Referrers, Sources, Devices, Browsers, OS, Screens []Bucket }

// TopLink is one of the 25 with most views.
type TopLink struct {
	Slug, Kind                              string
	Views, Uniques, AvgEngagedMs, Downloads int64
	CompletionPct                           *float64
	Spark                                   []int64
}

// Pages is how a PDF was read.
type Pages struct {
	AvgPagesSeen, ReadToEndPct float64
	Pages                      []Page
}

// Page is one page.
type Page struct {
	Page         int
	Views        int64
	ReachPct     float64
	AvgMs        int64
	AttentionPct float64
}

// Recent is one of the newest opens with engagement data. Those of one
// millisecond have no order here: their members are left out.
type Recent struct{ At time.Time }
