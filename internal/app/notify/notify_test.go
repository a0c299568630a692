package notify_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/url"
	"regexp"
	"slices"

	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/links"
	"vitrine/internal/app/notify"
	"vitrine/internal/app/recipients"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/fixture"
	"vitrine/internal/test/mailtest"
	"vitrine/internal/test/tier"
	"vitrine/report"
	"vitrine/report/country"
)

// office is an instance whose mail goes to a real mail server.
type office struct {
	*fixture.Instance
	notify  *notify.Service
	events  *events.Service
	reports *analytics.Service
	server  *mailtest.Server
	ids     *vitrine.ViewIDs
	seen    int
}

const public = "https://share.example"

func newOffice(t *testing.T, s *fixture.Instance) *office {
	t.Helper()
	o := &office{Instance: s, ids: vitrine.NewViewIDs()}
	var mailer vitrine.Mailer
	o.server, mailer = mailtest.New(t)
	sign := signer.New([]byte("k"))
	o.reports = &analytics.Service{Store: s.Store, Log: s.Log, Signer: sign, Now: s.Clock.Now,
		URL: func(slug vitrine.Slug) string { return public + "/p/" + string(slug) }}
	o.notify = &notify.Service{Store: s.Store, Signer: sign, Now: s.Clock.Now, Public: public,
		Outbox: &fleet.Outbox{Store: s.Store, Mailer: mailer, Now: s.Clock.Now}}
	o.events = &events.Service{Store: s.Store, Log: s.Log, Visits: o.reports.VisitsAs, Report: o.reports.AccountDates,
		Mail: o.notify.Mail, Now: s.Clock.Now}
	return o
}

// view adds a view that a person reads for some seconds.
func (o *office) view(l *vitrine.Link, v report.View, seconds int) {
	o.T.Helper()
	id := o.ids.Next(o.Clock.Now())
	v.ID, v.At, v.Link = int64(id), id.Ms(), int64(l.ID)
	_, err := o.Log.Append(o.T.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account, View: v}}})
	o.Must(err)
	if seconds == 0 {
		return
	}
	o.Clock.Advance(time.Duration(seconds) * time.Second)
	ms := int64(seconds) * 1000
	_, err = o.Log.Append(o.T.Context(), vitrine.Batch{Snapshots: []vitrine.Snapshot{{Link: l.ID, View: id,
		At: id.Ms() + ms, Session: report.Session{PresentMs: ms, EngagedMs: ms}}}})
	o.Must(err)
}

// mails tells what happened, sends, and returns the new mails.
func (o *office) mails() (list []mailtest.Mail) {
	o.T.Helper()
	ctx := o.T.Context()
	o.Must(o.events.Tell(ctx))
	o.Must(o.events.Weekly(ctx))
	o.Must(o.notify.Outbox.Send(ctx))
	all := o.server.To(o.Account.Email)
	list, o.seen = slices.Clone(all[o.seen:]), len(all)
	slices.SortFunc(list, func(a, b mailtest.Mail) int { // several are sent at once
		return strings.Compare(a.Header.Get("Subject"), b.Header.Get("Subject"))
	})
	for _, m := range list {
		o.complete(m)
	}
	return list
}

// wants checks the subjects of the new mails.
func (o *office) wants(what string, subjects ...string) []mailtest.Mail {
	o.T.Helper()
	list := o.mails()
	var got []string
	for _, m := range list {
		got = append(got, plain(m.Header.Get("Subject")))
	}
	if !slices.Equal(got, subjects) {
		o.T.Errorf("%s: mails %q, want %q", what, got, subjects)
	}
	return list
}

// plain decodes a header and removes what keeps addresses from being links.
func plain(text string) string {
	if decoded, err := new(mime.WordDecoder).DecodeHeader(text); err == nil {
		text = decoded
	}
	return strings.ReplaceAll(text, "\u2060", "")
}

var addresses = regexp.MustCompile(`https?://[^\s"<]+`)

