package events_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/app/events"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// TestKinds causes an event of each kind, and checks that it comes once, and
// that nothing else does.
func TestKinds(t *testing.T) {
	w := newWorld(fixture.New(t))
	ctx := t.Context()
	seen := map[vitrine.EventKind]bool{}
	is := func(kinds ...vitrine.EventKind) {
		t.Helper()
		w.wants(kinds...)
		w.wants()
		for _, k := range kinds {
			seen[k] = true
		}
	}
	w.changes(is)
	w.account(is)
	l := w.Note("read by one")
	is("link.live")
	_, list, err := (&recipients.Service{Store: w.Instance.Store, Plans: vitrine.DefaultPlans(), Now: w.Clock.Now}).Add(ctx, w.Account,
		string(l.Slug), recipients.Addition{Recipients: []recipients.Request{{Label: "Ann"}}})
	w.Must(err)
	id := w.view(l, report.View{Viewer: 1, Recipient: int64(list[0].ID)})
	w.Clock.Advance(2 * time.Second)
	w.beacon(l, id)
	is("view.first", "recipient.opened")
	w.download(l, id)
	is("download")
	w.Clock.Advance(time.Hour)
	is("view")
	w.names(l, map[vitrine.EventKind]string{"link.live": "", "view.first": "Ann", "recipient.opened": "Ann",
		"download": "Ann", "view": "Ann"})
	again := w.view(l, report.View{Viewer: 1, Recipient: int64(list[0].ID)})
	w.Clock.Advance(2 * time.Second)
	w.beacon(l, again)
	is()
	w.Clock.Advance(2 * time.Hour)
	is("view")
	w.Clock.Advance(31 * 24 * time.Hour) // the recipient is told once, also when that event is gone
	w.Must(errors.Join(w.Links.Purge(ctx), w.Expire(ctx)))
	w.list = nil
	w.Must(w.Tell(ctx))
	w.beacon(l, w.view(l, report.View{Viewer: 1, Recipient: int64(list[0].ID)}))
	for range 30 {
		w.view(l, report.View{Viewer: 2})
	}
	w.Must(w.Tell(ctx))
	w.Must(w.Weekly(ctx))
	w.Must(w.Weekly(ctx))
	p, err := w.List(ctx, w.Account, events.Query{Limit: 100})
	w.Must(err)
	count := map[vitrine.EventKind]int{}
	for _, e := range p.Events {
		count[e.Kind]++
		seen[e.Kind] = true
	}
	vitrinetest.Equal(t, "events after a month", count, map[vitrine.EventKind]int{"milestone": 1, "alert.spike": 1})
	w.Clock.Advance(7 * 24 * time.Hour)
	w.Must(w.Weekly(ctx))
	w.Must(w.Weekly(ctx))
	p, err = w.List(ctx, w.Account, events.Query{Limit: 100, Kinds: []vitrine.EventKind{"report.weekly"}})
	if w.Must(err); len(p.Events) == 1 {
		seen["report.weekly"] = true
	} else {
		t.Errorf("%d weeks were summed up, want 1", len(p.Events))
	}
	for _, k := range events.Kinds {
		if !seen[k.Name] {
			t.Errorf("nothing makes an event of the kind %s", k.Name)
		}
	}
}

// names checks which recipients the events of a link name.
func (w *world) names(l *vitrine.Link, want map[vitrine.EventKind]string) {
	w.T.Helper()
	list, _, err := w.Latest(w.T.Context(), w.Account, events.LatestQuery{Link: string(l.Slug), Limit: 100})
	w.Must(err)
	got := map[vitrine.EventKind]string{}
	for _, e := range list {
		if got[e.Kind] = ""; e.Recipient != nil {
			got[e.Kind] = e.Recipient.Label
		}
	}
	vitrinetest.Equal(w.T, "recipients of events", got, want)
}

