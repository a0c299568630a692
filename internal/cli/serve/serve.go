package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/throttle"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/web/api"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// Run serves until ctx ends. Then it reports that it is not ready and continues
// to serve for the drain time. Finally it closes the listener, completes
// running requests, stops background work, and closes views and databases.
func (c *serveCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	log := c.logger(t)
	c.version = t.Version
	for _, v := range c.unknown() {
		log.Warn("a variable of the environment is not a setting of Vitrine", "variable", v[0], "did_you_mean", v[1])
	}
	if err := c.Refuse(); err != nil {
		return err
	}
	if c.Dev {
		if err := ui.ReadFrom("internal/web"); err != nil {
			return err
		}
	}
	lock, listener, err := c.claim(log)
	if err != nil {
		return err
	}
	defer lock.Close()
	defer listener.Close()
	defer c.watched.close()
	addr := listener.Addr().(*net.TCPAddr)
	public, content, err := c.origins(strconv.Itoa(addr.Port))
	if err != nil {
		return err
	}
	// The start is short, so a signal during the start takes effect afterwards.
	starting := context.WithoutCancel(ctx)
	c.created, _ = c.IsNew(starting) // Create reports an error
	in, err := instance.Create(starting, c.Places, public.String()+api.StorageRoot)
	if err != nil {
		return err
	}
	spools, err := instance.OpenSpools(c.Data, c.Shared(), log)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	err = in.ReserveIDs(starting, func(behind string) { log.Warn(behind) }, spools.IDSources()...)
	if err != nil {
		return errors.Join(err, spools.Close(), in.Close())
	}
	previewer, err := c.previewer(log)
	scanner, errScanner := c.scanner()
	sender, errSender := c.mailer()
	cities, errCities := openCities(starting, c.CityFlags, c.Data, log)
	if err := errors.Join(err, errScanner, errSender, errCities); err != nil {
		return errors.Join(err, spools.Close(), in.Close())
	}
	setup, err := setupAddress(starting, in, public)
	if err != nil {
		return errors.Join(err, spools.Close(), in.Close())
	}
	s := c.wire(in, spools, previewer, scanner, sender, cities, public, content, log)
	go scanner.report(ctx, log)
	lock.Announce(public.String())
	c.welcome(t, public, addr, setup, log)
	c.watched.serve(log)
	return s.serve(ctx, t, listener, c.Drain, c.ShutdownTimeout)
}

// claim locks the data directory and listens. It creates the directory if it is
// missing, but not if the address is in use.
func (c *serveCmd) claim(log *slog.Logger) (instance.ServingLock, *throttle.Listener, error) {
	listener, listening := net.Listen("tcp", c.Listen)
	_, err := os.Stat(c.Data)
	if listening != nil && errors.Is(err, fs.ErrNotExist) {
		return instance.ServingLock{}, nil, cannotListen(c.Listen, listening)
	}
	var lock instance.ServingLock
	if err = os.MkdirAll(c.Data, 0o700); err != nil {
		err = fmt.Errorf("make the data directory: %w", err)
	} else {
		lock, err = instance.LockServing(c.Data)
	}
	switch {
	case err != nil && listening == nil:
		return lock, nil, errors.Join(err, listener.Close())
	case err == nil && listening != nil:
		return lock, nil, errors.Join(cannotListen(c.Listen, listening), lock.Close())
	}
	if err != nil {
		return lock, nil, err
	}
	limited := throttle.Listen(listener, log)
	if err := c.listenMetrics(limited); err != nil {
		return lock, nil, errors.Join(err, limited.Close(), lock.Close())
	}
	return lock, limited, nil
}

// splitListen returns the host and the port of an address to listen on.
func splitListen(flag, address string) (host, port string, err error) {
	if host, port, err = net.SplitHostPort(address); err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		err = fmt.Errorf("%s: %q is not HOST:PORT or :PORT, such as :8080", flag, address)
	}
	return host, port, err
}

// cannotListen adds a hint to an error of net.Listen.
func cannotListen(address string, err error) error {
	host, port, split := net.SplitHostPort(address)
	switch n, bad := strconv.Atoi(port); {
	case split != nil || bad != nil:
		return err
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is already in use. Stop the other program, or choose another address, such as --listen %s", address, net.JoinHostPort(host, strconv.Itoa(n+1)))
	case errors.Is(err, syscall.EACCES) && n < 1024:
		return fmt.Errorf("this user may not listen on port %d: choose one from 1024 on (--listen), behind a reverse proxy", n)
	}
	return err
}

func (c *serveCmd) logger(t *terminal.Terminal) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(t.Err, o))
	}
	return slog.New(slog.NewTextHandler(t.Err, o))
}

