// Package admin implements the commands that manage an instance in its data
// directory: accounts, keys and links, backups, migrations and repairs.
package admin

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
	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/cli/user"
)

// New returns the command with all commands that open the data of an instance.
func New() *command.Command {
	admin := command.NewGroup("admin", "Manage an instance, in its data directory.")
	admin.Add("Accounts, keys and links", accountCommands()...)
	admin.Add("Data", newBackup(), newRestore(), newMigrate(), newAudit(), newRepair(), newRotateSecret(), newImport(),
		newReclassify(), newCities())
	return admin
}

// accountCommands returns the commands that manage accounts, keys and links.
func accountCommands() []*command.Command {
	return []*command.Command{
		newSetup(),
		command.NewGroup("account", "Create, invite, change and suspend accounts.", newAccountCreate(), newAccountInvite(),
			newAccountList(), newAccountPlan(), newAccountRole(), newAccountSuspend(), newAccountUnsuspend(),
			newAccountReset(), newAccountSignIn(), newAccountTwoStepOff(), newAccountDelete()),
		command.NewGroup("key", "Create, list, rotate and revoke API keys of all accounts.", newKeyCreate(), newKeyList(),
			newKeyRotate(), newKeyRevoke()),
		command.NewGroup("link", "List, show, reject, disable and delete links of all accounts.", newLinkList(),
			newLinkShow(), newLinkReject(), newLinkDisable(), newLinkDelete(), newLinkRescan(), newLinkPreview()),
	}
}

// onInstance returns a command that runs on the open instance of its places.
func onInstance(name, short string, places *instance.Places,
	run func(context.Context, *terminal.Terminal, *instance.Instance) error) *command.Command {
	return command.New(name, short, func(ctx context.Context, t *terminal.Terminal) error {
		return instance.With(ctx, *places, func(in *instance.Instance) error { return run(ctx, t, in) })
	})
}

// emailArg is the account that a command is about.
type emailArg struct {
	Email string
}

// AddFlags adds the argument to a command.
func (a *emailArg) AddFlags(cmd *command.Command) {
	cmd.Arg(&a.Email, "email", "E-mail address of the account.")
	cmd.Check(func() error { return checkEmail(a.Email) })
}

// checkEmail refuses what is not an address.
func checkEmail(text string) error {
	if _, err := vitrine.NormalEmail(text); err != nil {
		return fmt.Errorf("%q is not an e-mail address", text)
	}
	return nil
}

type accountCreateCmd struct {
	Email string
	From  string
	instance.Places
	command.JSONFlag
	Plan          string
	named         bool // --data or another place was named
	PasswordStdin bool
}

func newAccountCreate() *command.Command {
	c := new(accountCreateCmd)
	cmd := command.New("create", "Create an account and print its first API key. It is shown once.", c.Run)
	cmd.SuggestFor = []string{"add", "new"}
	cmd.Examples("admin account create ada@example.org",
		"admin account create ada@example.org --plan pro --json | jq -r .apiKey",
		"admin account create --from people.ndjson")
	cmd.Check(func() error {
		c.named = c.Database != "" || cmd.Given("data")
		return nil
	})
	cmd.Arg(&c.Email, "email", "E-mail address of the account.").OrNone()
	cmd.String(&c.From, "from", "FILE", "Create an account for each line of a file, - for standard input: JSON with email, plan, and optionally role (member, moderator) and password. The first account of an instance is the owner: its line has the role owner or none. Prints the address and API key of each. Existing accounts are not changed.")
	cmd.Take(&c.Places)
	cmd.Choice(&c.Plan, "plan", "PLAN", "Plan: free (limited access), pro or lifetime (full access). Required for each account after the first, which is the owner, with lifetime.", "free", "pro", "lifetime")
	cmd.Bool(&c.PasswordStdin, "password-stdin", "Read a password for the website from standard input, one line. Without it one is chosen with \"admin account reset\".")
	cmd.Take(&c.JSONFlag)
	return cmd
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
			fmt.Sprintf("To create a new instance in this directory: %s admin account create %s --data %s",
				terminal.Self(), notation.ShellWord(c.Email), notation.ShellWord(c.Data))}}
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
			fmt.Sprintf("To create another key: %s admin key create %s%s", terminal.Self(), notation.ShellWord(a.Email),
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
			fmt.Sprintf("To create a key for that account: %s admin key create %s%s", terminal.Self(),
				notation.ShellWord(c.Email), terminal.DataFlag(c.Data))}}
	case "plan":
		return &terminal.AdvisedError{Err: err, Lines: []string{
			fmt.Sprintf("To create a key for that account: %s admin key create EMAIL%s (or %s login)", terminal.Self(),
				terminal.DataFlag(c.Data), terminal.Self()),
			fmt.Sprintf("To create another account: %s admin account create %s%s --plan pro (full access) or --plan free (limited access)",
				terminal.Self(), notation.ShellWord(c.Email), terminal.DataFlag(c.Data))}}
	}
	return err
}

