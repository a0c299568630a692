package app

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// PeoplePages serves the owner's page of the accounts of an instance.
type PeoplePages struct {
	Server   *httpx.Server
	Shell    *Shell
	Accounts *auth.Accounts
}

const (
	peopleRoot = "/people"
	// peopleRows is the number of accounts on a page.
	peopleRows = 50
)

// peoplePage lists the accounts of an instance.
type peoplePage struct {
	Page
	People      []personRow
	Search      string
	Next, First string // addresses of other pages; "" for none
	Invitations []*vitrine.OneTimeToken
	Mode        auth.SignUp
	Mail        bool
	Link        string // of an invitation that was just made, which is shown this once
	Email       string // typed, or invited
	Plan        vitrine.Plan
	Plans       []vitrine.Plan
	Roles       []vitrine.Role
	NeedsCode   *factorAsk // turning off two-step sign-in asks the owner for theirs; nil: it need not
}

// PlanName returns the name of a plan if plans are sold, otherwise what it
// allows.
func (p *peoplePage) PlanName(plan vitrine.Plan) string {
	switch {
	case p.Sold:
		return ui.PlanName(plan)
	case plan.Pro():
		return "Full access"
	}
	return "Limited access"
}

// PlanOptions returns the plans to which an account can change. If plans are
// not sold, there are two, which differ in what they allow.
func (p *peoplePage) PlanOptions(of vitrine.Plan) (list []ui.Option) {
	plans := p.Plans
	switch {
	case p.Sold:
	case of.Pro():
		plans = []vitrine.Plan{vitrine.PlanFree, of}
	case p.Me.Plan.Pro():
		plans = []vitrine.Plan{vitrine.PlanFree, p.Me.Plan}
	default:
		plans = []vitrine.Plan{vitrine.PlanFree, vitrine.PlanPro}
	}
	for _, plan := range plans {
		list = append(list, ui.Option{Value: string(plan), Name: p.PlanName(plan), Chosen: plan == of})
	}
	return list
}

// RoleOptions returns the roles of accounts.
func (p *peoplePage) RoleOptions(of vitrine.Role) (list []ui.Option) {
	for _, role := range p.Roles {
		list = append(list, ui.Option{Value: string(role), Name: ui.RoleName(role), Chosen: role == of})
	}
	return list
}

type personRow struct {
	auth.AccountUsage
	Self bool
}

func (s *PeoplePages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.writePeople(w, r, http.StatusOK, me, nil)
}

func (s *PeoplePages) writePeople(w http.ResponseWriter, r *http.Request, status int, me *vitrine.Account,
	change func(*peoplePage)) error {
	ctx, q := r.Context(), r.URL.Query()
	p := peoplePage{Page: s.Shell.NewAppPage(r, me, "People", "people"), Search: strings.TrimSpace(q.Get("q")),
		Mode: s.Accounts.SignUp, Mail: s.Accounts.Mail != nil,
		Plan:  me.Plan,
		Plans: []vitrine.Plan{vitrine.PlanFree, vitrine.PlanPro, vitrine.PlanLifetime},
		Roles: []vitrine.Role{vitrine.RoleMember, vitrine.RoleModerator, vitrine.RoleOwner}}
	after, err := strconv.ParseInt(cmp.Or(q.Get("after"), "0"), 10, 64)
	if err != nil || after < 0 {
		return httpx.ErrPage("after")
	}
	people, err := s.Accounts.People(ctx, vitrine.AccountQuery{Search: p.Search, After: vitrine.AccountID(after),
		Limit: peopleRows + 1})
	if err != nil {
		return err
	}
	if len(people) > peopleRows {
		people = people[:peopleRows]
		p.Next = httpx.WithQuery(peopleRoot, url.Values{}, "q", p.Search, "after",
			strconv.FormatInt(int64(people[peopleRows-1].ID), 10))
	}
	if after > 0 {
		p.First = httpx.WithQuery(peopleRoot, url.Values{}, "q", p.Search)
	}
	p.NeedsCode = needsCode(r, s.Server, s.Shell.Sessions, me)
	for _, person := range people {
		p.People = append(p.People, personRow{person, person.ID == me.ID})
	}
	if p.Invitations, err = s.Accounts.Invitations(ctx); err != nil {
		return err
	}
	if change != nil {
		change(&p)
	}
	return s.Shell.WriteApp(w, r, status, "people.html", p.Nonce, &p)
}

