package api

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/notify"
	"vitrine/internal/web/httpx"
)

// mailSetting is a kind of mail that the account may get.
type mailSetting struct {
	Name string `json:"name"`
	On   bool   `json:"on"`
	When string `json:"when"`
}

func (s *Handler) writeNotifications(w http.ResponseWriter, a *vitrine.Account) error {
	mails := []mailSetting{}
	for _, m := range notify.Settings(a) {
		mails = append(mails, mailSetting{m.Name, m.On, m.About})
	}
	return httpx.WriteJSON(w, map[string]any{"sendsMail": s.Notify.SendsMail(), "mails": mails})
}

// Notifications lists the kinds of mail that the account may get.
func (s *Handler) Notifications(w http.ResponseWriter, _ *http.Request, c *auth.Caller) error {
	return s.writeNotifications(w, c.Account)
}

// ChangeNotifications switches kinds of mail on or off.
func (s *Handler) ChangeNotifications(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return err
	}
	f := httpx.Fields{Object: o}
	on := map[string]bool{}
	for name := range o {
		if b := f.OptionalBool(name); b != nil {
			on[name] = *b
		}
	}
	if err := s.wrong(c.Account, f); err != nil {
		return err
	}
	a, err := s.Notify.Change(r.Context(), c.Account.ID, on)
	if err != nil {
		return err
	}
	return s.writeNotifications(w, a)
}
