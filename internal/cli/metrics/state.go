package metrics

import (
	"context"
	"sync"
	"time"

	"vitrine/internal/app/fleet"
	"vitrine/internal/backend/spool"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/backend/viewlog"
	"vitrine/internal/base/throttle"
	"vitrine/report"

	"github.com/prometheus/client_golang/prometheus"
)

// mostBehind is the largest backlog of roll-ups that is counted.
const mostBehind = 1000

// State describes a server at the time of a scrape. Fields are required, but
// for those that say what nil means.
type State struct {
	Store        *sqlstore.Store
	ViewLog      *viewlog.ViewLog
	RollUpBefore func() report.Day // days before it are rolled up
	Sink         bool              // views are copied to a sink
	Spools       map[string]func() spool.Stats
	Room         func() (bytes int64, err error) // that is left in the data directory
	Leases       *fleet.Leases                   // nil: there is only one process
	Loops        []*fleet.Loop
	Open         func() throttle.Stats // connections
	Now          func() time.Time      // of this machine

	store cached[[]sqlstore.Queue]
	views cached[logReading]
}

// logReading is what is read from the view log.
type logReading struct {
	behind int
	waits  time.Duration // of the oldest view that is not in the sink
}

var (
	queueLength = desc("queue_length", "Work that waits, at most 1000 of each.", "queue")
	queueOldest = desc("queue_oldest_seconds", "Age of the oldest of that work.", "queue")
	up          = desc("database_up", "Whether the last reading succeeded within 3 s.", "database")
	behind      = desc("rollup_backlog_accounts", "Accounts with past days that are not rolled up, at most 1000.")
	sinkWaits   = desc("sink_oldest_seconds", "Age of the oldest view that is not in the sink.")
	spoolBytes  = desc("spool_bytes", "Size of a spool: of views, or of early events.", "spool")
	spoolMost   = desc("spool_limit_bytes", "Size at which a spool is full.", "spool")
	spoolOldest = desc("spool_oldest_seconds", "Age of the oldest file of a spool.", "spool")
	spoolStored = desc("spool_entries_total", "Entries that went to a spool.", "spool")
	spoolTaken  = desc("spool_replayed_entries_total", "Entries of a spool that were replayed to the view log.", "spool")
	room        = desc("data_free_bytes", "Room in the file system of the data directory.")
	held        = desc("leases_held", "Leases that this process holds, by kind of work.", "work")
	failing     = desc("background_work_failures", "Failures in a row of background work.", "work")
	open        = desc("connections", "Open connections.")
	openMost    = desc("connections_limit", "Connections that may be open.")
	refused     = desc("connections_refused_total", "Connections that were refused because too many were open.")
	clock       = desc("clock_difference_seconds", "How far the clock of the database is ahead of this machine's.")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("vitrine_"+name, help, labels, nil)
}

// Describe implements [prometheus.Collector].
func (s *State) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{queueLength, queueOldest, up, behind, sinkWaits, spoolBytes, spoolMost,
		spoolOldest, spoolStored, spoolTaken, room, held, failing, open, openMost, refused, clock} {
		c <- d
	}
}

// set passes on numbers: of a gauge, or of a counter.
type set chan<- prometheus.Metric

func (c set) gauge(d *prometheus.Desc, v float64, labels ...string) {
	c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func (c set) count(d *prometheus.Desc, v int64, labels ...string) {
	c <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
}

// Collect implements [prometheus.Collector].
func (s *State) Collect(c chan<- prometheus.Metric) {
	to := set(c)
	s.process(to)
	var both sync.WaitGroup
	both.Go(func() { s.readStore(to) })
	both.Go(func() { s.readLog(to) })
	both.Wait()
}

// process passes on what this process knows by itself.
func (s *State) process(to set) {
	now := s.Now()
	for name, stats := range s.Spools {
		n := stats()
		to.gauge(spoolBytes, float64(n.Bytes), name)
		to.gauge(spoolMost, float64(n.MaxBytes), name)
		to.gauge(spoolOldest, age(now, n.Oldest), name)
		to.count(spoolStored, n.Stored, name)
		to.count(spoolTaken, n.Taken, name)
	}
	if bytes, err := s.Room(); err == nil {
		to.gauge(room, float64(bytes))
	}
	for kind, n := range s.Leases.Held() {
		to.gauge(held, float64(n), kind)
	}
	for _, l := range s.Loops {
		l.Each(func(l *fleet.Loop) { to.gauge(failing, float64(l.Failures()), l.Name()) })
	}
	n := s.Open()
	to.gauge(open, float64(n.Open))
	to.gauge(openMost, float64(n.Most))
	to.count(refused, n.Refused)
	if theirs, known := s.Store.Time(); known {
		to.gauge(clock, theirs.Sub(now).Seconds())
	}
}

// age returns the seconds since a time, 0 for the zero time.
func age(now, since time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(now.Sub(since).Seconds(), 0)
}

// readStore passes on what the store says. A database that is down has no
// numbers.
func (s *State) readStore(to set) {
	list, isUp, known := s.store.get(s.Store.Queues)
	if !known {
		return
	}
	to.gauge(up, number(isUp), "store")
	for _, q := range list {
		oldest := time.Time{}
		if q.Oldest > 0 {
			oldest = time.UnixMilli(q.Oldest)
		}
		to.gauge(queueLength, float64(q.Length), q.Name)
		to.gauge(queueOldest, age(s.Now(), oldest), q.Name)
	}
}

// readLog passes on what the view log says.
func (s *State) readLog(to set) {
	r, isUp, known := s.views.get(func(ctx context.Context) (r logReading, err error) {
		if r.behind, err = s.ViewLog.Behind(ctx, s.RollUpBefore(), mostBehind); err != nil || !s.Sink {
			return r, err
		}
		state, err := s.ViewLog.CopyState(ctx)
		if err == nil && !state.Since.IsZero() {
			r.waits = max(s.Now().Sub(state.Since), 0)
		}
		return r, err
	})
	if !known {
		return
	}
	to.gauge(up, number(isUp), "views")
	if !isUp {
		return
	}
	to.gauge(behind, float64(r.behind))
	if s.Sink {
		to.gauge(sinkWaits, r.waits.Seconds())
	}
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
