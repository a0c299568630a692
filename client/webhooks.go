package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Webhook is an address that events of the account are sent to.
type Webhook struct {
	ID              string    `json:"id"`
	URL             string    `json:"url"`    // of a chat only the host
	Format          string    `json:"format"` // standard, slack, discord or mattermost
	Label           string    `json:"label"`
	Types           []string  `json:"types"`           // empty means all
	Links           []string  `json:"links"`           // slugs; empty means all
	RecipientLabels bool      `json:"recipientLabels"` // whether messages have the labels of recipients
	Enabled         bool      `json:"enabled"`
	OffReason       string    `json:"offReason,omitempty"` // owner, failures, gone or secret
	OffAt           time.Time `json:"offAt,omitzero"`
	Failures        int       `json:"failures"` // failed tries since the last success
	CreatedAt       time.Time `json:"createdAt"`
	OldSecretUntil  time.Time `json:"oldSecretUntil,omitzero"` // until when the secret before also signs
	Secret          string    `json:"secret,omitempty"`        // only when it is new
}

// WebhookRequest describes a webhook. Fields that are nil are not changed.
type WebhookRequest struct {
	URL             *string   `json:"url,omitempty"`
	Format          *string   `json:"format,omitempty"`
	Label           *string   `json:"label,omitempty"`
	Types           *[]string `json:"types,omitempty"`
	Links           *[]string `json:"links,omitempty"`
	RecipientLabels *bool     `json:"recipientLabels,omitempty"`
	Enabled         *bool     `json:"enabled,omitempty"` // only to change a webhook
}

// Delivery is a message of a webhook, with the result of its last try.
type Delivery struct {
	ID        string    `json:"id"`
	Event     string    `json:"event,omitempty"` // the ID of the event; "" of a test
	Type      string    `json:"type"`
	State     string    `json:"state"` // waiting, delivered or failed
	CreatedAt time.Time `json:"createdAt"`
	Tries     int       `json:"tries"`
	TriedAt   time.Time `json:"triedAt,omitzero"`
	NextAt    time.Time `json:"nextAt,omitzero"`
	Status    int       `json:"status,omitempty"`
	Answer    string    `json:"answer,omitempty"` // its beginning
	Error     string    `json:"error,omitempty"`  // why the last try failed
}

// DeliveryPage is a page of deliveries, newest first.
type DeliveryPage struct {
	Deliveries []Delivery `json:"deliveries"`
	NextCursor string     `json:"nextCursor"` // "" on the last page
}

func webhookPath(id string) string { return "/webhooks/" + url.PathEscape(id) }

// Webhooks returns the webhooks of the account, oldest first. The client's key
// needs the scope full, as for all that is done with webhooks.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	var list struct {
		Webhooks []Webhook `json:"webhooks"`
	}
	err := c.get(ctx, "/webhooks", nil, &list)
	return list.Webhooks, err
}

// CreateWebhook creates a webhook and returns it with its secret, which cannot
// be read again. If the connection breaks, it does not try again: the answer
// may be lost, and the webhook be in Webhooks.
func (c *Client) CreateWebhook(ctx context.Context, r WebhookRequest) (w Webhook, err error) {
	b, err := json.Marshal(r)
	if err == nil {
		err = c.postOnce(ctx, "/webhooks", b, &w)
	}
	return w, err
}

// Webhook returns a webhook.
func (c *Client) Webhook(ctx context.Context, id string) (w Webhook, err error) {
	err = c.get(ctx, webhookPath(id), nil, &w)
	return w, err
}

// UpdateWebhook changes a webhook.
func (c *Client) UpdateWebhook(ctx context.Context, id string, r WebhookRequest) (w Webhook, err error) {
	b, err := json.Marshal(r)
	if err == nil {
		err = c.call(ctx, http.MethodPatch, webhookPath(id), nil,
			payload{contentType: "application/json", bytes: b}, &w)
	}
	return w, err
}

// DeleteWebhook deletes a webhook and its deliveries.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, webhookPath(id), nil, payload{}, nil)
}

// RotateWebhook gives a webhook a new secret and returns it. For a day,
// messages have signatures with both secrets. If the connection breaks, it does
// not try again: a second rotation would end the secret that the receiver has.
func (c *Client) RotateWebhook(ctx context.Context, id string) (w Webhook, err error) {
	err = c.postOnce(ctx, webhookPath(id)+"/rotate", []byte("{}"), &w)
	return w, err
}

// TestWebhook sends a test message. It returns the delivery that waits, whose
// result is soon in Deliveries.
func (c *Client) TestWebhook(ctx context.Context, id string) (d Delivery, err error) {
	err = c.post(ctx, webhookPath(id)+"/test", struct{}{}, &d)
	return d, err
}

// Deliveries returns a page of the deliveries of a webhook, newest first. It
// starts with the newest if cursor is "". A limit of 0 means the default, 20.
func (c *Client) Deliveries(ctx context.Context, id, cursor string, limit int) (p DeliveryPage, err error) {
	q := url.Values{}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	if limit != 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	err = c.get(ctx, webhookPath(id)+"/deliveries", q, &p)
	return p, err
}

// ResendDelivery sends a delivery once more, at once.
func (c *Client) ResendDelivery(ctx context.Context, id, delivery string) (d Delivery, err error) {
	err = c.post(ctx, webhookPath(id)+"/deliveries/"+url.PathEscape(delivery)+"/resend", struct{}{}, &d)
	return d, err
}
