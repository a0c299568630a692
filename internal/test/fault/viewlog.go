package fault

import (
	"context"

	"vitrine"
	"vitrine/report"
)

// ViewLog wraps a log.
func (f *Injector) ViewLog(l vitrine.ViewLog) vitrine.ViewLog { return viewLog{l, f} }

// viewLog does not embed the real log, so that the compiler requires each of
// its methods.
type viewLog struct {
	real  vitrine.ViewLog
	fault *Injector
}

func (l viewLog) Append(ctx context.Context, b vitrine.Batch) (vitrine.Outcome, error) {
	return value(l.fault, func() (vitrine.Outcome, error) { return l.real.Append(ctx, b) })
}

func (l viewLog) Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error) {
	if l.fault.strike() {
		return nil, false, failure()
	}
	return l.real.Tally(ctx, q)
}

func (l viewLog) DailyViews(ctx context.Context, q vitrine.TallyQuery,
	links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error) {
	return value(l.fault, func() (map[vitrine.LinkID][]int64, error) { return l.real.DailyViews(ctx, q, links) })
}

func (l viewLog) RollUp(ctx context.Context, before report.Day) error {
	return l.fault.do(func() error { return l.real.RollUp(ctx, before) })
}

func (l viewLog) Expire(ctx context.Context, before report.Day) error {
	return l.fault.do(func() error { return l.real.Expire(ctx, before) })
}

func (l viewLog) RetainedFrom(ctx context.Context, a vitrine.AccountID) (report.Day, error) {
	return value(l.fault, func() (report.Day, error) { return l.real.RetainedFrom(ctx, a) })
}

func (l viewLog) Recent(ctx context.Context, q vitrine.RecentQuery) ([]report.View, error) {
	return value(l.fault, func() ([]report.View, error) { return l.real.Recent(ctx, q) })
}

func (l viewLog) Views(ctx context.Context, link vitrine.LinkID, from, to report.Day,
	f func(*report.View) error) error {
	return l.fault.do(func() error { return l.real.Views(ctx, link, from, to, f) })
}

func (l viewLog) AccountCounts(ctx context.Context,
	a vitrine.AccountID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	return value(l.fault, func() (map[vitrine.LinkID]vitrine.LinkCounts, error) { return l.real.AccountCounts(ctx, a) })
}

func (l viewLog) Counts(ctx context.Context, links []vitrine.LinkID) (map[vitrine.LinkID]vitrine.LinkCounts, error) {
	return value(l.fault, func() (map[vitrine.LinkID]vitrine.LinkCounts, error) { return l.real.Counts(ctx, links) })
}

func (l viewLog) Import(ctx context.Context, receipt vitrine.ImportReceipt, views []vitrine.ViewRecord) error {
	return l.fault.do(func() error { return l.real.Import(ctx, receipt, views) })
}

func (l viewLog) Imported(ctx context.Context, file [32]byte) (int64, error) {
	return value(l.fault, func() (int64, error) { return l.real.Imported(ctx, file) })
}

func (l viewLog) DeleteLink(ctx context.Context, link vitrine.LinkID) error {
	return l.fault.do(func() error { return l.real.DeleteLink(ctx, link) })
}

func (l viewLog) HighestIDs(ctx context.Context) (a vitrine.AccountID, link vitrine.LinkID, err error) {
	err = l.fault.do(func() error { a, link, err = l.real.HighestIDs(ctx); return err })
	return a, link, err
}

func (l viewLog) EachScope(ctx context.Context, f func(vitrine.Scope) error) error {
	return l.fault.do(func() error { return l.real.EachScope(ctx, f) })
}

func (l viewLog) Position(ctx context.Context) (vitrine.LogPosition, error) {
	return value(l.fault, func() (vitrine.LogPosition, error) { return l.real.Position(ctx) })
}

func (l viewLog) SetMark(ctx context.Context, old, mark int64) error {
	return l.fault.do(func() error { return l.real.SetMark(ctx, old, mark) })
}

func (l viewLog) Audit(ctx context.Context, all bool, fault func(string, bool)) error {
	return l.fault.do(func() error { return l.real.Audit(ctx, all, fault) })
}

func (l viewLog) Rebuild(ctx context.Context, rebuilt func(vitrine.AccountID, report.Day)) error {
	return l.fault.do(func() error { return l.real.Rebuild(ctx, rebuilt) })
}