// setupAddress returns the address for creating the first account, or "" if an
// account exists.
func setupAddress(ctx context.Context, in *instance.Instance, public *url.URL) (string, error) {
	text, err := in.Accounts.Setup(ctx)
	if err != nil || text == "" {
		return "", err
	}
	return httpx.TokenURL(public.String(), vitrine.TokenSetup, text), nil
}

// welcome prints the address of the server, missing features, and the next
// step. If the log is not text, it only logs them. The setup address is the
// only secret that is logged, because it can take over the instance. It is
// invalid after its use.
func (c *serveCmd) welcome(t *terminal.Terminal, public *url.URL, addr *net.TCPAddr, setup string, log *slog.Logger) {
	log.Info("serving", "address", addr.String(), "public_url", public.String(), "data", c.Data, "version", c.version)
	if c.LogFormat == "text" {
		t.Say("\nVitrine is at %s\n", public)
		if c.greet != nil {
			c.greet(public)
			return
		}
		if c.created {
			t.Say("This is a new instance, in %s.\n", terminal.Plain(instance.Redacted(cmp.Or(c.Database, c.Data))))
		}
		if setup != "" {
			t.Say("There is no account yet. Open this address to create the owner's, once:\n")
			t.Say("  %s\n", setup)
			t.Say("or, without a browser, create it in another terminal:\n")
			t.Say("  %s admin account create you@example.com --data %s\n", terminal.Self(), notation.ShellWord(c.Data))
			t.Say("Then publish a file in another terminal:\n")
		} else {
			t.Say("Publish a file in another terminal:\n")
		}
		t.Say("  %s login --server %s\n  %s put FILE\n", terminal.Self(), notation.ShellWord(public.String()),
			terminal.Self())
	}
	if c.LogFormat != "text" && setup != "" {
		log.Warn("there is no account yet: open the address to make the first one, once", "address", setup)
	}
	if !addr.IP.IsLoopback() && c.PublicURL == "" {
		log.Warn("links work on this machine only: set --public-url (VITRINE_PUBLIC_URL) to the address that visitors use", "public_url", public.String())
	}
}

// mailTime is how long a server continues to send mail during shutdown.
// Other servers, or the next start, send the rest.
const mailTime = 10 * time.Second

// serve runs the server until ctx ends or serving fails. It returns nil if all
// requests were completed.
func (s *service) serve(ctx context.Context, t *terminal.Terminal, listener *throttle.Listener,
	drain, bound time.Duration) error {
	work, stopWork := context.WithCancel(context.Background())
	defer stopWork()
	worked := make(chan struct{})
	go func() { fleet.RunAll(work, s.loops...); close(worked) }()

	served := make(chan error, 1)
	go func() { served <- listener.Serve(s.http) }()
	var failed error
	select {
	case failed = <-served:
	case <-ctx.Done():
		failed = s.drain(t, drain, served)
	}
	if err := s.shutdown(bound); err != nil {
		// Views and databases stay open, because requests still use them. All
		// acknowledged data is durable.
		return errors.Join(failed, err)
	}
	stopWork()
	<-worked
	s.views.Close()
	if err := s.views.Limits.Write(context.Background()); err != nil {
		s.log.Warn("excess views of the last seconds were not counted", "error", err)
	}
	if err := s.instance.Gates.WriteCounts(context.Background()); err != nil {
		s.log.Warn("gates of the last seconds were not counted", "error", err)
	}
	s.scanner.Close()
	if s.outbox != nil {
		letters, done := context.WithTimeout(context.Background(), mailTime)
		if err := s.outbox.Send(letters); err != nil {
			s.log.Warn("messages are queued in the store", "error", err)
		}
		done()
	}
	s.instance.RecordLog(context.Background(), s.log)
	s.log.Info("stopped")
	return errors.Join(failed, s.spools.Close(), s.instance.Close())
}

// drain reports that this server is not ready and continues to serve, so that a
// load balancer can redirect requests. It returns early if serving fails.
func (s *service) drain(t *terminal.Terminal, wait time.Duration, served <-chan error) error {
	s.draining.Store(true)
	if wait <= 0 {
		return nil
	}
	s.log.Info("draining: /readyz answers 503, requests are still served", "for", wait.String())
	select {
	case err := <-served:
		return err
	case <-t.After(wait):
		return nil
	}
}

// shutdown closes the listener and waits for running requests.
func (s *service) shutdown(bound time.Duration) error {
	// RegisterOnShutdown's function runs after the listener is closed.
	s.http.RegisterOnShutdown(func() {
		s.log.Info("stopping: requests in progress may finish; a second signal ends them", "within", bound.String())
	})
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	s.http.Close()
	return fmt.Errorf("requests were in progress for longer than %s and were cut off", bound)
}
