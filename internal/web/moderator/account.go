package moderator

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
)

// accountRows is how many of an account's links a page lists.
const accountRows = 50

// accountPage is an account as a moderator sees it.
type accountPage struct {
	moderatorPage
	Account    moderation.AccountCase
	Links      []*vitrine.Link
	Next       string // address of the page after
	First      string // address of the first page, on any other
	Address    string // where decisions are sent, without the decision
	Self       bool
	MaySuspend bool
	Problem    string
	Note       string
	MaxNote    int
}

func accountAddress(id vitrine.AccountID, more ...string) string {
	return httpx.WithQuery(httpx.ModerationRoot+"/accounts/"+strconv.FormatInt(int64(id), 10), url.Values{}, more...)
}

// accountOf finds the account of a request's address.
func (s *Handler) accountOf(r *http.Request) (moderation.AccountCase, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return moderation.AccountCase{}, httpx.ErrNoPage
	}
	return s.Moderation.Account(r.Context(), vitrine.AccountID(id))
}

func (s *Handler) ShowAccount(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	c, err := s.accountOf(r)
	if err != nil {
		return err
	}
	return s.writeAccount(w, r, me, c, http.StatusOK, decisionForm{})
}

func (s *Handler) writeAccount(w http.ResponseWriter, r *http.Request, me *vitrine.Account, c moderation.AccountCase,
	status int, a decisionForm) error {
	common, _, err := s.newModeratorPage(r, me, c.Account.Email, "account")
	if err != nil {
		return err
	}
	p := accountPage{moderatorPage: common, Account: c, Address: accountAddress(c.Account.ID),
		Self:       c.Account.ID == me.ID,
		MaySuspend: c.Account.Role == vitrine.RoleMember, Problem: a.problem, Note: a.note, MaxNote: vitrine.MaxNote}
	var after vitrine.LinkCursor
	if text := r.URL.Query().Get("after"); text != "" {
		if after, err = httpx.ParseCursor(text); err != nil {
			return httpx.ErrPage("after")
		}
		p.First = p.Address
	}
	links, next, err := s.Links.List(r.Context(), c.Account.ID, links.LinkSearch{Limit: accountRows}, after)
	if err != nil {
		return err
	}
	p.Links = links
	if next != nil {
		p.Next = accountAddress(c.Account.ID, "after", httpx.FormatCursor(*next))
	}
	return s.writeModerator(w, r, status, "moderation_account.html", p.Nonce, &p)
}

// DecideAccount suspends an account, or lifts that, and leads back to the case
// that it was done from, if any.
func (s *Handler) DecideAccount(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, maxDecision); err != nil {
		return err
	}
	action := r.PathValue("action")
	if action != "suspend" && action != "lift" {
		return errNoDecision
	}
	c, err := s.accountOf(r)
	if err != nil {
		return err
	}
	ctx, f := r.Context(), r.PostForm
	before, err := s.newest(ctx)
	if err != nil {
		return err
	}
	_, err = s.Accounts.SetBanned(ctx, c.Account.Email, action == "suspend",
		vitrine.Decision{By: vitrine.Moderator(me), Note: f.Get("note")})
	var e *vitrine.Error
	if errors.As(err, &e) && e.Code == vitrine.CodeInvalidRequest {
		return s.writeAccount(w, r, me, c, http.StatusBadRequest, decisionForm{note: f.Get("note"), problem: e.Message})
	}
	if err != nil {
		return err
	}
	to, err := s.doneSince(ctx, before)
	if err != nil {
		return err
	}
	if slug, err := vitrine.ParseSlug(f.Get("case")); err == nil {
		return httpx.Redirect(w, r, app.CaseAddress(slug, parseQueue(f.Get("queue")), "done", to))
	}
	return httpx.Redirect(w, r, accountAddress(c.Account.ID, "done", to))
}
