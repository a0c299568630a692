// Package fault makes single operations of real backends fail. A test runs a
// flow once for each operation, and checks the state after each failure.
package fault

import (
	"context"
	"errors"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/backend/sqldb"
)

// ErrInjected is the error of every operation that an Injector fails.
var ErrInjected = errors.New("injected fault")

// Injector fails one operation of the ports that it wraps. A test runs a flow
// once for each N, from 1 on until a run is not Hit.
//
// The operations of a Store are the beginning of each Read and Update, each SQL
// statement of their transactions, each commit of an Update, and Version. Those
// of a ViewLog and of Blobs are their methods, each Read of a body, and each
// method of an open blob except Close and Size.
type Injector struct {
	// N is the number of the failing operation, from 1. 0 means none.
	N int64
	// After lets the commit of an Update, and methods that change something,
	// take effect before they fail, as if their answer was lost.
	After bool

	count atomic.Int64
}

// Hit reports whether the failing operation was reached.
func (f *Injector) Hit() bool { return f.N > 0 && f.count.Load() >= f.N }

// Operations returns the number of operations so far.
func (f *Injector) Operations() int64 { return f.count.Load() }

// strike counts an operation and reports whether it must fail.
func (f *Injector) strike() bool { return f.count.Add(1) == f.N }

func failure() error { return vitrine.Unavailable(ErrInjected) }

// do runs an operation that changes something, or fails it.
func (f *Injector) do(change func() error) error {
	if f.strike() {
		if f.After {
			_ = change()
		}
		return failure()
	}
	return change()
}

// value calls do for an operation that returns a value.
func value[T any](f *Injector, do func() (T, error)) (v T, err error) {
	err = f.do(func() (err error) { v, err = do(); return err })
	if err != nil {
		return *new(T), err
	}
	return v, nil
}

// Store wraps a store whose rows are in a database of package sqldb.
func (f *Injector) Store(s vitrine.Store) vitrine.Store { return store{s, f} }

type store struct {
	real  vitrine.Store
	fault *Injector
}

// hooked returns a context with which the database asks before each statement
// whether it must fail.
func (s store) hooked(ctx context.Context) context.Context {
	return sqldb.WithHook(ctx, func(string) error {
		if s.fault.strike() {
			return ErrInjected
		}
		return nil
	})
}

func (s store) Read(ctx context.Context, run func(vitrine.Tx) error) error {
	if s.fault.strike() {
		return failure()
	}
	return s.real.Read(s.hooked(ctx), run)
}

func (s store) Update(ctx context.Context, run func(vitrine.Tx) error) error {
	if s.fault.strike() {
		return failure()
	}
	lost := false
	err := s.real.Update(s.hooked(ctx), func(tx vitrine.Tx) error {
		if err := run(tx); err != nil {
			return err
		}
		if s.fault.strike() { // the commit
			if !s.fault.After {
				return failure()
			}
			lost = true
		}
		return nil
	})
	if err == nil && lost {
		err = failure()
	}
	return err
}

func (s store) Version(ctx context.Context) (int64, error) {
	return value(s.fault, func() (int64, error) { return s.real.Version(ctx) })
}
