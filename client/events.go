package client

import (
	"context"
	"net/url"
	"strconv"
	"time"
)

// Event is something that happened in the account.
type Event struct {
	ID   string     `json:"id"`
	Type string     `json:"type"` // such as view.first; see the API
	At   time.Time  `json:"at"`
	Link *EventLink `json:"link"` // nil if it is about none
	// Recipient is through whose address the visit came. It is nil of the plain
	// address, and if the recipient is gone.
	Recipient *EventRecipient `json:"recipient,omitempty"`
	Data      EventData       `json:"data"`
}

// EventLink is the link or website of an event.
type EventLink struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// EventRecipient is a recipient of a link.
type EventRecipient struct {
	ID    string `json:"id"`
	Label string `json:"label"` // "" if it was deleted
}

// EventData is what is known about an event. Which members are set depends on
// its type.
type EventData struct {
	// Of changes of links and of the account.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Of views and downloads, on plans with analytics: the numbers of the link
	// at the time of the event, and the visit.
	Views     int64       `json:"views,omitempty"`
	Downloads int64       `json:"downloads,omitempty"`
	Milestone int64       `json:"milestone,omitempty"`
	Visit     *EventVisit `json:"visit,omitempty"`
	// Of alert.spike: the views of the day (UTC), and of a usual day.
	Today  int64   `json:"today,omitempty"`
	Median float64 `json:"median,omitempty"`
	// Of report.weekly, with Views and Downloads of the account in the week.
	From         string     `json:"from,omitempty"` // Monday, as 2026-11-02
	To           string     `json:"to,omitempty"`   // Sunday
	Timezone     string     `json:"timezone,omitempty"`
	Uniques      int64      `json:"uniques,omitempty"`
	Sessions     int64      `json:"sessions,omitempty"` // 0: nothing was measured, and AvgEngagedMs is 0
	AvgEngagedMs int64      `json:"avgEngagedMs,omitempty"`
	Excluded     int64      `json:"excluded,omitempty"` // views by programs
	Links        []EventTop `json:"links,omitempty"`    // the most viewed ones
}

// EventTop is a link with its views of the week.
type EventTop struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	Views int64  `json:"views"`
}

// EventVisit is a visit as it was at the time of an event.
type EventVisit struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Country    string    `json:"country"`
	City       string    `json:"city"`
	Device     string    `json:"device"`
	Browser    string    `json:"browser"`
	OS         string    `json:"os"`
	Source     string    `json:"source"`
	Recipient  string    `json:"recipient"` // its ID; "" is the plain address
	Version    int       `json:"version"`
	Engaged    bool      `json:"engaged"` // whether there is engagement data
	EngagedMs  int64     `json:"engagedMs"`
	Progress   string    `json:"progress"`
	Downloaded bool      `json:"downloaded"`
	Returning  bool      `json:"returning"`
	Atypical   bool      `json:"atypical"`
}

// EventPage is a page of events, oldest first.
type EventPage struct {
	Events     []Event `json:"events"`
	More       bool    `json:"more"`       // whether there are more events now
	NextCursor string  `json:"nextCursor"` // where the next page begins, also if there are no more events yet
}

// EventQuery selects events. The zero value selects all.
type EventQuery struct {
	Types []string
	Link  string // slug
	// Limit is the page size from 1 to 100. 0 means the default of the
	// instance, 20.
	Limit int
}

// Events returns a page of events, oldest first. It starts after cursor, or
// with the oldest event that is kept if cursor is "". Events are kept for 30
// days.
func (c *Client) Events(ctx context.Context, cursor string, query EventQuery) (p EventPage, err error) {
	q := url.Values{"type": query.Types}
	if query.Link != "" {
		q.Set("link", query.Link)
	}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	if query.Limit != 0 {
		q.Set("limit", strconv.Itoa(query.Limit))
	}
	err = c.get(ctx, "/events", q, &p)
	return p, err
}
