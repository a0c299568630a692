// Package reference holds what Vitrine's reports are measured against: the same
// reports in SQL, as a person would write them well for each engine, on the
// same views. Their answers are compared too, so each reference also proves the
// figures.
package reference

import (
	"context"
	"time"

	"vitrine/bench/dataset"
)

// schema is part of the names of databases that are kept between runs. It
// changes with the tables.
const schema = "s1"

// Engine answers reports from a dataset that it has loaded.
type Engine interface {
	Name() string // with its version
	Report(context.Context, Scope) (*Figures, error)
	Close() error
}

// Scope is whose report it is, over which window.
type Scope struct {
	Account  int
	Link     *dataset.Link // nil: the account
	From, To time.Time
	Where    string // a condition of the account's views, in SQL; "": all
}

// Spent by SQL engines; Vitrine gets as many cores.
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
