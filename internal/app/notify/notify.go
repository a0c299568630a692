// Package notify mails events to the people who want to know, in the
// transaction that makes the event, and keeps what they want. It also mails
// administrators the problems of the instance, and moderators that links wait.
// Mails about the security of an account are in internal/app/auth; nobody can
// switch those off.
package notify

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/events"
	"vitrine/internal/app/fleet"
	"vitrine/internal/base/signer"
	"vitrine/internal/base/throttle"
	"vitrine/report"
)

// Kind is a kind of mail, which people switch on and off.
type Kind struct {
	Name  string                      // in settings, and in addresses that end them
	Words string                      // "mails about …"
	About string                      // when it comes
	For   func(*vitrine.Account) bool // nil: for everybody
}

// The names of the kinds.
const (
	firstView = "firstView"
	recipient = "recipientOpened"
	weekly    = "weekly"
	alert     = "alert"
	problems  = "problems"
	review    = "review"
)

// Kinds lists all kinds. Each is on until it is switched off.
var Kinds = []Kind{
	{firstView, "first views", "When a person views a link for the first time. The first view of each day is a choice in the settings of the link.", nil},
	{recipient, "recipients", "When a recipient opens a link for the first time.", Kind{}.analytics},
	{weekly, "your week", "On Monday: the numbers of the week before, with the views by programs in one line.", Kind{}.analytics},
	{alert, "unusually many views", "When a link has 10 times as many views as on a usual day, and at least 20.", nil},
	{problems, "problems of the instance", "When the instance needs an administrator: a disk is almost full, a scanner or the view log does not answer, or the last backup is old.", Kind{}.administrator},
	{review, "links that wait for review", "When a link waits for review, and each morning while some do.", (*vitrine.Account).Moderates},
}

// analytics reports whether an account has reports.
func (Kind) analytics(a *vitrine.Account) bool { return a.Plan.Pro() }

// administrator reports whether an account owns the instance.
func (Kind) administrator(a *vitrine.Account) bool { return a.Role == vitrine.RoleOwner }

// kindOf returns a kind by its name, or nil if there is none.
func kindOf(name string) *Kind {
	at := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if at < 0 {
		return nil
	}
	return &Kinds[at]
}

// Service mails events and changes what people want.
type Service struct {
	Store  vitrine.Store
	Signer *signer.Signer
	Outbox *fleet.Outbox // nil if the instance sends no mail
	Public string        // address of the instance: https://share.example
	Now    func() time.Time
}

// SendsMail reports whether the instance sends mail.
func (s *Service) SendsMail() bool { return s.Outbox != nil }

// mailedEvents maps kinds of events to kinds of mail.
var mailedEvents = map[vitrine.EventKind]string{vitrine.EventFirstView: firstView, events.Daily: firstView,
	vitrine.EventRecipientOpened: recipient, vitrine.EventSpike: alert, vitrine.EventWeekly: weekly}

// mostByHour bounds the mails to an account about its links, however many are
// viewed for the first time.
const mostByHour = 10

// Mail queues the mail about an event, if its owner wants it, in the
// transaction that makes the event. l is the link that it is about, or nil;
// Mail may change it, and the caller stores it.
func (s *Service) Mail(tx vitrine.Tx, e *vitrine.Event, l *vitrine.Link) error {
	kind := mailedEvents[e.Kind]
	if kind == "" || s.Outbox == nil || l != nil && l.Bell == vitrine.BellOff {
		return nil
	}
	a, err := tx.Account(e.Account)
	if err != nil || a.Banned || !a.ClosedAt.IsZero() || !gets(a, kind) {
		return err
	}
	who, err := recipientOf(tx, e)
	if err != nil {
		return err
	}
	if kind == firstView {
		day := dayOf(a, viewedAt(e, s.Now()))
		if l.RungOn >= day {
			return nil
		}
		l.RungOn = day
		if who != nil && who.OpenedAt.UnixMilli() == e.At.UnixMilli() && gets(a, recipient) {
			return nil // the mail about this recipient says the same
		}
	}
	if l != nil {
		_, err := throttle.Take(tx, s.Now(), "too many mails", throttle.Limit{Within: time.Hour, Max: mostByHour,
			Key: s.Signer.AttemptKey("mails about links", strconv.FormatInt(int64(a.ID), 10))})
		if vitrine.CodeOf(err) == vitrine.CodeRateLimited {
			return nil
		} else if err != nil {
			return err
		}
	}
	m, err := s.letterOf(e, l, a, who)
	if err != nil {
		return err
	}
	return s.post(tx, a, kind, l, m)
}

// letterOf describes an event to the owner of an account.
func (s *Service) letterOf(e *vitrine.Event, l *vitrine.Link, a *vitrine.Account, who *vitrine.Recipient) (
	*letter, error) {
	if e.Kind == vitrine.EventWeekly {
		var w events.Week
		if err := json.Unmarshal(e.Data, &w); err != nil {
			return nil, err
		}
		return s.week(&w), nil
	}
	var n events.Numbers
	if err := json.Unmarshal(e.Data, &n); err != nil {
		return nil, err
	}
	if e.Kind == vitrine.EventSpike {
		return s.spike(l, a, &n), nil
	}
	label := ""
	if who != nil {
		label = who.Label
	}
	return s.viewed(l, a, &n, label, viewedAt(e, s.Now()), e.Kind), nil
}