// changes causes the events of links and files.
func (w *world) changes(is func(...vitrine.EventKind)) {
	w.T.Helper()
	ctx := w.T.Context()
	l := w.Note("a note")
	is("link.live")
	w.Must(fixture.Second(w.Replace(l, "note.txt", "another note")))
	is("version.live")
	w.Must(w.Instance.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		return l.Transition(tx, w.Clock.Now(), vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorReaders},
			Action: vitrine.ActionHold, To: vitrine.StateReview})
	}))
	is("link.review")
	w.Must(fixture.Second(w.Links.Clear(ctx, string(l.Slug), fixture.Administrator(""))))
	is("link.live")
	yes := true
	w.Must(fixture.Second(w.Links.Edit(ctx, w.Account, string(l.Slug), links.Edit{Disabled: &yes})))
	is("link.disabled")
	w.Must(fixture.Second(w.Links.DeleteOwn(ctx, w.Account, string(l.Slug), links.Deletion{})))
	is("link.deleted")
	l = w.Note("a short note")
	is("link.live")
	end := w.Clock.Now().Add(time.Minute)
	w.Must(fixture.Second(w.Links.Edit(ctx, w.Account, string(l.Slug), links.Edit{ExpiresAt: &end})))
	w.Clock.Advance(time.Hour)
	w.Must(w.Links.Expire(ctx))
	w.Must(w.Links.Expire(ctx))
	is("link.expired")
	w.Scanner.Verdict = fixture.Malware
	if _, err := w.Complete("bad.txt", "bad"); vitrine.CodeOf(err) != vitrine.CodeMalware {
		w.T.Fatal(err)
	}
	is("upload.failed")
	w.Scanner.Verdict = fixture.Clean
	w.Website()
	is("website.live")
}

// account causes the events of an account.
func (w *world) account(is func(...vitrine.EventKind)) {
	w.T.Helper()
	ctx := w.T.Context()
	sessions := w.NewSessions()
	w.Accounts.Sessions, sessions.Owners = sessions, w.Accounts
	w.Must(w.Accounts.SetPassword(ctx, w.Account.Email, fixture.AnnWords))
	is("account.password_changed")
	in, err := sessions.SignInWithPassword(ctx, w.Account.Email, fixture.AnnWords, fixture.Home)
	w.Must(err)
	is("account.sign_in")
	known := fixture.Home
	known.Devices = []string{in.Device}
	w.Must(fixture.Second(sessions.SignInWithPassword(ctx, w.Account.Email, fixture.AnnWords, known)))
	is()
	keys := &auth.Keys{Store: w.Instance.Store, Now: w.Clock.Now, Owners: w.Accounts}
	key, err := keys.CreateFor(ctx, w.Account.Email, auth.KeyRequest{Name: "one", Scope: vitrine.ScopeRead})
	w.Must(err)
	is("account.key_created")
	w.Must(fixture.Second(keys.RotateFor(ctx, w.Account.Email, key.ID, time.Hour)))
	is("account.key_created")
	session, _, err := sessions.Current(ctx, string(in.Session))
	w.Must(err)
	a, err := w.Accounts.ByEmail(ctx, w.Account.Email)
	w.Must(err)
	secret, offer := w.Accounts.OfferFactor(a)
	w.Must(fixture.Second(w.Accounts.AddFactor(ctx, session, fixture.AnnWords, offer,
		secret.Code(factor.Step(w.Clock.Now())))))
	is("account.factor_changed")
	i := &vitrine.Identity{Account: a.ID, Issuer: "https://login.example", Subject: "1"}
	w.Must(w.Instance.Store.Update(ctx, func(tx vitrine.Tx) error { return tx.AddIdentity(i) }))
	providers := &auth.Providers{Store: w.Instance.Store, Sessions: sessions, Accounts: w.Accounts, Now: w.Clock.Now}
	w.Must(providers.Remove(ctx, session, fixture.AnnWords, i.ID))
	is("account.provider_changed")
	for _, address := range []string{"ann@example.com", "ann@example.net"} {
		w.Must(fixture.Second(w.Accounts.ChangeEmail(ctx, session, fixture.AnnWords, address)))
		is("account.email_changed")
	}
}

