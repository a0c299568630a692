package webtest

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
)

// SentMail is a Mailer that keeps its messages.
type SentMail struct {
	mu  sync.Mutex
	All []vitrine.Message
}

func (l *SentMail) Send(_ context.Context, m vitrine.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.All = append(l.All, m)
	return nil
}

func (l *SentMail) Count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.All)
}

// Path returns the path of the last URL in the last message.
func (l *SentMail) Path(t testing.TB) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.All) == 0 {
		t.Fatal("no message was sent")
	}
	m := regexp.MustCompile(`(?m)^https?://[^/]+(/\S+)$`).FindStringSubmatch(l.All[len(l.All)-1].Text)
	if m == nil {
		t.Fatalf("no URL in %q", l.All[len(l.All)-1].Text)
	}
	return m[1]
}

const Words = "a café at noon"

// AccountSite is a site whose members have passwords. With mail, it keeps the
// messages.
type AccountSite struct {
	*Site
	SentMail *SentMail
}

func NewAccountSite(t testing.TB, mode auth.SignUp, mail bool) *AccountSite {
	t.Helper()
	d := &AccountSite{Site: NewDesk(t), SentMail: new(SentMail)}
	d.Server.Accounts.SignUp = mode
	if mail {
		box := &fleet.Outbox{Store: d.Server.Accounts.Store, Mailer: d.SentMail, Now: d.Server.Accounts.Now}
		box.Wake = func() { d.Check(box.Send(context.Background())) }
		d.Server.Accounts.Mail = box
	}
	return d
}

// WithPassword sets the password of an account.
func (d *AccountSite) WithPassword(a *vitrine.Account) *vitrine.Account {
	d.T.Helper()
	d.Check(d.Server.Accounts.SetPassword(d.T.Context(), a.Email, Words))
	return a
}

// Enter signs in with a password.
func (d *AccountSite) Enter(email, password string, headers ...string) Reply {
	d.T.Helper()
	return d.Post("/sign-in", url.Values{"email": {email}, "password": {password}}, headers...)
}

// Cookies returns the cookies of an answer as a browser sends them back.
func Cookies(r Reply) string {
	var all []string
	for _, c := range r.Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return "Cookie: " + strings.Join(all, "; ")
}

var Laptop = Fields{"program": "vitrine 1.0", "machine": "ada-laptop"}

// NewDesk returns a site with moderators. The account of the site is first its
// owner's, then a member's, so files come from the member unless a test changes
// it.
func NewDesk(t testing.TB) *Site { return NewDeskWith(t, SiteOptions{}) }

func NewDeskWith(t testing.TB, o SiteOptions) *Site {
	t.Helper()
	d := NewSiteWith(t, o)
	d.Server.Notices = func(context.Context) []app.Notice { return d.Notices }
	d.Owner = d.Account
	d.Member = d.Join("member@example.org", vitrine.RoleMember)
	d.Account = d.Member
	return d
}

// Join creates an account with a role.
func (s *Site) Join(email string, role vitrine.Role) *vitrine.Account {
	s.T.Helper()
	a, _, err := s.Server.Accounts.Create(s.T.Context(), email, vitrine.PlanPro)
	s.Check(err)
	if role != vitrine.RoleMember {
		a, err = s.Server.Accounts.SetRole(s.T.Context(), email, role, vitrine.Decision{By: vitrine.Administrator})
		s.Check(err)
	}
	return a
}

// SignInLink returns the path of a sign-in link.
func (s *Site) SignInLink(a *vitrine.Account) string {
	s.T.Helper()
	text, err := s.Server.Sessions.Offer(s.T.Context(), a.Email)
	s.Check(err)
	return "/sign-in/" + string(text)
}

// SignIn signs in to an account and returns the Cookie header.
func (s *Site) SignIn(a *vitrine.Account) (cookie string) {
	s.T.Helper()
	r := s.Status(s.Post(s.SignInLink(a), nil), http.StatusSeeOther)
	for _, c := range r.Cookies() {
		if !strings.HasSuffix(c.Name, "-device") {
			return "Cookie: " + c.Name + "=" + c.Value
		}
	}
	s.T.Fatalf("cookies = %v", r.Cookies())
	return ""
}

