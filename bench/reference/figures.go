package reference

import "time"

// Figures are the numbers of a report with the names of the API, so that API
// responses decode into the same type. They exclude text such as labels and
// insights.
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
	// Only in the report of an account:
	TopLinks []TopLink `json:"top_links"`
	Mix      []Bucket
	// Only in the report of a link:
	Content struct {
		Pages *Pages
	}
	Recent []Recent
}

// Totals are the totals of the window.
type Totals struct {
	Views, Uniques, Sessions                      int64
	AvgEngagedMs, MedianEngagedMs, TotalEngagedMs int64
	CompletionPct                                 *float64
	Downloads, QRScans                            int64
	ReturningPct, BouncePct                       float64
	BotsExcluded, Atypical                        int64
}

// Previous are the totals of the previous window.
type Previous struct{ Views, Uniques, AvgEngagedMs, Downloads, Sessions int64 }

// Point is one day or week of the series.
type Point struct {
	Date                        string
	Views, Uniques, AvgEngagedS int64
}

// Bucket is one value of a breakdown.
type Bucket struct {
	Key   string
	Count int64
	Pct   float64
}

// Breakdowns are the eight breakdowns.
type Breakdowns struct{ Countries, Cities, Referrers, Sources, Devices, Browsers, OS, Screens []Bucket }

// TopLink is one of the 25 links with the most views.
type TopLink struct {
	Slug, Kind                              string
	Views, Uniques, AvgEngagedMs, Downloads int64
	CompletionPct                           *float64
	Spark                                   []int64
}

// Pages is the reading data of a PDF.
type Pages struct {
	AvgPagesSeen, ReadToEndPct float64
	Pages                      []Page
}

// Page is the reading data of one page.
type Page struct {
	Page         int
	Views        int64
	ReachPct     float64
	AvgMs        int64
	AttentionPct float64
}

// Recent is one of the newest views with engagement data. It has only the time,
// because the order of views in one millisecond is undefined.
type Recent struct{ At time.Time }
