package report

import "math/big"

// Previous is `previous` of a report: the same width of time before its window.
type Previous struct {
	Views         int64   `json:"views"`
	Uniques       int64   `json:"uniques"`
	AvgEngagedMs  int64   `json:"avgEngagedMs"`
	Downloads     int64   `json:"downloads"` // events of that time, not all-time
	Sessions      int64   `json:"sessions"`
	CompletionPct *Tenths `json:"completionPct"` // of a link; nil for an account, or without sessions that have one
	QRScans       int64   `json:"qrScans"`
	ReturningPct  Tenths  `json:"returningPct"`
	BouncePct     Tenths  `json:"bouncePct"`
}

// Deltas is `deltas` of a report. Downloads compares the events of the two
// windows.
type Deltas struct {
	Views        Delta `json:"views"`
	Uniques      Delta `json:"uniques"`
	AvgEngagedMs Delta `json:"avgEngagedMs"`
	Downloads    Delta `json:"downloads"`
	QRScans      Delta `json:"qrScans"`
}

// Delta is a change against the previous window.
type Delta struct {
	Pct *int64 `json:"pct"` // signed whole percent; nil when the previous figure was 0
	Dir Dir    `json:"dir"`
}

// Dir is the direction of a change.
type Dir string

// The directions. A change too small for Pct still goes up or down.
const (
	Up   Dir = "up"
	Down Dir = "down"
	Flat Dir = "flat"
)

func previous(w Window, t *Tally) Previous {
	return Previous{
		Views:        t.views,
		Uniques:      t.Uniques(w.From, w.To),
		AvgEngagedMs: t.sessions.avgEngagedMs(),
		Downloads:    t.Downloads(),
		Sessions:     t.sessions.sessions,
		QRScans:      t.qr,
		ReturningPct: pct(t.returning, t.views),
		BouncePct:    pct(t.bounces, t.sessions.sessions),
	}
}

func deltas(w Window, cur, prev *Tally) Deltas {
	before := w.Previous()
	return Deltas{
		Views:        delta(integer(cur.views), integer(prev.views)),
		Uniques:      delta(integer(cur.Uniques(w.From, w.To)), integer(prev.Uniques(before.From, before.To))),
		AvgEngagedMs: delta(cur.sessions.exactAvg(), prev.sessions.exactAvg()),
		Downloads:    delta(integer(cur.Downloads()), integer(prev.Downloads())),
		QRScans:      delta(integer(cur.qr), integer(prev.qr)),
	}
}

// exactAvg returns the mean engaged time before rounding: only the change of
// averages is rounded.
func (e engagement) exactAvg() *big.Rat {
	if e.sessions == 0 {
		return new(big.Rat)
	}
	return big.NewRat(e.engagedMs, e.sessions)
}

func integer(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// delta compares two figures (analytics, Range).
func delta(now, before *big.Rat) Delta {
	d := Delta{Dir: [...]Dir{Down, Flat, Up}[now.Cmp(before)+1]}
	if before.Sign() == 0 {
		return d
	}
	change := new(big.Rat).Sub(now, before)
	change.Quo(change, before)
	change.Mul(change, big.NewRat(100, 1))
	pct := nearest(change.Num(), change.Denom()).Int64()
	d.Pct = &pct
	return d
}
