// Package operator implements the commands that manage the accounts, keys and
// links of an instance, in its data directory.
package operator

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/command"
	"vitrine/internal/datadir"
	"vitrine/internal/instance"
	"vitrine/internal/limits"
	"vitrine/internal/password"
	"vitrine/internal/remote"
	"vitrine/internal/terminal"

	"github.com/alecthomas/kong"
)

type AccountCmd struct {
	Create accountCreateCmd `cmd:"" help:"Create an account and print its first API key. It is shown once."`
	Plan   accountPlanCmd   `cmd:"" help:"Change an account's plan and limits, from its next request on."`
	List   accountListCmd   `cmd:"" help:"List accounts, oldest first."`
	Ban    accountBanCmd    `cmd:"" name:"suspend" aliases:"ban" help:"Suspend an account: revoke its sessions, refuse its keys and disable its links."`
	Unban  accountUnbanCmd  `cmd:"" name:"unsuspend" aliases:"unban" help:"Lift a suspension and restore the links."`
	Role   accountRoleCmd   `cmd:"" help:"Change an account's role."`
	Delete accountDeleteCmd `cmd:"" aliases:"close" help:"Delete an account with its links, files and numbers permanently."`
	SignIn accountSignInCmd `cmd:"" name:"sign-in" help:"Print a one-time sign-in link."`
	Reset  accountResetCmd  `cmd:"" help:"Print a one-time link to choose a new password."`
	Invite accountInviteCmd `cmd:"" help:"Print a one-time invitation link."`
}

type emailArg struct {
	Email string `arg:"" help:"E-mail address of the account."`
}

// AfterApply refuses what is not an address.
func (e *emailArg) AfterApply() error {
	if _, err := vitrine.NormalEmail(e.Email); err != nil {
		return fmt.Errorf("%q is not an e-mail address", e.Email)
	}
	return nil
}

type accountCreateCmd struct {
	Email string `arg:"" optional:"" help:"E-mail address of the account."`
	From  string `help:"Create an account for each line of a file, - for standard input: JSON with email, plan, and optionally role (member, moderator) and password. The first account of an instance is the owner: its line has the role owner or none. Prints the address and API key of each. Existing accounts are not changed." placeholder:"FILE"`
	instance.Places
	terminal.JSONFlag
	Plan          string `help:"Plan: free (limited access), pro or lifetime (full access). Required for each account after the first, which is the owner, with lifetime." default:"" placeholder:"PLAN" enum:",free,pro,lifetime"`
	named         bool   // --data or another place was named
	PasswordStdin bool   `help:"Read a password for the website from standard input, one line. Without it one is chosen with \"account reset\"."`
}

func (c *accountCreateCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	password, err := c.check(t.In) // before it creates a data directory
	if err != nil {
		return err
	}
	made, err := c.IsNew(ctx)
	if err != nil {
		return err
	}
	if made && !c.named {
		return &terminal.AdvisedError{Err: fmt.Errorf("there is no Vitrine instance in %s", c.Data), Lines: []string{
			"If there is one elsewhere, name its directory with --data or VITRINE_DATA.",
			fmt.Sprintf("To create a new instance in this directory: %s account create %s --data %s",
				terminal.Self(), terminal.ShellWord(c.Email), terminal.ShellWord(c.Data))}}
	}
	in, err := instance.Create(ctx, c.Places, "")
	if err != nil {
		return err
	}
	defer in.Close()
	if err := in.ReserveIDs(ctx, func(w string) { t.Say("Warning: %s.", w) }); err != nil {
		return err
	}
	if made {
		t.Tell("This is a new instance, in %s.", terminal.Plain(instance.Redacted(cmp.Or(c.Database, c.Data))))
	}
	if c.From != "" {
		return c.createFrom(ctx, t, in)
	}
	a, key, err := in.Accounts.Create(ctx, c.Email, vitrine.Plan(c.Plan))
	if err == nil && c.PasswordStdin {
		err = in.Accounts.SetPassword(ctx, a.Email, password)
	}
	if err != nil {
		return c.existingHint(err)
	}
	unprinted := func(err error) error {
		return terminal.Unprinted(err, "the account "+a.Email+" is created, but its API key",
			fmt.Sprintf("To create another key: %s key create %s%s", terminal.Self(), terminal.ShellWord(a.Email),
				terminal.DataFlag(c.Data)))
	}
	if c.JSON {
		return unprinted(t.JSON(struct {
			Email  string       `json:"email"`
			Plan   vitrine.Plan `json:"plan"`
			APIKey string       `json:"apiKey"`
		}{a.Email, a.Plan, string(key)}))
	}
	t.Say("Account %s, role %s, plan %s (%s). Its API key, shown only once:", terminal.Plain(a.Email),
		roleName(a.Role), a.Plan, map[bool]string{true: "full access", false: "limited access"}[a.Plan.Pro()])
	return unprinted(showKey(t, c.Data, key))
}

