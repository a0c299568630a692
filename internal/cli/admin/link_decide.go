package admin

import (
	"context"
	"errors"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

// decideArg is a decision about a link.
type decideArg struct {
	slugArg
	noteFlag
}

// AddFlags adds the argument and the flags to a command.
func (a *decideArg) AddFlags(cmd *command.Command) {
	cmd.Take(&a.noteFlag, &a.slugArg)
}

type linkRejectCmd struct {
	decideArg
	Same bool
	Yes  bool
}

func newLinkReject() *command.Command {
	c := new(linkRejectCmd)
	cmd := onInstance("reject", "Reject a link that is held for review.", &c.Places, c.Run)
	cmd.Examples("admin link reject q3-report --same --note 'phishing'")
	cmd.Take(&c.decideArg)
	cmd.Bool(&c.Same, "same", "And all links with the same file, in any state and account. Asks first.")
	cmd.Bool(&c.Yes, "yes,y", "Do not ask before --same. Required without a terminal.")
	return cmd
}

func (c *linkRejectCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	if !c.Same {
		l, err := in.Links.Reject(ctx, c.Slug, c.decision())
		if err != nil {
			return err
		}
		return c.show(ctx, t, in, l)
	}
	all, err := in.Links.Rejectable(ctx, c.Slug)
	if err != nil {
		return err
	}
	accounts := map[vitrine.AccountID]bool{}
	for _, l := range all {
		accounts[l.Account] = true
	}
	sure := c.Yes || len(all) == 0
	if !sure {
		t.Tell("This disables %s of %s.", terminal.Counted(int64(len(all)), "link"),
			terminal.Counted(int64(len(accounts)), "account"))
	}
	if ok, err := t.Confirmed(sure, "Continue?"); err != nil || !ok {
		return err
	}
	links, err := in.Links.RejectSame(ctx, c.Slug, c.decision())
	for _, l := range links {
		err = errors.Join(err, c.show(ctx, t, in, l))
	}
	if err == nil && len(links) == 0 {
		t.Say("Nothing is changed: the link %s is disabled, and so is every other with the same bytes.",
			terminal.Plain(c.Slug))
	}
	return err
}

type linkDisableCmd struct {
	decideArg
}

func newLinkDisable() *command.Command {
	c := new(linkDisableCmd)
	cmd := onInstance("disable", "Disable a live link.", &c.Places, c.Run)
	cmd.Examples("admin link disable q3-report --note 'asked by a lawyer'")
	cmd.Take(&c.decideArg)
	return cmd
}

// Run disables a link. A link that a moderator could not disable, because it is
// disabled already, stays as it is.
func (c *linkDisableCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	l, err := in.Links.BySlug(ctx, c.Slug)
	if err != nil {
		return err
	}
	if l.State == vitrine.StateDisabled && !links.MayDisable(l) {
		t.Say("%s is disabled already.", terminal.Plain(c.Slug))
		return c.show(ctx, t, in, l)
	}
	if l, err = in.Links.Disable(ctx, c.Slug, c.decision()); err != nil {
		return err
	}
	return c.show(ctx, t, in, l)
}
