package serve

import (
	"log/slog"

	"vitrine/internal/app/ingest"
	"vitrine/internal/cli/instance"
)

// startViews starts the view service of an instance. It spools records that the
// log cannot accept.
func startViews(in *instance.Instance, s *instance.Spools, to ingest.Log, log *slog.Logger) *ingest.Views {
	v := &ingest.Views{Log: to, Spool: s.Spool, Early: s.Early(), Owner: ingest.LinkOwner(in.Store),
		Limits: ingest.NewLimits(in.Store)}
	v.Notice = func(err error) {
		if err != nil {
			log.Warn("view log unavailable, spooling to disk", "spool_bytes", s.Spool.Size(), "error", err)
		} else {
			log.Info("spool drained to the view log")
		}
	}
	reported := 0 // number of waiting events in the last report
	v.EarlyNotice = func(waiting, dropped int, err error) {
		if dropped > 0 {
			log.Warn("dropped events whose page view did not arrive within 48h; start any server that still has files in spool/", "dropped", dropped)
		}
		switch {
		case err != nil:
			log.Warn("events that wait for their views cannot be written yet", "early_bytes",
				s.EarlySize(), "error", err)
			return
		case waiting > 0 && reported == 0:
			log.Info("events wait for their views, which are in the spool of another server", "waiting", waiting)
		case waiting == 0 && reported > 0:
			log.Info("no event waits for its view any more")
		}
		reported = waiting
	}
	v.Start()
	return v
}