// Post sends a form like the site's own pages.
func (s *Site) Post(path string, fields url.Values, headers ...string) Reply {
	s.T.Helper()
	return s.Do(http.MethodPost, path, fields.Encode(),
		append([]string{Form, "Origin: " + s.URL, "Sec-Fetch-Site: same-origin"}, headers...)...)
}

// Submit publishes a file in three steps, whatever state the link then has.
func (s *Site) Submit(name string, content []byte) *vitrine.Link {
	s.T.Helper()
	ctx, u := s.T.Context(), s.Server.Uploads
	kind, ok := filetype.ByExt(name)
	if !ok {
		s.T.Fatalf("no type for %s", name)
	}
	begun, err := u.Create(ctx, s.Account, publish.UploadRequest{Name: name, Type: kind.MIME,
		Size: int64(len(content))})
	s.Check(err)
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: kind.MIME,
		Expires: s.Server.Now().Add(time.Minute)}
	_, err = s.Server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	s.Check(err)
	l, err := u.Complete(ctx, s.Account, publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: kind.MIME})
	s.Check(err)
	return l
}

// Hold sends a link to review like the scanner.
func (s *Site) Hold(l *vitrine.Link, reason, detail string) *vitrine.Link {
	s.T.Helper()
	return s.Move(l, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorScanner}, Action: vitrine.ActionHold,
		To: vitrine.StateReview, Reason: reason, Detail: detail})
}

// Move changes a link's state and records who did it.
func (s *Site) Move(l *vitrine.Link, c vitrine.Change) *vitrine.Link {
	s.T.Helper()
	var now *vitrine.Link
	s.Check(s.Server.Links.Store.Update(s.T.Context(), func(tx vitrine.Tx) (err error) {
		if now, err = tx.Link(l.ID); err != nil {
			return err
		}
		c.At, c.Account, c.Link, c.From = s.Server.Now(), now.Account, now.ID, now.State
		now.State, now.Reason, now.Detail, now.StateAt = c.To, c.Reason, c.Detail, c.At
		if err = tx.PutLink(now); err != nil {
			return err
		}
		return tx.AddChange(&c)
	}))
	return now
}

// Held returns a file of the member that is held for review, before all that
// are held later.
func (s *Site) Held(name, reason string) *vitrine.Link {
	s.T.Helper()
	l := s.Hold(s.Publish(name, Samples[name]), reason, "")
	s.Ahead.Add(int64(time.Second))
	return l
}

// StateOf returns the current state of a link.
func (s *Site) StateOf(l *vitrine.Link) vitrine.LinkState {
	s.T.Helper()
	now, err := s.Server.Links.BySlug(s.T.Context(), string(l.Slug))
	s.Check(err)
	return now.State
}

func CasePath(l *vitrine.Link) string { return "/moderation/links/" + string(l.Slug) }

func AccountPath(a *vitrine.Account) string {
	return "/moderation/accounts/" + strconv.FormatInt(int64(a.ID), 10)
}

// Seen returns the change that the form of a case names as the last one on its
// page.
func (s *Site) Seen(l *vitrine.Link) string {
	s.T.Helper()
	list, err := s.Server.Moderation.OfLink(s.T.Context(), string(l.Slug))
	s.Check(err)
	return strconv.FormatInt(int64(list[0].ID), 10)
}

// Decide sends a decision from the current page of a case.
func (s *Site) Decide(l *vitrine.Link, action, note string, headers ...string) Reply {
	s.T.Helper()
	return s.Post(CasePath(l)+"/"+action, url.Values{"seen": {s.Seen(l)}, "note": {note}}, headers...)
}

// Follow requests the page to which an answer redirects.
func (s *Site) Follow(r Reply, headers ...string) Reply {
	s.T.Helper()
	s.Status(r, http.StatusSeeOther)
	to := r.Header.Get("Location")
	if !strings.HasPrefix(to, "/") {
		s.T.Fatalf("redirected to %q, want a path", to)
	}
	return s.Status(s.Get(to, headers...), http.StatusOK)
}