// TestSpike checks what is unusual for a link: ten times the median of the days
// before, at least 20 views, and nothing for 12 hours after that, also when
// another process tells.
func TestSpike(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("a note")
	views := func(n int) {
		w.Clock.Advance(time.Minute) // in which spikes are looked for
		for i := range n {
			w.view(l, report.View{Viewer: uint64(i)})
		}
	}
	spikes := func(what string, want ...events.Spike) {
		t.Helper()
		var got []events.Spike
		for _, e := range w.fresh() {
			if e.Kind != "alert.spike" {
				continue
			}
			var n events.Numbers
			w.Must(json.Unmarshal(e.Data, &n))
			got = append(got, *n.Spike)
			r, err := w.reports.Link(t.Context(), w.Account, string(l.Slug), analytics.In(report.Range7d))
			w.Must(err)
			if last := r.Series[len(r.Series)-1].Views; last != n.Today || r.Totals.Views < n.Today {
				t.Errorf("%s: %d views today, the report has %d", what, n.Today, last)
			}
		}
		vitrinetest.Equal(t, what, got, want)
	}
	day := func() { w.Clock.Advance(24 * time.Hour) }
	w.Clock.Advance(time.Duration(24-w.Clock.Now().Hour()) * time.Hour) // the next day begins
	views(25)
	spikes("the first day but one", events.Spike{Today: 25})
	day()
	views(3)
	day()
	views(3)
	spikes("a usual day")
	day() // 0, 25, 3, 3
	views(29)
	spikes("too few")
	views(1)
	spikes("ten times as many", events.Spike{Today: 30, Median: 3})
	views(500)
	spikes("more of them")
	w.Service = &events.Service{Store: w.Instance.Store, Log: w.Instance.Log, Visits: w.reports.VisitsAs, Now: w.Clock.Now}
	views(1)
	spikes("another process")
	w.Clock.Advance(13 * time.Hour)
	views(1)
	spikes("after 12 hours", events.Spike{Today: 532, Median: 3})
	for range 20 {
		day()
		views(1)
	}
	spikes("a quiet link")
	for range 60 {
		w.view(l, report.View{Viewer: 1, Bot: "crawler"})
	}
	spikes("programs")
	views(18)
	spikes("19 views")
	views(1)
	spikes("20 views", events.Spike{Today: 20, Median: 1})
}

// TestWeekly checks that the week before is summed up once, on Monday at 7 in
// the time zone of the account, with the numbers of its report, and only if
// something happened.
func TestWeekly(t *testing.T) {
	w := newWorld(fixture.New(t))
	ctx := t.Context()
	other := &events.Service{Store: w.Instance.Store, Report: w.reports.AccountDates, Now: w.Clock.Now}
	w.Must(w.Instance.Store.Update(ctx, func(tx vitrine.Tx) error {
		w.Account.TimeZone = "Asia/Kathmandu" // 5:45 ahead
		return tx.PutAccount(w.Account)
	}))
	l := w.Note("a note")
	at := func(day int, hour, minute int) {
		t.Helper()
		for w.Clock.Now().Weekday() != time.Weekday(day) {
			w.Clock.Advance(24 * time.Hour)
		}
		now := w.Clock.Now().UTC()
		w.Clock.Advance(time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, time.UTC).Sub(now))
	}
	weeks := func(what string, want ...events.Week) {
		t.Helper()
		w.Must(w.Weekly(ctx))
		w.Must(other.Weekly(ctx))
		var got []events.Week
		for _, e := range w.fresh() {
			if e.Kind != "report.weekly" {
				continue
			}
			var n events.Week
			w.Must(json.Unmarshal(e.Data, &n))
			got = append(got, n)
		}
		vitrinetest.Equal(t, what, got, want)
	}
	weeks("a new account")
	at(3, 9, 0)
	for i := range 500 {
		w.view(l, report.View{Bot: "scanner", Viewer: uint64(i)})
	}
	list := w.fresh()
	if slices.ContainsFunc(list, func(e events.Item) bool { return e.Kind != "link.live" }) {
		t.Errorf("events of 500 programs: %d", len(list))
	}
	at(1, 1, 14)
	weeks("Monday, 6:59")
	w.Clock.Advance(time.Minute)
	monday := w.Clock.Now().UTC()
	date := func(days int) string { return monday.AddDate(0, 0, days).Format(time.DateOnly) }
	weeks("programs only", events.Week{From: date(-7), To: date(-1), Timezone: "Asia/Kathmandu", Excluded: 500,
		Links: []events.WeekLink{}})
	w.Clock.Advance(24 * time.Hour)
	weeks("the same week")
	for i := range 4 {
		id := w.view(l, report.View{Viewer: uint64(i / 2)})
		w.Clock.Advance(2 * time.Second)
		w.beacon(l, id)
		w.download(l, id)
	}
	at(1, 2, 0)
	monday = w.Clock.Now().UTC()
	weeks("people", events.Week{From: date(-7), To: date(-1), Timezone: "Asia/Kathmandu", Views: 4, Uniques: 2, Sessions: 4,
		AvgEngagedMs: 2000, Downloads: 4, Links: []events.WeekLink{{Slug: string(l.Slug), Title: "note.txt", Views: 4}}})
	w.view(l, report.View{Viewer: 9})
	w.Must(w.Links.Delete(ctx, string(l.Slug), vitrine.Decision{By: vitrine.Owner(w.Account.ID)}))
	w.Clock.Advance(7 * 24 * time.Hour)
	monday = w.Clock.Now().UTC()
	weeks("a link in the trash", events.Week{From: date(-7), To: date(-1), Timezone: "Asia/Kathmandu", Views: 1, Uniques: 1,
		Links: []events.WeekLink{{Slug: string(l.Slug), Title: "note.txt", Views: 1, Trashed: true}},
		Trash: &report.Trashed{Links: 1, Views: 1}})
	_, err := w.Links.Revive(ctx, w.Account, string(l.Slug), nil)
	w.Must(err)
	w.Clock.Advance(7 * 24 * time.Hour)
	weeks("nothing")
	for _, change := range []func(*vitrine.Account){func(a *vitrine.Account) { a.Banned = true },
		func(a *vitrine.Account) { a.Plan = vitrine.PlanFree }} {
		w.view(l, report.View{Viewer: 1})
		w.Clock.Advance(7 * 24 * time.Hour)
		w.Must(w.Instance.Store.Update(ctx, func(tx vitrine.Tx) error {
			a, err := tx.Account(w.Account.ID)
			if err != nil {
				return err
			}
			a.Banned, a.Plan = false, vitrine.PlanPro
			change(a)
			return tx.PutAccount(a)
		}))
		weeks("an account that is suspended, or has no analytics")
	}
}

