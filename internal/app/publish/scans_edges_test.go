package publish_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// TestScanKeepsReason checks that a scanner that cannot scan a held file, or
// later finds it clean, does not weaken the reason for which it is held.
func TestScanKeepsReason(t *testing.T) {
	for _, how := range []string{"inspection", "known bytes", "readers"} {
		t.Run(how, func(t *testing.T) {
			s := fixture.New(t)
			var l *vitrine.Link
			var err error
			switch how {
			case "inspection":
				l, err = s.Complete("login.html", "<!doctype html><html><body><form action=/><input type=password></form></body></html>")
				s.Must(err)
			case "known bytes":
				bad := s.Note("bad")
				_, err = s.Links.Disable(t.Context(), string(bad.Slug), fixture.Administrator(""))
				s.Must(err)
				l = s.Note("bad")
			case "readers":
				l = s.Note("reported")
				abuse := &moderation.AbuseReports{Store: s.Store, Now: s.Clock.Now, Threshold: 1}
				s.Must(abuse.Report(t.Context(), l.ID, 7, vitrine.AbusePhishing, ""))
			}
			l, err = s.Links.BySlug(t.Context(), string(l.Slug))
			s.Must(err)
			why := l.Reason
			if l.State != vitrine.StateReview {
				t.Fatal(l.State)
			}
			s.Scanner.Known, s.Scanner.Err = "2", fmt.Errorf("x: %w", vitrine.ErrScanLimit)
			s.Rescan()
			s.WantState(l, vitrine.StateReview, why, l.Detail)
			s.Scanner.Known, s.Scanner.Err = "3", nil
			s.Rescan()
			s.WantState(l, vitrine.StateReview, why, l.Detail)
		})
	}
}

// TestKnownBytesStayKnown checks that uploading and deleting copies does not
// hide that the bytes were taken down before.
func TestKnownBytesStayKnown(t *testing.T) {
	s := fixture.New(t)
	first := s.Note("bad")
	_, err := s.Links.Disable(t.Context(), string(first.Slug), fixture.Administrator("phishing"))
	s.Must(err)
	for range 101 {
		s.Clock.Advance(time.Minute)
		l := s.Note("bad")
		if l.State == vitrine.StateLive {
			t.Fatal("the link is live, although its bytes were taken down and nobody has approved it")
		}
		s.Must(s.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.Account.ID)}))
	}
}

// TestKnownBytesWhileTheScannerIsDown checks that known bytes are recognized
// without the scanner.
func TestKnownBytesWhileTheScannerIsDown(t *testing.T) {
	s := fixture.New(t)
	first := s.Note("phishing")
	_, err := s.Links.Disable(t.Context(), string(first.Slug), fixture.Administrator("phishing"))
	s.Must(err)
	s.Scanner.Err = fixture.ErrMute
	second := s.Note("phishing")
	s.Scanner.Err = nil
	s.Clock.Advance(time.Hour)
	s.Pending()
	s.WantState(second, vitrine.StateReview, vitrine.ReasonKnownBytes, "")
}

// TestReportedBytesStayHeld checks that bytes that readers have reported do not
// become public by deleting the link and uploading them again.
func TestReportedBytesStayHeld(t *testing.T) {
	s := fixture.New(t)
	l := s.Note("scam")
	abuse := &moderation.AbuseReports{Store: s.Store, Now: s.Clock.Now, Threshold: 2}
	s.Must(abuse.Report(t.Context(), l.ID, 7, vitrine.AbusePhishing, ""))
	s.Must(abuse.Report(t.Context(), l.ID, 8, vitrine.AbusePhishing, ""))
	s.WantState(l, vitrine.StateReview, vitrine.ReasonAbuse, "")
	s.Must(s.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.Account.ID)}))
	again := s.Note("scam")
	if again.State == vitrine.StateLive {
		t.Error("the link is live without approval")
	}
}

// badBlob is storage that cannot read one file.
type badBlob struct {
	vitrine.Blobs
	bad vitrine.UploadID
}

