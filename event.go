package vitrine

import (
	"encoding/json"
	"time"
)

// EventKind is what happened. Package internal/app/events describes each kind.
type EventKind string

// The kinds of events.
const (
	EventFirstView       EventKind = "view.first"       // the first view of a link by a person
	EventView            EventKind = "view"             // a view by a person has ended
	EventDownload        EventKind = "download"         // a person downloaded the file
	EventMilestone       EventKind = "milestone"        // people have viewed a link 10, 100, 1000 … times
	EventRecipientOpened EventKind = "recipient.opened" // the first view through the address of a recipient
	EventWeekly          EventKind = "report.weekly"    // the numbers of the week before
	EventSpike           EventKind = "alert.spike"      // a day has many more views than those before
	EventLinkLive        EventKind = "link.live"
	EventLinkReview      EventKind = "link.review"
	EventLinkDisabled    EventKind = "link.disabled"
	EventLinkExpired     EventKind = "link.expired"
	EventLinkDeleted     EventKind = "link.deleted"
	EventVersionLive     EventKind = "version.live"
	EventWebsiteLive     EventKind = "website.live"
	EventUploadFailed    EventKind = "upload.failed"
	EventSignIn          EventKind = "account.sign_in"
	EventKeyCreated      EventKind = "account.key_created"
	EventPasswordChanged EventKind = "account.password_changed"
	EventFactorChanged   EventKind = "account.factor_changed"
	EventProviderChanged EventKind = "account.provider_changed"
	EventEmailChanged    EventKind = "account.email_changed"
)

// Event is something that the owner of an account is told.
type Event struct {
	ID      int64 // 1, 2 and so on for each account, in the order of the transactions
	Account AccountID
	At      time.Time
	Kind    EventKind
	Link    LinkID // 0 if it is about none
	// Ref is the view, download, change or number of views that it is about.
	// An account has one event with the same link, kind and Ref.
	Ref  int64
	Data []byte // JSON; nil of a view that has ended: it is what the report says of it
}

// EventQuery selects events of an account, of any link and kind if these are
// zero. Until is the last ID.
type EventQuery struct {
	Account      AccountID
	After, Until int64
	Link         LinkID
	Kinds        []EventKind
	Limit        int
	Newest       bool // newest first
}

// EventTx reads and writes events within a transaction.
type EventTx interface {
	// AddEvent sets e.ID. Who reads an event can read all before it, too.
	AddEvent(e *Event) error
	// AddEvents adds those events that there are not yet, in their order, and
	// sets the ID of the others to 0.
	AddEvents(list []*Event) error
	// AddViews adds the events of views that have ended, in their order on each
	// link, unless there are some already, or the link is deleted.
	AddViews(at time.Time, views map[LinkID][]ViewID) error
	// Events lists the events that q selects.
	Events(q EventQuery) ([]*Event, error)
	// LastEvent returns the last ID that AddEvent gave in an account, or 0.
	LastEvent(a AccountID) (int64, error)
	// DeleteEvents deletes events of an account (0: of all) before a time.
	DeleteEvents(a AccountID, before time.Time) error
}

// Add adds a change and the event that it is; "" means none.
func (c *Change) Add(tx Tx, kind EventKind) error {
	if err := tx.AddChange(c); err != nil || kind == "" {
		return err
	}
	o := c.ForOwner()
	if c.Link == 0 {
		o.Detail = c.Detail // about the owner's own account
	}
	data, _ := json.Marshal(map[string]string{"by": string(o.By), "reason": o.Reason, "detail": o.Detail})
	return tx.AddEvent(&Event{Account: c.Account, At: c.At, Kind: kind, Link: c.Link, Ref: int64(c.ID), Data: data})
}

// eventOf returns the event that a change of a link is, or "".
func (l *Link) eventOf(c *Change) EventKind {
	switch {
	case l.OfLink(), c.Action == ActionPurge, c.From == c.To && c.Action != ActionRevive, c.To == StateProcessing,
		l.OfSite() && c.To != StateLive:
		return ""
	case l.OfSite():
		return EventWebsiteLive
	case c.Action == ActionDelete:
		return EventLinkDeleted
	case c.Action == ActionExpire:
		return EventLinkExpired
	}
	return EventKind("link." + c.To) // live, review or disabled
}

