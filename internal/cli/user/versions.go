package user

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

type versionsCmd struct {
	Link    string
	Restore *int
	Delete  *int
	Yes     bool
	Flags
}

func newVersions() *command.Command {
	c := new(versionsCmd)
	cmd := withAPI("versions", "List, restore and delete the versions of a link's file.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"history", "rollback"}
	cmd.Examples("versions q3-report",
		"versions q3-report --restore 2")
	cmd.Check(c.Validate)
	cmd.Exclusive("restore", "delete")
	cmd.Arg(&c.Link, "link", "Slug or address of the link.").Complete(links)
	cmd.OptionalInt(&c.Restore, "restore", "N", "Restore this version. The current one is kept.")
	cmd.OptionalInt(&c.Delete, "delete", "N", "Delete this version. The current one cannot be deleted.")
	cmd.Bool(&c.Yes, "yes,y", "Do not ask before a version is deleted. Required for that without a terminal.")
	cmd.Take(&c.Flags)
	return cmd
}

// Validate checks the combination of arguments.
func (c *versionsCmd) Validate() error {
	for flag, n := range map[string]*int{"--restore": c.Restore, "--delete": c.Delete} {
		if n != nil && *n < 1 {
			return fmt.Errorf("%s must be the number of a version, 1 or more", flag)
		}
	}
	return nil
}

// Run restores or deletes a version, then lists the versions of the link. On a
// terminal the columns are aligned. Otherwise they are separated by tabs:
// number, status, kind, bytes, creation time, file.
func (c *versionsCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	if err := c.change(ctx, t, api, slug); err != nil {
		return orWebsite(ctx, t, api, c.Link, err)
	}
	all, err := api.Versions(ctx, slug)
	if err != nil {
		return orWebsite(ctx, t, api, c.Link, err)
	}
	header := []string{"VERSION", "STATUS", "KIND", "SIZE", "CREATED", "FILE"}
	return command.List(t, c.JSONFlag, "No versions.", header, all, command.Itself, func(v client.Version) []string {
		status := v.Status
		switch {
		case v.Current:
			status = "current"
		case v.Status == "live":
			status = "kept"
		case v.Reason != "":
			status += " (" + terminal.Why(v.Reason, v.Detail) + ")"
		}
		return []string{strconv.Itoa(v.Version), status, v.Kind, t.Size(v.SizeBytes), t.When(v.CreatedAt), v.Name}
	})
}

// change restores or deletes a version. It asks for confirmation of a delete.
func (c *versionsCmd) change(ctx context.Context, t *terminal.Terminal, api *client.Client, slug string) error {
	switch {
	case c.Restore != nil:
		all, err := api.Versions(ctx, slug)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(v client.Version) bool { return v.Current && v.Version == *c.Restore }) {
			t.Say("Nothing is different: the link shows version %d already.", *c.Restore)
			return nil
		}
		if _, err := api.RestoreVersion(ctx, slug, *c.Restore); err != nil {
			return noVersion(err, *c.Restore, slug)
		}
		t.Say("The link shows version %d now.", *c.Restore)
	case c.Delete != nil:
		ok, err := t.Confirmed(c.Yes, "Delete version %d of %s permanently?", *c.Delete, slug)
		if err != nil || !ok {
			return err
		}
		if err := api.DeleteVersion(ctx, slug, *c.Delete); err != nil {
			return noVersion(err, *c.Delete, slug)
		}
		t.Say("Version %d is deleted.", *c.Delete)
	}
	return nil
}

// noVersion names the version that an error of the API is about. The request
// had it in its path, so that no flag is at fault.
func noVersion(err error, version int, slug string) error {
	var e *client.Error
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Field = ""
	if e.Code == string(vitrine.CodeNotFound) && !terminal.NoLink(e) {
		named.Message = fmt.Sprintf("The link has no version %d.", version)
		return &terminal.AdvisedError{Err: &named, Lines: []string{"Try: " + terminal.Self() + " versions " + slug}}
	}
	return &named
}

// replacedText returns the message about a replaced file.
func replacedText(path string, r *client.Replacement) string {
	switch {
	case r.Unchanged:
		return path + " is already the file of the link. Nothing was changed."
	case r.Status == string(vitrine.StateReview):
		return fmt.Sprintf("%s is version %d and held for review (%s): the link shows the previous version until a moderator approves it.", path, r.Version, terminal.Why(r.Reason, r.Detail))
	case r.Status == string(vitrine.StateProcessing):
		return fmt.Sprintf("%s is version %d and is being checked: the link shows the previous version until then.",
			path, r.Version)
	}
	return fmt.Sprintf("%s is version %d.", path, r.Version)
}

// versions returns the versions of the link whose file is replaced, or nil: the
// file is replaced all the same.
func (c *putCmd) versions(ctx context.Context, api *client.Client) []client.Version {
	if c.Replace == "" {
		return nil
	}
	all, err := api.Versions(ctx, c.Replace)
	if err != nil {
		return nil
	}
	return all
}

// sayDeleted says which versions a replacement deleted, because an account
// keeps only some. An imported link may have a version without a file.
func (c *putCmd) sayDeleted(ctx context.Context, api *client.Client, b *terminal.Bar, before, after []client.Version) {
	if len(after) == 0 {
		return
	}
	for _, v := range before {
		if slices.ContainsFunc(after, func(kept client.Version) bool { return kept.Version == v.Version }) {
			continue
		}
		b.Clear()
		if v.SHA256 == "" {
			b.T.Say("Version %d, which had no file, is replaced.", v.Version)
			continue
		}
		why := ""
		if key, err := api.Key(ctx); err == nil && key.Limits.Versions > 0 && int64(len(after)) > key.Limits.Versions {
			why = ": your account keeps " + terminal.Counted(key.Limits.Versions, "earlier version")
		}
		b.T.Say("Version %d is deleted%s.", v.Version, why)
	}
}
