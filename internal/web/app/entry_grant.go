package app

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/notation"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// grantPage asks a person whether a program gets a key, by OAuth.
type grantPage struct {
	devicePage
	Client *auth.GrantClient
	Action string       // address that takes the form
	To     string       // host to which the answer goes
	Back   template.URL // address of the answer, once there is one
}

// ShowGrant asks the person. What the program has done wrong is the program's
// to know, unless its address is in doubt.
func (s *EntryPages) ShowGrant(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	req, err := s.Grants.Parse(r.Context(), me, r.URL.Query())
	if refused := (*auth.GrantError)(nil); errors.As(err, &refused) {
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Location", s.answerTo(req, url.Values{"error": {refused.Code},
			"error_description": {refused.Description}}))
		w.WriteHeader(http.StatusFound)
		return nil
	}
	if err != nil {
		return err
	}
	p := s.newGrant(r, me, req, "Connect this program?")
	return s.writeGrant(w, r, http.StatusOK, p)
}

func (s *EntryPages) newGrant(r *http.Request, me *vitrine.Account, req *auth.GrantRequest,
	heading string) *grantPage {
	p := &grantPage{devicePage: s.newDevice(heading, me), Client: req.Client, Action: r.URL.RequestURI(),
		To: req.Redirect}
	if u, err := url.Parse(req.Redirect); err == nil && u.Scheme == "https" {
		if host, err := notation.Host(u); err == nil {
			p.To = host
		}
	}
	p.Login = &vitrine.Login{Program: req.Client.Name, Key: req.Asked}
	p.NeedsCode = needsCode(r, s.Server, s.Sessions, me)
	return p
}

// answerTo returns the address of an answer to a program.
func (s *EntryPages) answerTo(req *auth.GrantRequest, answer url.Values) string {
	answer.Set("iss", s.Grants.Issuer)
	if req.State != "" {
		answer.Set("state", req.State)
	}
	u, err := url.Parse(req.Redirect)
	if err != nil {
		return s.Grants.Issuer // it was parsed before
	}
	q := u.Query()
	for name, values := range answer {
		q[name] = values
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// DecideGrant gives a program a code for a key, or refuses. The answer leads
// back to the program by a page: the policy of this origin admits forms that
// lead elsewhere nowhere.
func (s *EntryPages) DecideGrant(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	req, err := s.Grants.Parse(r.Context(), me, r.URL.Query())
	if refused := (*auth.GrantError)(nil); errors.As(err, &refused) {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "%s", refused.Description)
	}
	if err != nil {
		return err
	}
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	grant, session, err := s.grantOf(r)
	answer, heading := url.Values{"error": {"access_denied"}}, "Request refused"
	if err == nil && grant != nil {
		var code string
		code, err = s.Grants.Allow(r.Context(), session, req, *grant)
		answer, heading = url.Values{"code": {code}}, "Program connected"
	}
	if err != nil {
		p := s.newGrant(r, me, req, "Connect this program?")
		p.Typed, p.Wrong = r.PostForm, httpx.FieldErrorsOf(err)
		if p.Wrong == nil {
			return err
		}
		_, status := s.Server.Known(w, r, err)
		return s.writeGrant(w, r, status, p)
	}
	p := s.newGrant(r, me, req, heading)
	p.Answer = r.PostForm.Get("answer")
	to := s.answerTo(req, answer)
	p.Back = template.URL(to) // of the program's own address, which has a scheme that leads to it
	w.Header().Set("Refresh", "0; url="+to)
	return s.writeGrant(w, r, http.StatusOK, p)
}

func (s *EntryPages) writeGrant(w http.ResponseWriter, r *http.Request, status int, p *grantPage) error {
	s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, "grant.html", p)
}
