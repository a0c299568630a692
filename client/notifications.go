package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// When the owner of a link gets mails about it: LinkDetail.Notify.
const (
	NotifyFirst = "first" // at the first view by a person
	NotifyDaily = "daily" // also at the first view of each day
	NotifyOff   = "off"   // never
)

// Notifications are the mails that the account may get. Mails about its
// security cannot be switched off and are not listed.
type Notifications struct {
	SendsMail bool          `json:"sendsMail"` // whether the instance sends mail
	Mails     []MailSetting `json:"mails"`
}

// MailSetting is a kind of mail.
type MailSetting struct {
	Name string `json:"name"`
	On   bool   `json:"on"`
	When string `json:"when"` // for people
}

// Notifications returns which mails the account gets.
func (c *Client) Notifications(ctx context.Context) (n Notifications, err error) {
	err = c.get(ctx, "/notifications", nil, &n)
	return n, err
}

// ChangeNotifications switches kinds of mail on or off, by name.
func (c *Client) ChangeNotifications(ctx context.Context, on map[string]bool) (n Notifications, err error) {
	b, err := json.Marshal(on)
	if err != nil {
		return n, err
	}
	err = c.call(ctx, http.MethodPatch, "/notifications", nil, payload{contentType: "application/json", bytes: b}, &n)
	return n, err
}
