package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/ingest"
	"vitrine/internal/backend/s3"
	"vitrine/internal/base/throttle"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/metrics"
	"vitrine/internal/web/httpx"
)

// watched are the metrics of a server, and where they are served. Without
// --metrics-listen it is zero, and nothing is counted.
type watched struct {
	metrics  *metrics.Metrics
	listener net.Listener
	server   *http.Server
	open     func() throttle.Stats
}

// checkMetrics returns an error if --metrics-listen cannot be an address of its
// own.
func (c *serveCmd) checkMetrics() error {
	if c.Metrics == "" {
		return nil
	}
	host, port, err := splitListen("--metrics-listen", c.Metrics)
	if err != nil {
		return err
	}
	public, publicPort, err := splitListen("--listen", c.Listen)
	if err != nil {
		return err
	}
	n, _ := net.LookupPort("tcp", port) // splitListen has checked both
	if m, _ := net.LookupPort("tcp", publicPort); n == m && n != 0 && overlap(host, public) {
		return fmt.Errorf("--metrics-listen: %s is the address of --listen, where anyone could read the metrics. Use another port, such as 127.0.0.1:9464", c.Metrics)
	}
	return nil
}

// overlap reports whether two hosts to listen on may be the same: unless both
// are different addresses.
func overlap(a, b string) bool {
	x, y := net.ParseIP(a), net.ParseIP(b)
	return x == nil || y == nil || x.IsUnspecified() || y.IsUnspecified() || x.Equal(y)
}

// listenMetrics listens on the address of the metrics.
func (c *serveCmd) listenMetrics(public *throttle.Listener) error {
	if c.Metrics == "" {
		return nil
	}
	l, err := net.Listen("tcp", c.Metrics)
	if err != nil {
		return fmt.Errorf("--metrics-listen: %w", err)
	}
	m := metrics.New(c.version)
	c.watched = watched{metrics: m, listener: l, server: m.Server(), open: public.Stats}
	return nil
}

// serve begins to serve the metrics, until close.
func (w *watched) serve(log *slog.Logger) {
	if w.metrics == nil {
		return
	}
	log.Info("serving metrics", "address", w.listener.Addr().String())
	go func() {
		if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are not served any more", "error", err)
		}
	}()
}

func (w *watched) close() {
	if w.metrics != nil {
		metrics.Shut(w.server)
		_ = w.listener.Close()
	}
}

// ports counts what the ports of an instance do. It returns its view log.
func (w *watched) ports(in *instance.Instance, s *scanner, p *vitrine.Previewer) ingest.Log {
	m := w.metrics
	if m == nil {
		return in.Log
	}
	in.Store.DB.Observe(m.Transactions("store"))
	in.Log.Observe(m.Transactions("views"))
	if bucket, ok := in.Blobs.(*s3.Blobs); ok {
		bucket.Observe(m.BucketRequest)
	}
	if s.clamd != nil {
		s.Scanner = m.Scanner(s.Scanner)
	}
	*p = m.Previewer(*p)
	return m.ViewLog(in.Log)
}

func (w *watched) mailer(m vitrine.Mailer) vitrine.Mailer {
	if w.metrics == nil {
		return m
	}
	return w.metrics.Mailer(m)
}

func (w *watched) meter() func(route string) httpx.Meter {
	if w.metrics == nil {
		return nil
	}
	return w.metrics.Route
}

// service counts what the services do, and shows the state of the server.
func (w *watched) service(c *serveCmd, s *service, leases *fleet.Leases) {
	m, in := w.metrics, s.instance
	if m == nil {
		return
	}
	in.Uploads.Counted, in.Webhooks.Tried = m.Upload, m.WebhookTry
	m.Add(&metrics.State{Store: in.Store, ViewLog: in.Log, RollUpBefore: in.Analytics.RollUpBefore, Sink: c.Sink != "",
		Spools: s.spools.Stats(), Room: func() (int64, error) {
			bytes, _, err := instance.RoomIn(c.Data)
			return bytes, err
		},
		Leases: leases, Loops: s.loops, Open: w.open, Now: in.Places.Now})
}
