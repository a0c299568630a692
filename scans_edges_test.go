package vitrine_test

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
)

// A scanner that cannot look into a file does not make the reason weaker for which it is held; nor does one that finds it clean then.
func TestScanKeepsReason(t *testing.T) {
	for _, how := range []string{"inspection", "known bytes", "readers"} {
		t.Run(how, func(t *testing.T) {
			s := newScanning(t)
			var l *vitrine.Link
			var err error
			switch how {
			case "inspection":
				l, err = s.complete("login.html", "<!doctype html><html><body><form action=/><input type=password></form></body></html>")
				s.must(err)
			case "known bytes":
				bad := s.note("bad")
				_, err = s.links.Disable(t.Context(), string(bad.Slug), operator(""))
				s.must(err)
				l = s.note("bad")
			case "readers":
				l = s.note("reported")
				abuse := &vitrine.AbuseReports{Store: s.store, Now: s.clock.Now, Threshold: 1}
				s.must(abuse.File(t.Context(), l.ID, 7, vitrine.AbusePhishing, ""))
			}
			l, err = s.links.BySlug(t.Context(), string(l.Slug))
			s.must(err)
			why := l.Reason
			if l.State != vitrine.StateReview {
				t.Fatal(l.State)
			}
			s.mouth.signatures, s.mouth.err = "2", fmt.Errorf("x: %w", vitrine.ErrScanLimit)
			s.rescan()
			s.is(l, vitrine.StateReview, why, l.Detail)
			s.mouth.signatures, s.mouth.err = "3", nil
			s.rescan()
			s.is(l, vitrine.StateReview, why, l.Detail)
		})
	}
}

// Copies that are held and deleted again do not hide that their bytes were taken down.
func TestKnownBytesStayKnown(t *testing.T) {
	s := newScanning(t)
	first := s.note("bad")
	_, err := s.links.Disable(t.Context(), string(first.Slug), operator("phishing"))
	s.must(err)
	for range 101 {
		s.clock.Advance(time.Minute)
		l := s.note("bad")
		if l.State == vitrine.StateLive {
			t.Fatal("live: nobody has cleared it, and the bytes were taken down")
		}
		s.must(s.links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.account.ID)}))
	}
}

// Known bytes are known also when the scanner is down.
func TestKnownBytesWhileTheScannerIsDown(t *testing.T) {
	s := newScanning(t)
	first := s.note("phishing")
	_, err := s.links.Disable(t.Context(), string(first.Slug), operator("phishing"))
	s.must(err)
	s.mouth.err = errMute
	second := s.note("phishing")
	s.mouth.err = nil
	s.clock.Advance(time.Hour)
	s.pending()
	s.is(second, vitrine.StateReview, vitrine.ReasonKnownBytes, "")
}

