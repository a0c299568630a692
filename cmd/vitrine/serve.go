package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"

	"vitrine"
	"vitrine/internal/accept"
	"vitrine/internal/datadir"
	"vitrine/internal/terminal"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/worker"
)

// Run serves until ctx ends, and then in order: it says that it is not ready
// and serves on for the time to drain, takes no more connections, requests that
// are under way finish, background work ends, views and databases are closed.
func (c *serveCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	log := c.logger(t)
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	if c.Dev {
		if err := ui.ReadFrom("internal/web"); err != nil {
			return err
		}
	}
	lock, err := datadir.LockServing(c.Data)
	if err != nil {
		return err
	}
	defer lock.Close()
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return notListening(c.Listen, err)
	}
	defer listener.Close()
	addr := listener.Addr().(*net.TCPAddr)
	public, content, err := c.origins(strconv.Itoa(addr.Port))
	if err != nil {
		return err
	}
	// The start is brief, and a signal during it ends the server as it would
	// later.
	starting := context.WithoutCancel(ctx)
	in, err := createInstance(starting, c.placeFlags, public.String())
	if err != nil {
		return err
	}
	spools, err := openSpools(c.Data, c.shared(), log)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	behind, err := in.passOver(starting, spools.idSources()...)
	if err != nil {
		return errors.Join(err, spools.Close(), in.Close())
	}
	if behind != "" {
		log.Warn(behind)
	}
	previewer, err := c.previewer(log)
	scanner, errScanner := c.scanner()
	sender, errSender := c.mailer()
	cities, errCities := c.cities(starting, c.Data, log)
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
	return s.serve(ctx, listener, c.Drain, c.ShutdownTimeout)
}

// notListening says what to do where the server cannot listen.
func notListening(address string, err error) error {
	host, port, split := net.SplitHostPort(address)
	switch n, bad := strconv.Atoi(port); {
	case split != nil || bad != nil:
		return err
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is already in use. Stop the other program, or choose another address, such as --listen %s", address, net.JoinHostPort(host, strconv.Itoa(n+1)))
	case errors.Is(err, syscall.EACCES) && n < 1024:
		return fmt.Errorf("this user may not listen on port %d: choose one from 1024 on (--listen), with a reverse proxy before it", n)
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

// setupAddress returns where the first account is made; "" when there is one.
func setupAddress(ctx context.Context, in *instance, public *url.URL) (string, error) {
	text, err := in.accounts.Setup(ctx)
	if err != nil || text == "" {
		return "", err
	}
	return httpx.TokenURL(public.String(), vitrine.TokenSetup, text), nil
}

// welcome says where the server is, what it lacks, and what to do next: to a
// person where the log is text, else in the log alone. The address at which the
// first account is made is the one secret that ever is there: anyone who reads
// the log runs the instance, and it is worth nothing once it was used.
func (c *serveCmd) welcome(t *terminal.Terminal, public *url.URL, addr *net.TCPAddr, setup string, log *slog.Logger) {
	log.Info("serving", "address", addr.String(), "public_url", public.String(), "data", c.Data, "version", version)
	if c.LogFormat == "text" {
		t.Say("\nVitrine is at %s\n", public)
		if setup != "" {
			t.Say("There is no account yet. Open this address to create the owner's, once:\n")
			t.Say("  %s\n", setup)
			t.Say("or, without a browser, create it in another terminal:\n")
			t.Say("  %s account create you@example.com --data %s\n", terminal.Self(), terminal.ShellWord(c.Data))
			t.Say("Then publish a file in another terminal:\n")
		} else {
			t.Say("Publish a file in another terminal:\n")
		}
		t.Say("  %s login --server %s\n  %s put FILE\n", terminal.Self(), terminal.ShellWord(public.String()),
			terminal.Self())
	}
	if c.LogFormat != "text" && setup != "" {
		log.Warn("there is no account yet: open the address to make the first one, once", "address", setup)
	}
	if !addr.IP.IsLoopback() && c.PublicURL == "" {
		log.Warn("links lead to this machine alone: set --public-url (VITRINE_PUBLIC_URL) to the address that visitors use", "public_url", public.String())
	}
}

// putHint returns what to type to publish a file with a key.
func putHint(public, key string) string {
	return fmt.Sprintf("  export VITRINE_URL=%s VITRINE_API_KEY=%s\n  %s put FILE\n", terminal.ShellWord(public), key,
		terminal.Self())
}

// lettersTime is how long a server that ends begins to send messages. What is
// left then is sent by another, or by the next.
const lettersTime = 10 * time.Second

// serve runs the server until ctx ends or serving fails. It returns nil after a
// clean end: every request answered.
func (s *service) serve(ctx context.Context, listener net.Listener, drain, bound time.Duration) error {
	work, stopWork := context.WithCancel(context.Background())
	defer stopWork()
	worked := make(chan struct{})
	go func() { worker.RunAll(work, s.loops...); close(worked) }()

	served := make(chan error, 1)
	go func() { served <- accept.Listen(listener, s.log).Serve(s.http) }()
	var failed error
	select {
	case failed = <-served:
	case <-ctx.Done():
		failed = s.drain(drain, served)
	}
	if err := s.shutdown(bound); err != nil {
		// Requests still run on views and databases: these are left as they
		// are. What was answered is durable.
		return errors.Join(failed, err)
	}
	stopWork()
	<-worked
	s.views.Close()
	s.scanner.Close()
	if s.outbox != nil {
		letters, done := context.WithTimeout(context.Background(), lettersTime)
		if err := s.outbox.Send(letters); err != nil {
			s.log.Warn("messages wait in the store", "error", err)
		}
		done()
	}
	s.instance.recordLog(context.Background(), s.log)
	s.log.Info("stopped")
	return errors.Join(failed, s.spools.Close(), s.instance.Close())
}

// drain says that this server is not ready, and serves on, so that whatever is
// before it has time to see that and to send requests elsewhere. Serving may
// fail meanwhile.
func (s *service) drain(wait time.Duration, served <-chan error) error {
	s.draining.Store(true)
	if wait <= 0 {
		return nil
	}
	s.log.Info("draining: /readyz says no, requests are still taken", "for", wait.String())
	select {
	case err := <-served:
		return err
	case <-terminal.After(wait):
		return nil
	}
}

// shutdown accepts no more connections and waits for the requests under way.
func (s *service) shutdown(bound time.Duration) error {
	// Called when the listener is closed.
	s.http.RegisterOnShutdown(func() {
		s.log.Info("stopping: requests under way may finish; a second signal ends them", "within", bound.String())
	})
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err == nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	s.http.Close()
	return fmt.Errorf("requests were under way for longer than %s and were cut off", bound)
}
