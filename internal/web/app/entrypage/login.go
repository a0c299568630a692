package entrypage

import (
	"net/http"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// devicePage asks for a code, shows who asks for a key, and finally the result.
type devicePage struct {
	entryPage
	Me     *vitrine.Account
	Code   string // typed, or shown
	Login  *vitrine.Login
	Answer string // "allow" or "refuse", once it was given
}

func (s *Handler) writeDevice(w http.ResponseWriter, r *http.Request, p *devicePage) error {
	s.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, http.StatusOK, "device.html", p)
}

func (s *Handler) newDevice(heading string, me *vitrine.Account) devicePage {
	return devicePage{entryPage: s.newEntry(heading), Me: me}
}

const connectHeading = "Connect a program"

// renderDeviceError asks for the code again and shows what is wrong with it.
func (s *Handler) renderDeviceError(w http.ResponseWriter, r *http.Request, me *vitrine.Account, typed string,
	err error) error {
	p := s.newDevice(connectHeading, me)
	if p.Wrong = httpx.FieldErrorsOf(err); p.Wrong == nil {
		return err
	}
	p.Code = typed
	e, status := s.Known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, e)
		p.Wrong[""] = httpx.AdviceOn(e)
	}
	s.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	return ui.Render(w, r, status, "device.html", &p)
}

func (s *Handler) ShowLogin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	typed := r.URL.Query().Get("code")
	if typed == "" {
		p := s.newDevice(connectHeading, me)
		return s.writeDevice(w, r, &p)
	}
	l, err := s.Logins.Find(r.Context(), me, typed, s.Client(r))
	if err != nil {
		return s.renderDeviceError(w, r, me, typed, err)
	}
	p := s.newDevice("Connect this program?", me)
	p.Login, p.Code = l, auth.ShownLoginCode(l.Code)
	return s.writeDevice(w, r, &p)
}

func (s *Handler) DecideLogin(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	typed, answer := r.PostForm.Get("code"), r.PostForm.Get("answer")
	if answer != "allow" && answer != "refuse" {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the two buttons: Allow or Refuse.")
	}
	l, err := s.Logins.Decide(r.Context(), me, typed, answer == "allow", s.Client(r))
	if err != nil {
		return s.renderDeviceError(w, r, me, typed, err)
	}
	heading := "Program connected"
	if answer == "refuse" {
		heading = "Request refused"
	}
	p := s.newDevice(heading, me)
	p.Login, p.Answer = l, answer
	return s.writeDevice(w, r, &p)
}
