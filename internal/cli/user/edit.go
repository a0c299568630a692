package user

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

// editCmd changes a link.
type editCmd struct {
	Link     string
	Title    string
	Slug     string
	ViewOnly *bool
	Disable  bool
	Enable   bool
	Expires  command.When
	Password bool // from standard input
	Open     bool // without a password
	Readers  *int
	emailFlags
	AnyEmail bool // readers confirm no address any more
	Notify   string
	Flags
}

func newEdit() *command.Command {
	c := new(editCmd)
	cmd := command.New("edit", "Change a link: title, address, download, expiry, password; or disable it.", c.Run)
	cmd.SuggestFor = []string{"update", "change", "rename", "disable", "enable"}
	cmd.Examples("edit q3-report --title 'Q3, final'",
		"edit q3-report --slug q3-figures --expires 2027-01-31",
		"edit q3-report --disable",
		"edit q3-report --password-stdin",
		"edit q3-report --allow example.com,ann@example.org")
	cmd.Arg(&c.Link, "link", "Slug or address of the link.").Complete(links)
	cmd.String(&c.Title, "title", "TEXT", "Title of the page.")
	cmd.String(&c.Slug, "slug", "SLUG", "New slug, the part after /p/, if your account may choose it. The old address leads to the new one for 90 days.")
	cmd.OptionalBool(&c.ViewOnly, "view-only", "Readers cannot download the file; --view-only=false: they can.")
	cmd.Bool(&c.Disable, "disable", "Disable the link.")
	cmd.Bool(&c.Enable, "enable", "Enable the link again.")
	cmd.WhenOrNever(&c.Expires, "expires", "When the link expires, such as 12h, 30d, 2w, 1y, 2027-01-31 or never. An expired link works again with a later time.")
	cmd.Bool(&c.Password, "password-stdin", passwordHelp+" Readers who have entered an earlier one must enter it again.")
	cmd.Bool(&c.Open, "no-password", "Remove the password: anyone with the address can open the link.")
	cmd.Exclusive("disable", "enable")
	cmd.OptionalInt(&c.Readers, "readers", "N", "How many people may open the link; 0: any number.")
	cmd.Exclusive("password-stdin", "no-password")
	c.take(cmd, " This replaces earlier lists.")
	cmd.Bool(&c.AnyEmail, "no-email", "Do not ask readers for an address.")
	cmd.Choice(&c.Notify, "notify", "", "When you get a mail that a person views the link: first (at the first view ever), daily (also at the first view of each day) or off (no mails about the link).", client.NotifyFirst, client.NotifyDaily, client.NotifyOff)
	for _, flag := range []string{"allow", "deny", "consent"} {
		cmd.Exclusive(flag, "no-email")
	}
	cmd.Take(&c.Flags)
	return cmd
}

// change returns the change that the options describe.
func (c *editCmd) change(now time.Time) (change client.Change, err error) {
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
	if c.Expires.Given {
		at := c.Expires.At(now)
		change.ExpiresAt = &at
	}
	if email := c.email(); c.Password || c.Open || c.Readers != nil || email != nil || c.AnyEmail {
		change.Access = &client.AccessChange{Readers: c.Readers, Email: email, NoEmail: c.AnyEmail}
	}
	if c.Password || c.Open {
		change.Access.Password = new(string)
	}
	change.Notify = c.Notify
	if change == (client.Change{}) {
		return change, errors.New("nothing to change: use --title, --slug, --view-only, --disable, --enable, --expires, --password-stdin, --no-password, --readers, --allow, --deny, --consent, --no-email or --notify")
	}
	return change, nil
}

