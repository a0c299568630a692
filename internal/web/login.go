package web

import (
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/auth"
)

// deviceRoot is the page on which a person confirms that a program gets an API
// key (decision 0026).
const deviceRoot = "/device"

var deviceTemplate = parseEntry("device.html")

// startedLogin is what a program shows, and what it asks for its key with.
type startedLogin struct {
	Code      string `json:"code"`
	Secret    string `json:"secret"`
	URL       string `json:"url"`
	URLFilled string `json:"urlWithCode"`
	ExpiresIn int64  `json:"expiresIn"`
	Interval  int64  `json:"interval"`
}

func (s *apiH) startLogin(w http.ResponseWriter, r *http.Request) error {
	o, err := readObject(w, r)
	if err != nil {
		return err
	}
	f := fields{object: o}
	program, machine := f.text("program"), f.text("machine")
	if f.err != nil {
		return f.err
	}
	l, secret, err := s.Logins.Begin(r.Context(), program, machine, s.client(r))
	if err != nil {
		return err
	}
	page, code := s.PublicURL.String()+deviceRoot, auth.ShownLoginCode(l.Code)
	return writeJSON(w, startedLogin{Code: code, Secret: string(secret), URL: page, URLFilled: page + "?code=" + code,
		ExpiresIn: int64(vitrine.LoginLife / time.Second), Interval: int64(vitrine.LoginPause / time.Second)})
}

// takenLogin is the answer to a program that asks for its key.
type takenLogin struct {
	State  vitrine.LoginState `json:"state"`
	APIKey string             `json:"apiKey,omitempty"`
	Name   string             `json:"name,omitempty"`
	Email  string             `json:"email,omitempty"`
}

func (s *apiH) takeLogin(w http.ResponseWriter, r *http.Request) error {
	o, err := readObject(w, r)
	if err != nil {
		return err
	}
	f := fields{object: o}
	secret := f.text("secret")
	if f.err != nil {
		return f.err
	}
	taken, err := s.Logins.Take(r.Context(), secret)
	if err != nil {
		return err
	}
	return writeJSON(w, takenLogin{taken.State, string(taken.Key), taken.Name, taken.Email})
}

// revokeOwnKey ends the very key that the request comes with.
func (s *apiH) revokeOwnKey(w http.ResponseWriter, r *http.Request) error {
	if err := s.Keys.RevokeText(r.Context(), bearer(r)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// devicePage asks for a code, then shows who asks, and at last what came of it.
type devicePage struct {
	entryPage
	Me     *vitrine.Account
	Code   string // typed, or shown
	Login  *vitrine.Login
	Answer string // "allow" or "refuse", once it was given
}

func (s *entryH) writeDevice(w http.ResponseWriter, r *http.Request, p *devicePage) error {
	w.Header().Set("Content-Security-Policy", s.appPolicy(p.Nonce))
	return render(w, r, http.StatusOK, deviceTemplate, p)
}

func (s *entryH) newDevice(heading string, me *vitrine.Account) devicePage {
	return devicePage{entryPage: s.newEntry(heading), Me: me}
}

const connectHeading = "Connect a program"

// deviceAgain asks for the code once more, and says what is wrong with the one
// that was given.
func (s *entryH) deviceAgain(w http.ResponseWriter, r *http.Request, me *vitrine.Account, typed string, err error) error {
	p := s.newDevice(connectHeading, me)
	if p.Wrong = wrongWith(err); p.Wrong == nil {
		return err
	}
	p.Code = typed
	e, status := s.known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		retryAfter(w, e)
		p.Wrong[""] = adviceOn(e)
	}
	w.Header().Set("Content-Security-Policy", s.appPolicy(p.Nonce))
	return render(w, r, status, deviceTemplate, &p)
}

func (s *entryH) showDevice(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	typed := r.URL.Query().Get("code")
	if typed == "" {
		p := s.newDevice(connectHeading, me)
		return s.writeDevice(w, r, &p)
	}
	l, err := s.Logins.Find(r.Context(), me, typed, s.client(r))
	if err != nil {
		return s.deviceAgain(w, r, me, typed, err)
	}
	p := s.newDevice("Connect this program?", me)
	p.Login, p.Code = l, auth.ShownLoginCode(l.Code)
	return s.writeDevice(w, r, &p)
}

func (s *entryH) decideDevice(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := readForm(w, r, maxEntry); err != nil {
		return err
	}
	typed, answer := r.PostForm.Get("code"), r.PostForm.Get("answer")
	if answer != "allow" && answer != "refuse" {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Choose one of the two buttons: Allow or Refuse.")
	}
	l, err := s.Logins.Decide(r.Context(), me, typed, answer == "allow", s.client(r))
	if err != nil {
		return s.deviceAgain(w, r, me, typed, err)
	}
	heading := "Program connected"
	if answer == "refuse" {
		heading = "Request refused"
	}
	p := s.newDevice(heading, me)
	p.Login, p.Answer = l, answer
	return s.writeDevice(w, r, &p)
}
