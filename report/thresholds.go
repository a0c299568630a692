package report

// The bounds of the rules.
const (
	// Atypical sessions (analytics, Views): engaged and present both below
	// these.
	atypicalEngagedMs = 1000
	atypicalPresentMs = 2000

	// bounceMs is the engaged time below which a session is a bounce
	// (analytics, Totals).
	bounceMs = 5000

	// weeklyOverDays is the widest window whose series has a point a day
	// (analytics, Series).
	weeklyOverDays = 120

	// How many rows a card has (analytics, Long lists).
	DefaultRows = 8
	maxTopLinks = 25
	maxRecent   = 25
	maxSpark    = 30

	// maxPageRows bounds the rows of content.pages for a document of absurd
	// length.
	maxPageRows = 5000

	// Drop-off (analytics, Content): fewer sessions or a smaller loss are not
	// reported.
	dropoffMinSessions = 3
	dropoffMinPoints   = 10

	// Whole is a whole duration or height, in millionths.
	Whole = 1_000_000

	// maxMs bounds a time of one session (49 days), so that 4 bytes hold it and
	// no sum overflows.
	maxMs = 1<<32 - 1
)

// marks are the points of progress that media and scroll kinds report.
// A furthest point of 95 % counts as the end (analytics, Content).
var marks = [4]struct{ pct, millionths int64 }{
	{25, 250_000},
	{50, 500_000},
	{75, 750_000},
	{100, 950_000},
}

// Insights (contract, Insights). Percentages are in tenths of a percent.
const (
	insightMinViews = 5
	maxInsights     = 8 // of ten

	trendGoodPct = 10  // whole percent; from this rise on the trend is good
	trendWarnPct = -10 // whole percent; from this fall on the trend is a warning

	completionGood Tenths = 600
	completionWarn Tenths = 300 // below
	dropoffWarn    Tenths = 300
	returningGood  Tenths = 250
	botsWarn       Tenths = 250 // share of all views, people's and bots'
)

// expendable lists, in order, the insights that are dropped when there are too
// many. device and best_time are always neutral, so the others always fit.
var expendable = [...]string{"bots", "device", "returning", "best_time"}
