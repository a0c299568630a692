package main

import (
	"context"
	"errors"
	"time"

	"vitrine/client"
)

type lsCmd struct {
	All   bool `help:"List all links."`
	Limit int  `help:"List that many links." default:"20"`
	remote
}

// Validate refuses a limit that cannot be meant.
func (c *lsCmd) Validate() error {
	if c.Limit < 1 {
		return errors.New("--limit is 1 or more")
	}
	return nil
}

const titleColumns = 40

// Run lists links: aligned on a terminal; else tab-separated as slug, status, kind, bytes, time of creation, title, address.
func (c *lsCmd) Run(ctx context.Context, t *terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	var rows [][]string
	n := 0
	for l, err := range api.AllLinks(ctx) {
		if err != nil {
			return err
		}
		if c.JSON {
			err = t.json(l)
		} else {
			rows = append(rows, listRow(t, l))
		}
		if err != nil {
			return err
		}
		if n++; n == c.Limit && !c.All {
			break
		}
	}
	switch {
	case c.JSON:
		return nil
	case n == 0 && t.outTTY:
		t.say("No links yet. Make one: %s put FILE", self())
		return nil
	}
	return t.table([]string{"SLUG", "STATUS", "KIND", "SIZE", "CREATED", "TITLE", "ADDRESS"}, rows)
}

func listRow(t *terminal, l client.ListedLink) []string {
	created, title := stamp(l.CreatedAt), l.Title
	if t.outTTY {
		created, title = l.CreatedAt.In(time.Local).Format("2006-01-02 15:04"), truncate(plain(title), titleColumns)
	}
	status := l.Status
	if l.Reason != "" {
		status += " (" + plain(l.Reason) + ")"
	}
	return []string{l.Slug, status, l.Kind, t.size(l.SizeBytes), created, title, l.URL}
}
