package app

import (
	"net/http"

	"vitrine/internal/app/notify"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// MailPages end mails by the addresses in them, without a session.
type MailPages struct {
	Pages  *ui.Pages
	Notify *notify.Service
}

// ShowStop shows a button. Programs follow the addresses in mails: looking at
// the page ends nothing.
func (s *MailPages) ShowStop(w http.ResponseWriter, r *http.Request) error {
	return s.stop(w, r, false)
}

// Stop ends the mails (RFC 8058). Mail programs send this by themselves.
func (s *MailPages) Stop(w http.ResponseWriter, r *http.Request) error { return s.stop(w, r, true) }

func (s *MailPages) stop(w http.ResponseWriter, r *http.Request, do bool) error {
	if do {
		if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
			return err
		}
	}
	of, err := s.Notify.Stop(r.Context(), r.PathValue("token"), do)
	if err != nil {
		e, status := s.Pages.Server.Known(w, r, err)
		return s.Pages.WriteSignIn(w, r, status, ui.SignInPage{Heading: "This address does not work",
			Message: e.Message, Back: notify.SettingsPage, BackName: "Choose your mails"})
	}
	what := "mails about " + of.Words
	if of.Link != nil {
		what = "mails about “" + ui.Title(of.Link) + "”"
	}
	p := ui.SignInPage{Heading: "Stop " + what + "?", Do: "Stop these mails"}
	if do {
		p = ui.SignInPage{Heading: "You get no more " + what,
			Message: "Mails about the security of your account still come.",
			Back:    notify.SettingsPage, BackName: "Choose your mails"}
	}
	return s.Pages.WriteSignIn(w, r, http.StatusOK, p)
}
