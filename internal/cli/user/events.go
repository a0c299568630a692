package user

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// eventsCmd lists events of the account.
type eventsCmd struct {
	Types  []string
	Link   string
	Follow bool
	Flags
}

func newEvents() *command.Command {
	c := new(eventsCmd)
	cmd := withAPI("events", "List what happened with your links, oldest first.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"event", "activity", "tail", "watch"}
	cmd.Lists()
	cmd.Long = `A line for each event of the last 30 days, its columns separated by tabs: time, type, slug, title, details.
A type is view.first, view, download, milestone, link.live, link.disabled, version.live and so on.`
	cmd.Examples("events",
		"events --follow --type view.first --type download",
		"events --link report --json | jq -r .data.visit.country")
	cmd.Repeated(&c.Types, "type", "TYPE", "Only events of this type.")
	cmd.String(&c.Link, "link", "SLUG", "Only events of this link.")
	cmd.Bool(&c.Follow, "follow,f", "Wait for more events, until you press Ctrl-C.")
	cmd.Take(&c.Flags)
	return cmd
}

// followEvery is how often events are asked for.
const followEvery = 5 * time.Second

// Run lists the events that there are, and then those that come.
func (c *eventsCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	q := client.EventQuery{Types: c.Types, Link: slugOf(c.Link), Limit: 100}
	headed := false
	for cursor := ""; ; {
		p, err := api.Events(ctx, cursor, q)
		if err != nil {
			return err
		}
		if err := c.print(t, p.Events, headed); err != nil {
			return err
		}
		headed = headed || len(p.Events) > 0
		cursor = p.NextCursor
		switch {
		case p.More:
		case !c.Follow:
			if !headed && t.OutTTY && !c.JSON {
				t.Say("No events in the last 30 days.")
			}
			return nil
		default:
			select {
			case <-ctx.Done():
				return nil
			case <-t.AfterPoll(followEvery):
			}
		}
	}
}

// print writes events, with a header unless one was written.
func (c *eventsCmd) print(t *terminal.Terminal, list []client.Event, headed bool) error {
	rows := make([][]string, len(list))
	for i, e := range list {
		if c.JSON {
			if err := t.JSON(e); err != nil {
				return err
			}
			continue
		}
		slug, title := "", ""
		if e.Link != nil {
			slug, title = e.Link.Slug, e.Link.Title
		}
		details := eventDetails(e.Data)
		if e.Recipient != nil && e.Recipient.Label != "" {
			details = e.Recipient.Label + ", " + details
		}
		rows[i] = []string{t.When(e.At), e.Type, slug, title, details}
	}
	if c.JSON || len(rows) == 0 {
		return nil
	}
	write := t.Table
	if headed {
		write = t.More
	}
	return write([]string{"WHEN", "TYPE", "SLUG", "TITLE", "DETAILS"}, rows)
}

// eventDetails returns what is known about an event, in words.
func eventDetails(d client.EventData) string {
	words := []string{d.Reason, d.Detail}
	for _, n := range []struct {
		value int64
		after string
	}{{d.Milestone, " views"}, {d.Today, " views today"}} {
		if n.value > 0 {
			words = append(words, strconv.FormatInt(n.value, 10)+n.after)
		}
	}
	if d.From != "" {
		words = append(words, fmt.Sprintf("%s to %s: %d views, %d excluded", d.From, d.To, d.Views, d.Excluded))
	}
	if v := d.Visit; v != nil {
		words = append(words, v.Progress, v.Country, v.Device)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
