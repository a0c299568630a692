package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vitrine/internal/app/fleet"
	"vitrine/internal/backend/sink"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
)

// sinkFlags say where views are copied to.
type sinkFlags struct {
	Sink string
}

// AddFlags adds the flags to a command, and checks them.
func (f *sinkFlags) AddFlags(cmd *command.Command) {
	cmd.Check(func() error {
		if f.Sink == "" {
			return nil
		}
		if err := sink.Check(f.Sink); err != nil {
			return fmt.Errorf("--sink: %w", err)
		}
		return nil
	})
	cmd.Title("Storage")
	cmd.String(&f.Sink, "sink", "URL", "ClickHouse database that gets a copy of each view, for SQL: clickhouse://USER:PASSWORD@HOST:8123/DATABASE, with ?secure=true for TLS. Pages and reports do not depend on it. Default: none.").Env("VITRINE_SINK").Secret()
	cmd.Title("")
}

// sinkLease is the name of the lease for copying views.
const sinkLease = "sink"

// copyViews returns the loop that copies views to the sink, if there is one.
// One process of an instance copies.
func (f sinkFlags) copyViews(in *instance.Instance, leases *fleet.Leases, log *slog.Logger) []*fleet.Loop {
	if f.Sink == "" {
		return nil
	}
	s, err := sink.New(f.Sink, in.Log, in.Analytics.VisitsOf, in.Now, log)
	if err != nil {
		panic(err) // the command has checked the address
	}
	return []*fleet.Loop{oneProcess(sinkLease, leases, log, fleet.NewLoop("copy views", sink.Every, log, s.Run))}
}

// dropChanges ends a copy of views that nothing continues.
func dropChanges(in *instance.Instance, log *slog.Logger) fleet.Work {
	return func(ctx context.Context) error {
		dropped, err := in.Log.DropChanges(ctx, sink.MostWaiting)
		if dropped && err == nil {
			log.Warn("too many views wait for the sink: it will copy all of them again")
		}
		return err
	}
}

// sinkDelay is the delay of the copy from which the doctor warns.
const sinkDelay = time.Minute

// sink checks the sink and how far the copy is.
func (d *doctor) sink(ctx context.Context) {
	const part = "sink"
	if d.Sink == "" || !d.viewsReadable {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	log, err := viewlog.Open(d.ViewsPlace())
	if err != nil {
		d.report(part, wrong, "The view log cannot be read: %s.", withoutPassword(err, d.ViewsPlace()))
		return
	}
	position, err1 := log.Position(ctx)
	state, err2 := log.CopyState(ctx)
	if err := errors.Join(err1, err2, log.Close()); err != nil {
		d.report(part, wrong, "The view log cannot be read: %s.", withoutPassword(err, d.ViewsPlace()))
		return
	}
	if err := sink.Look(ctx, d.Sink, position.Mark); err != nil {
		d.report(part, wrong, "%s cannot be used: %s. Views wait in the view log. Check that it runs, and --sink.",
			instance.Redacted(d.Sink), withoutPassword(err, d.Sink))
		return
	}
	d.sinkState(state)
}

func (d *doctor) sinkState(s viewlog.CopyState) {
	const part = "sink"
	place := instance.Redacted(d.Sink)
	switch late := d.now().Sub(s.Since); {
	case s.Number == 0:
		d.report(part, note, "%s answers. The server copies all views when it starts.", place)
	case !s.Whole:
		d.report(part, note, "%s answers. The first copy of all views is not complete yet.", place)
	case !s.Since.IsZero() && late > sinkDelay:
		d.report(part, warning, "%s answers, but views have waited for %s. See the log of the server that copies.", place,
			late.Round(time.Second))
	default:
		d.report(part, fine, "%s answers, and has all views.", place)
	}
}
