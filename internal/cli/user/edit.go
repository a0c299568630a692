package user

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
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
	Labels   *string
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
	cmd.OptionalString(&c.Labels, "labels", "NAMES", "Labels of the link, separated by commas, which only you see. They replace earlier ones; an empty text removes them.")
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
	if c.Labels != nil {
		labels := labelsOf(*c.Labels)
		change.Labels = &labels
	}
	if email := c.email(); c.Password || c.Open || c.Readers != nil || email != nil || c.AnyEmail {
		change.Access = &client.AccessChange{Readers: c.Readers, Email: email, NoEmail: c.AnyEmail}
	}
	if c.Password || c.Open {
		change.Access.Password = new(string)
	}
	change.Notify = c.Notify
	if change == (client.Change{}) {
		return change, errors.New("nothing to change: use --title, --slug, --view-only, --disable, --enable, --expires, --labels, --password-stdin, --no-password, --readers, --allow, --deny, --consent, --no-email or --notify")
	}
	return change, nil
}

// labelsOf returns labels that are separated by commas.
func labelsOf(text string) []string {
	labels := []string{}
	for label := range strings.SplitSeq(text, ",") {
		if label = strings.TrimSpace(label); label != "" {
			labels = append(labels, label)
		}
	}
	return labels
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
		{"Labels", func(l *client.LinkDetail) string { return cmp.Or(strings.Join(l.Labels, ", "), "none") }},
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
	Links     []string
	Permanent bool
	Yes       bool
	Flags
}

func newRm() *command.Command {
	c := new(rmCmd)
	cmd := command.New("rm", "Delete links. They can be restored from the trash for 30 days.", c.Run)
	cmd.SuggestFor = []string{"delete", "remove", "del"}
	cmd.Examples("rm q3-report",
		"rm --yes --permanent old-draft older-draft")
	cmd.Rest(&c.Links, "link", "Slugs or addresses of the links to delete.").Complete(links)
	cmd.Bool(&c.Permanent, "permanent", "Delete the links, their files and their numbers for good, also from the trash.")
	cmd.Confirm(&c.Yes)
	cmd.Take(&c.Flags)
	return cmd
}

// Run deletes the links one by one. It asks for confirmation, because readers
// lose them at once. Without a terminal it requires --yes.
func (c *rmCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.Yes && !t.InTTY {
		return terminal.Unconfirmed("rm deletes links")
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	in := bufio.NewReader(t.In)
	return forEach(ctx, t, c.Links, "links were not deleted", func(arg string) error {
		l, trashed, err := c.delete(ctx, t, api, in, arg)
		switch {
		case err != nil:
			return err
		case c.JSON && trashed != nil:
			return t.JSON(deleted{Slug: l.Slug, Deleted: true, PurgeAt: terminal.Stamp(trashed.PurgeAt)})
		case c.JSON:
			return t.JSON(deleted{Slug: l.Slug, Deleted: true})
		}
		sayGone(t, l, trashed)
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
	PurgeAt string `json:"purgeAt,omitempty"` // until when it is in the trash, at most
	failure
}

// delete deletes the link of an argument, and returns it, also as it is in the
// trash.
func (c *rmCmd) delete(ctx context.Context, t *terminal.Terminal, api *client.Client, in *bufio.Reader,
	arg string) (l client.LinkDetail, trashed *client.TrashedLink, err error) {
	how := client.Deletion{Permanent: c.Permanent}
	l, err = c.link(ctx, t, api, arg)
	switch {
	case err == nil:
	case c.Permanent && terminal.Code(err) == string(vitrine.CodeNotFound): // it may be in the trash
		l.Slug = slugOf(arg)
	default:
		return l, nil, err
	}
	if !c.Yes {
		ask := "Delete %q (%s)? It can be restored for 30 days."
		if c.Permanent {
			ask = "Delete %q (%s), its file and its numbers permanently?"
		}
		if !t.Agreed(in, ask, terminal.Plain(l.Title), terminal.Plain(l.Slug)) {
			return l, nil, terminal.ErrDeclined
		}
		how.IfMatch = l.ETag
	}
	if trashed, failed := api.DeleteLink(ctx, l.Slug, how); err == nil || failed == nil {
		return l, trashed, failed
	}
	return l, nil, err
}
