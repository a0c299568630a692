package report

// Totals is `totals` of a report (analytics, Totals). Times are in
// milliseconds.
type Totals struct {
	Views           int64   `json:"views"`
	Uniques         int64   `json:"uniques"`
	Sessions        int64   `json:"sessions"`
	AvgEngagedMs    int64   `json:"avgEngagedMs"`
	MedianEngagedMs int64   `json:"medianEngagedMs"`
	TotalEngagedMs  int64   `json:"totalEngagedMs"`
	CompletionPct   *Tenths `json:"completionPct"`  // nil if no session has a completion
	Downloads       int64   `json:"downloads"`      // all-time
	RangeDownloads  int64   `json:"rangeDownloads"` // of the window, which Deltas compares with Previous
	QRScans         int64   `json:"qrScans"`
	ReturningPct    Tenths  `json:"returningPct"`
	BouncePct       Tenths  `json:"bouncePct"`
	BotsExcluded    int64   `json:"botsExcluded"`
	OwnExcluded     int64   `json:"ownExcluded"` // views by the owner, which are in nothing else here
	Atypical        int64   `json:"atypical"`
}

func totals(w Window, t *Tally, completionPct *Tenths, downloads int64) Totals {
	return Totals{
		Views:           t.views,
		Uniques:         t.Uniques(w.From, w.To),
		Sessions:        t.sessions.sessions,
		AvgEngagedMs:    t.sessions.avgEngagedMs(),
		MedianEngagedMs: t.times.median(),
		TotalEngagedMs:  t.sessions.engagedMs,
		CompletionPct:   completionPct,
		Downloads:       downloads,
		RangeDownloads:  t.Downloads(),
		QRScans:         t.qr,
		ReturningPct:    pct(t.returning, t.views),
		BouncePct:       pct(t.bounces, t.sessions.sessions),
		BotsExcluded:    t.bots.total() - t.own(),
		OwnExcluded:     t.own(),
		Atypical:        t.atypical,
	}
}

func (e engagement) avgEngagedMs() int64 { return mean(e.engagedMs, e.sessions) }
