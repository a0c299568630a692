package vitrine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/disk"
	"vitrine/internal/filetype"
	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
)

// mouth is a scanner that says what a test puts into it. What clamd says is tried with clamd itself, in its package and through the
// whole program; here every answer that any scanner can give is.
type mouth struct {
	signatures string
	silent     error // of Signatures
	verdict    vitrine.Verdict
	err        error
	during     func() // called in the middle of a scan
	mu         sync.Mutex
	scanned    int // under mu, while scans go on
}

func (*mouth) Name() string { return "test" }

func (m *mouth) Signatures(context.Context) (string, error) { return m.signatures, m.silent }

func (m *mouth) Scan(ctx context.Context, r io.Reader, size int64) (vitrine.Verdict, error) {
	m.mu.Lock()
	m.scanned++
	m.mu.Unlock()
	n, err := io.Copy(io.Discard, r)
	if err != nil || n != size {
		return vitrine.Verdict{}, fmt.Errorf("%d of %d bytes: %v", n, size, err)
	}
	if m.during != nil {
		m.during()
	}
	return m.verdict, m.err
}

// scanning is an instance with a scanner.
type scanning struct {
	t        *testing.T
	clock    *vitrinetest.Clock
	mouth    *mouth
	store    *sqldb.Store
	log      *sqldb.ViewLog
	blobs    *disk.Blobs
	uploads  *vitrine.Uploads
	scans    *vitrine.Scans
	links    *vitrine.Links
	accounts *vitrine.Accounts
	account  *vitrine.Account
	failed   int
}

var (
	clean      = vitrine.Verdict{Result: vitrine.ScanClean}
	suspicious = vitrine.Verdict{Result: vitrine.ScanSuspicious, Signature: "Heuristics.Test"}
	malware    = vitrine.Verdict{Result: vitrine.ScanMalware, Signature: "Test.Virus"}
	errMute    = errors.New("the scanner says nothing")
)

