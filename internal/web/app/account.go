package app

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/factor"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/events"
	"vitrine/internal/app/export"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// AccountPages serves the page of one's own account.
type AccountPages struct {
	Server    *httpx.Server
	Pages     *ui.Pages
	Viewers   *viewer.Viewers
	Shell     *Shell
	Sessions  *auth.Sessions
	Analytics *analytics.Service
	Events    *events.Service
	Notices   func(context.Context) []Notice
	Now       func() time.Time
	Log       *slog.Logger
	Accounts  *auth.Accounts
	Links     *links.Service
	Uploads   *publish.Uploads
	Providers *auth.Providers
	SiteStats *collections.SiteStats // nil if page loads of websites are not counted

	exporting sync.Map // accounts that are being exported, by AccountID
}

const accountRoot = "/account"

// mePage is the page of the user's own account.
type mePage struct {
	Page
	Usage       []usageBar
	Upgrade     bool // there is a larger plan
	HasPassword bool
	Fresh       bool // one has just signed in with a link: the current password is not asked for
	Factor      *factor.State
	NeedsCode   *factorAsk // forms that need a second factor ask for it; nil: they need not
	Providers   providerPage
	Mail        bool
	Sessions    []sessionRow
	Activity    []*vitrine.Change
	Others      int // sessions besides this one
	LastOwner   bool
	Form        string // the form that Wrong is about
	Email       string // typed into it
	Zone        string // typed into the form, or the account's
	MinPassword int
}

// shownActivity is how many events the page lists.
const shownActivity = 10

// sessionRow is a signed-in browser.
type sessionRow struct {
	*vitrine.Session
	Here bool // this very one
}

// Of returns what is wrong with a field of a form.
func (p *mePage) Of(form, field string) string {
	if p.Form != form {
		return ""
	}
	return p.Wrong[field]
}

func (s *AccountPages) Show(w http.ResponseWriter, r *http.Request, _ *vitrine.Account) error {
	return s.writeMe(w, r, http.StatusOK, nil)
}

// writeMe answers with the page after change has modified it.
func (s *AccountPages) writeMe(w http.ResponseWriter, r *http.Request, status int, change func(*mePage)) error {
	ctx := r.Context()
	session, me, err := s.Sessions.Current(ctx, s.Server.Session(r))
	if err != nil {
		return err
	}
	p := mePage{Page: s.Shell.NewAppPage(r, me, "Account", "account"), Upgrade: !me.Plan.Pro(),
		HasPassword: me.Password != "", Fresh: s.Accounts.Fresh(session), Factor: auth.FactorOf(me),
		NeedsCode: needsCode(r, s.Server, s.Sessions, me),
		Mail:      s.Accounts.Mail != nil, MinPassword: password.MinLength, Zone: cmp.Or(me.TimeZone, "UTC")}
	usage, err := s.Uploads.Usage(ctx, me)
	if err != nil {
		return err
	}
	p.Usage = s.Shell.usageBars(usage)
	sessions, err := s.Sessions.List(ctx, me.ID)
	if err != nil {
		return err
	}
	for _, other := range sessions {
		row := sessionRow{other, other.ID == session.ID}
		if row.Here {
			p.Sessions = append([]sessionRow{row}, p.Sessions...)
			continue
		}
		p.Sessions = append(p.Sessions, row)
		p.Others++
	}
	if p.Providers, err = s.providers(r, me); err != nil {
		return err
	}
	if p.Activity, err = s.Accounts.Activity(ctx, me.ID, shownActivity); err != nil {
		return err
	}
	if me.Role == vitrine.RoleOwner {
		if p.LastOwner, err = s.Accounts.OnlyOwner(ctx, me); err != nil {
			return err
		}
	}
	if change != nil {
		change(&p)
	}
	return s.Shell.WriteApp(w, r, status, "account.html", p.Nonce, &p)
}

// renderMeError shows the page once more after one of its forms has failed.
func (s *AccountPages) renderMeError(w http.ResponseWriter, r *http.Request, form string, err error) error {
	wrong := httpx.FieldErrorsOf(err)
	if wrong == nil {
		return err
	}
	e, status := s.Server.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		wrong[cmp.Or(e.Field, "current")] = httpx.AdviceOn(e)
	}
	return s.writeMe(w, r, status, func(p *mePage) {
		p.Form, p.Wrong, p.Email, p.Zone = form, wrong, r.PostForm.Get("email"), r.PostForm.Get("timezone")
	})
}

// own parses a form of the account's page and finds the session.
func (s *AccountPages) own(w http.ResponseWriter, r *http.Request) (*vitrine.Session, error) {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return nil, err
	}
	session, _, err := s.Sessions.Current(r.Context(), s.Server.Session(r))
	return session, err
}

// sure is own for what needs a second factor.
func (s *AccountPages) sure(w http.ResponseWriter, r *http.Request) (*vitrine.Session, error) {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return nil, err
	}
	return giveFactor(r, s.Server, s.Sessions)
}

func (s *AccountPages) ChangePassword(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	session, err := s.sure(w, r)
	if err != nil {
		return s.renderMeError(w, r, "password", err)
	}
	if err := s.Accounts.ChangePassword(r.Context(), session, r.PostForm.Get("current"),
		r.PostForm.Get("password")); err != nil {
		return s.renderMeError(w, r, "password", err)
	}
	return httpx.Redirect(w, r, Said(accountRoot, "password"))
}

