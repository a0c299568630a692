package publish_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
)

// TestScanAnswers checks every answer of a scanner wherever one is requested.
// Only an explicit "clean" counts as clean (promise 6).
func TestScanAnswers(t *testing.T) {
	for _, r := range []struct {
		name           string
		verdict        vitrine.Verdict
		err            error
		complete       vitrine.LinkState // "" if refused
		completeReason string
		video          vitrine.LinkState
		videoReason    string
		live           vitrine.LinkState // after a rescan
		liveReason     string
		detail         string
	}{
		{"clean", fixture.Clean, nil, "live", "", "live", "", "live", "", ""},
		{"suspicious", fixture.Suspicious, nil, "review", "scan_suspicious", "review", "scan_suspicious", "review",
			"scan_suspicious", "Heuristics.Test"},
		{"malware", fixture.Malware, nil, "", "", "disabled", "malware", "review", "malware", "Test.Virus"},
		{"down", vitrine.Verdict{}, fixture.ErrMute, "review", "scan_unavailable", "processing", "", "live", "", ""},
		{"late", vitrine.Verdict{}, context.DeadlineExceeded, "review", "scan_slow", "processing", "", "live", "", ""},
		{"over its limits", vitrine.Verdict{}, fmt.Errorf("size: %w", vitrine.ErrScanLimit), "review", "scan_limit",
			"review", "scan_limit", "live", "", ""},
		{"nothing", vitrine.Verdict{}, nil, "review", "scan_unavailable", "processing", "", "live", "", ""},
		{"nonsense", vitrine.Verdict{Result: "fine"}, nil, "review", "scan_unavailable", "processing", "", "live", "",
			""},
		{"clean, and an error", fixture.Clean, fixture.ErrMute, "review", "scan_unavailable", "processing", "", "live",
			"", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := fixture.New(t)
			live, video := s.Note("live"), s.Clip()
			s.Scanner.Known, s.Scanner.Verdict, s.Scanner.Err = "2", r.verdict, r.err
			l, err := s.Complete("note.txt", "text")
			if r.complete == "" {
				var e *vitrine.Error
				if !errors.As(err, &e) || e.Code != vitrine.CodeMalware || e.Reason != vitrine.ReasonMalware ||
					!strings.Contains(e.Message, "Test.Virus") {
					t.Errorf("Complete = %v, want malware", err)
				}
				c, err := (&moderation.Service{Store: s.Store}).Account(t.Context(), s.Account.ID)
				s.Must(err)
				if h := c.History; len(h) != 1 || h[0].Action != vitrine.ActionRefuse ||
					h[0].Reason != vitrine.ReasonMalware || h[0].Detail != "note.txt" {
					t.Errorf("history of the account = %+v", h)
				}
			} else {
				s.Must(err)
				s.WantState(l, r.complete, r.completeReason, r.detail)
			}
			s.Pending()
			s.Rescan()
			s.WantState(live, r.live, r.liveReason, r.detail)
			now := s.WantState(video, r.video, r.videoReason, r.detail)
			if now.HasBytes != (r.video != "disabled") {
				t.Errorf("the video has bytes = %t", now.HasBytes)
			}
			// What was answered is not scanned again; everything else is.
			before := s.Scanner.Scanned
			s.Clock.Advance(20 * time.Second)
			s.Pending()
			s.Rescan()
			if asked := s.Scanner.Scanned > before; asked != (r.live == "live" && r.name != "clean" &&
				r.name != "over its limits") {
				t.Errorf("scanned again = %t (%d scans)", asked, s.Scanner.Scanned-before)
			}
		})
	}
}

// TestScanLate checks that a video without an answer for half an hour waits for
// a moderator, also if the scanner cannot be reached. A later answer is shown
// to the moderator, who alone can publish it (contract, Link states).
func TestScanLate(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fixture.ErrMute
	video := s.Clip()
	s.Pending()
	s.Clock.Advance(publish.ScanTime - time.Second)
	s.Pending()
	s.WantState(video, vitrine.StateProcessing, "", "")
	s.Clock.Advance(time.Second)
	s.Scanner.Silent = fixture.ErrMute
	if err := s.Scans.Pending(t.Context()); !errors.Is(err, fixture.ErrMute) {
		t.Errorf("Pending without a scanner = %v, want %v", err, fixture.ErrMute)
	}
	s.WantState(video, vitrine.StateReview, vitrine.ReasonScanSlow, "")
	s.Scanner.Silent, s.Scanner.Err = nil, nil
	s.Clock.Advance(10 * time.Minute)
	s.Rescan()
	s.WantState(video, vitrine.StateReview, vitrine.ReasonScanLate, "")
	_, err := s.Links.Clear(t.Context(), string(video.Slug), fixture.Administrator("watched it"))
	s.Must(err)
	s.WantState(video, vitrine.StateLive, "", "")
	want := []string{"owner create", "scanner hold", "scanner scan", "administrator clear"}
	if got := s.History(video); !slices.Equal(got, want) {
		t.Errorf("history = %q, want %q", got, want)
	}
}