// Bytes that readers have reported do not come back by being deleted and uploaded anew.
func TestReportedBytesStayHeld(t *testing.T) {
	s := newScanning(t)
	l := s.note("scam")
	abuse := &vitrine.AbuseReports{Store: s.store, Now: s.clock.Now, Threshold: 2}
	s.must(abuse.File(t.Context(), l.ID, 7, vitrine.AbusePhishing, ""))
	s.must(abuse.File(t.Context(), l.ID, 8, vitrine.AbusePhishing, ""))
	s.is(l, vitrine.StateReview, vitrine.ReasonAbuse, "")
	s.must(s.links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Owner(s.account.ID)}))
	again := s.note("scam")
	if again.State == vitrine.StateLive {
		t.Error("live again, without a person")
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

// A file that cannot be read keeps no other from being scanned.
func TestUnreadableKeepsNoVideo(t *testing.T) {
	s := newScanning(t)
	s.scans.AtOnce = 1
	bad, good := s.clip(), s.clip()
	s.scans.Blobs = badBlob{s.blobs, bad.Upload}
	for range 20 {
		_ = s.scans.Pending(t.Context())
		s.clock.Advance(time.Minute)
	}
	s.is(good, vitrine.StateLive, "", "")
}

// … nor from being scanned again.
func TestUnreadableKeepsNoRescan(t *testing.T) {
	s := newScanning(t)
	bad, infected := s.note("unreadable"), s.note("infected")
	s.scans.Blobs = badBlob{s.blobs, bad.Upload}
	s.mouth.signatures, s.mouth.verdict = "2", malware
	for range 300 {
		_ = s.scans.Rescan(t.Context())
		s.clock.Advance(5 * time.Minute)
	}
	s.is(infected, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// What an operator asks for in the middle of a scan is done after it.
func TestRescanMeanwhile(t *testing.T) {
	s := newScanning(t)
	l := s.note("x")
	s.mouth.signatures = "2"
	s.mouth.during = func() { // clamd was set up otherwise, and the operator types vitrine link rescan
		s.mouth.during = nil
		n, err := s.scans.Again(t.Context(), string(l.Slug))
		s.must(err)
		if n != 1 {
			t.Fatal(n)
		}
	}
	s.rescan()
	s.mouth.verdict = malware
	s.clock.Advance(time.Hour)
	s.rescan()
	s.is(l, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// flapping is a scanner that names other signatures whenever it is asked.
type flapping struct {
	*mouth
	n int
}

func (f *flapping) Signatures(context.Context) (string, error) {
	f.n++
	return fmt.Sprint(f.n), nil
}

// What is found counts, also when the signatures have changed since the scan began.
func TestSignaturesChangeMidway(t *testing.T) {
	s := newScanning(t)
	l := s.note("x")
	s.mouth.verdict = malware
	s.scans.Scanner = &flapping{mouth: s.mouth}
	for range 20 {
		s.rescan()
		s.clock.Advance(5 * time.Minute)
	}
	s.is(l, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// An owner may undo their own disabling, also when a moderator has decided in between and taken that back.
func TestOwnersUndo(t *testing.T) {
	s := newScanning(t)
	ctx := t.Context()
	mod, _, err := s.accounts.Create(ctx, "mod@example.org", vitrine.PlanFree)
	s.must(err)
	moderator, owner := vitrine.Decision{By: vitrine.Moderator(mod)}, vitrine.Decision{By: vitrine.Owner(s.account.ID)}
	l := s.note("x")
	_, err = s.links.Disable(ctx, string(l.Slug), owner)
	s.must(err)
	_, err = s.links.RejectSame(ctx, string(l.Slug), moderator)
	s.must(err)
	_, err = s.links.Undo(ctx, string(l.Slug), moderator)
	s.must(err)
	s.is(l, vitrine.StateDisabled, vitrine.ReasonOwner, "")
	_, err = s.links.Undo(ctx, string(l.Slug), owner)
	if err != nil {
		t.Errorf("the owner cannot undo own disabling: %v", err)
	}
	s.is(l, vitrine.StateLive, "", "")
}

// What is so already is not written again.
func TestNothingIsWrittenTwice(t *testing.T) {
	s := newScanning(t)
	for range 3 {
		_, err := s.accounts.SetRole(t.Context(), s.account.Email, vitrine.RoleOwner, operator(""))
		s.must(err)
		_, err = s.accounts.SetPlan(t.Context(), s.account.Email, vitrine.PlanLifetime, nil, operator(""))
		s.must(err)
	}
	c, err := (&vitrine.Moderation{Store: s.store}).Account(t.Context(), s.account.ID)
	s.must(err)
	if len(c.History) != 0 {
		t.Errorf("%d rows of nothing", len(c.History))
	}
}

// Scans, decisions and deletions at random, side by side: the histories are chains, and no scanner publishes what a person must.
func TestScanRaces(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	s := newScanning(t)
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(n int) int { mu.Lock(); defer mu.Unlock(); return rng.IntN(n) }
	scan := &random{pick: pick}
	var links []*vitrine.Link
	s.mouth.verdict = suspicious
	for i := range 6 {
		links = append(links, s.note(fmt.Sprint(i)))
	}
	for range 4 {
		links = append(links, s.clip())
	}
	two := func() *vitrine.Scans {
		return &vitrine.Scans{Store: s.store, Blobs: s.blobs, Scanner: scan, Now: s.clock.Now, AtOnce: 3}
	}
	a, b := two(), two()
	ctx := t.Context()
	var wg sync.WaitGroup
	for _, x := range []*vitrine.Scans{a, b} {
		wg.Go(func() {
			for range 60 {
				scan.bump()
				_ = x.Pending(ctx)
				_ = x.Rescan(ctx)
				s.clock.Advance(time.Minute)
			}
		})
	}
	owner := vitrine.Decision{By: vitrine.Owner(s.account.ID)}
	for range 4 {
		wg.Go(func() {
			for range 150 {
				l := string(links[pick(len(links))].Slug)
				var err error
				switch pick(9) {
				case 0, 1:
					_, err = s.links.Clear(ctx, l, operator(""))
				case 2:
					_, err = s.links.Reject(ctx, l, operator(""))
				case 3:
					_, err = s.links.Disable(ctx, l, owner)
				case 4, 5:
					_, err = s.links.Undo(ctx, l, operator(""))
				case 6:
					_, err = s.links.Undo(ctx, l, owner)
				case 7:
					_, err = s.scans.Again(ctx, l)
				case 8:
					_, err = s.links.RejectSame(ctx, l, operator(""))
				}
				if c := vitrine.CodeOf(err); c != "" && c != vitrine.CodeInvalidRequest {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	// each history is a chain
	for _, l := range links {
		all, err := (&vitrine.Moderation{Store: s.store}).OfLink(ctx, string(l.Slug))
		s.must(err)
		for i := range len(all) - 1 {
			if all[i].From != all[i+1].To {
				t.Errorf("link %s: %+v after %+v", l.Slug, *all[i].Change, *all[i+1].Change)
			}
			if all[i].To == vitrine.StateLive && all[i].By.Kind == vitrine.ActorScanner && all[i].From != vitrine.StateProcessing {
				t.Errorf("a scanner published: %+v", *all[i].Change)
			}
		}
	}
}

// random is a scanner that says anything.
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
func (r *random) Scan(ctx context.Context, f io.Reader, _ int64) (vitrine.Verdict, error) {
	_, _ = io.Copy(io.Discard, f)
	switch r.pick(5) {
	case 0:
		return suspicious, nil
	case 1:
		return vitrine.Verdict{}, errMute
	case 2:
		return vitrine.Verdict{}, vitrine.ErrScanLimit
	case 3:
		if r.pick(4) == 0 {
			return malware, nil
		}
	}
	return clean, nil
}

// Of many who sign in with one offer while the account is suspended, at most one does, and not for longer.
func TestSignInRaces(t *testing.T) {
	s := newScanning(t)
	sessions := s.sessions()
	for range 10 {
		offer, err := sessions.Offer(t.Context(), s.account.Email)
		s.must(err)
		var n atomic.Int32
		var wg sync.WaitGroup
		got := make(chan vitrine.SessionText, 30)
		for range 30 {
			wg.Go(func() {
				if in, err := sessions.SignInWithToken(t.Context(), string(offer), vitrine.Client{}); err == nil {
					n.Add(1)
					got <- in.Session
				}
			})
		}
		wg.Go(func() { _, _ = s.accounts.SetBanned(t.Context(), s.account.Email, true, operator("")) })
		wg.Wait()
		if n.Load() > 1 {
			t.Error(n.Load())
		}
		_, err = s.accounts.SetBanned(t.Context(), s.account.Email, false, operator(""))
		s.must(err)
		close(got)
		for text := range got {
			if _, err := sessions.Authenticate(t.Context(), string(text)); err == nil {
				t.Error("a session from before the suspension holds after it")
			}
		}
	}
}

// A file that a person has cleared of a finding is not taken down by the same one whenever the signatures change; by another one it is.
func TestClearedStays(t *testing.T) {
	s := newScanning(t)
	s.mouth.verdict = suspicious
	l := s.note("a sealed ZIP, say")
	_, err := s.links.Clear(t.Context(), string(l.Slug), operator("harmless: Heuristics.Test is wrong here"))
	s.must(err)
	for day := range 3 {
		s.mouth.signatures = fmt.Sprint("daily/", day)
		s.rescan()
		s.is(l, vitrine.StateLive, "", "")
	}
	s.mouth.signatures, s.mouth.verdict = "daily/4", malware
	s.rescan()
	s.is(l, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
}

// A server that was off does not send what waited to a person untried.
func TestScanAfterRestart(t *testing.T) {
	s := newScanning(t)
	video := s.clip()
	s.clock.Advance(vitrine.ScanTime + time.Hour)
	s.pending()
	s.is(video, vitrine.StateLive, "", "")
}

// Which limit it was is told.
func TestLimitIsTold(t *testing.T) {
	s := newScanning(t)
	s.mouth.err = fmt.Errorf("clamd at unix:/x: %w: Heuristics.Limits.Exceeded.MaxScanTime", vitrine.ErrScanLimit)
	s.is(s.note("x"), vitrine.StateReview, vitrine.ReasonScanLimit, "Heuristics.Limits.Exceeded.MaxScanTime")
}

// An owner who takes a link off display and puts it back does not make reports forgotten.
func TestOwnerKeepsReports(t *testing.T) {
	s := newScanning(t)
	l := s.note("scam")
	abuse := &vitrine.AbuseReports{Store: s.store, Now: s.clock.Now, Threshold: 2}
	owner := vitrine.Decision{By: vitrine.Owner(s.account.ID)}
	s.must(abuse.File(t.Context(), l.ID, 7, vitrine.AbusePhishing, ""))
	s.clock.Advance(time.Minute)
	_, err := s.links.Disable(t.Context(), string(l.Slug), owner)
	s.must(err)
	_, err = s.links.Undo(t.Context(), string(l.Slug), owner)
	s.must(err)
	s.must(abuse.File(t.Context(), l.ID, 8, vitrine.AbusePhishing, ""))
	s.is(l, vitrine.StateReview, vitrine.ReasonAbuse, "")
}
