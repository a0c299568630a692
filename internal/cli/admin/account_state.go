package admin

import (
	"context"
	"fmt"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

type accountSuspendCmd struct {
	emailArg
	noteFlag
	yesFlag
	instance.Places
	command.JSONFlag
}

func newAccountSuspend() *command.Command {
	c := new(accountSuspendCmd)
	cmd := onInstance("suspend", "Suspend an account: revoke its sessions, refuse its keys and disable its links.", &c.Places, c.Run)
	cmd.SuggestFor = []string{"ban", "block", "disable"}
	cmd.Examples("admin account suspend mallory@example.org --note 'spam'")
	cmd.Take(&c.emailArg, &c.Places, &c.noteFlag, &c.yesFlag, &c.JSONFlag)
	return cmd
}

func (c *accountSuspendCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	a, err := in.Accounts.ByEmail(ctx, c.Email)
	if err != nil {
		return err
	}
	if a.Banned {
		return showAccount(t, c.JSONFlag, a, "is already suspended")
	}
	if ok, err := c.lastOwner(ctx, t, in, c.Email, "suspended", "admin account unsuspend %s"); err != nil || !ok {
		return err
	}
	if a, err = in.Accounts.SetBanned(ctx, c.Email, true, c.decision()); err != nil {
		return err
	}
	return showAccount(t, c.JSONFlag, a, "is suspended")
}

type accountUnsuspendCmd struct {
	emailArg
	noteFlag
	instance.Places
	command.JSONFlag
}

func newAccountUnsuspend() *command.Command {
	c := new(accountUnsuspendCmd)
	cmd := onInstance("unsuspend", "Lift a suspension and restore the links.", &c.Places, c.Run)
	cmd.SuggestFor = []string{"unban", "enable"}
	cmd.Examples("admin account unsuspend ada@example.org")
	cmd.Take(&c.emailArg, &c.Places, &c.noteFlag, &c.JSONFlag)
	return cmd
}

func (c *accountUnsuspendCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	a, err := in.Accounts.ByEmail(ctx, c.Email)
	if err != nil {
		return err
	}
	if !a.Banned {
		return showAccount(t, c.JSONFlag, a, "is already active: it is not suspended")
	}
	if a, err = in.Accounts.SetBanned(ctx, c.Email, false, c.decision()); err != nil {
		return err
	}
	return showAccount(t, c.JSONFlag, a, "is no longer suspended")
}

type accountRoleCmd struct {
	emailArg
	Role string
	noteFlag
	yesFlag
	instance.Places
	command.JSONFlag
}

func newAccountRole() *command.Command {
	c := new(accountRoleCmd)
	cmd := onInstance("role", "Change an account's role.", &c.Places, c.Run)
	cmd.Examples("admin account role ada@example.org moderator --note 'joins the team'")
	cmd.Take(&c.emailArg)
	cmd.ChoiceArg(&c.Role, "role", "Role: member, moderator or owner (a moderator that no moderator can suspend).", "member", "moderator", "owner")
	cmd.Take(&c.Places, &c.noteFlag, &c.yesFlag, &c.JSONFlag)
	return cmd
}

func (c *accountRoleCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	role := vitrine.Role(c.Role)
	if c.Role == "member" {
		role = vitrine.RoleMember
	}
	if role != vitrine.RoleOwner {
		ok, err := c.lastOwner(ctx, t, in, c.Email, "demoted", "admin account role %s owner")
		if err != nil || !ok {
			return err
		}
	}
	a, err := in.Accounts.SetRole(ctx, c.Email, role, c.decision())
	if err != nil {
		return err
	}
	return showAccount(t, c.JSONFlag, a, "has the role "+c.Role)
}

// yesFlag skips a question.
type yesFlag struct {
	Yes bool
}

// AddFlags adds the flag to a command.
func (f *yesFlag) AddFlags(cmd *command.Command) {
	cmd.Bool(&f.Yes, "yes,y", "Do not ask before the only owner is changed. Required for that without a terminal.")
}

// lastOwner asks before a change after which the instance has no owner. It
// reports whether to go on. undo is the command that undoes the change, with %s
// for the address.
func (f yesFlag) lastOwner(ctx context.Context, t *terminal.Terminal, in *instance.Instance,
	email, change, undo string) (bool, error) {
	only, err := onlyOwner(ctx, in, email)
	if err != nil || !only {
		return err == nil, err
	}
	warnOfOnlyOwner(t, email, change, f.Yes)
	undo = fmt.Sprintf(undo, notation.ShellWord(email)) + terminal.DataFlag(in.Places.Data)
	tellUnlessSure(t, f.Yes)("To undo it: %s %s", terminal.Self(), terminal.Plain(undo))
	return t.Confirmed(f.Yes, "Continue?")
}

// onlyOwner reports whether an account is the only owner of an instance who is
// not suspended.
func onlyOwner(ctx context.Context, in *instance.Instance, email string) (bool, error) {
	owners, err := in.Accounts.List(ctx, vitrine.AccountQuery{Role: vitrine.RoleOwner})
	if err != nil {
		return false, err
	}
	email, _ = vitrine.NormalEmail(email)
	is, others := false, 0
	for _, a := range owners {
		is = is || a.Email == email && !a.Banned
		if a.Email != email && !a.Banned {
			others++
		}
	}
	return is && others == 0, nil
}

// warnOfOnlyOwner tells what a change of the only owner means. If sure, there
// is no question, and --quiet hides the warning.
func warnOfOnlyOwner(t *terminal.Terminal, email, change string, sure bool) {
	tellUnlessSure(t, sure)("%s is the only owner. Once %s, nobody can manage people and plans on the website; this command line still can.",
		terminal.Plain(email), change)
}

// tellUnlessSure returns Tell for the text of a question, and Say if it is not
// asked.
func tellUnlessSure(t *terminal.Terminal, sure bool) func(string, ...any) {
	if sure {
		return t.Say
	}
	return t.Tell
}
