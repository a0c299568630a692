package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/client"
	"vitrine/internal/terminal"
)

// EditCmd changes a link.
type EditCmd struct {
	Link     string `arg:"" help:"The part of the link's address after /p/, or the address."`
	Title    string `help:"Title of the page." placeholder:"TEXT"`
	Slug     string `help:"New slug, the part after /p/, if your account may choose it. The old address leads to the new one for 90 days." placeholder:"SLUG"`
	ViewOnly *bool  `negatable:"" xor:"download" help:"Readers cannot download the file; --no-view-only: they can."`
	Download *bool  `negatable:"" xor:"download" hidden:""` // the former name of --view-only
	Disable  bool   `xor:"state" help:"Disable the link."`
	Enable   bool   `xor:"state" help:"Enable the link again."`
	Expires  string `help:"When the link expires, such as 30d, 12h, 2027-01-31 or never. An expired link works again with a later time." placeholder:"WHEN"`
	Flags
}

// change returns the change that the options describe.
func (c *EditCmd) change(now time.Time) (change client.Change, err error) {
	change.AllowDownload = c.Download
	if c.ViewOnly != nil {
		allow := !*c.ViewOnly
		change.AllowDownload = &allow
	}
	if c.Title != "" {
		change.Title = &c.Title
	}
	if c.Slug != "" {
		change.Slug = &c.Slug
	}
	if c.Disable || c.Enable {
		change.Disabled = &c.Disable
	}
	if c.Expires != "" {
		at := time.Time{}
		if c.Expires != "never" {
			if at, err = terminal.ParseWhen(c.Expires, now); err != nil {
				return change, err
			}
		}
		change.ExpiresAt = &at
	}
	if change == (client.Change{}) {
		return change, errors.New("nothing to change: use --title, --slug, --[no-]view-only, --disable, --enable or --expires")
	}
	return change, nil
}

// Run changes the link and prints its address.
func (c *EditCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	change, err := c.change(time.Now())
	if err != nil {
		return terminal.Usage(err.Error())
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	slug, err := c.slug(ctx, api, c.Link)
	if err != nil {
		return err
	}
	l, err := api.UpdateLink(ctx, slug, change)
	if err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(l)
	}
	switch {
	case l.Status != "live":
		t.Say("The link is %s.", terminal.Plain(listStatus(l.ListedLink)))
	case !l.ExpiresAt.IsZero():
		t.Say("The link expires on %s.", terminal.Moment(l.ExpiresAt))
	}
	_, err = fmt.Fprintln(t.Out, terminal.Plain(l.URL))
	return err
}

// RmCmd deletes links.
type RmCmd struct {
	Links []string `arg:"" name:"link" help:"Links to delete: the part of the address after /p/, or the address."`
	Yes   bool     `short:"y" help:"Do not ask for confirmation. Required without a terminal."`
	Flags
}

// Run deletes the links one by one. It asks for confirmation, because a delete
// cannot be undone. Without a terminal it requires --yes.
func (c *RmCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.Yes && !t.InTTY {
		return errors.New("rm deletes permanently. Not a terminal: add --yes")
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	in := bufio.NewReader(t.In)
	failed := 0
	for _, name := range c.Links {
		slug, done := slugOf(name), false
		_, err := c.slug(ctx, api, name)
		if err == nil {
			done, err = c.delete(ctx, t, api, in, slug)
		}
		switch {
		case err != nil && (ctx.Err() != nil || len(c.Links) == 1):
			return err
		case err != nil:
			failed++
			t.Say("vitrine: %s: %s", terminal.Plain(slug), terminal.Plain(t.Sentence(err)))
		case !done:
			t.Say("%s is kept.", terminal.Plain(slug))
		case c.JSON:
			if err := t.JSON(map[string]string{"deleted": slug}); err != nil {
				return err
			}
		default:
			t.Say("%s is deleted.", terminal.Plain(slug))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d links could not be deleted", failed, len(c.Links))
	}
	return nil
}

func (c *RmCmd) delete(ctx context.Context, t *terminal.Terminal, api *client.Client, in *bufio.Reader,
	slug string) (done bool, err error) {
	if c.Yes {
		return true, api.DeleteLink(ctx, slug, "")
	}
	l, err := api.Link(ctx, slug)
	if err != nil {
		return false, err
	}
	if !t.Agreed(in, "Delete %q, its file and its numbers permanently?", terminal.Plain(l.Title)) {
		return false, nil
	}
	return true, api.DeleteLink(ctx, l.Slug, l.ETag)
}