// recipientOf returns the recipient through whose address the visit of an event
// came, or nil.
func recipientOf(tx vitrine.Tx, e *vitrine.Event) (*vitrine.Recipient, error) {
	var n events.Numbers
	if json.Unmarshal(e.Data, &n) != nil || n.Visit == nil || n.Visit.Through() == 0 {
		return nil, nil
	}
	r, err := tx.Recipient(e.Link, n.Visit.Through())
	return r, vitrine.NotFoundIsNil(err)
}

// viewedAt returns when the view was made that an event is about. It may be
// known only later that a person made it.
func viewedAt(e *vitrine.Event, now time.Time) time.Time {
	var n events.Numbers
	if json.Unmarshal(e.Data, &n) != nil || n.Visit == nil {
		return now
	}
	if t, err := time.Parse(time.RFC3339, n.Visit.At); err == nil {
		return t
	}
	return now
}

// dayOf returns the day of a time in the time zone of an account.
func dayOf(a *vitrine.Account, t time.Time) report.Day {
	t = t.In(a.Zone())
	return report.DayOf(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).UnixMilli())
}

// site returns the name of the instance in mails.
func (s *Service) site() string {
	return strings.TrimPrefix(strings.TrimPrefix(s.Public, "https://"), "http://")
}

// post queues a letter to an account.
func (s *Service) post(tx vitrine.Tx, a *vitrine.Account, kind string, l *vitrine.Link, m *letter) error {
	stop := func(of vitrine.LinkID) string {
		return s.Public + StopRoot + s.Signer.StopToken(signer.Stop{Account: a.ID, Mail: kind, Link: of})
	}
	m.Site, m.Settings = s.site(), s.Public+SettingsPage
	m.Kind, m.Stop = kindOf(kind).Words, stop(0)
	if l != nil {
		m.StopLink = stop(l.ID)
	}
	message, err := m.message(a.Email)
	if err != nil {
		return err
	}
	_, err = s.Outbox.Post(tx, message, time.Time{})
	return err
}

// StopRoot is the path of addresses that end mails, before their token.
// SettingsPage is the page where people choose mails.
const (
	StopRoot     = "/mail/"
	SettingsPage = "/events/mail"
)

// Setting is a kind of mail, and whether an account wants it.
type Setting struct {
	Kind
	On bool
}

// wants reports whether an account wants a kind of mail.
func wants(a *vitrine.Account, kind string) bool {
	return !slices.Contains(strings.Fields(a.NoMail), kind)
}

// gets reports whether an account may get a kind of mail, and wants it.
func gets(a *vitrine.Account, kind string) bool {
	of := kindOf(kind).For
	return (of == nil || of(a)) && wants(a, kind)
}

// Settings lists the kinds of mail that an account may get.
func Settings(a *vitrine.Account) (list []Setting) {
	for _, k := range Kinds {
		if k.For == nil || k.For(a) {
			list = append(list, Setting{k, wants(a, k.Name)})
		}
	}
	return list
}

// Change switches kinds of mail on or off, by name, and returns the account.
// Errors: CodeInvalidRequest for a kind that the account does not get.
func (s *Service) Change(ctx context.Context, id vitrine.AccountID, on map[string]bool) (
	a *vitrine.Account, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if a, err = tx.Account(id); err != nil {
			return err
		}
		for name := range on {
			if k := kindOf(name); k == nil || k.For != nil && !k.For(a) {
				return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: name,
					Message: "This account gets no such mail. GET /notifications lists those that it may get."}
			}
		}
		var off []string
		for _, k := range Kinds {
			set, changes := on[k.Name]
			if changes && !set || !changes && !wants(a, k.Name) {
				off = append(off, k.Name)
			}
		}
		a.NoMail = strings.Join(off, " ")
		return tx.PutAccount(a)
	})
	return a, err
}

// Stopped describes what an address in a mail ends.
type Stopped struct {
	Words string        // "mails about …"
	Link  *vitrine.Link // nil for all mails of the kind
}

var errStop = vitrine.Errorf(vitrine.CodeNotFound,
	"This address ends no mails. Sign in to choose which mails you get.")

// Stop returns what the address with a token ends, and ends it if do is set.
// Ending it twice changes nothing. Errors: CodeNotFound.
func (s *Service) Stop(ctx context.Context, token string, do bool) (found Stopped, err error) {
	v, ok := s.Signer.ParseStop(token)
	kind := kindOf(v.Mail)
	if !ok || kind == nil {
		return found, errStop
	}
	stop := func(tx vitrine.Tx) error {
		found = Stopped{Words: kind.Words}
		a, err := tx.Account(v.Account)
		if err == nil && !a.ClosedAt.IsZero() {
			err = vitrine.ErrNotFound
		}
		if err != nil {
			return err
		}
		if v.Link != 0 {
			l, err := tx.Link(v.Link)
			if err == nil && (!l.DeletedAt.IsZero() || l.Account != a.ID) {
				err = vitrine.ErrNotFound
			}
			if found.Link = l; err != nil || !do || l.Bell == vitrine.BellOff {
				return err
			}
			l.Bell = vitrine.BellOff
			return tx.PutLink(l)
		}
		if !do || !wants(a, v.Mail) {
			return nil
		}
		a.NoMail = strings.TrimSpace(a.NoMail + " " + v.Mail)
		return tx.PutAccount(a)
	}
	if do {
		err = s.Store.Update(ctx, stop)
	} else {
		err = s.Store.Read(ctx, stop)
	}
	if vitrine.CodeOf(err) == vitrine.CodeNotFound {
		err = errStop
	}
	return found, err
}