// TestRescan checks that every public link is scanned once with new signatures.
// A finding sends the link to review and keeps its bytes.
func TestRescan(t *testing.T) {
	s := fixture.New(t)
	a, b := s.Note("a"), s.Note("b")
	s.Rescan()
	if s.Scanner.Scanned != 2 {
		t.Errorf("%d scans with known signatures", s.Scanner.Scanned)
	}
	s.Scanner.Known, s.Scanner.Verdict = "2", fixture.Malware
	s.Rescan()
	s.WantState(a, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
	if l := s.WantState(b, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus"); !l.HasBytes || l.Scanned != "2" {
		t.Errorf("link = %+v", l)
	}
	// An approved link stays public until the signatures change again.
	_, err := s.Links.Clear(t.Context(), string(a.Slug), fixture.Administrator("a false alarm"))
	s.Must(err)
	s.Rescan()
	s.WantState(a, vitrine.StateLive, "", "")
	n, err := s.Scans.MarkForScan(t.Context(), string(a.Slug))
	s.Must(err)
	s.Scanner.Verdict = fixture.Clean
	s.Rescan()
	if l := s.WantState(a, vitrine.StateLive, "", ""); n != 1 || l.Scanned != "2" {
		t.Errorf("%d links marked, link = %+v", n, l)
	}
	if _, err := s.Scans.MarkForScan(t.Context(), "no-such-link"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("MarkForScan of an unknown link = %v, want not_found", err)
	}
}

// TestScannerComesAndGoes checks that a scanner that is configured later scans
// what was published without one, and that removing it changes nothing.
func TestScannerComesAndGoes(t *testing.T) {
	s := fixture.New(t)
	s.Uploads.Scanner, s.Scans.Scanner = publish.NoScanner{}, publish.NoScanner{}
	l, video := s.Note("a"), s.Clip()
	s.Pending()
	s.Rescan()
	s.WantState(l, vitrine.StateLive, "", "")
	s.WantState(video, vitrine.StateLive, "", "")
	s.Uploads.Scanner, s.Scans.Scanner = s.Scanner, s.Scanner
	s.Scanner.Verdict = fixture.Suspicious
	s.Rescan()
	s.WantState(l, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test")
	s.WantState(video, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test")
	s.Uploads.Scanner, s.Scans.Scanner = publish.NoScanner{}, publish.NoScanner{}
	s.Pending()
	s.WantState(l, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test")
}

// TestScanMeanwhile checks that changes of a link during its scan prevail over
// the scan's result.
func TestScanMeanwhile(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fixture.ErrMute
	held := s.Note("held")
	s.Scanner.Err, s.Scanner.Verdict = nil, fixture.Malware
	s.Scanner.During = func() {
		_, err := s.Links.Reject(t.Context(), string(held.Slug), fixture.Administrator("no"))
		s.Must(err)
	}
	s.Rescan()
	s.WantState(held, vitrine.StateDisabled, vitrine.ReasonModerator, "")

	s.Scanner.During = nil
	video := s.Clip()
	s.Scanner.During = func() {
		s.Scanner.During = nil
		s.Must(s.Links.Delete(t.Context(), string(video.Slug), fixture.Administrator("")))
	}
	s.Pending()
	if _, err := s.Links.BySlug(t.Context(), string(video.Slug)); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("a link deleted during its scan: %v, want not_found", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	again := s.Clip()
	s.Scanner.During = cancel
	if err := s.Scans.Pending(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Pending = %v, want context.Canceled", err)
	}
	s.Scanner.During = nil
	s.WantState(again, vitrine.StateProcessing, "", "")
	s.Scanner.Verdict = fixture.Clean
	s.Pending() // as after a restart
	s.WantState(again, vitrine.StateLive, "", "")
}

// TestScanTries checks that a file without an answer does not delay others, and
// is tried again after growing pauses.
func TestScanTries(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fixture.ErrMute
	held := s.Note("a")
	tries := 0
	for range 60 {
		before := s.Scanner.Scanned
		s.Rescan()
		if s.Scanner.Scanned > before {
			tries++
		}
		s.Clock.Advance(time.Minute)
	}
	if tries < 10 || tries > 15 || s.Failed != tries {
		t.Errorf("%d tries in an hour, %d reported", tries, s.Failed)
	}
	// After a day the failures count as this file's own.
	for range 24 * 60 {
		s.Rescan()
		s.Clock.Advance(time.Minute)
	}
	if s.Failed > tries+10 {
		t.Errorf("%d tries in another day", s.Failed-tries)
	}
	// A requested scan does not wait for the pause, and a clock that was ahead
	// delays nothing.
	before := s.Scanner.Scanned
	_, err := s.Scans.MarkForScan(t.Context(), string(held.Slug))
	s.Must(err)
	s.Rescan()
	s.Rescan()
	if n := s.Scanner.Scanned - before; n != 1 {
		t.Errorf("%d scans after the request, want 1", n)
	}
	s.Clock.Advance(-48 * time.Hour)
	s.Scanner.Err = nil
	s.Rescan()
	s.WantState(held, vitrine.StateReview, vitrine.ReasonScanLate, "")
}

// TestKnownBytes checks that the bytes of a link that a moderator rejected, or
// that was malware, wait for a moderator when uploaded again.
func TestKnownBytes(t *testing.T) {
	s := fixture.New(t)
	first, other := s.Note("bad"), s.Note("good")
	_, err := s.Links.Disable(t.Context(), string(first.Slug), fixture.Administrator(""))
	s.Must(err)
	second := s.Note("bad")
	s.WantState(second, vitrine.StateReview, vitrine.ReasonKnownBytes, "")
	s.WantState(s.Note("good"), vitrine.StateLive, "", "")
	_, err = s.Links.Clear(t.Context(), string(second.Slug), fixture.Administrator(""))
	s.Must(err)
	changed, err := s.Links.RejectSame(t.Context(), string(second.Slug), fixture.Administrator("all of it"))
	s.Must(err)
	if len(changed) != 1 || changed[0].ID != second.ID {
		t.Errorf("%d links changed, want the second one", len(changed))
	}
	s.WantState(second, vitrine.StateDisabled, vitrine.ReasonModerator, "")
	s.WantState(other, vitrine.StateLive, "", "")
	// The same after that link was deleted.
	s.Must(s.Links.Delete(t.Context(), string(first.Slug), fixture.Administrator("")))
	s.Must(s.Links.Delete(t.Context(), string(second.Slug), fixture.Administrator("")))
	s.WantState(s.Note("bad"), vitrine.StateReview, vitrine.ReasonKnownBytes, "")
	// A link that only its owner has disabled does not count.
	_, err = s.Links.Disable(t.Context(), string(other.Slug), vitrine.Decision{By: vitrine.Owner(s.Account.ID)})
	s.Must(err)
	s.WantState(s.Note("good"), vitrine.StateLive, "", "")
}

// TestScanFaults fails each operation of a scan or a decision. The next run
// completes it, and nothing is half done (promises 7, 17).
func TestScanFaults(t *testing.T) {
	for _, r := range []struct {
		name    string
		verdict vitrine.Verdict
		state   vitrine.LinkState
		reason  string
		detail  string
	}{
		{"clean", fixture.Clean, vitrine.StateLive, "", ""},
		{"malware", fixture.Malware, vitrine.StateDisabled, vitrine.ReasonMalware, "Test.Virus"},
		{"suspicious", fixture.Suspicious, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test"},
	} {
		t.Run(r.name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				s := fixture.New(t)
				s.Scanner.Verdict = r.verdict
				video := s.Clip()
				f := &fixture.Injector{N: n}
				s.Scans.Store, s.Scans.Blobs = f.Store(s.Store), f.Blobs(s.Blobs)
				err := s.Scans.Pending(t.Context())
				if !f.Hit() {
					if err != nil || n < 5 {
						t.Fatalf("%d operations: %v", n-1, err)
					}
					break
				}
				s.Scans.Store, s.Scans.Blobs = s.Store, s.Blobs
				s.Clock.Advance(time.Hour / 4) // past the pause after a scan without an answer
				s.Pending()
				s.WantState(video, r.state, r.reason, r.detail)
				for range 2 { // the second run also removes bytes that an interrupted deletion has left
					s.Clock.Advance(2 * vitrine.UploadLife)
					s.Must(s.Uploads.Sweep(t.Context()))
				}
			}
		})
	}
}
