package serve

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/clamav"
	"vitrine/internal/web/app"
)

// scanner is the malware scanner and its cached notices.
type scanner struct {
	vitrine.Scanner
	clamd *clamav.Scanner // nil if none is configured

	mu          sync.Mutex
	lastNotices []app.Notice
	lastChecked time.Time
	checking    bool
}

// noScanner is logged once if no scanner is configured
// (contract, No scanner configured).
const noScanner = "no malware scanner is configured: files are inspected but not scanned for malware; see --clamd"

func (c *serveCmd) scanner() (*scanner, error) {
	if len(c.Clamd) == 0 {
		return &scanner{Scanner: publish.NoScanner{}}, nil
	}
	clamd, err := clamav.New(clamav.Options{Addresses: c.Clamd, Concurrency: c.Scans})
	if err != nil {
		return nil, fmt.Errorf("--clamd: %w", err)
	}
	return &scanner{Scanner: clamd, clamd: clamd}, nil
}

func (s *scanner) Close() {
	if s.clamd != nil {
		_ = s.clamd.Close() // closes idle connections
	}
}

// concurrentScans returns the number of concurrent video scans. It leaves two
// scans of all daemons free: one for rescans and one for interactive uploads.
func (c *serveCmd) concurrentScans() int { return max(len(c.Clamd)*c.Scans-2, 1) }

// noticesLife is how long notices are cached.
const noticesLife = 10 * time.Second

// notices returns the scanner notices for moderators. It returns cached notices
// immediately and never waits for a scanner.
func (s *scanner) notices(context.Context) []app.Notice {
	if s.clamd == nil {
		return []app.Notice{{Text: "No malware scanner is set up. Vitrine checks file types but does not scan for malware. To add ClamAV, start the server with --clamd.", Warning: true,
			Key: "scanner", Short: "No malware scanner is set up."}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.checking && time.Since(s.lastChecked) >= noticesLife {
		s.checking = true
		go s.refresh()
	}
	return s.lastNotices
}

// refresh refreshes the notices.
func (s *scanner) refresh() {
	var said []app.Notice
	for _, h := range s.clamd.Check(context.Background()) { // Check has its own timeout
		said = append(said, app.Notice{Text: h.String(), Warning: h.Err != nil})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastNotices, s.lastChecked, s.checking = said, time.Now(), false
}

// report logs the state of the scanner at the start.
func (s *scanner) report(ctx context.Context, log *slog.Logger) {
	if s.clamd == nil {
		log.Info(noScanner)
		return
	}
	s.refresh()
	for _, n := range s.notices(ctx) {
		if n.Warning {
			log.Warn(n.Text)
		} else {
			log.Info("scanner", "clamd", n.Text)
		}
	}
}