// complete checks what every mail has: a text and an HTML with the same facts,
// addresses of this instance only, and an end by one POST.
func (o *office) complete(m mailtest.Mail) {
	o.T.Helper()
	if m.HTML == "" || m.Text == "" || m.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		o.T.Errorf("a mail has no text, no HTML or no end: %v", m.Header)
	}
	stop := strings.Trim(m.Header.Get("List-Unsubscribe"), "<>")
	for _, body := range []string{m.Text, m.HTML} {
		if !strings.Contains(body, stop) {
			o.T.Errorf("a body lacks the address that ends the mails, %s:\n%s", stop, body)
		}
		for _, at := range addresses.FindAllString(body, -1) {
			if u, err := url.Parse(at); err != nil || u.Host != "share.example" {
				o.T.Errorf("an address leads elsewhere: %s", at)
			}
		}
		if strings.Contains(body, "192.0.2.") || strings.Contains(body, "<script") {
			o.T.Errorf("a body has an address of a reader or a script:\n%s", body)
		}
	}
	for line := range strings.Lines(m.Text) {
		if n := len([]rune(strings.TrimSpace(line))); n > 72 && !strings.Contains(line, "https://") {
			o.T.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

// has checks that the text and the HTML of a mail say something.
func (o *office) has(m mailtest.Mail, all ...string) {
	o.T.Helper()
	for _, want := range all {
		name, value, _ := strings.Cut(want, ": ")
		html := `<th scope="row">` + name + "</th><td>" + value + "</td>"
		if value == "" {
			html = name
		}
		if !strings.Contains(plain(m.Text), want) || !strings.Contains(plain(m.HTML), html) {
			o.T.Errorf("a mail does not say %q:\n%s\n%s", want, m.Text, m.HTML)
		}
	}
}

// TestFirstView follows the mails about a link.
func TestFirstView(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	ctx := t.Context()
	l := o.Note("a note")
	_, list, err := (&recipients.Service{Store: o.Store, Plans: vitrine.DefaultPlans(), Now: o.Clock.Now}).Add(ctx, o.Account,
		string(l.Slug), recipients.Addition{Recipients: []recipients.Request{{Label: "Ann <b> https://evil.example"}}})
	o.Must(err)
	for i := range 500 {
		o.view(l, report.View{Bot: "scanner", Viewer: uint64(i)}, 0)
	}
	o.wants("500 programs")
	o.view(l, report.View{Viewer: 1, Recipient: int64(list[0].ID), Country: "DE", City: "Berlin", Device: "Desktop",
		Browser: "Firefox", OS: "Linux", Source: "evil.example"}, 41)
	m := o.wants("a first view by a recipient", "Ann <b> https://evil.example has opened “note.txt”")[0]
	o.has(m, "Time so far: 41 s", "Place: Berlin, Germany", "Device: Desktop, Firefox, Linux", "Views of the link: 1",
		"Downloads: 0")
	if strings.Contains(m.Text+m.HTML, "https://evil") || strings.Contains(m.HTML, "<b>") ||
		!strings.Contains(plain(m.Text), "Recipient: Ann <b> https://evil.example") {
		t.Errorf("the label of a recipient is not only text:\n%s\n%s", m.Text, m.HTML)
	}
	o.view(l, report.View{Viewer: 2}, 5)
	o.wants("the second view")
	bell := func(b vitrine.Bell) {
		o.Must(fixture.Second(o.Links.Edit(ctx, o.Account, string(l.Slug), links.Edit{Bell: &b})))
	}
	bell(vitrine.BellDaily)
	o.view(l, report.View{Viewer: 3}, 5)
	o.wants("another view on the day of the mail")
	o.Clock.Advance(24 * time.Hour)
	o.view(l, report.View{Viewer: 4}, 5)
	o.view(l, report.View{Viewer: 5}, 5)
	o.wants("two views of the next day", "“note.txt” was viewed")
	o.view(l, report.View{Viewer: 6}, 5)
	o.wants("a third one")
	bell(vitrine.BellOff)
	o.Clock.Advance(24 * time.Hour)
	o.view(l, report.View{Viewer: 7}, 5)
	o.wants("a link whose bell is off")
	for i := range 20 {
		o.view(o.Note(fmt.Sprint("note ", i)), report.View{Viewer: 8}, 5)
	}
	if n := len(o.mails()); n != 10 {
		t.Errorf("%d mails about 20 links in an hour, want 10", n)
	}
	for what, change := range map[string]func(*vitrine.Account){
		"a kind that is off": func(a *vitrine.Account) { a.NoMail = "weekly firstView" },
		"a suspended owner":  func(a *vitrine.Account) { a.Banned = true },
		"no analytics":       func(a *vitrine.Account) { a.Plan = vitrine.PlanFree },
	} {
		o.Clock.Advance(2 * time.Hour)
		o.mails()
		l := o.Note("another note")
		o.change(change)
		o.view(l, report.View{Viewer: 9, Country: "DE"}, 5)
		if what == "no analytics" {
			m := o.wants(what, "“note.txt” was viewed for the first time")[0]
			if strings.Contains(m.Text+m.HTML, "Germany") || strings.Contains(m.Text, "5 s") {
				t.Errorf("a mail has numbers without analytics:\n%s", m.Text)
			}
		} else {
			o.wants(what)
		}
		o.change(func(a *vitrine.Account) { a.NoMail, a.Banned, a.Plan = "", false, vitrine.PlanPro })
	}
}

// change changes the account.
func (o *office) change(f func(*vitrine.Account)) {
	o.T.Helper()
	o.Must(o.Store.Update(o.T.Context(), func(tx vitrine.Tx) error {
		a, err := tx.Account(o.Account.ID)
		if err != nil {
			return err
		}
		f(a)
		return tx.PutAccount(a)
	}))
}

// TestWeek checks the mail that sums up a week, and the alert.
func TestWeek(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	for o.Clock.Now().Weekday() != time.Wednesday {
		o.Clock.Advance(24 * time.Hour)
	}
	l := o.Note("a note")
	o.Clock.Advance(24 * time.Hour)
	for i := range 500 {
		o.view(l, report.View{Bot: "scanner", Viewer: uint64(i)}, 0)
	}
	for i := range 20 {
		o.view(l, report.View{Viewer: uint64(i / 2)}, 3)
	}
	list := o.wants("a spike", "“note.txt” has unusually many views", "“note.txt” was viewed for the first time")
	o.has(list[0], "Views today (UTC): 20", "Views on a usual day: 0")
	for o.Clock.Now().Weekday() != time.Tuesday {
		o.Clock.Advance(24 * time.Hour)
	}
	m := o.wants("a week", "Your week: 20 views")[0]
	o.has(m, "Views: 20", "Unique viewers: 10", "Average time: 3 s", "Downloads: 0",
		"500 views by programs, such as scanners and link previews.")
	o.wants("nothing new")
}

// TestStop checks that the addresses in a mail end only what they say, only
// when they are told to, and only for their account.
func TestStop(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	ctx := t.Context()
	o.change(func(a *vitrine.Account) { a.Role = vitrine.RoleMember })
	l := o.Note("a note")
	o.view(l, report.View{Viewer: 1}, 5)
	m := o.wants("a view", "“note.txt” was viewed for the first time")[0]
	var tokens []string
	for _, at := range addresses.FindAllString(m.Text, -1) {
		if _, token, ok := strings.Cut(at, notify.StopRoot); ok {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) != 2 || !strings.Contains(m.Header.Get("List-Unsubscribe"), tokens[1]) {
		t.Fatalf("addresses that end mails: %q", tokens)
	}
	state := func() string {
		var text string
		o.Must(o.Store.Read(ctx, func(tx vitrine.Tx) error {
			a, err1 := tx.Account(o.Account.ID)
			l, err2 := tx.Link(l.ID)
			text = fmt.Sprintf("%s/%s", a.NoMail, l.Bell)
			if err1 != nil {
				return err1
			}
			return err2
		}))
		return text
	}
	for i, step := range []struct {
		token string
		do    bool
		want  string
	}{{tokens[0], false, "/"}, {tokens[1], false, "/"}, {tokens[0], true, "/off"}, {tokens[0], true, "/off"},
		{tokens[1], true, "firstView/off"}, {tokens[1], true, "firstView/off"}} {
		if _, err := o.notify.Stop(ctx, step.token, step.do); err != nil || state() != step.want {
			t.Errorf("step %d: %v, state %q, want %q", i, err, state(), step.want)
		}
	}
	for _, wrong := range []string{"", "x", tokens[0] + "x", strings.Replace(tokens[0], "firstView", "weekly", 1),
		"1." + tokens[1]} {
		if _, err := o.notify.Stop(ctx, wrong, true); vitrine.CodeOf(err) != vitrine.CodeNotFound {
			t.Errorf("token %q: %v, want not_found", wrong, err)
		}
	}
	if _, err := o.notify.Change(ctx, o.Account.ID, map[string]bool{"firstView": true, "weekly": false}); err != nil ||
		state() != "weekly/off" {
		t.Errorf("after a change: %v, %q", err, state())
	}
	for _, name := range []string{"instance", "nothing"} {
		if _, err := o.notify.Change(ctx, o.Account.ID, map[string]bool{name: false}); vitrine.CodeOf(err) !=
			vitrine.CodeInvalidRequest || state() != "weekly/off" {
			t.Errorf("there is no kind %s: %v", name, err)
		}
	}
}

// TestMailOnce checks that several processes that tell the same news send one
// mail.
func TestMailOnce(t *testing.T) {
	o := newOffice(t, fixture.New(t))
	others := make([]*events.Service, 3)
	for i := range others {
		s := *o.events
		s.Log = o.OpenLog()
		others[i] = &s
	}
	l := o.Note("a note")
	o.view(l, report.View{Viewer: 1}, 5)
	failed := make(chan error, len(others))
	for _, s := range others {
		go func() { failed <- s.Tell(t.Context()) }()
	}
	for range others {
		o.Must(<-failed)
	}
	o.wants("three processes", "“note.txt” was viewed for the first time")
}

// TestMailEqualsReport makes random histories, and checks that every number in
// every mail is that of the report at that moment.
func TestMailEqualsReport(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(tier.Pick(3, 100)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { mailHistory(t, seed, kinds) })
	}
	if kinds["day"] == 0 || kinds["spike"] == 0 || kinds["week"] == 0 {
		t.Errorf("checked mails: %v, want some of each kind", kinds)
	}
	t.Log("checked mails:", kinds)
}

func mailHistory(t *testing.T, seed uint64, kinds map[string]int) {
	o := newOffice(t, fixture.New(t))
	random := rand.New(rand.NewPCG(seed, 1))
	b := vitrine.BellDaily
	var list []*vitrine.Link
	for _, title := range []string{"one", "two"} {
		l := o.Note(title)
		o.Must(fixture.Second(o.Links.Edit(t.Context(), o.Account, string(l.Slug), links.Edit{Bell: &b, Title: &title})))
		list = append(list, l)
	}
	for range 14 {
		most := 4
		if random.IntN(4) == 0 {
			most = 50
		}
		for range random.IntN(most) {
			l := list[random.IntN(2)]
			o.view(l, report.View{Viewer: random.Uint64N(9), Bot: []string{"", "", "crawler"}[random.IntN(3)],
				Country: []string{"", "DE", "FR"}[random.IntN(3)], Device: "Desktop", Browser: "Firefox"}, random.IntN(3))
			if random.IntN(5) == 0 {
				_, err := o.Log.Append(t.Context(), vitrine.Batch{Downloads: []vitrine.Download{
					{ID: o.ids.Next(o.Clock.Now()), Link: l.ID, Account: l.Account}}})
				o.Must(err)
			}
		}
		for _, m := range o.mails() {
			kinds[o.equalsReport(m, list)]++
		}
		o.Clock.Advance(time.Duration(1+random.IntN(40)) * time.Hour)
	}
}

// equalsReport compares the numbers of a mail with the reports, and returns its
// kind.
func (o *office) equalsReport(m mailtest.Mail, list []*vitrine.Link) (kind string) {
	o.T.Helper()
	ctx := o.T.Context()
	subject := plain(m.Header.Get("Subject"))
	if strings.HasPrefix(subject, "Your week") {
		days := regexp.MustCompile(`from=([\d-]+)&to=([\d-]+)`).FindStringSubmatch(m.Text)
		first, err1 := time.Parse(time.DateOnly, days[1])
		last, err2 := time.Parse(time.DateOnly, days[2])
		r, err3 := o.reports.AccountDates(ctx, o.Account, report.Dates{First: report.DayOf(first.UnixMilli()),
			Last: report.DayOf(last.UnixMilli())})
		o.Must(errors.Join(err1, err2, err3))
		t := r.Totals
		average := notation.Lasting(t.AvgEngagedMs)
		if t.Sessions == 0 {
			average = "not measured"
		}
		o.has(m, fmt.Sprint("Views: ", t.Views), fmt.Sprint("Unique viewers: ", t.Uniques), "Average time: "+average,
			fmt.Sprint("Downloads: ", t.RangeDownloads))
		if excluded := fmt.Sprint("Excluded: ", t.BotsExcluded, " views"); (t.BotsExcluded > 0) !=
			strings.Contains(m.Text, excluded) {
			o.T.Errorf("a mail does not say %q:\n%s", excluded, m.Text)
		}
		return "week"
	}
	l := list[0]
	if strings.Contains(subject, "two") {
		l = list[1]
	}
	r, err := o.reports.Link(ctx, o.Account, string(l.Slug), analytics.In(report.RangeAll))
	o.Must(err)
	o.has(m, fmt.Sprint("Views of the link: ", r.Totals.Views))
	if strings.Contains(subject, "unusually") {
		o.has(m, fmt.Sprint("Views today (UTC): ", r.Series[len(r.Series)-1].Views))
		return "spike"
	}
	id := regexp.MustCompile(`/visits/([\w-]+)`).FindStringSubmatch(m.Text)[1]
	v, err := o.reports.Visit(ctx, o.Account, string(l.Slug), id)
	o.Must(err)
	o.has(m, fmt.Sprint("Downloads: ", r.Totals.Downloads), "Device: Desktop, Firefox")
	if v.Country != "" {
		o.has(m, "Place: "+country.Name(v.Country))
	}
	if v.Engaged {
		o.has(m, "Time so far: "+notation.Lasting(v.EngagedMs), "Progress so far: "+v.Progress)
	}
	return "day"
}