// WebhookID and DeliveryID are assigned by the Store, from 1.
type (
	WebhookID  int64
	DeliveryID int64
)

// Webhook is an address that the events of an account are sent to.
type Webhook struct {
	ID        WebhookID
	Account   AccountID
	URL       string // of a chat only the part that is not secret
	Format    WebhookFormat
	Label     string
	Kinds     []EventKind // none means all
	Links     []LinkID    // none means all
	Names     bool        // messages have the labels of recipients
	CreatedAt time.Time
	// Secret is sealed with the secret of the instance: the key of signatures,
	// or the whole address of a chat. OldSecret is good until OldUntil.
	Secret, OldSecret []byte
	OldUntil          time.Time
	Off               WebhookOff
	OffAt             time.Time
	Failures          int       // failed tries since the last success
	NextAt            time.Time // nothing is tried before
	Seen              int64     // the last event of the account that was looked at
}

// WebhookFormat is what the messages of a webhook look like.
type WebhookFormat string

const (
	WebhookStandard   WebhookFormat = "standard" // JSON with a signature (Standard Webhooks)
	WebhookSlack      WebhookFormat = "slack"
	WebhookDiscord    WebhookFormat = "discord"
	WebhookMattermost WebhookFormat = "mattermost"
)

// WebhookOff is why a webhook sends nothing; "" means that it sends.
type WebhookOff string

const (
	WebhookOffOwner    WebhookOff = "owner"    // its owner has turned it off
	WebhookOffFailures WebhookOff = "failures" // too many tries in a row have failed
	WebhookOffGone     WebhookOff = "gone"     // its receiver has answered 410
	WebhookOffSecret   WebhookOff = "secret"   // its secret was sealed with another secret of the instance
)

// Delivery is a message of a webhook. Those of a link are sent in the order of
// their IDs.
type Delivery struct {
	ID        DeliveryID
	Webhook   WebhookID
	Account   AccountID
	Event     int64 // 0 for a test
	Kind      EventKind
	Link      LinkID // 0 if the event is about none
	CreatedAt time.Time
	State     DeliveryState
	Tries     int
	NextAt    time.Time // of a waiting one
	TriedAt   time.Time // the last time; zero if never
	Status    int       // of the last answer; 0 if there was none
	Answer    string    // its beginning
	Error     string    // why the last try failed
}

// DeliveryState is what became of a delivery.
type DeliveryState string

const (
	DeliveryWaiting   DeliveryState = "waiting"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed" // it is not tried again
)

// WebhookTx reads and writes webhooks and deliveries within a transaction.
type WebhookTx interface {
	// AddWebhook sets w.ID.
	AddWebhook(w *Webhook) error
	Webhook(id WebhookID) (*Webhook, error)
	PutWebhook(w *Webhook) error
	// Webhooks lists those of an account, oldest first.
	Webhooks(a AccountID) ([]*Webhook, error)
	// DeleteWebhooks deletes a webhook of an account (0: all of them) with its
	// deliveries.
	DeleteWebhooks(a AccountID, id WebhookID) error
	// WebhooksDue lists at most n webhooks that are on, and whose accounts are
	// not suspended, that have something to send: those whose last try failed,
	// or the others. The longest due are first.
	WebhooksDue(now time.Time, failing bool, n int) ([]WebhookID, error)

	// AddDelivery sets d.ID.
	AddDelivery(d *Delivery) error
	Delivery(id DeliveryID) (*Delivery, error)
	PutDelivery(d *Delivery) error
	// Deliveries lists at most n deliveries of a webhook, newest first, before
	// one (0: the newest).
	Deliveries(w WebhookID, before DeliveryID, n int) ([]*Delivery, error)
	// NextDelivery returns the delivery of a webhook that is the longest due,
	// and before which none of the same link waits.
	NextDelivery(w WebhookID, now time.Time) (*Delivery, error)
	CountWaiting(w WebhookID) (int64, error)
	// EndDeliveries gives up those that wait.
	EndDeliveries(w WebhookID, why string) error
	// ExpireDeliveries deletes those from before a time that do not wait.
	ExpireDeliveries(before time.Time) error
}
