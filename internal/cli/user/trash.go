package user

import (
	"context"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

type trashCmd struct {
	Restore []string
	Flags
}

func newTrash() *command.Command {
	c := new(trashCmd)
	cmd := withAPI("trash", "List deleted links that can be restored, and restore them.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"undelete", "bin"}
	cmd.Lists()
	cmd.Long = `A deleted link stays in the trash for 30 days, unless an upload needs the room before. On a terminal, a table.
Otherwise a line for each link, its columns separated by tabs: slug, bytes, time of deletion, time at which it is
deleted for good, title. "vitrine rm --permanent" deletes a link for good.`
	cmd.Examples("trash", "trash --restore q3-report")
	cmd.Repeated(&c.Restore, "restore", "LINK", "Restore the link with this slug or address. Can be given several times.")
	cmd.Take(&c.Flags)
	return cmd
}

// restored is the JSON output for one link that "trash" restores.
type restored struct {
	Slug     string `json:"slug"`
	Restored bool   `json:"restored"`
	failure
}

// Run restores links, or lists the trash.
func (c *trashCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	if len(c.Restore) > 0 {
		return forEach(ctx, t, c.Restore, "links were not restored", func(arg string) error {
			l, err := api.RestoreLink(ctx, slugOf(arg))
			switch {
			case err != nil:
				return err
			case c.JSON:
				return t.JSON(restored{Slug: l.Slug, Restored: true})
			}
			t.Say("%s is restored: %q", terminal.Plain(l.Slug), terminal.Plain(l.Title))
			return nil
		}, func(arg string, err error) error {
			if !c.JSON {
				return nil
			}
			return t.JSON(restored{Slug: slugOf(arg), failure: failed(t, err)})
		}, slugOf)
	}
	var all []client.TrashedLink
	for l, err := range api.Trash(ctx) {
		if err != nil {
			return err
		}
		all = append(all, l)
	}
	header := []string{"SLUG", "SIZE", "DELETED", "GONE", "TITLE"}
	return command.List(t, c.JSONFlag, "The trash is empty.", header, all, command.Itself,
		func(l client.TrashedLink) []string {
			return []string{l.Slug, t.Size(l.SizeBytes), t.When(l.DeletedAt), t.When(l.PurgeAt), l.Title}
		})
}

// sayGone says that a link is deleted, and how to restore it.
func sayGone(t *terminal.Terminal, l client.LinkDetail, trashed *client.TrashedLink) {
	t.Say("%s is deleted: %q", terminal.Plain(l.Slug), terminal.Plain(l.Title))
	if trashed != nil {
		t.Say("To restore it until %s: %s trash --restore %s", terminal.Moment(trashed.PurgeAt), terminal.Self(),
			terminal.Plain(l.Slug))
	}
}