// AfterApply notes whether the command names a place: only then it creates an
// instance.
func (c *accountCreateCmd) AfterApply(k *kong.Context) error {
	c.named = c.Database != "" || command.Given(k, "data")
	return nil
}

// check validates the arguments and returns the chosen password, if one is
// requested.
func (c *accountCreateCmd) check(in io.Reader) (chosen string, err error) {
	switch {
	case c.From != "" && (c.Email != "" || c.PasswordStdin):
		return "", terminal.Usage("--from reads addresses and passwords from the file; do not give them as arguments")
	case c.From == "-":
		return "", nil
	case c.From != "":
		if _, err = os.Stat(c.From); err != nil {
			err = fmt.Errorf("%s: %w", c.From, terminal.Bare(err))
		}
		return "", err
	case c.Email == "":
		return "", terminal.Usage("name an e-mail address, or a file with --from")
	}
	if _, err = vitrine.NormalEmail(c.Email); err != nil {
		return "", terminal.Usage(fmt.Sprintf("%q is not an e-mail address", c.Email))
	}
	if c.PasswordStdin {
		chosen, err = readPassword(in, c.Email)
	}
	return chosen, err
}

// readPassword reads a password from the first line of the input.
func readPassword(in io.Reader, email string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return password.Parse(strings.TrimRight(line, "\r\n"), email)
}

// existingHint adds a hint to the error for an existing account: create a key
// for it.
func (c *accountCreateCmd) existingHint(err error) error {
	var e *vitrine.Error
	if !errors.As(err, &e) || e.Code != vitrine.CodeInvalidRequest {
		return err
	}
	switch e.Field {
	case "email":
		return &terminal.AdvisedError{Err: errors.New(e.Message), Lines: []string{
			fmt.Sprintf("To create a key for that account: %s key create %s%s", terminal.Self(),
				terminal.ShellWord(c.Email), terminal.DataFlag(c.Data))}}
	case "plan":
		return &terminal.AdvisedError{Err: err, Lines: []string{
			fmt.Sprintf("To create a key for that account: %s key create EMAIL%s (or %s login)", terminal.Self(),
				terminal.DataFlag(c.Data), terminal.Self()),
			fmt.Sprintf("To create another account: %s account create %s%s --plan pro (full access) or --plan free (limited access)",
				terminal.Self(), terminal.ShellWord(c.Email), terminal.DataFlag(c.Data))}}
	}
	return err
}

// showKey prints a new key, alone on standard output. On a terminal it also
// prints how to use it.
func showKey(t *terminal.Terminal, dir string, key vitrine.KeyText) error {
	if t.OutTTY {
		t.Say("")
	}
	if _, err := t.Out.Write([]byte(string(key) + "\n")); err != nil {
		return err
	}
	if t.OutTTY && t.ErrTTY {
		_, address := datadir.LastServer(dir)
		t.Say("\nWith the server running, publish a file:\n\n%s",
			putHint(cmp.Or(address, remote.DefaultURL), string(key)))
	}
	return nil
}

type accountPlanCmd struct {
	emailArg
	Plan  string        `arg:"" help:"Plan: free (limited access), pro or lifetime (full access)." enum:"free,pro,lifetime"`
	Limit limits.Bounds `help:"Override the plan's limits: links=N,file=SIZE,storage=SIZE,uploads=N (an hour),versions=N (earlier files of a link). 0: no limit. Limits that are not named are those of the plan. Without it, all limits are those of the plan." placeholder:"LIMITS"`
	noteFlag
	instance.Places
	terminal.JSONFlag
	limits.PlanFlags
}

func (c *accountPlanCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		plan := vitrine.Plan(c.Plan)
		var own *vitrine.Limits
		if c.Limit.Named != nil {
			l := c.Limit.Over(c.Plans()[plan])
			own = &l
		}
		a, err := in.Accounts.SetPlan(ctx, c.Email, plan, own, c.decision())
		if err != nil {
			return err
		}
		what := "has the plan " + c.Plan
		if a.Limits != nil {
			what += ", with its own limits: " + limits.Format(*a.Limits)
		}
		return showAccount(t, c.JSONFlag, a, what)
	})
}

type accountListCmd struct {
	Role   string `once:"" help:"Only those with a role: moderator or owner." enum:",moderator,owner" default:"" placeholder:"ROLE"`
	Banned bool   `name:"suspended" aliases:"banned" help:"Only those that are suspended."`
	instance.Places
	terminal.JSONFlag
}

func (*accountListCmd) Help() string {
	return `On a terminal, a table. Otherwise a line for each account, its columns separated by tabs: address, plan,
role, state, creation time, number of links, bytes of all files. A website counts as one link.`
}

