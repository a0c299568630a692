package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/notify"
	"vitrine/internal/test/fixture"
)

// staff gives the account of the office a role, and adds others.
func (o *office) staff(role vitrine.Role, more ...string) {
	o.T.Helper()
	o.change(func(a *vitrine.Account) { a.Role, a.TimeZone = role, "Asia/Kathmandu" })
	for _, email := range more {
		_, _, err := o.Accounts.Create(o.T.Context(), email, vitrine.PlanFree)
		o.Must(err)
	}
}

// TestProblems checks the mails about problems of the instance: one to each
// administrator when a problem begins, and no other while it lasts or comes and
// goes, with any number of servers.
func TestProblems(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	ctx := t.Context()
	o.staff(vitrine.RoleOwner, "member@example.org")
	other := *o.notify
	disk := notify.Problem{Name: "disk web1", Text: "The disk of /data on web1 is almost full: 1.2 GB are left."}
	scanner := notify.Problem{Name: "scanner", Text: "A malware scanner does not work: clamd at 10.0.0.7:3310: connection refused."}
	subject := "Vitrine at share.example needs you"
	tell := func(what string, list []notify.Problem, subjects ...string) {
		t.Helper()
		for _, s := range []*notify.Service{o.notify, &other, o.notify} {
			o.Must(s.Problems(ctx, list))
		}
		for _, m := range o.wants(what, subjects...) {
			for _, p := range list {
				if !strings.Contains(strings.Join(strings.Fields(m.Text), " "), p.Text) || !strings.Contains(m.HTML, p.Text) {
					t.Errorf("%s: a mail does not say %q:\n%s\n%s", what, p.Text, m.Text, m.HTML)
				}
			}
		}
	}
	both := []notify.Problem{disk, scanner}
	tell("all is well", nil)
	tell("a problem", both[:1], subject)
	for range 72 {
		o.Clock.Advance(time.Hour)
		tell("it lasts", both[:1])
	}
	tell("another one", both, subject)
	o.Clock.Advance(20 * time.Hour)
	tell("they come and go", both)
	o.Clock.Advance(25 * time.Hour)
	tell("gone for a day", both[1:], subject)
	o.change(func(a *vitrine.Account) { a.NoMail = "problems" })
	o.Clock.Advance(48 * time.Hour)
	tell("switched off", both)
	o.change(func(a *vitrine.Account) { a.NoMail, a.Role = "", vitrine.RoleModerator })
	tell("a moderator", both)
	if n := len(o.server.To("member@example.org")); n > 0 {
		t.Errorf("a member got %d mails", n)
	}
}

// TestReviewMail checks the mails to moderators: one when the first link waits,
// and one a day while some do.
func TestReviewMail(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	ctx := t.Context()
	o.staff(vitrine.RoleModerator, "member@example.org")
	other := *o.notify
	hold := func(l *vitrine.Link, to vitrine.LinkState) {
		t.Helper()
		o.Must(o.Store.Update(ctx, func(tx vitrine.Tx) error {
			l, err := tx.Link(l.ID)
			if err != nil {
				return err
			}
			return l.Transition(tx, o.Clock.Now(), vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorReaders},
				Action: vitrine.ActionHold, To: to})
		}))
	}
	look := func(what string, subjects ...string) {
		t.Helper()
		for _, s := range []*notify.Service{o.notify, &other, o.notify} {
			o.Must(s.Review(ctx))
		}
		for _, m := range o.wants(what, subjects...) {
			waiting, _, _ := strings.Cut(subjects[0], " ")
			o.has(m, "Waiting: "+strings.Replace(waiting, "A", "1", 1))
		}
	}
	at := func(hour, minute int) { // of UTC, on the next day
		now := o.Clock.Now().UTC()
		o.Clock.Advance(time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, time.UTC).Sub(now))
	}
	links := []*vitrine.Link{o.Note("one"), o.Note("two"), o.Note("three")}
	at(5, 0)
	look("nothing waits")
	hold(links[0], vitrine.StateReview)
	look("the first one", "A link waits for review")
	o.Clock.Advance(2 * time.Hour)
	hold(links[1], vitrine.StateReview)
	look("another one")
	at(1, 14) // 6:59 in Kathmandu
	look("early in the morning")
	o.Clock.Advance(time.Minute)
	look("in the morning", "2 links wait for review")
	o.Clock.Advance(4 * time.Hour)
	look("at noon")
	for _, l := range links[:2] {
		o.Must(fixture.Second(o.Links.Clear(ctx, string(l.Slug), fixture.Administrator(""))))
	}
	at(9, 0)
	look("nothing waits any more")
	for i := range 5 { // moderators decide at once, and links come often
		hold(links[2], vitrine.StateReview)
		if i == 0 {
			look("the first one again", "A link waits for review")
		} else {
			look(fmt.Sprint("within the hour ", i))
		}
		o.Must(fixture.Second(o.Links.Clear(ctx, string(links[2].Slug), fixture.Administrator(""))))
		o.Clock.Advance(10 * time.Minute)
	}
	o.change(func(a *vitrine.Account) { a.NoMail = "review" })
	o.Clock.Advance(48 * time.Hour)
	hold(links[2], vitrine.StateReview)
	look("switched off")
	o.change(func(a *vitrine.Account) { a.NoMail, a.Banned = "", true })
	look("suspended")
	if n := len(o.server.To("member@example.org")); n > 0 {
		t.Errorf("a member got %d mails", n)
	}
}