// Run changes the link, says what is different, and prints its address.
func (c *editCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	change, err := c.change(time.Now())
	if err != nil {
		return terminal.Usage(err.Error())
	}
	if c.Password {
		if *change.Access.Password, err = readPassword(t); err != nil {
			return err
		}
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	before, err := c.link(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	l, err := api.UpdateLink(ctx, before.Slug, change)
	if err != nil {
		return err
	}
	if c.JSON {
		return errors.Join(t.JSON(l), c.notEnabled(&l))
	}
	sayChanges(t, &before, &l)
	_, err = fmt.Fprintln(t.Out, terminal.Plain(l.URL))
	return errors.Join(err, c.notEnabled(&l))
}

// notEnabled returns an error if --enable had no effect: it undoes only the
// owner's own decision.
func (c *editCmd) notEnabled(l *client.LinkDetail) error {
	switch {
	case !c.Enable || l.Status != string(vitrine.StateDisabled):
		return nil
	case l.Reason == vitrine.ReasonExpired:
		return fmt.Errorf("the link %s stays disabled, because it has expired: choose a later time with --expires", l.Slug)
	}
	return fmt.Errorf("the link %s stays disabled (%s): only a moderator can enable it", l.Slug, l.Reason)
}

// sayChanges says what differs between two states of a link.
func sayChanges(t *terminal.Terminal, before, after *client.LinkDetail) {
	changed := false
	for _, field := range []struct {
		name string
		of   func(*client.LinkDetail) string
	}{
		{"Title", func(l *client.LinkDetail) string { return l.Title }},
		{"Slug", func(l *client.LinkDetail) string { return l.Slug }},
		{"Download", func(l *client.LinkDetail) string {
			return map[bool]string{true: "allowed", false: "view only"}[l.AllowDownload]
		}},
		{"Expires", func(l *client.LinkDetail) string {
			if l.ExpiresAt.IsZero() {
				return "never"
			}
			return terminal.Moment(l.ExpiresAt)
		}},
		{"Protection", protection},
		{"Mails", func(l *client.LinkDetail) string { return l.Notify }},
		{"Status", func(l *client.LinkDetail) string { return listStatus(l.ListedLink) }},
	} {
		if was, is := terminal.Plain(field.of(before)), terminal.Plain(field.of(after)); was != is {
			t.Say("%s: %s → %s", field.name, was, is)
			changed = true
		}
	}
	if !changed {
		t.Say("Nothing is different: the link has these settings already.")
	}
}

// rmCmd deletes links.
type rmCmd struct {
	Links []string
	Yes   bool
	Flags
}

func newRm() *command.Command {
	c := new(rmCmd)
	cmd := command.New("rm", "Delete links, their files and their numbers permanently.", c.Run)
	cmd.SuggestFor = []string{"delete", "remove", "del"}
	cmd.Examples("rm q3-report",
		"rm --yes old-draft older-draft")
	cmd.Rest(&c.Links, "link", "Slugs or addresses of the links to delete.").Complete(links)
	cmd.Confirm(&c.Yes)
	cmd.Take(&c.Flags)
	return cmd
}

// Run deletes the links one by one. It asks for confirmation, because a delete
// cannot be undone. Without a terminal it requires --yes.
func (c *rmCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.Yes && !t.InTTY {
		return terminal.Unconfirmed("rm deletes permanently")
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	in := bufio.NewReader(t.In)
	return forEach(ctx, t, c.Links, "links were not deleted", func(arg string) error {
		l, err := c.delete(ctx, t, api, in, arg)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(deleted{Slug: l.Slug, Deleted: true})
		}
		t.Say("%s is deleted: %q", terminal.Plain(l.Slug), terminal.Plain(l.Title))
		return nil
	}, func(arg string, err error) error {
		if !c.JSON {
			return nil
		}
		return t.JSON(deleted{Slug: slugOf(arg), failure: failed(t, err)})
	}, slugOf)
}

// deleted is the JSON output for one link of "rm".
type deleted struct {
	Slug    string `json:"slug"`
	Deleted bool   `json:"deleted"`
	failure
}

// delete deletes the link of an argument and returns it.
func (c *rmCmd) delete(ctx context.Context, t *terminal.Terminal, api *client.Client, in *bufio.Reader,
	arg string) (l client.LinkDetail, err error) {
	if l, err = c.link(ctx, t, api, arg); err != nil {
		return l, err
	}
	etag := ""
	if !c.Yes {
		if !t.Agreed(in, "Delete %q (%s), its file and its numbers permanently?", terminal.Plain(l.Title),
			terminal.Plain(l.Slug)) {
			return l, terminal.ErrDeclined
		}
		etag = l.ETag
	}
	return l, api.DeleteLink(ctx, l.Slug, etag)
}