// ChangeTimeZone takes the time zone of the account's reports.
func (s *AccountPages) ChangeTimeZone(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	zone := strings.TrimSpace(r.PostForm.Get("timezone"))
	if _, err := analytics.ParseZone(zone); err != nil {
		return s.renderMeError(w, r, "timezone", err)
	}
	if err := s.Accounts.SetTimeZone(r.Context(), me.ID, zone); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(accountRoot, "saved"))
}

// Dismiss takes a notice that an administrator has read.
func (s *AccountPages) Dismiss(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	notice := r.PostForm.Get("notice")
	if s.Notices == nil || !slices.ContainsFunc(s.Notices(r.Context()), func(n Notice) bool {
		return n.Key != "" && n.Key == notice
	}) {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "There is no such notice.")
	}
	if err := s.Accounts.Dismiss(r.Context(), me.ID, notice); err != nil {
		return err
	}
	back := httpx.ModerationRoot
	if r.PostForm.Get("back") == "people" {
		back = "/people"
	}
	return httpx.Redirect(w, r, back)
}

func (s *AccountPages) ChangeEmail(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	session, err := s.sure(w, r)
	if err != nil {
		return s.renderMeError(w, r, "email", err)
	}
	asked, err := s.Accounts.ChangeEmail(r.Context(), session, r.PostForm.Get("current"), r.PostForm.Get("email"))
	switch {
	case err != nil:
		return s.renderMeError(w, r, "email", err)
	case asked:
		return httpx.Redirect(w, r, Said(accountRoot, "email-asked"))
	}
	return httpx.Redirect(w, r, Said(accountRoot, "email"))
}

// ShowEmail shows the button that confirms a new address. Looking at it uses
// nothing up.
func (s *AccountPages) ShowEmail(w http.ResponseWriter, r *http.Request, _ *vitrine.Account) error {
	return s.Pages.WriteSignIn(w, r, http.StatusOK, ui.SignInPage{Heading: "Confirm your new address", Confirm: true})
}

func (s *AccountPages) ConfirmEmail(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	err := s.Accounts.ConfirmEmail(r.Context(), me, r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.Pages.NoToken(w, r, err)
	}
	if err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(accountRoot, "email"))
}

// EndSessions signs out everywhere else.
func (s *AccountPages) EndSessions(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	session, err := s.own(w, r)
	if err != nil {
		return err
	}
	if err := s.Sessions.SignOutOthers(r.Context(), me, session.ID); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(accountRoot, "sessions-ended"))
}

func (s *AccountPages) EndSession(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return httpx.ErrNoPage
	}
	if err := s.Sessions.Revoke(r.Context(), me.ID, vitrine.SessionID(id)); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(accountRoot, "session-ended"))
}

func (s *AccountPages) CloseAccount(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	session, err := s.sure(w, r)
	if err != nil {
		return s.renderMeError(w, r, "close", err)
	}
	if err := s.Accounts.Close(r.Context(), session, r.PostForm.Get("current"), r.PostForm.Get("email")); err != nil {
		return s.renderMeError(w, r, "close", err)
	}
	s.Server.SetSession(w, "", -1)
	return s.Pages.WriteSignIn(w, r, http.StatusOK, ui.SignInPage{Heading: "Your account is closed", Back: "/",
		BackName: "Go to the start page",
		Message:  "Your links are no longer available. Your files and numbers will be deleted within a few minutes."})
}

// Export sends all stored data of an account as a stream.
func (s *AccountPages) Export(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return httpx.Redirect(w, r, accountRoot) // expensive, so no other page may start it
	}
	if _, busy := s.exporting.LoadOrStore(me.ID, true); busy {
		return &vitrine.Error{Code: vitrine.CodeRateLimited,
			Message: "Another download of your data is already running.", RetryAfter: time.Minute}
	}
	defer s.exporting.Delete(me.ID)
	httpx.PacerOf(w).Within(exportStall)
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	out := &exportStream{w: w, name: fmt.Sprintf("vitrine-%s.zip", s.Now().UTC().Format(time.DateOnly))}
	if r.Method == http.MethodHead {
		out.begin()
		return nil
	}
	z := zip.NewWriter(out)
	e := &export.Exporter{Store: s.Links.Store, Blobs: s.Viewers.Storage(), Analytics: s.Analytics,
		Events: s.Events, URL: s.Server.LinkURL, Now: s.Now}
	if s.SiteStats != nil {
		e.Website = func(ctx context.Context, site *vitrine.Site) (*report.AccountReport, error) {
			q := analytics.In(report.RangeAll)
			q.Rows = analytics.WebsiteRows
			return s.Analytics.Website(ctx, site, q)
		}
	}
	err := e.Write(r.Context(), me, z)
	if err == nil {
		err = z.Close()
	}
	if err == nil || !out.begun {
		return err
	}
	if r.Context().Err() == nil {
		s.Log.Error("export", "request", w.Header().Get("X-Request-Id"), "error", httpx.WithoutAddress(err))
	}
	panic(http.ErrAbortHandler) // the client must not mistake a partial archive for a complete one
}

// exportStall is how long a client may read nothing of an export, which holds
// database connections.
const exportStall = 30 * time.Second

// exportStream sends an archive. Its headers are set with the first bytes.
type exportStream struct {
	w     http.ResponseWriter
	name  string
	begun bool
}

func (s *exportStream) begin() {
	h := s.w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="`+s.name+`"`)
	s.begun = true
}

func (s *exportStream) Write(b []byte) (int, error) {
	if !s.begun {
		s.begin()
	}
	return s.w.Write(b)
}
