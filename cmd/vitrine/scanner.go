package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/clamav"
	"vitrine/internal/web/app"
)

// scanner is what files are scanned with, and what there is to say of it.
type scanner struct {
	vitrine.Scanner
	clamd *clamav.Scanner // nil: none is configured

	mu     sync.Mutex
	said   []app.Notice
	saidAt time.Time
	asking bool
}

// noScanner is what the log says, once, where no scanner is configured
// (contract, No scanner configured).
const noScanner = "no malware scanner is configured: files are inspected, and not scanned for malware; see --clamd"

func (c *serveCmd) scanner() (*scanner, error) {
	if len(c.Clamd) == 0 {
		return &scanner{Scanner: vitrine.NoScanner{}}, nil
	}
	clamd, err := clamav.New(clamav.Options{Addresses: c.Clamd, AtOnce: c.Scans})
	if err != nil {
		return nil, fmt.Errorf("--clamd: %w", err)
	}
	return &scanner{Scanner: clamd, clamd: clamd}, nil
}

func (s *scanner) Close() {
	if s.clamd != nil {
		_ = s.clamd.Close() // idle connections
	}
}

// atOnce returns how many videos are scanned side by side: of the turns of all
// daemons two are left, one for what is scanned anew and one for an uploader
// who waits for the answer to an upload.
func (c *serveCmd) atOnce() int { return max(len(c.Clamd)*c.Scans-2, 1) }

// noticesLife is how long what was said of the scanner is said again without
// asking.
const noticesLife = 10 * time.Second

// notices returns what moderators must know of the scanner. What was found out
// last is said at once; nobody waits for a scanner.
func (s *scanner) notices(context.Context) []app.Notice {
	if s.clamd == nil {
		return []app.Notice{{Text: "No malware scanner is set up. Vitrine checks file types but does not scan for malware. To add ClamAV, start the server with --clamd.", Warning: true,
			Key: "scanner", Short: "No malware scanner is set up."}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asking && time.Since(s.saidAt) >= noticesLife {
		s.asking = true
		go s.ask()
	}
	return s.said
}

// ask finds out how the scanner is.
func (s *scanner) ask() {
	var said []app.Notice
	for _, h := range s.clamd.Check(context.Background()) { // which has a time of its own
		said = append(said, app.Notice{Text: h.String(), Warning: h.Err != nil})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.saidAt, s.asking = said, time.Now(), false
}

// report writes to the log how the scanner is, once, at the start.
func (s *scanner) report(ctx context.Context, log *slog.Logger) {
	if s.clamd == nil {
		log.Info(noScanner)
		return
	}
	s.ask()
	for _, n := range s.notices(ctx) {
		if n.Warning {
			log.Warn(n.Text)
		} else {
			log.Info("scanner", "clamd", n.Text)
		}
	}
}
