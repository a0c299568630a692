package admin

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type linkShowCmd struct {
	slugArg
}

func newLinkShow() *command.Command {
	c := new(linkShowCmd)
	cmd := onInstance("show", "Show a link in any state.", &c.Places, c.Run)
	cmd.Long = `On a terminal, a line for each property. Otherwise one line, its columns separated by tabs: slug, status,
kind, bytes, creation time, account, title. --json prints all properties.`
	cmd.Examples("admin link show q3-report",
		"admin link show https://share.example/p/q3-report --json")
	cmd.Take(&c.slugArg)
	return cmd
}

// shownRow is the output for a link with all its properties.
type shownRow struct {
	linkRow
	URL       string `json:"url,omitempty"` // if the address of the instance is known
	Version   int    `json:"version"`
	Download  bool   `json:"allowDownload"`
	ExpiresAt string `json:"expiresAt,omitempty"`
	Note      string `json:"note,omitempty"` // of the last decision
}

// Run shows a link.
func (c *linkShowCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	l, err := in.Links.BySlug(ctx, c.Slug)
	if err != nil {
		return err
	}
	if !c.JSON && !t.OutTTY {
		return c.show(ctx, t, in, l)
	}
	owner, err := ownerOf(ctx, in, l)
	if err != nil {
		return err
	}
	history, err := in.Moderation.OfLink(ctx, c.Slug)
	if err != nil {
		return err
	}
	row := shownRow{linkRow: linkRowOf(l, owner), Version: l.Version, Download: l.AllowDownload,
		ExpiresAt: terminal.Stamp(l.ExpiresAt)}
	if row.versionOf, err = versionOfLink(ctx, in, l); err != nil {
		return err
	}
	if l.Standalone() {
		row.URL = c.address(l.Slug)
	}
	if len(history) > 0 {
		row.Note = history[0].Note
	}
	if c.JSON {
		return t.JSON(row)
	}
	return t.Facts(row.facts(t, l, owner))
}

// address returns the address of a link, or "" if that of the instance is not
// known.
func (c *linkShowCmd) address(slug vitrine.Slug) string {
	_, last := instance.LastServer(c.Data)
	base := cmp.Or(os.Getenv("VITRINE_PUBLIC_URL"), last)
	if base == "" {
		return ""
	}
	return strings.TrimSuffix(base, "/") + "/p/" + string(slug)
}

func (r shownRow) facts(t *terminal.Terminal, l *vitrine.Link, owner *vitrine.Account) [][2]string {
	expires := "never"
	if !l.ExpiresAt.IsZero() {
		expires = t.When(l.ExpiresAt)
	}
	return [][2]string{
		{"Slug", string(r.Slug)},
		{"Title", r.Title},
		{"Version of", string(r.Of)},
		{"Website", string(r.Website)},
		{"Address", r.URL},
		{"Account", r.Account},
		{"Status", r.state(owner)},
		{"Note", r.Note},
		{"Created", t.When(l.CreatedAt)},
		{"Expires", expires},
		{"File", r.Name},
		{"Kind", r.Kind},
		{"Size", t.Size(r.SizeBytes)},
		{"Version", strconv.Itoa(r.Version)},
		{"Download", map[bool]string{true: "allowed", false: "view only"}[r.Download]},
		{"SHA-256", r.SHA256},
	}
}