// renderPeopleError shows the page once more after one of its forms has failed.
func (s *PeoplePages) renderPeopleError(w http.ResponseWriter, r *http.Request, me *vitrine.Account, err error) error {
	wrong := httpx.FieldErrorsOf(err)
	if wrong == nil {
		return err
	}
	_, status := s.Server.Known(w, r, err)
	return s.writePeople(w, r, status, me, func(p *peoplePage) {
		p.Wrong, p.Email, p.Plan = wrong, r.PostForm.Get("email"), vitrine.Plan(r.PostForm.Get("plan"))
	})
}

func parsePlan(s string) (vitrine.Plan, error) {
	switch p := vitrine.Plan(s); p {
	case vitrine.PlanFree, vitrine.PlanPro, vitrine.PlanLifetime:
		return p, nil
	}
	return "", vitrine.Errorf(vitrine.CodeInvalidRequest, "This plan does not exist. Choose one from the list.")
}

func (s *PeoplePages) Invite(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	plan, err := parsePlan(r.PostForm.Get("plan"))
	if err != nil {
		return err
	}
	text, err := s.Accounts.Invite(r.Context(), r.PostForm.Get("email"), plan,
		vitrine.Decision{By: vitrine.Moderator(me)})
	if err != nil {
		return s.renderPeopleError(w, r, me, err)
	}
	return s.writePeople(w, r, http.StatusOK, me, func(p *peoplePage) {
		p.Link, p.Email, p.Plan = httpx.TokenURL(s.Server.PublicURL.String(), vitrine.TokenInvite, text),
			r.PostForm.Get("email"), plan
	})
}

func (s *PeoplePages) Withdraw(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return httpx.ErrNoPage
	}
	if err := s.Accounts.Withdraw(r.Context(), vitrine.OneTimeTokenID(id),
		vitrine.Decision{By: vitrine.Moderator(me)}); err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(peopleRoot, "invitation-revoked"))
}

// Change sets the plan and role of an account. The account's own limits remain
// unless the plan changes.
func (s *PeoplePages) Change(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	ctx, f, by := r.Context(), r.PostForm, vitrine.Decision{By: vitrine.Moderator(me)}
	plan, err := parsePlan(f.Get("plan"))
	if err != nil {
		return err
	}
	role := vitrine.Role(f.Get("role"))
	if role != vitrine.RoleMember && role != vitrine.RoleModerator && role != vitrine.RoleOwner {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "This role does not exist. Choose one from the list.")
	}
	a, err := s.Accounts.ByEmail(ctx, f.Get("email"))
	if err != nil {
		return err
	}
	if a.Plan != plan {
		if _, err = s.Accounts.SetPlan(ctx, a.Email, plan, nil, by); err != nil {
			return s.renderPeopleError(w, r, me, err)
		}
	}
	if a.Role != role {
		if _, err = s.Accounts.SetRole(ctx, a.Email, role, by); err != nil {
			return s.renderPeopleError(w, r, me, err)
		}
	}
	if a.ID == me.ID && role != vitrine.RoleOwner {
		return httpx.Redirect(w, r, httpx.InsideRoot) // they have just locked themselves out of this page
	}
	return httpx.Redirect(w, r, Said(peopleRoot, "person"))
}

// TurnOffTwoStep removes the second factor of someone who has lost it. The
// owner must show their own shortly before, if they have one.
func (s *PeoplePages) TurnOffTwoStep(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	session, err := giveFactor(r, s.Server, s.Shell.Sessions)
	if err == nil {
		err = s.Accounts.RemoveFactorOf(r.Context(), session, r.PostForm.Get("email"))
	}
	if wrong := httpx.FieldErrorsOf(err); wrong != nil && wrong["code"] != "" {
		err = vitrine.Errorf(vitrine.CodeOf(err), "%s’s two-step sign-in is still on. %s", r.PostForm.Get("email"), wrong["code"])
	}
	if err != nil {
		return s.renderPeopleError(w, r, me, err)
	}
	return httpx.Redirect(w, r, Said(peopleRoot, "person-two-step-off"))
}