func (b badBlob) Open(ctx context.Context, id vitrine.UploadID) (vitrine.Blob, error) {
	if id == b.bad {
		return nil, errors.New("open: input/output error")
	}
	return b.Blobs.Open(ctx, id)
}

// TestUnreadableKeepsNoVideo checks that a file that cannot be read does not
// prevent scans of other files.
func TestUnreadableKeepsNoVideo(t *testing.T) {
	s := fixture.New(t)
	s.Scans.Concurrency = 1
	bad, good := s.Clip(), s.Clip()
	s.Scans.Blobs = badBlob{s.Blobs, bad.Upload}
	for range 20 {
		_ = s.Scans.Pending(t.Context())
		s.Clock.Advance(time.Minute)
	}
	s.WantState(good, vitrine.StateLive, "", "")
}

// TestUnreadableKeepsNoRescan checks that a file that cannot be read does not
// prevent rescans of other files.
func TestUnreadableKeepsNoRescan(t *testing.T) {
	s := fixture.New(t)
	bad, infected := s.Note("unreadable"), s.Note("infected")
	s.Scans.Blobs = badBlob{s.Blobs, bad.Upload}
	s.Scanner.Known, s.Scanner.Verdict = "2", fixture.Malware
	for range 300 {
		_ = s.Scans.Rescan(t.Context())
		s.Clock.Advance(5 * time.Minute)
	}
	s.WantState(infected, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// TestRescanMeanwhile checks that a rescan requested during a scan runs after
// it.
func TestRescanMeanwhile(t *testing.T) {
	s := fixture.New(t)
	l := s.Note("x")
	s.Scanner.Known = "2"
	s.Scanner.During = func() { // clamd was reconfigured, and the administrator runs vitrine admin link rescan
		s.Scanner.During = nil
		n, err := s.Scans.MarkForScan(t.Context(), string(l.Slug))
		s.Must(err)
		if n != 1 {
			t.Fatal(n)
		}
	}
	s.Rescan()
	s.Scanner.Verdict = fixture.Malware
	s.Clock.Advance(time.Hour)
	s.Rescan()
	s.WantState(l, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// flapping is a scanner that reports other signatures on each call.
type flapping struct {
	*fixture.Scanner
	n int
}

func (f *flapping) Signatures(context.Context) (string, error) {
	f.n++
	return fmt.Sprint(f.n), nil
}

// TestSignaturesChangeMidway checks that a finding counts even if the
// signatures have changed since the scan began.
func TestSignaturesChangeMidway(t *testing.T) {
	s := fixture.New(t)
	l := s.Note("x")
	s.Scanner.Verdict = fixture.Malware
	s.Scans.Scanner = &flapping{Scanner: s.Scanner}
	for range 20 {
		s.Rescan()
		s.Clock.Advance(5 * time.Minute)
	}
	s.WantState(l, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// TestOwnersUndo checks that an owner may enable a link that they disabled,
// even if a moderator has decided in between and undone it.
func TestOwnersUndo(t *testing.T) {
	s := fixture.New(t)
	ctx := t.Context()
	mod, _, err := s.Accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.Must(err)
	moderator, owner := vitrine.Decision{By: vitrine.Moderator(mod)}, vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	l := s.Note("x")
	_, err = s.Links.Disable(ctx, string(l.Slug), owner)
	s.Must(err)
	_, err = s.Links.RejectSame(ctx, string(l.Slug), moderator)
	s.Must(err)
	_, err = s.Links.Undo(ctx, string(l.Slug), moderator)
	s.Must(err)
	s.WantState(l, vitrine.StateDisabled, vitrine.ReasonOwner, "")
	_, err = s.Links.Undo(ctx, string(l.Slug), owner)
	if err != nil {
		t.Errorf("the owner cannot undo their own decision: %v", err)
	}
	s.WantState(l, vitrine.StateLive, "", "")
}

// TestNothingIsWrittenTwice checks that a decision without an effect is not
// stored.
func TestNothingIsWrittenTwice(t *testing.T) {
	s := fixture.New(t)
	for range 3 {
		_, err := s.Accounts.SetRole(t.Context(), s.Account.Email, vitrine.RoleOwner, fixture.Administrator(""))
		s.Must(err)
		_, err = s.Accounts.SetPlan(t.Context(), s.Account.Email, vitrine.PlanLifetime, nil, fixture.Administrator(""))
		s.Must(err)
	}
	c, err := (&moderation.Service{Store: s.Store, Now: time.Now}).Account(t.Context(), s.Account.ID)
	s.Must(err)
	if len(c.History) != 0 {
		t.Errorf("%d rows in the history, want 0", len(c.History))
	}
}

// TestScanRaces runs scans, decisions and deletions concurrently and at random.
// Each change in a history begins with the state in which the last one ended,
// and a scanner never publishes what needs a moderator.
func TestScanRaces(t *testing.T) {
	s := fixture.New(t)
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(vitrinetest.Seed(t), 1))
	pick := func(n int) int { mu.Lock(); defer mu.Unlock(); return rng.IntN(n) }
	scan := &random{pick: pick}
	var links []*vitrine.Link
	s.Scanner.Verdict = fixture.Suspicious
	for i := range 6 {
		links = append(links, s.Note(fmt.Sprint(i)))
	}
	for range 4 {
		links = append(links, s.Clip())
	}
	two := func() *publish.Scans {
		return &publish.Scans{Store: s.Store, Blobs: s.Blobs, Scanner: scan, Now: s.Clock.Now, Concurrency: 3}
	}
	a, b := two(), two()
	ctx := t.Context()
	var wg sync.WaitGroup
	for _, x := range []*publish.Scans{a, b} {
		wg.Go(func() {
			for range 60 {
				scan.bump()
				_ = x.Pending(ctx)
				_ = x.Rescan(ctx)
				s.Clock.Advance(time.Minute)
			}
		})
	}
	owner := vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	for range 4 {
		wg.Go(func() {
			for range 150 {
				l := string(links[pick(len(links))].Slug)
				var err error
				switch pick(9) {
				case 0, 1:
					_, err = s.Links.Clear(ctx, l, fixture.Administrator(""))
				case 2:
					_, err = s.Links.Reject(ctx, l, fixture.Administrator(""))
				case 3:
					_, err = s.Links.Disable(ctx, l, owner)
				case 4, 5:
					_, err = s.Links.Undo(ctx, l, fixture.Administrator(""))
				case 6:
					_, err = s.Links.Undo(ctx, l, owner)
				case 7:
					_, err = s.Scans.MarkForScan(ctx, l)
				case 8:
					_, err = s.Links.RejectSame(ctx, l, fixture.Administrator(""))
				}
				// Forbidden: the same bytes were taken down on another link.
				if c := vitrine.CodeOf(err); c != "" && c != vitrine.CodeInvalidRequest && c != vitrine.CodeForbidden {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	// The changes of a history must form a chain.
	for _, l := range links {
		all, err := (&moderation.Service{Store: s.Store, Now: time.Now}).OfLink(ctx, string(l.Slug))
		s.Must(err)
		for i := range len(all) - 1 {
			if all[i].From != all[i+1].To {
				t.Errorf("link %s: %+v after %+v", l.Slug, *all[i].Change, *all[i+1].Change)
			}
			if all[i].To == vitrine.StateLive && all[i].By.Kind == vitrine.ActorScanner &&
				all[i].From != vitrine.StateProcessing {
				t.Errorf("the scanner published a link: %+v", *all[i].Change)
			}
		}
	}
}

// random is a scanner with random answers.
type random struct {
	pick func(int) int
	mu   sync.Mutex
	n    int
}

func (r *random) bump()      { r.mu.Lock(); r.n++; r.mu.Unlock() }
func (*random) Name() string { return "random" }
func (r *random) Signatures(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprint(r.n / 2), nil
}
func (r *random) Scan(ctx context.Context, f io.Reader, size int64) (vitrine.Verdict, error) {
	s := fixture.Scanner{Verdict: fixture.Clean}
	switch r.pick(5) {
	case 0:
		s.Verdict = fixture.Suspicious
	case 1:
		s.Verdict, s.Err = vitrine.Verdict{}, fixture.ErrMute
	case 2:
		s.Verdict, s.Err = vitrine.Verdict{}, vitrine.ErrScanLimit
	case 3:
		if r.pick(4) == 0 {
			s.Verdict = fixture.Malware
		}
	}
	return s.Scan(ctx, f, size)
}

// TestSignInRaces checks that concurrent sign-ins with one link while the
// account is suspended create at most one session, which ends with the
// suspension.
func TestSignInRaces(t *testing.T) {
	s := fixture.New(t)
	sessions := s.NewSessions()
	for range 10 {
		offer, err := sessions.Offer(t.Context(), s.Account.Email)
		s.Must(err)
		var n atomic.Int32
		var wg sync.WaitGroup
		got := make(chan vitrine.SessionText, 30)
		for range 30 {
			wg.Go(func() {
				if in, err := sessions.SignInWithToken(t.Context(), string(offer), auth.Client{}); err == nil {
					n.Add(1)
					got <- in.Session
				}
			})
		}
		wg.Go(func() { _, _ = s.Accounts.SetBanned(t.Context(), s.Account.Email, true, fixture.Administrator("")) })
		wg.Wait()
		if n.Load() > 1 {
			t.Error(n.Load())
		}
		_, err = s.Accounts.SetBanned(t.Context(), s.Account.Email, false, fixture.Administrator(""))
		s.Must(err)
		close(got)
		for text := range got {
			if _, err := sessions.Authenticate(t.Context(), string(text)); err == nil {
				t.Error("a session from before the suspension is valid")
			}
		}
	}
}

// TestClearedStays checks that a file which a moderator has approved is not
// held again for the same finding when signatures change, but is for another
// one.
func TestClearedStays(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Verdict = fixture.Suspicious
	l := s.Note("a sealed ZIP, say")
	_, err := s.Links.Clear(t.Context(), string(l.Slug), fixture.Administrator("harmless: Heuristics.Test is wrong here"))
	s.Must(err)
	for day := range 3 {
		s.Scanner.Known = fmt.Sprint("daily/", day)
		s.Rescan()
		s.WantState(l, vitrine.StateLive, "", "")
	}
	s.Scanner.Known, s.Scanner.Verdict = "daily/4", fixture.Malware
	s.Rescan()
	s.WantState(l, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// TestScanAfterRestart checks that a server that was down scans what waited
// before it sends it to a moderator.
func TestScanAfterRestart(t *testing.T) {
	s := fixture.New(t)
	video := s.Clip()
	s.Clock.Advance(publish.ScanTime + time.Hour)
	s.Pending()
	s.WantState(video, vitrine.StateLive, "", "")
}

// TestLimitIsTold checks that the reason names the limit.
func TestLimitIsTold(t *testing.T) {
	s := fixture.New(t)
	s.Scanner.Err = fmt.Errorf("clamd at unix:/x: %w: Heuristics.Limits.Exceeded.MaxScanTime", vitrine.ErrScanLimit)
	s.WantState(s.Note("x"), vitrine.StateReview, vitrine.ReasonScanLimit, "Heuristics.Limits.Exceeded.MaxScanTime")
}

// TestOwnerKeepsReports checks that disabling and enabling a link by its owner
// does not reset the count of reports.
func TestOwnerKeepsReports(t *testing.T) {
	s := fixture.New(t)
	l := s.Note("scam")
	abuse := &moderation.AbuseReports{Store: s.Store, Now: s.Clock.Now, Threshold: 2}
	owner := vitrine.Decision{By: vitrine.Owner(s.Account.ID)}
	s.Must(abuse.Report(t.Context(), l.ID, 7, vitrine.AbusePhishing, ""))
	s.Clock.Advance(time.Minute)
	_, err := s.Links.Disable(t.Context(), string(l.Slug), owner)
	s.Must(err)
	_, err = s.Links.Undo(t.Context(), string(l.Slug), owner)
	s.Must(err)
	s.Must(abuse.Report(t.Context(), l.ID, 8, vitrine.AbusePhishing, ""))
	s.WantState(l, vitrine.StateReview, vitrine.ReasonAbuse, "")
}
