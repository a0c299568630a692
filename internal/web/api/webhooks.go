package api

import (
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/web/httpx"
)

// webhookItem is a webhook of the account.
type webhookItem struct {
	ID        vitrine.WebhookID     `json:"id,string"`
	URL       string                `json:"url"`
	Format    vitrine.WebhookFormat `json:"format"`
	Label     string                `json:"label"`
	Types     []vitrine.EventKind   `json:"types"`
	Links     []vitrine.Slug        `json:"links"`
	Names     bool                  `json:"recipientLabels"`
	Enabled   bool                  `json:"enabled"`
	Off       vitrine.WebhookOff    `json:"offReason,omitempty"`
	OffAt     string                `json:"offAt,omitempty"`
	Failures  int                   `json:"failures"`
	CreatedAt string                `json:"createdAt"`
	OldUntil  string                `json:"oldSecretUntil,omitempty"`
	Secret    string                `json:"secret,omitempty"`
}

func (s *Handler) webhook(d *webhooks.Details) webhookItem {
	item := webhookItem{ID: d.ID, URL: d.URL, Format: d.Format, Label: d.Label, Types: d.Kinds, Links: d.Slugs,
		Names: d.Names, Enabled: d.Off == "", Off: d.Off, OffAt: stamp(d.OffAt), Failures: d.Failures,
		CreatedAt: stamp(d.CreatedAt), OldUntil: stamp(d.OldUntil), Secret: d.Secret}
	if item.Types == nil {
		item.Types = []vitrine.EventKind{}
	}
	return item
}

// deliveryItem is a message of a webhook.
type deliveryItem struct {
	ID        vitrine.DeliveryID    `json:"id,string"`
	Event     string                `json:"event,omitempty"`
	Type      vitrine.EventKind     `json:"type"`
	State     vitrine.DeliveryState `json:"state"`
	CreatedAt string                `json:"createdAt"`
	Tries     int                   `json:"tries"`
	TriedAt   string                `json:"triedAt,omitempty"`
	NextAt    string                `json:"nextAt,omitempty"`
	Status    int                   `json:"status,omitempty"`
	Answer    string                `json:"answer,omitempty"`
	Error     string                `json:"error,omitempty"`
}

func newDeliveryItem(d *vitrine.Delivery) deliveryItem {
	item := deliveryItem{ID: d.ID, Type: d.Kind, State: d.State, CreatedAt: stamp(d.CreatedAt), Tries: d.Tries,
		TriedAt: stamp(d.TriedAt), Status: d.Status, Answer: d.Answer, Error: d.Error}
	if d.Event != 0 {
		item.Event = strconv.FormatInt(d.Event, 10)
	}
	if d.State == vitrine.DeliveryWaiting {
		item.NextAt = stamp(d.NextAt)
	}
	return item
}

// webhookFields lists the fields of a webhook that may be sent.
var webhookFields = []string{"url", "format", "label", "types", "links", "recipientLabels", "enabled"}

// webhookRequest reads the body of a request that makes or changes a webhook.
func webhookRequest(w http.ResponseWriter, r *http.Request) (req webhooks.Request, err error) {
	o, err := httpx.ReadObject(w, r)
	if err != nil {
		return req, err
	}
	f := httpx.Fields{Object: o}
	req = webhooks.Request{URL: f.OptionalText("url"), Label: f.OptionalText("label"),
		Names: f.OptionalBool("recipientLabels"), On: f.OptionalBool("enabled")}
	if format := f.OptionalText("format"); format != nil {
		req.Format = new(vitrine.WebhookFormat(*format))
	}
	if o["types"] != nil {
		kinds := []vitrine.EventKind{}
		for _, k := range f.Texts("types") {
			kinds = append(kinds, vitrine.EventKind(k))
		}
		req.Kinds = &kinds
	}
	if o["links"] != nil {
		req.Links = new(f.Texts("links"))
	}
	return req, f.Only(webhookFields...)
}

// idIn returns the number of a part of the path, or 0, which nothing has.
func idIn(r *http.Request, part string) int64 {
	id, err := strconv.ParseInt(r.PathValue(part), 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != r.PathValue(part) {
		return 0
	}
	return id
}

func webhookID(r *http.Request) vitrine.WebhookID { return vitrine.WebhookID(idIn(r, "id")) }

// ListWebhooks lists the webhooks of the account, oldest first.
func (s *Handler) ListWebhooks(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	all, err := s.Webhooks.List(r.Context(), c.Account)
	list := make([]webhookItem, len(all))
	for i, d := range all {
		list[i] = s.webhook(d)
	}
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, map[string][]webhookItem{"webhooks": list})
}

// writeWebhook answers with a webhook.
func (s *Handler) writeWebhook(w http.ResponseWriter, d *webhooks.Details, err error) error {
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, s.webhook(d))
}

// CreateWebhook creates a webhook. Only this answer, and that of a rotation,
// has the secret.
func (s *Handler) CreateWebhook(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	req, err := webhookRequest(w, r)
	if err != nil {
		return err
	}
	d, err := s.Webhooks.Create(r.Context(), c.Account, req)
	return s.writeWebhook(w, d, err)
}

func (s *Handler) GetWebhook(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	d, err := s.Webhooks.Get(r.Context(), c.Account, webhookID(r))
	return s.writeWebhook(w, d, err)
}

func (s *Handler) UpdateWebhook(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	req, err := webhookRequest(w, r)
	if err != nil {
		return err
	}
	d, err := s.Webhooks.Edit(r.Context(), c.Account, webhookID(r), req)
	return s.writeWebhook(w, d, err)
}

func (s *Handler) DeleteWebhook(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	if err := s.Webhooks.Delete(r.Context(), c.Account, webhookID(r)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Handler) RotateWebhook(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	d, err := s.Webhooks.Rotate(r.Context(), c.Account, webhookID(r))
	return s.writeWebhook(w, d, err)
}

// TestWebhook queues a test message.
func (s *Handler) TestWebhook(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	d, err := s.Webhooks.Test(r.Context(), c.Account, webhookID(r))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, newDeliveryItem(d))
}

// ListDeliveries lists the messages of a webhook, newest first.
func (s *Handler) ListDeliveries(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	q, err := pageQuery(r)
	if err != nil {
		return err
	}
	before, err := httpx.ParseDeliveryCursor(q.Get("cursor"))
	if err != nil {
		return err
	}
	p, err := s.Webhooks.Deliveries(r.Context(), c.Account, webhookID(r), vitrine.DeliveryID(before),
		listLimit(q.Get("limit")))
	if err != nil {
		return err
	}
	body := struct {
		Deliveries []deliveryItem `json:"deliveries"`
		NextCursor *string        `json:"nextCursor"`
	}{Deliveries: make([]deliveryItem, len(p.Deliveries))}
	for i, d := range p.Deliveries {
		body.Deliveries[i] = newDeliveryItem(d)
	}
	if p.Next != 0 {
		body.NextCursor = new(httpx.FormatDeliveryCursor(int64(p.Next)))
	}
	return httpx.WriteJSON(w, body)
}

// ResendDelivery sends a message once more.
func (s *Handler) ResendDelivery(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	d, err := s.Webhooks.Resend(r.Context(), c.Account, webhookID(r), vitrine.DeliveryID(idIn(r, "delivery")))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, newDeliveryItem(d))
}
