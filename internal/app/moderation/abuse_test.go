package moderation_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// abuseService is a service of reports over a store with one public link.
type abuseService struct {
	*moderation.AbuseReports
	t     *testing.T
	clock *vitrinetest.Clock
	links *links.Service
	link  *vitrine.Link
}

func newReported(t *testing.T) *abuseService {
	t.Helper()
	clock := vitrinetest.NewClock(vitrinetest.Epoch)
	links, _, a := fixture.TwoProcesses(t, clock.Now)
	return &abuseService{&moderation.AbuseReports{Store: links.Store, Now: clock.Now, Threshold: 3}, t, clock, links,
		fixture.AddLink(t, links, a, "shown")}
}

func (r *abuseService) file(by vitrine.ReporterID) error {
	return r.Report(r.t.Context(), r.link.ID, by, vitrine.AbuseMalware, "")
}

// fileAll files a report of each reporter.
func (r *abuseService) fileAll(by ...vitrine.ReporterID) {
	r.t.Helper()
	for _, id := range by {
		if err := r.file(id); err != nil {
			r.t.Fatalf("report of reporter %d: %v", id, err)
		}
	}
}

// by returns the reporter ID of an address.
func (r *abuseService) by(addr string) vitrine.ReporterID {
	r.t.Helper()
	id, err := r.Reporter(r.t.Context(), netip.MustParseAddr(addr))
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func (r *abuseService) state(want vitrine.LinkState, reason string) *vitrine.Link {
	r.t.Helper()
	l, err := r.links.BySlug(r.t.Context(), string(r.link.Slug))
	if err != nil {
		r.t.Fatal(err)
	}
	if l.State != want || l.Reason != reason {
		r.t.Errorf("link = %s (%s), want %s (%s)", l.State, l.Reason, want, reason)
	}
	return l
}

// about returns the reports about a link, newest first.
func (r *abuseService) about(l *vitrine.Link) ([]*vitrine.AbuseReport, error) {
	return vitrine.Read(r.t.Context(), r.Store, func(tx vitrine.Tx) ([]*vitrine.AbuseReport, error) {
		return tx.AbuseReports(l.ID, time.Time{})
	})
}

func (r *abuseService) listed(want int) []*vitrine.AbuseReport {
	r.t.Helper()
	all, err := r.about(r.link)
	if err != nil || len(all) != want {
		r.t.Errorf("%d reports, %v, want %d", len(all), err, want)
	}
	return all
}

// TestAbuseThreshold checks that enough reporters send a public link to review,
// and that counting starts again after a moderator approves it
// (contract, Link states).
func TestAbuseThreshold(t *testing.T) {
	r := newReported(t)
	r.fileAll(1, 2, 2, 1)
	r.state(vitrine.StateLive, "")
	r.clock.Advance(time.Minute)
	r.fileAll(3)
	if l := r.state(vitrine.StateReview, vitrine.ReasonAbuse); !l.StateAt.Equal(r.clock.Now()) {
		t.Errorf("in review since %v", l.StateAt)
	}
	if code := vitrine.CodeOf(r.file(4)); code != vitrine.CodeNotAvailable {
		t.Errorf("report about a link in review: code %q, want not_available", code)
	}
	r.clock.Advance(time.Minute)
	if _, err := r.links.Clear(t.Context(), "shown", fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(time.Hour)
	r.fileAll(1, 2)
	r.state(vitrine.StateLive, "")
	r.listed(3)
	r.fileAll(4)
	r.state(vitrine.StateReview, vitrine.ReasonAbuse)

	never := newReported(t)
	never.Threshold = 0
	for by := range vitrine.ReporterID(20) {
		never.fileAll(by)
	}
	never.state(vitrine.StateLive, "")
}

// TestAbuseReportersOfOneDay checks that reports of different days are not
// added up, because one reader has another reporter ID on each.
func TestAbuseReportersOfOneDay(t *testing.T) {
	r := newReported(t)
	for range 5 {
		r.fileAll(r.by("192.0.2.7"))
		r.clock.Advance(24 * time.Hour)
	}
	r.fileAll(r.by("192.0.2.7"), r.by("192.0.2.8"))
	r.state(vitrine.StateLive, "")
	r.clock.Advance(14 * time.Hour) // the same day, at 23:30
	r.fileAll(r.by("192.0.2.9"))
	r.state(vitrine.StateReview, vitrine.ReasonAbuse)
}

// TestAbuseReportsOfOneSubscriber checks that the networks of one subscriber
// count as one reporter.
func TestAbuseReportsOfOneSubscriber(t *testing.T) {
	r := newReported(t)
	for _, addr := range []string{"2001:db8:77:1::1", "2001:db8:77:2::1", "2001:db8:77:fff3::1", "::ffff:192.0.2.1",
		"192.0.2.1"} {
		r.fileAll(r.by(addr))
	}
	r.state(vitrine.StateLive, "")
	r.listed(2)
}

// TestAbuseHoldsAreLimited checks that reports alone send at most 20 links an
// hour to review, until a moderator decides or the hour ends.
func TestAbuseHoldsAreLimited(t *testing.T) {
	r := newReported(t)
	links := []*vitrine.Link{r.link}
	err := r.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		for n := range 21 {
			l := *r.link
			l.ID, l.Slug, l.Upload = 0, vitrine.Slug(fmt.Sprint("other-", n)), ""
			if err := tx.AddLink(&l); err != nil {
				return err
			}
			links = append(links, &l)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	by := vitrine.ReporterID(0)
	report := func(l *vitrine.Link, readers int, want vitrine.LinkState) {
		t.Helper()
		for range readers {
			by++
			if err := r.Report(t.Context(), l.ID, by, vitrine.AbuseMalware, ""); err != nil {
				t.Fatal(err)
			}
		}
		if now, err := r.links.BySlug(t.Context(), string(l.Slug)); err != nil || now.State != want {
			t.Errorf("%s = %s, %v, want %s", l.Slug, now.State, err, want)
		}
	}
	for _, l := range links[:20] {
		report(l, 3, vitrine.StateReview)
		r.clock.Advance(time.Minute)
	}
	report(links[20], 3, vitrine.StateLive)
	if all, err := r.about(links[20]); err != nil || len(all) != 3 {
		t.Errorf("%d reports, %v, want 3", len(all), err)
	}
	if _, err := r.links.Clear(t.Context(), string(links[7].Slug), fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	report(links[20], 1, vitrine.StateReview)
	report(links[21], 3, vitrine.StateLive)
	r.clock.Advance(40 * time.Minute)
	report(links[21], 1, vitrine.StateReview)
}

// TestAbuseReportsAtOnce checks that concurrent reports meet the threshold once
// and that later ones are refused (promise 8).
func TestAbuseReportsAtOnce(t *testing.T) {
	r := newReported(t)
	var wg sync.WaitGroup
	var taken, refused sync.Map
	for by := range vitrine.ReporterID(20) {
		wg.Go(func() {
			switch err := r.file(by); vitrine.CodeOf(err) {
			case "":
				taken.Store(by, nil)
			case vitrine.CodeNotAvailable:
				refused.Store(by, nil)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	count := func(m *sync.Map) (n int) {
		m.Range(func(any, any) bool { n++; return true })
		return n
	}
	if a, b := count(&taken), count(&refused); a != 3 || b != 17 {
		t.Errorf("%d reports accepted and %d refused, want 3 and 17", a, b)
	}
	r.state(vitrine.StateReview, vitrine.ReasonAbuse)
}

func TestAbuseReportsAreLimited(t *testing.T) {
	r := newReported(t)
	r.fileAll(1, 1)
	r.clock.Advance(30 * time.Minute)
	r.fileAll(1, 1, 1)
	var e *vitrine.Error
	if err := r.file(1); !errors.As(err, &e) || e.Code != vitrine.CodeRateLimited || e.RetryAfter != 30*time.Minute {
		t.Errorf("sixth report within an hour = %v, want rate_limited", err)
	}
	r.fileAll(2) // another reporter has a separate limit
	r.clock.Advance(30*time.Minute + time.Millisecond)
	r.fileAll(1, 1)
	if code := vitrine.CodeOf(r.file(1)); code != vitrine.CodeRateLimited {
		t.Errorf("sixth report within the next hour: code %q, want rate_limited", code)
	}
	r.listed(2)
}

func TestAbuseReportText(t *testing.T) {
	r := newReported(t)
	file := func(reason vitrine.AbuseReason, note string) error {
		return r.Report(t.Context(), r.link.ID, 1, reason, note)
	}
	if err := file(vitrine.AbuseOther, " \n"); vitrine.CodeOf(err) != vitrine.CodeInvalidRequest {
		t.Errorf("report for another reason without a note = %v, want invalid_request", err)
	}
	if err := file(vitrine.AbuseOther, "first"); err != nil {
		t.Fatal(err)
	}
	if err := file(vitrine.AbusePrivate, "  My\r\nname \x1b[31m\u202eis\x00 in\xff it. "); err != nil {
		t.Fatal(err)
	}
	if all := r.listed(1); all[0].Reason != vitrine.AbusePrivate || all[0].Note != "My name [31m is in\ufffd it." {
		t.Errorf("report = %+v", all[0])
	}
	if err := file(vitrine.AbuseOther, strings.Repeat("é", 1000)+"\r\n"); err != nil {
		t.Error(err)
	}
	var e *vitrine.Error
	if err := file(vitrine.AbuseOther, strings.Repeat("é", 1001)); !errors.As(err, &e) ||
		e.Code != vitrine.CodeInvalidRequest || e.Field != "note" {
		t.Errorf("long note: %v, want an error of the field note", err)
	}
	for _, reason := range []vitrine.AbuseReason{"", "Malware", "spam"} {
		if err := file(reason, ""); !errors.As(err, &e) || e.Code != vitrine.CodeInvalidRequest || e.Field != "reason" {
			t.Errorf("reason %q: %v, want an error of the field reason", reason, err)
		}
	}
}

// TestAbuseReportsOfHiddenLinks checks that a report about a link that is not
// public gets the same error as its page.
func TestAbuseReportsOfHiddenLinks(t *testing.T) {
	r := newReported(t)
	if code := vitrine.CodeOf(r.Report(t.Context(), 999, 1, vitrine.AbuseMalware, "")); code != vitrine.CodeNotFound {
		t.Errorf("unknown link: code %q, want not_found", code)
	}
	if _, err := r.links.Disable(t.Context(), "shown", fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	if code := vitrine.CodeOf(r.file(1)); code != vitrine.CodeDisabled {
		t.Errorf("disabled link: code %q, want disabled", code)
	}
	if _, err := r.links.Undo(t.Context(), "shown", fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	r.fileAll(1)
	accounts := &auth.Accounts{Store: r.Store, Now: r.Now}
	if _, err := accounts.SetBanned(t.Context(), "ann@example.org", true, fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	if code := vitrine.CodeOf(r.file(2)); code != vitrine.CodeDisabled {
		t.Errorf("link of a suspended account: code %q, want disabled", code)
	}
}

// TestAbuseReportsExpire checks that reports are deleted with their link
// and after half a year, except those that have sent a link to review.
func TestAbuseReportsExpire(t *testing.T) {
	r := newReported(t)
	r.fileAll(1)
	r.clock.Advance(moderation.AbuseReportLife)
	r.fileAll(2)
	expire := func() {
		t.Helper()
		if err := r.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expire()
	r.listed(2)
	r.clock.Advance(time.Millisecond)
	expire()
	r.listed(1)
	r.fileAll(3, 4)
	r.state(vitrine.StateReview, vitrine.ReasonAbuse)
	r.clock.Advance(2 * moderation.AbuseReportLife)
	expire()
	r.listed(3)

	gone := newReported(t)
	gone.fileAll(1, 2)
	gone.links.Log, gone.links.Blobs = noLog{}, noBlobs{}
	if err := gone.links.Delete(t.Context(), "shown", fixture.Administrator("")); err != nil {
		t.Fatal(err)
	}
	err := gone.Store.Read(t.Context(), func(tx vitrine.Tx) error {
		left, err := tx.AbuseReports(gone.link.ID, time.Time{})
		if len(left) > 0 {
			t.Errorf("reports about a deleted link = %+v, want none", left)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if code := vitrine.CodeOf(gone.file(3)); code != vitrine.CodeNotFound {
		t.Errorf("deleted link: code %q, want not_found", code)
	}
}

// noLog and noBlobs delete nothing, for a link without views and files.
type (
	noLog   struct{ vitrine.ViewLog }
	noBlobs struct{ vitrine.Blobs }
)

func (noLog) DeleteLink(context.Context, vitrine.LinkID) error { return nil }
func (noBlobs) Delete(context.Context, vitrine.UploadID) error { return nil }

// TestReporter checks that a reporter is recognized on the same day and
// network, and on no other (promise 10).
func TestReporter(t *testing.T) {
	r := newReported(t)
	me, my6 := r.by("192.0.2.7"), r.by("2001:db8::1")
	for about, c := range map[string]struct {
		same bool
		a, b vitrine.ReporterID
	}{
		"again":            {true, me, r.by("192.0.2.7")},
		"another address":  {false, me, r.by("192.0.2.8")},
		"mapped":           {true, me, r.by("::ffff:192.0.2.7")},
		"the same /48":     {true, my6, r.by("2001:db8:0:ffff::ffff")},
		"with a zone":      {true, my6, r.by("2001:db8::1%eth0")},
		"another /48":      {false, my6, r.by("2001:db8:1::1")},
		"another instance": {false, me, newReported(t).by("192.0.2.7")},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: same reporter = %v", about, c.a == c.b)
		}
	}
	r.clock.Advance(24 * time.Hour)
	if r.by("192.0.2.7") == me {
		t.Error("a reporter is recognized on the next day")
	}
}