// TestDowngrade checks that an account without analytics keeps its events,
// without their numbers.
func TestDowngrade(t *testing.T) {
	w := newWorld(fixture.New(t))
	l := w.Note("a note")
	id := w.view(l, report.View{Viewer: 1})
	w.Clock.Advance(2 * time.Second)
	w.beacon(l, id)
	w.wants("link.live", "view.first")
	w.Account.Plan = vitrine.PlanFree
	p, err := w.List(t.Context(), w.Account, events.Query{Limit: 9})
	w.Must(err)
	var got []string
	for _, e := range p.Events {
		got = append(got, string(e.Kind)+" "+strconv.FormatBool(string(e.Data) == "{}"))
	}
	vitrinetest.Equal(t, "events of a plan without analytics", got, []string{"link.live false", "view.first true"})
}

// TestLatest checks the pages of the newest events, with and without a filter.
func TestLatest(t *testing.T) {
	w := newWorld(fixture.New(t))
	var links []*vitrine.Link
	for i := range 5 {
		links = append(links, w.Note(strconv.Itoa(i)))
	}
	all := func(q events.LatestQuery) (ids []int64) {
		t.Helper()
		for q.Limit = 2; ; {
			list, next, err := w.Latest(t.Context(), w.Account, q)
			w.Must(err)
			for _, e := range list {
				ids = append(ids, e.ID)
			}
			if q.Before = next; next == 0 {
				return ids
			}
		}
	}
	vitrinetest.Equal(t, "all", all(events.LatestQuery{}), []int64{5, 4, 3, 2, 1})
	vitrinetest.Equal(t, "of a link", all(events.LatestQuery{Link: string(links[1].Slug)}), []int64{2})
	vitrinetest.Equal(t, "of a kind", all(events.LatestQuery{Kinds: []vitrine.EventKind{"view"}}), nil)
	vitrinetest.Equal(t, "of a kind, before one", all(events.LatestQuery{Kinds: []vitrine.EventKind{"link.live"}, Before: 3}),
		[]int64{2, 1})
	if _, _, err := w.Latest(t.Context(), w.Account, events.LatestQuery{Link: "nothing"}); vitrine.CodeOf(err) !=
		vitrine.CodeNotFound {
		t.Errorf("a link that does not exist: %v", err)
	}
}
