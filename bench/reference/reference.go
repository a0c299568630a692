// Package reference implements Vitrine's reports in plain SQL, as an expert
// would write them for each engine, on the same views. Benchmarks compare the
// speed. They also compare the results, so each reference verifies the figures.
package reference

import (
	"context"
	"time"

	"vitrine/bench/dataset"
)

// schema is part of the names of databases that are reused between runs. Change
// it with the tables.
const schema = "s2"

// Engine computes reports from a loaded dataset.
type Engine interface {
	Name() string // includes the version
	Report(context.Context, Scope) (*Figures, error)
	Close() error
}

// Scope selects the account or link and the window of a report.
type Scope struct {
	Account  int
	Link     *dataset.Link // nil for the whole account
	From, To time.Time
	Where    string // SQL condition on the account's views; "" means all
}

// threads is the number of threads of SQL engines. Vitrine gets the same number
// of cores.
const threads = 2

func (s Scope) days() int64     { return s.toDay() - s.fromDay() }
func (s Scope) fromDay() int64  { return s.From.UnixMilli() / dayMs }
func (s Scope) toDay() int64    { return s.To.UnixMilli() / dayMs }
func (s Scope) weekly() bool    { return s.days() > 120 }
func (s Scope) prev() time.Time { return s.From.Add(s.From.Sub(s.To)) }
func (s Scope) sparkDay() int64 { return s.toDay() - min(30, s.days()) }

const (
	hourMs = 60 * 60 * 1000
	dayMs  = 24 * hourMs
)