// showKey prints a new key, alone on standard output. On a terminal it also
// prints how to use it.
func showKey(t *terminal.Terminal, dir string, key auth.KeyText) error {
	if t.OutTTY {
		t.Say("")
	}
	if _, err := t.Out.Write([]byte(string(key) + "\n")); err != nil {
		return err
	}
	if t.OutTTY && t.ErrTTY {
		_, address := instance.LastServer(dir)
		t.Say("\nWith the server running, publish a file:\n\n%s",
			putHint(cmp.Or(address, user.DefaultURL), string(key)))
	}
	return nil
}

type accountPlanCmd struct {
	emailArg
	Plan  string
	Limit Bounds
	noteFlag
	instance.Places
	command.JSONFlag
	PlanFlags
}

func newAccountPlan() *command.Command {
	c := new(accountPlanCmd)
	cmd := onInstance("plan", "Change an account's plan and limits, from its next request on.", &c.Places, c.Run)
	cmd.Examples("admin account plan ada@example.org pro",
		"admin account plan ada@example.org free --limit links=50,storage=2GB")
	cmd.Take(&c.emailArg)
	cmd.ChoiceArg(&c.Plan, "plan", "Plan: free (limited access), pro or lifetime (full access).", "free", "pro", "lifetime")
	cmd.Text(&c.Limit, "limit", "LIMITS", "", "Override the plan's limits: links=N,file=SIZE,storage=SIZE,uploads=N (an hour),versions=N (earlier files of a link),recipients=N (of a link). 0: no limit. Limits that are not named are those of the plan. Without it, all limits are those of the plan.")
	cmd.Take(&c.Places, &c.PlanFlags, &c.noteFlag, &c.JSONFlag)
	return cmd
}

func (c *accountPlanCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
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
		what += ", with its own limits: " + Format(*a.Limits)
	}
	return showAccount(t, c.JSONFlag, a, what)
}

type accountListCmd struct {
	Role   string
	Banned bool
	instance.Places
	command.JSONFlag
}

func newAccountList() *command.Command {
	c := new(accountListCmd)
	cmd := onInstance("list", "List accounts, oldest first.", &c.Places, c.Run)
	cmd.Long = `On a terminal, a table. Otherwise a line for each account, its columns separated by tabs: address, plan,
role, state, creation time, number of links, bytes of all files. A website counts as one link.`
	cmd.Examples("admin account list",
		"admin account list --role owner",
		"admin account list --suspended --json")
	cmd.Choice(&c.Role, "role", "ROLE", "Only those with a role: moderator or owner.", "moderator", "owner").Once()
	cmd.Bool(&c.Banned, "suspended", "Only those that are suspended.")
	cmd.Take(&c.Places, &c.JSONFlag)
	return cmd
}

func (c *accountListCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	accounts, err := in.Accounts.People(ctx, vitrine.AccountQuery{Role: vitrine.Role(c.Role), Banned: c.Banned})
	if err != nil {
		return err
	}
	header := []string{"ACCOUNT", "PLAN", "ROLE", "STATE", "CREATED", "LINKS", "STORAGE"}
	return command.List(t, c.JSONFlag, "No accounts.", header, accounts,
		func(a auth.AccountUsage) any { return usedRow{rowOf(a.Account), a.Links, a.Bytes} },
		func(a auth.AccountUsage) []string {
			state := "active"
			if a.Banned {
				state = "suspended"
			}
			return []string{a.Email, string(a.Plan), roleName(a.Role), state, t.When(a.CreatedAt),
				strconv.FormatInt(a.Links, 10), t.Size(a.Bytes)}
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
	Recipients    int64 `json:"recipients"`
}

func rowOf(a *vitrine.Account) accountRow {
	row := accountRow{Email: a.Email, Plan: a.Plan, Role: roleName(a.Role), Suspended: a.Banned,
		CreatedAt: terminal.Stamp(a.CreatedAt)}
	if l := a.Limits; l != nil {
		row.Limits = &limitsRow{l.Links, l.FileBytes, l.StorageBytes, l.HourlyUploads, l.Versions, l.Recipients}
	}
	return row
}

// showAccount prints the state of an account.
func showAccount(t *terminal.Terminal, f command.JSONFlag, a *vitrine.Account, what string) error {
	if f.JSON {
		return t.JSON(rowOf(a))
	}
	t.Say("%s %s.", terminal.Plain(a.Email), what)
	return nil
}

// noteFlag is the administrator's note for the history.
type noteFlag struct {
	Note string
}

// AddFlags adds the flag to a command.
func (f *noteFlag) AddFlags(cmd *command.Command) {
	cmd.String(&f.Note, "note", "TEXT", "Why, for the history.")
}

func (f noteFlag) decision() vitrine.Decision {
	return vitrine.Decision{By: vitrine.Administrator, Note: f.Note}
}

// humanMinutes returns a duration in whole minutes for a sentence.
func humanMinutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d/time.Minute)) }

// putHint returns the command that publishes a file.
func putHint(public, key string) string {
	return fmt.Sprintf("  export VITRINE_SERVER=%s VITRINE_API_KEY=%s\n  %s put FILE\n", notation.ShellWord(public),
		key, terminal.Self())
}