func (c *accountListCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		accounts, err := in.Accounts.People(ctx, vitrine.AccountQuery{Role: vitrine.Role(c.Role), Banned: c.Banned})
		if err != nil {
			return err
		}
		var rows [][]string
		for _, a := range accounts {
			if c.JSON {
				row := usedRow{rowOf(a.Account), a.Links, a.Bytes}
				if err := t.JSON(row); err != nil {
					return err
				}
				continue
			}
			state := "active"
			if a.Banned {
				state = "suspended"
			}
			rows = append(rows, []string{a.Email, string(a.Plan), roleName(a.Role), state, t.When(a.CreatedAt),
				strconv.FormatInt(a.Links, 10), t.Size(a.Bytes)})
		}
		if c.JSON {
			return nil
		}
		return t.Table([]string{"ACCOUNT", "PLAN", "ROLE", "STATE", "CREATED", "LINKS", "STORAGE"}, rows)
	})
}

// usedRow is the output for an account with what it uses. A website or link
// counts once; the bytes include those of earlier versions.
type usedRow struct {
	accountRow
	Links        int64 `json:"links"`
	StorageBytes int64 `json:"storageBytes"`
}

// accountRow is the output for an account.
type accountRow struct {
	Email     string       `json:"email"`
	Plan      vitrine.Plan `json:"plan"`
	Limits    *limitsRow   `json:"limits"` // limits of this account; null means those of the plan
	Role      string       `json:"role"`
	Suspended bool         `json:"suspended"`
	CreatedAt string       `json:"createdAt"`
}

// limitsRow is the output for limits; 0 means none.
type limitsRow struct {
	Links         int64 `json:"links"`
	FileBytes     int64 `json:"fileBytes"`
	StorageBytes  int64 `json:"storageBytes"`
	HourlyUploads int64 `json:"hourlyUploads"`
	Versions      int64 `json:"versions"`
}

func rowOf(a *vitrine.Account) accountRow {
	row := accountRow{Email: a.Email, Plan: a.Plan, Role: roleName(a.Role), Suspended: a.Banned,
		CreatedAt: terminal.Stamp(a.CreatedAt)}
	if l := a.Limits; l != nil {
		row.Limits = &limitsRow{l.Links, l.FileBytes, l.StorageBytes, l.HourlyUploads, l.Versions}
	}
	return row
}

// showAccount prints the state of an account.
func showAccount(t *terminal.Terminal, f terminal.JSONFlag, a *vitrine.Account, what string) error {
	if f.JSON {
		return t.JSON(rowOf(a))
	}
	t.Say("%s %s.", terminal.Plain(a.Email), what)
	return nil
}

// noteFlag is the operator's note for the history.
type noteFlag struct {
	Note string `help:"Why, for the history." placeholder:"TEXT"`
}

func (f noteFlag) decision() vitrine.Decision {
	return vitrine.Decision{By: vitrine.Operator, Note: f.Note}
}

type accountBanCmd struct {
	emailArg
	noteFlag
	yesFlag
	instance.Places
	terminal.JSONFlag
}

func (c *accountBanCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		a, err := in.Accounts.ByEmail(ctx, c.Email)
		if err != nil {
			return err
		}
		if a.Banned {
			return showAccount(t, c.JSONFlag, a, "is already suspended")
		}
		if ok, err := c.lastOwner(ctx, t, in, c.Email, "suspended", "account unsuspend %s"); err != nil || !ok {
			return err
		}
		if a, err = in.Accounts.SetBanned(ctx, c.Email, true, c.decision()); err != nil {
			return err
		}
		return showAccount(t, c.JSONFlag, a, "is suspended")
	})
}

type accountUnbanCmd struct {
	emailArg
	noteFlag
	instance.Places
	terminal.JSONFlag
}

func (c *accountUnbanCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
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
	})
}

type accountRoleCmd struct {
	emailArg
	Role string `arg:"" help:"Role: member, moderator or owner (a moderator that no moderator can suspend)." enum:"member,moderator,owner"`
	noteFlag
	yesFlag
	instance.Places
	terminal.JSONFlag
}

func (c *accountRoleCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		role := vitrine.Role(c.Role)
		if c.Role == "member" {
			role = vitrine.RoleMember
		}
		if role != vitrine.RoleOwner {
			ok, err := c.lastOwner(ctx, t, in, c.Email, "demoted", "account role %s owner")
			if err != nil || !ok {
				return err
			}
		}
		a, err := in.Accounts.SetRole(ctx, c.Email, role, c.decision())
		if err != nil {
			return err
		}
		return showAccount(t, c.JSONFlag, a, "has the role "+c.Role)
	})
}

// yesFlag skips a question.
type yesFlag struct {
	Yes bool `short:"y" help:"Do not ask before the only owner is changed. Required for that without a terminal."`
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
	undo = fmt.Sprintf(undo, terminal.ShellWord(email)) + terminal.DataFlag(in.Places.Data)
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

// humanMinutes returns a duration in whole minutes for a sentence.
func humanMinutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d/time.Minute)) }

// putHint returns the command that publishes a file.
func putHint(public, key string) string {
	return fmt.Sprintf("  export VITRINE_SERVER=%s VITRINE_API_KEY=%s\n  %s put FILE\n", terminal.ShellWord(public),
		key,
		terminal.Self())
}
