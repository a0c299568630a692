package vitrine

import (
	"encoding/json"
	"time"
)

// EventKind is what happened. Package internal/app/events has a table of all.
type EventKind string

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
	Data []byte // JSON
}

// EventQuery selects events of an account, of any link and kind if these are
// zero. Until is the last ID.
type EventQuery struct {
	Account      AccountID
	After, Until int64
	Link         LinkID
	Kinds        []EventKind
	Limit        int
}

// EventTx reads and writes events within a transaction.
type EventTx interface {
	// AddEvent sets e.ID. Who reads an event can read all before it, too.
	AddEvent(e *Event) error
	// Events lists the events that q selects, oldest first.
	Events(q EventQuery) ([]*Event, error)
	// LastEvent returns the last ID that AddEvent gave in an account, or 0.
	LastEvent(a AccountID) (int64, error)
	// DeleteEvents deletes the events of an account (0: of all) before a time.
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
	case l.OfLink(), c.From == c.To, c.To == StateProcessing, l.OfSite() && c.To != StateLive:
		return ""
	case l.OfSite():
		return "website.live"
	case c.Action == ActionDelete:
		return "link.deleted"
	case c.Action == ActionExpire:
		return "link.expired"
	}
	return EventKind("link." + c.To)
}
