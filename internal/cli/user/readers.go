package user

import (
	"context"
	"strconv"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

type readersCmd struct {
	Link   string
	Delete *int
	Yes    bool
	Flags
}

func newReaders() *command.Command {
	c := new(readersCmd)
	cmd := withAPI("readers", "List who confirmed an e-mail address at a link.", &c.Connection, c.Run)
	cmd.Examples("readers offer",
		"readers offer --delete 7")
	cmd.Arg(&c.Link, "link", "Slug or address of the link.").Complete(links)
	cmd.OptionalInt(&c.Delete, "delete", "ID", "Delete this reader from the list. Access stays.")
	cmd.Bool(&c.Yes, "yes,y", "Do not ask before a reader is deleted. Required for that without a terminal.")
	cmd.Take(&c.Flags)
	return cmd
}

// Run deletes a reader, then lists the readers of the link. On a terminal the
// columns are aligned. Otherwise they are separated by tabs: ID, address, time,
// the text that was agreed to.
func (c *readersCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	if c.Delete != nil {
		ok, err := t.Confirmed(c.Yes, "Delete reader %d of %s permanently?", *c.Delete, slug)
		if err != nil || !ok {
			return err
		}
		if err := api.DeleteReader(ctx, slug, int64(*c.Delete)); err != nil {
			return orWebsite(ctx, t, api, c.Link, err)
		}
	}
	var all []client.Reader
	for cursor := ""; ; {
		some, next, err := api.Readers(ctx, slug, cursor)
		if err != nil {
			return orWebsite(ctx, t, api, c.Link, err)
		}
		all = append(all, some...)
		if cursor = next; next == "" {
			break
		}
	}
	header := []string{"ID", "ADDRESS", "CONFIRMED", "AGREED TO"}
	return command.List(t, c.JSONFlag, "No reader has confirmed an address.", header, all, command.Itself,
		func(r client.Reader) []string {
			return []string{strconv.FormatInt(r.ID, 10), r.Email, t.When(r.At), r.Consent}
		})
}
