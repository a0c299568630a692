package user

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"vitrine/client"
	"vitrine/internal/app/export"
	"vitrine/internal/app/recipients"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

type recipientsCmd struct {
	Link   string
	Add    []string
	From   string
	Edit   string
	Revoke string
	Unread bool
	CSV    bool
	recipientFlags
	Flags
}

func newRecipients() *command.Command {
	c := new(recipientsCmd)
	cmd := command.New("recipients", "Give a link named addresses, and see how far each was read.", c.Run)
	cmd.SuggestFor = []string{"recipient", "share", "send"}
	cmd.Examples("recipients q3-report --add Acme --add Globex",
		"recipients q3-report --from investors.csv --csv",
		"recipients q3-report --unopened",
		"recipients q3-report --edit 2814749767106561 --expires 30d --view-only")
	cmd.Check(c.Validate)
	for _, other := range []string{"add", "from"} {
		cmd.Exclusive("revoke", other)
		cmd.Exclusive("edit", other)
	}
	cmd.Exclusive("revoke", "edit")
	cmd.Arg(&c.Link, "link", "Slug or address of the link.").Complete(links)
	cmd.Repeated(&c.Add, "add", "NAME", "Add an address with this name. No reader sees the name. May be repeated.")
	cmd.String(&c.From, "from", "FILE", "Add an address for each row of a CSV file, with the name in its first column.")
	cmd.String(&c.Revoke, "revoke", "ID", "Revoke the address with this ID. Its readers lose access at once; its numbers stay.")
	cmd.String(&c.Edit, "edit", "ID", "Change the address with this ID by the following flags, which also apply to new ones.")
	c.recipientFlags.take(cmd)
	cmd.Bool(&c.Unread, "unopened", "Show only addresses that were not opened yet and are not revoked.")
	cmd.Bool(&c.CSV, "csv", "Print name and address as CSV, for a mail merge. After --add or --from only the new ones.")
	c.Flags.AddFlags(cmd)
	return cmd
}

// Validate checks the combination of arguments.
func (c *recipientsCmd) Validate() error {
	if c.CSV && c.JSON {
		return errors.New("--csv and --json cannot be combined")
	}
	return c.recipientFlags.validate(c.Edit != "", len(c.Add) > 0 || c.From != "", len(c.Add) == 1 && c.From == "")
}

// Run adds, changes or revokes recipients, then lists those, or all. On
// a terminal the columns are aligned. Otherwise they are separated by tabs: ID,
// name, address, views, engaged time, progress, downloads, latest view.
func (c *recipientsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	names, err := c.names()
	if err != nil {
		return err
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	var list []client.Recipient
	change, err := c.change(t)
	if err != nil {
		return err
	}
	if c.Edit != "" {
		changed, err := api.UpdateRecipient(ctx, slug, c.Edit, change)
		if err != nil {
			return orWebsite(ctx, t, api, c.Link, err)
		}
		return c.show(t, []client.Recipient{changed})
	}
	for some := range slices.Chunk(names, client.MaxRecipients) {
		var rows []client.NewRecipient
		for _, name := range some {
			rows = append(rows, newRecipient(name, change))
		}
		added, err := api.AddRecipients(ctx, slug, rows, "")
		if err != nil {
			return orWebsite(ctx, t, api, c.Link, err)
		}
		list = append(list, added...)
	}
	if c.Revoke != "" {
		if err := api.RevokeRecipient(ctx, slug, c.Revoke); err != nil {
			return orWebsite(ctx, t, api, c.Link, err)
		}
		t.Say("The address is revoked.")
	}
	if len(names) == 0 {
		for r, err := range api.Recipients(ctx, slug) {
			if err != nil {
				return orWebsite(ctx, t, api, c.Link, err)
			}
			if !c.Unread || !r.Opened && r.RevokedAt.IsZero() {
				list = append(list, r)
			}
		}
	}
	return c.show(t, list)
}

// names returns the names of the addresses to add.
func (c *recipientsCmd) names() ([]string, error) {
	if c.From == "" {
		return c.Add, nil
	}
	f, err := os.Open(c.From)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.From, terminal.Bare(err))
	}
	defer f.Close()
	names, err := recipients.ReadNames(f)
	if err == nil && len(names) == 0 {
		err = errors.New("the table has no names")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.From, terminal.Bare(err))
	}
	return append(c.Add, names...), nil
}

func (c *recipientsCmd) show(t *terminal.Terminal, list []client.Recipient) error {
	if c.CSV {
		table := export.NewCSV(t.Out)
		_ = table.Write([]string{"label", "address"}) // Flush returns its error
		for _, r := range list {
			if r.RevokedAt.IsZero() {
				_ = table.Write([]string{r.Label, r.URL})
			}
		}
		return table.Flush()
	}
	var rows [][]string
	for _, r := range list {
		if c.JSON {
			if err := t.JSON(r); err != nil {
				return err
			}
			continue
		}
		state := "not opened"
		switch {
		case !r.RevokedAt.IsZero():
			state = "revoked"
		case r.Opened:
			state = t.When(r.LastAt)
		}
		rows = append(rows, []string{r.ID, r.Label, r.URL, fmt.Sprint(r.Views),
			(time.Duration(r.EngagedMs) * time.Millisecond).Round(time.Second).String(), r.Progress,
			fmt.Sprint(r.Downloads), state})
	}
	switch {
	case c.JSON:
		return nil
	case len(rows) == 0 && t.OutTTY:
		t.Say("The link has no recipients. Add one with --add.")
		return nil
	}
	return t.Table([]string{"ID", "NAME", "ADDRESS", "VIEWS", "TIME", "PROGRESS", "DOWNLOADS", "LATEST"}, rows)
}
