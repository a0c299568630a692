package agent

import (
	"time"

	"vitrine/client"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	addedRecipients  = 50 // a call takes
	listedRecipients = 25 // a call returns, with all that is known of them
)

type recipientsIn struct {
	Slug     string `json:"slug" jsonschema:"slug or address of the link"`
	Unopened bool   `json:"unopened,omitempty" jsonschema:"only those that work and were not opened"`
	Cursor   string `json:"cursor,omitempty"`
}

// recipientRow is a recipient as the tools return it.
type recipientRow struct {
	Label     string `json:"label"`
	URL       string `json:"url"`
	Ended     string `json:"ended,omitempty"` // "revoked" or "expired"
	LastAt    string `json:"lastAt,omitempty" jsonschema:"of the last view; left out if it was not opened"`
	EngagedMs int64  `json:"engagedMs,omitempty"`
	Progress  string `json:"progress,omitempty"`
	Downloads int64  `json:"downloads,omitempty"`
}

type recipientsOut struct {
	Recipients []recipientRow `json:"recipients"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

func (c call) recipients(in recipientsIn) (recipientsOut, error) {
	p, err := c.RecipientPage(c.ctx, slugOf(in.Slug), in.Cursor, listedRecipients)
	out := recipientsOut{Recipients: []recipientRow{}, NextCursor: p.NextCursor}
	for _, r := range p.Recipients {
		row := recipientRow{Label: r.Label, URL: r.URL, EngagedMs: r.EngagedMs, Progress: r.Progress,
			Downloads: r.Downloads}
		switch {
		case !r.RevokedAt.IsZero():
			row.Ended = "revoked"
		case !r.ExpiresAt.IsZero() && !c.Now().Before(r.ExpiresAt):
			row.Ended = "expired"
		}
		if r.Opened {
			row.LastAt = r.LastAt.Format(time.RFC3339)
		}
		if !in.Unopened || row.Ended == "" && !r.Opened {
			out.Recipients = append(out.Recipients, row)
		}
	}
	return out, err
}

type addRecipientsIn struct {
	Slug           string   `json:"slug" jsonschema:"slug or address of the link"`
	Labels         []string `json:"labels" jsonschema:"1 to 50 names, such as Anna's link"`
	Expires        string   `json:"expires,omitempty" jsonschema:"such as 30d or 2027-01-31"`
	IdempotencyKey string   `json:"idempotency_key,omitempty" jsonschema:"UUID that makes retries safe"`
}

// address is an address that was added.
type address struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

type addressesOut struct {
	Added []address `json:"added"`
}

func (c call) addRecipients(in addRecipientsIn) (out addressesOut, err error) {
	if n := len(in.Labels); n == 0 || n > addedRecipients {
		return out, argumentError("labels", "Give 1 to %d labels in one call. This call has %d.",
			addedRecipients, n)
	}
	var until time.Time
	if in.Expires != "" {
		if until, err = c.when(in.Expires); err != nil {
			return out, err
		}
	}
	var add []client.NewRecipient
	for _, label := range in.Labels {
		add = append(add, client.NewRecipient{Label: label, ExpiresAt: until})
	}
	list, err := c.AddRecipients(c.ctx, slugOf(in.Slug), add, in.IdempotencyKey)
	for _, r := range list {
		out.Added = append(out.Added, address{r.Label, r.URL})
	}
	return out, err
}

func (s *Server) recipientTools(m *mcp.Server) {
	tool(s, m, "add_recipients", "Add addresses of a link",
		"Give a link an address for each person or channel, to see which was opened. Readers do not see the names.",
		adds, call.addRecipients)
}
