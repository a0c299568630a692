package admin

import (
	"bufio"
	"context"
	"errors"
	"os"

	"vitrine"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/cli/user"
)

// slugArg is the link that a command is about.
type slugArg struct {
	Slug string
	instance.Places
	command.JSONFlag
}

// AddFlags adds the argument and the flags to a command.
func (a *slugArg) AddFlags(cmd *command.Command) {
	cmd.Arg(&a.Slug, "link", "The part of the link's address after /p/, or the address.")
	cmd.Check(a.resolve)
	cmd.Take(&a.Places, &a.JSONFlag)
}

// resolve replaces the address of a link by its slug. The instance may have the
// address of its last server, or the one that the server is configured with.
func (a *slugArg) resolve() (err error) {
	_, last := instance.LastServer(a.Data)
	a.Slug, err = user.SlugAt(a.Slug, last, os.Getenv("VITRINE_PUBLIC_URL"))
	return err
}

// optionalLink is a link, or all links.
type optionalLink struct {
	slugArg
	All bool
}

// AddFlags adds the argument and the flags to a command.
func (a *optionalLink) AddFlags(cmd *command.Command) {
	cmd.Check(func() error {
		if (a.Slug == "") != a.All {
			return errors.New("name a link, or use --all")
		}
		return nil
	})
	cmd.Bool(&a.All, "all", "All links.")
	cmd.Take(&a.slugArg)
	cmd.Arguments[0].OrNone()
}

// linkRow is the output for a link.
type linkRow struct {
	Slug      vitrine.Slug      `json:"slug"`
	Title     string            `json:"title"`
	Name      string            `json:"name"`
	Kind      string            `json:"kind"`
	SizeBytes int64             `json:"size_bytes"`
	Account   string            `json:"account"`
	Status    vitrine.LinkState `json:"status"`
	Reason    string            `json:"reason,omitempty"`
	Detail    string            `json:"detail,omitempty"`
	CreatedAt string            `json:"created_at"`
	SHA256    string            `json:"sha256,omitempty"`
	DeletedAt string            `json:"deletedAt,omitempty"`
	versionOf
}

func (a slugArg) show(ctx context.Context, t *terminal.Terminal, in *instance.Instance, l *vitrine.Link) error {
	owner, err := ownerOf(ctx, in, l)
	if err != nil {
		return err
	}
	row := linkRowOf(l, owner)
	if row.versionOf, err = versionOfLink(ctx, in, l); err != nil {
		return err
	}
	if a.JSON {
		return t.JSON(row)
	}
	return t.Table(linkColumns, [][]string{row.cells(t, l, owner)})
}

// ownerOf returns the account of a link.
func ownerOf(ctx context.Context, in *instance.Instance, l *vitrine.Link) (*vitrine.Account, error) {
	return vitrine.Read(ctx, in.Store, func(tx vitrine.Tx) (*vitrine.Account, error) { return tx.Account(l.Account) })
}

func linkRowOf(l *vitrine.Link, owner *vitrine.Account) linkRow {
	return linkRow{l.Slug, l.Title, l.Name, string(l.Kind), l.Size, owner.Email, l.State, l.Reason, l.Detail,
		terminal.Stamp(l.CreatedAt), l.SHA256, terminal.Stamp(l.DeletedAt), versionOf{}}
}

// linkColumns are the headers of a table of links.
var linkColumns = []string{"SLUG", "STATUS", "KIND", "SIZE", "CREATED", "ACCOUNT", "TITLE"}

// state returns the status of a link with its reason, and that of its account
// if that is not active.
func (r linkRow) state(owner *vitrine.Account) string {
	status := string(r.Status)
	if r.Reason != "" {
		status += " (" + terminal.Why(r.Reason, r.Detail) + ")"
	}
	switch {
	case !owner.ClosedAt.IsZero():
		status += ", account closed"
	case owner.Banned:
		status += ", account suspended"
	}
	return status
}

// cells returns the row of a link in a table.
func (r linkRow) cells(t *terminal.Terminal, l *vitrine.Link, owner *vitrine.Account) []string {
	return []string{string(r.Slug), r.state(owner), r.Kind, t.Size(r.SizeBytes), t.When(l.CreatedAt), r.Account,
		r.titled(l)}
}

type linkRescanCmd struct {
	optionalLink
}

func newLinkRescan() *command.Command {
	c := new(linkRescanCmd)
	cmd := onInstance("rescan", "Scan a link for malware again, or all links, after changing the scanner.", &c.Places, c.Run)
	cmd.Examples("admin link rescan q3-report",
		"admin link rescan --all")
	cmd.Take(&c.optionalLink)
	return cmd
}

func (c *linkRescanCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	n, err := in.Scans.MarkForScan(ctx, c.Slug)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return t.JSON(map[string]int{"links": n})
	}
	t.Say("If a scanner is configured, the server scans %s again within minutes, one after the other.",
		terminal.Counted(int64(n), "link"))
	return nil
}

type linkPreviewCmd struct {
	optionalLink
}

func newLinkPreview() *command.Command {
	c := new(linkPreviewCmd)
	cmd := onInstance("preview", "Rebuild the preview of a link, or of all links, for example after installing LibreOffice.", &c.Places, c.Run)
	cmd.Examples("admin link preview q3-report",
		"admin link preview --all")
	cmd.Take(&c.optionalLink)
	return cmd
}

func (c *linkPreviewCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	n, err := in.Previews.Renew(ctx, c.Slug)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return t.JSON(map[string]int{"previews": n})
	}
	t.Say("The server rebuilds %s, one after the other.", terminal.Counted(int64(n), "preview"))
	return nil
}

type linkDeleteCmd struct {
	slugArg
	Yes bool
}

func newLinkDelete() *command.Command {
	c := new(linkDeleteCmd)
	cmd := command.New("delete", "Delete a link, its file and its analytics permanently.", c.Run)
	cmd.SuggestFor = []string{"remove", "rm"}
	cmd.Examples("admin link delete q3-report")
	cmd.Take(&c.slugArg)
	cmd.Confirm(&c.Yes)
	return cmd
}

// Run deletes a link. It asks for confirmation, as rm does, because a delete
// cannot be undone.
func (c *linkDeleteCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if !c.Yes && !t.InTTY {
		return terminal.Usage("link delete deletes permanently. There is no terminal to ask on: add --yes")
	}
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		l, err := in.Links.BySlug(ctx, c.Slug)
		if err != nil {
			return err
		}
		owner, err := ownerOf(ctx, in, l)
		if err != nil {
			return err
		}
		if !c.Yes && !t.Agreed(bufio.NewReader(t.In), "Delete %q (%s), its file and its numbers permanently?",
			terminal.Plain(l.Title), terminal.Plain(c.Slug)) {
			return terminal.ErrDeclined
		}
		if err := in.Links.Delete(ctx, c.Slug, vitrine.Decision{By: vitrine.Administrator}); err != nil {
			return err
		}
		if c.JSON {
			l, err := vitrine.Read(ctx, in.Store, func(tx vitrine.Tx) (*vitrine.Link, error) { return tx.Link(l.ID) })
			if err != nil {
				return err
			}
			return t.JSON(linkRowOf(l, owner))
		}
		t.Say("The link %s is deleted.", terminal.Plain(c.Slug))
		return nil
	})
}