func newScanning(t *testing.T) *scanning {
	t.Helper()
	clock := vitrinetest.NewClock(vitrinetest.Epoch)
	dir := databases(t)
	store, err1 := sqldb.OpenStore(filepath.Join(dir, "store.db"))
	log, err2 := sqldb.OpenViewLog(filepath.Join(dir, "views.db"))
	blobs, err3 := disk.New(dir, "http://127.0.0.1/storage/", vitrine.NewSigner([]byte("k")), clock.Now)
	accounts := &vitrine.Accounts{Store: store, Now: clock.Now}
	a, _, err4 := accounts.Create(t.Context(), "ann@example.org", vitrine.PlanPro)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	m := &mouth{signatures: "1", verdict: clean}
	s := &scanning{t: t, clock: clock, mouth: m, store: store, log: log, blobs: blobs, accounts: accounts, account: a,
		uploads: &vitrine.Uploads{Store: store, Blobs: blobs, Scanner: m, Plans: vitrine.DefaultPlans(), Now: clock.Now},
		links:   &vitrine.Links{Store: store, Blobs: blobs, Log: log, Now: clock.Now}}
	s.scans = &vitrine.Scans{Store: store, Blobs: blobs, Scanner: m, Now: clock.Now, AtOnce: 3, Failed: func(*vitrine.Link, error) { s.failed++ }}
	t.Cleanup(func() {
		s.audit()
		if err := errors.Join(store.Close(), log.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// audit fails the test for whatever is wrong at rest (promises).
func (s *scanning) audit() {
	s.t.Helper()
	a := vitrine.Audit{Store: s.store, Blobs: s.blobs, Log: s.log, Now: s.clock.Now, Deep: true}
	if err := a.Run(context.Background(), func(fault string) { s.t.Error("audit:", fault) }); err != nil {
		s.t.Error(err)
	}
}

// complete takes a file through the three steps.
func (s *scanning) complete(name, content string) (*vitrine.Link, error) {
	s.t.Helper()
	ctx := s.t.Context()
	kind, _ := filetype.ByExt(name)
	b, err := s.uploads.Create(ctx, s.account, vitrine.UploadRequest{Name: name, Type: kind.MIME, Size: int64(len(content))})
	if err != nil {
		s.t.Fatal(err)
	}
	g := vitrine.PutGrant{Key: b.Path, Size: int64(len(content)), Type: kind.MIME, Expires: s.clock.Now().Add(time.Minute)}
	if _, err := s.blobs.Receive(ctx, g, strings.NewReader(content)); err != nil {
		s.t.Fatal(err)
	}
	return s.uploads.Complete(ctx, s.account, vitrine.CompleteRequest{Path: string(b.Path), Name: name, Type: kind.MIME})
}

func (s *scanning) note(content string) *vitrine.Link {
	s.t.Helper()
	l, err := s.complete("note.txt", content)
	s.must(err)
	return l
}

func (s *scanning) clip() *vitrine.Link {
	s.t.Helper()
	clip, err := os.ReadFile("internal/web/testdata/clip.webm")
	s.must(err)
	l, err := s.complete("clip.webm", string(clip))
	s.must(err)
	s.is(l, vitrine.StateProcessing, "", "")
	return l
}

func (s *scanning) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// is fails the test unless a link, as it is now, is in a state for a reason.
func (s *scanning) is(l *vitrine.Link, state vitrine.LinkState, reason, detail string) *vitrine.Link {
	s.t.Helper()
	now, err := s.links.BySlug(s.t.Context(), string(l.Slug))
	s.must(err)
	if now.State != state || now.Reason != reason || now.Detail != detail {
		s.t.Errorf("the link is %s (%s: %s), want %s (%s: %s)", now.State, now.Reason, now.Detail, state, reason, detail)
	}
	return now
}

func (s *scanning) pending() { s.t.Helper(); s.must(s.scans.Pending(s.t.Context())) }
func (s *scanning) rescan()  { s.t.Helper(); s.must(s.scans.Rescan(s.t.Context())) }

// history is what was done to a link, oldest first: "scanner scan".
func (s *scanning) history(l *vitrine.Link) (did []string) {
	s.t.Helper()
	all, err := (&vitrine.Moderation{Store: s.store}).OfLink(s.t.Context(), string(l.Slug))
	s.must(err)
	for _, e := range all {
		did = append(did, fmt.Sprintf("%s %s", e.By.Kind, e.Action))
	}
	slices.Reverse(did)
	return did
}

func operator(note string) vitrine.Decision {
	return vitrine.Decision{By: vitrine.Operator, Note: note}
}

// Every answer of a scanner, at each place where one is asked for. Only an explicit "clean" is one (promise 6).
func TestScanAnswers(t *testing.T) {
	for _, r := range []struct {
		name           string
		verdict        vitrine.Verdict
		err            error
		complete       vitrine.LinkState // "": refused
		completeReason string
		video          vitrine.LinkState
		videoReason    string
		live           vitrine.LinkState // after a rescan
		liveReason     string
		detail         string
	}{
		{"clean", clean, nil, "live", "", "live", "", "live", "", ""},
		{"suspicious", suspicious, nil, "review", "scan_suspicious", "review", "scan_suspicious", "review", "scan_suspicious", "Heuristics.Test"},
		{"malware", malware, nil, "", "", "disabled", "malware", "review", "malware", "Test.Virus"},
		{"down", vitrine.Verdict{}, errMute, "review", "scan_unavailable", "processing", "", "live", "", ""},
		{"late", vitrine.Verdict{}, context.DeadlineExceeded, "review", "scan_slow", "processing", "", "live", "", ""},
		{"over its limits", vitrine.Verdict{}, fmt.Errorf("size: %w", vitrine.ErrScanLimit), "review", "scan_limit", "review", "scan_limit", "live", "", ""},
		{"nothing", vitrine.Verdict{}, nil, "review", "scan_unavailable", "processing", "", "live", "", ""},
		{"nonsense", vitrine.Verdict{Result: "fine"}, nil, "review", "scan_unavailable", "processing", "", "live", "", ""},
		{"clean, and an error", clean, errMute, "review", "scan_unavailable", "processing", "", "live", "", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := newScanning(t)
			live, video := s.note("live"), s.clip()
			s.mouth.signatures, s.mouth.verdict, s.mouth.err = "2", r.verdict, r.err
			l, err := s.complete("note.txt", "text")
			if r.complete == "" {
				var e *vitrine.Error
				if !errors.As(err, &e) || e.Code != vitrine.CodeMalware || e.Reason != vitrine.ReasonMalware || !strings.Contains(e.Message, "Test.Virus") {
					t.Errorf("complete: %v", err)
				}
				c, err := (&vitrine.Moderation{Store: s.store}).Account(t.Context(), s.account.ID)
				s.must(err)
				if h := c.History; len(h) != 1 || h[0].Action != vitrine.ActionRefuse || h[0].Reason != vitrine.ReasonMalware || h[0].Detail != "note.txt" {
					t.Errorf("the account's history: %+v", h)
				}
			} else {
				s.must(err)
				s.is(l, r.complete, r.completeReason, r.detail)
			}
			s.pending()
			s.rescan()
			s.is(live, r.live, r.liveReason, r.detail)
			now := s.is(video, r.video, r.videoReason, r.detail)
			if now.HasBytes != (r.video != "disabled") {
				t.Errorf("the video has bytes: %t", now.HasBytes)
			}
			// What has been answered is not asked again; what has not is.
			before := s.mouth.scanned
			s.clock.Advance(20 * time.Second)
			s.pending()
			s.rescan()
			if asked := s.mouth.scanned > before; asked != (r.live == "live" && r.name != "clean" && r.name != "over its limits") {
				t.Errorf("asked again: %t (%d scans)", asked, s.mouth.scanned-before)
			}
		})
	}
}

// A video that no scanner could speak on within half an hour waits for a person, and so it does when the scanner cannot even be reached;
// what a scanner says later is told to the person, who alone publishes it (contract, Link states).
func TestScanLate(t *testing.T) {
	s := newScanning(t)
	s.mouth.err = errMute
	video := s.clip()
	s.pending()
	s.clock.Advance(vitrine.ScanTime - time.Second)
	s.pending()
	s.is(video, vitrine.StateProcessing, "", "")
	s.clock.Advance(time.Second)
	s.mouth.silent = errMute
	if err := s.scans.Pending(t.Context()); !errors.Is(err, errMute) {
		t.Errorf("a scanner that cannot be reached: %v", err)
	}
	s.is(video, vitrine.StateReview, vitrine.ReasonScanSlow, "")
	s.mouth.silent, s.mouth.err = nil, nil
	s.clock.Advance(10 * time.Minute)
	s.rescan()
	s.is(video, vitrine.StateReview, vitrine.ReasonScanLate, "")
	_, err := s.links.Clear(t.Context(), string(video.Slug), operator("watched it"))
	s.must(err)
	s.is(video, vitrine.StateLive, "", "")
	want := []string{"owner create", "scanner hold", "scanner scan", "operator clear"}
	if got := s.history(video); !slices.Equal(got, want) {
		t.Errorf("history %q, want %q", got, want)
	}
}

// New signatures are asked about everything that is live, once; a hit takes a link down until a person has looked, and keeps its bytes.
func TestRescan(t *testing.T) {
	s := newScanning(t)
	a, b := s.note("a"), s.note("b")
	s.rescan()
	if s.mouth.scanned != 2 {
		t.Errorf("%d scans by signatures that have been asked", s.mouth.scanned)
	}
	s.mouth.signatures, s.mouth.verdict = "2", malware
	s.rescan()
	s.is(a, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus")
	if l := s.is(b, vitrine.StateReview, vitrine.ReasonMalware, "Test.Virus"); !l.HasBytes || l.Scanned != "2" {
		t.Errorf("%+v", l)
	}
	// A person knows better: it stays cleared until the signatures change again.
	_, err := s.links.Clear(t.Context(), string(a.Slug), operator("a false alarm"))
	s.must(err)
	s.rescan()
	s.is(a, vitrine.StateLive, "", "")
	n, err := s.scans.Again(t.Context(), string(a.Slug))
	s.must(err)
	s.mouth.verdict = clean
	s.rescan()
	if l := s.is(a, vitrine.StateLive, "", ""); n != 1 || l.Scanned != "2" {
		t.Errorf("%d scans forgotten, %+v", n, l)
	}
	if _, err := s.scans.Again(t.Context(), "no-such-link"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("a scan of no link: %v", err)
	}
}

// A scanner that is configured later looks at what was published without one; one that is taken away leaves everything as it is.
func TestScannerComesAndGoes(t *testing.T) {
	s := newScanning(t)
	s.uploads.Scanner, s.scans.Scanner = vitrine.NoScanner{}, vitrine.NoScanner{}
	l, video := s.note("a"), s.clip()
	s.pending()
	s.rescan()
	s.is(l, vitrine.StateLive, "", "")
	s.is(video, vitrine.StateLive, "", "")
	s.uploads.Scanner, s.scans.Scanner = s.mouth, s.mouth
	s.mouth.verdict = suspicious
	s.rescan()
	s.is(l, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test")
	s.is(video, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test")
	s.uploads.Scanner, s.scans.Scanner = vitrine.NoScanner{}, vitrine.NoScanner{}
	s.pending()
	s.is(l, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test")
}

// What happens to a link in the middle of its scan outlasts what the scan says.
func TestScanMeanwhile(t *testing.T) {
	s := newScanning(t)
	s.mouth.err = errMute
	held := s.note("held")
	s.mouth.err, s.mouth.verdict = nil, malware
	s.mouth.during = func() {
		_, err := s.links.Reject(t.Context(), string(held.Slug), operator("no"))
		s.must(err)
	}
	s.rescan()
	s.is(held, vitrine.StateDisabled, vitrine.ReasonModerator, "")

	s.mouth.during = nil
	video := s.clip()
	s.mouth.during = func() {
		s.mouth.during = nil
		s.must(s.links.Delete(t.Context(), string(video.Slug), operator("")))
	}
	s.pending()
	if _, err := s.links.BySlug(t.Context(), string(video.Slug)); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Errorf("a link that was deleted in the middle of its scan: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	again := s.clip()
	s.mouth.during = cancel
	if err := s.scans.Pending(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a scan that is interrupted: %v", err)
	}
	s.mouth.during = nil
	s.is(again, vitrine.StateProcessing, "", "")
	s.mouth.verdict = clean
	s.pending() // as after a restart
	s.is(again, vitrine.StateLive, "", "")
}

// A file that has no answer does not keep others, and is tried again after longer and longer.
func TestScanTries(t *testing.T) {
	s := newScanning(t)
	s.mouth.err = errMute
	held := s.note("a")
	tries := 0
	for range 60 {
		before := s.mouth.scanned
		s.rescan()
		if s.mouth.scanned > before {
			tries++
		}
		s.clock.Advance(time.Minute)
	}
	if tries < 10 || tries > 15 || s.failed != tries {
		t.Errorf("%d tries in an hour, told of %d", tries, s.failed)
	}
	// What no scanner can answer in a day is this file's own fault.
	for range 24 * 60 {
		s.rescan()
		s.clock.Advance(time.Minute)
	}
	if s.failed > tries+10 {
		t.Errorf("%d tries in a day more", s.failed-tries)
	}
	// Who asks for it is not kept waiting, and a clock that was ahead keeps nobody waiting.
	before := s.mouth.scanned
	_, err := s.scans.Again(t.Context(), string(held.Slug))
	s.must(err)
	s.rescan()
	s.rescan()
	if n := s.mouth.scanned - before; n != 1 {
		t.Errorf("asked for, it is tried %d times", n)
	}
	s.clock.Advance(-48 * time.Hour)
	s.mouth.err = nil
	s.rescan()
	s.is(held, vitrine.StateReview, vitrine.ReasonScanLate, "")
}

// The same bytes as a link that a moderator took down, or that was malware, wait for a person.
func TestKnownBytes(t *testing.T) {
	s := newScanning(t)
	first, other := s.note("bad"), s.note("good")
	_, err := s.links.Disable(t.Context(), string(first.Slug), operator(""))
	s.must(err)
	second := s.note("bad")
	s.is(second, vitrine.StateReview, vitrine.ReasonKnownBytes, "")
	s.is(s.note("good"), vitrine.StateLive, "", "")
	_, err = s.links.Clear(t.Context(), string(second.Slug), operator(""))
	s.must(err)
	changed, err := s.links.RejectSame(t.Context(), string(second.Slug), operator("all of it"))
	s.must(err)
	if len(changed) != 1 || changed[0].ID != second.ID {
		t.Errorf("%d links changed", len(changed))
	}
	s.is(second, vitrine.StateDisabled, vitrine.ReasonModerator, "")
	s.is(other, vitrine.StateLive, "", "")
	// Also when it was deleted since.
	s.must(s.links.Delete(t.Context(), string(first.Slug), operator("")))
	s.must(s.links.Delete(t.Context(), string(second.Slug), operator("")))
	s.is(s.note("bad"), vitrine.StateReview, vitrine.ReasonKnownBytes, "")
	// What its owner alone took off is nothing bad.
	_, err = s.links.Disable(t.Context(), string(other.Slug), vitrine.Decision{By: vitrine.Owner(s.account.ID)})
	s.must(err)
	s.is(s.note("good"), vitrine.StateLive, "", "")
}

// Whichever operation of a scan or a decision fails, the next run makes it good, and nothing is half done (promises 7, 17).
func TestScanFaults(t *testing.T) {
	for _, r := range []struct {
		name    string
		verdict vitrine.Verdict
		state   vitrine.LinkState
		reason  string
		detail  string
	}{
		{"clean", clean, vitrine.StateLive, "", ""},
		{"malware", malware, vitrine.StateDisabled, vitrine.ReasonMalware, "Test.Virus"},
		{"suspicious", suspicious, vitrine.StateReview, vitrine.ReasonSuspicious, "Heuristics.Test"},
	} {
		t.Run(r.name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				s := newScanning(t)
				s.mouth.verdict = r.verdict
				video := s.clip()
				f := &vitrinetest.Fault{N: n}
				s.scans.Store, s.scans.Blobs = f.Store(s.store), f.Blobs(s.blobs)
				err := s.scans.Pending(t.Context())
				if !f.Hit() {
					if err != nil || n < 5 {
						t.Fatalf("%d operations: %v", n-1, err)
					}
					break
				}
				s.scans.Store, s.scans.Blobs = s.store, s.blobs
				s.clock.Advance(time.Hour / 4) // past the pause of a scan without an answer
				s.pending()
				s.is(video, r.state, r.reason, r.detail)
				for range 2 { // the second time bytes that an interrupted removal has left, too
					s.clock.Advance(2 * vitrine.UploadLife)
					s.must(s.uploads.Sweep(t.Context()))
				}
			}
		})
	}
}
