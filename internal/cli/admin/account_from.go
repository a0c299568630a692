package admin

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"vitrine"
	"vitrine/internal/app/auth/password"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"

	"github.com/go-json-experiment/json"
)

// newAccount is an input line of account create --from.
type newAccount struct {
	Email    string       `json:"email"`
	Plan     vitrine.Plan `json:"plan"`     // "" means --plan
	Role     string       `json:"role"`     // "" means member, and owner of the first account
	Password string       `json:"password"` // "" means none until "account reset"
}

// createdAccount is the result for a line.
type createdAccount struct {
	Line     int          `json:"line"`
	Email    string       `json:"email,omitempty"`
	Plan     vitrine.Plan `json:"plan,omitempty"`
	Role     string       `json:"role,omitempty"`
	APIKey   string       `json:"apiKey,omitempty"`
	Existing bool         `json:"existing,omitempty"`
	Error    string       `json:"error,omitempty"`
}

// memberRole is the name of the default role.
const memberRole = "member"

func roleName(r vitrine.Role) string {
	if r == vitrine.RoleMember {
		return memberRole
	}
	return string(r)
}

// maxLine is the maximum length of a line in bytes.
const maxLine = 64 << 10

// createFrom creates an account for each line. It reports a failed line and
// continues. Existing accounts stay unchanged, so an interrupted run can be
// repeated.
func (c *accountCreateCmd) createFrom(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	r := t.In
	if c.From != "-" {
		f, err := os.Open(c.From)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
	}
	all, err := in.Accounts.List(ctx, vitrine.AccountQuery{})
	if err != nil {
		return err
	}
	first := len(all) == 0 // the next line creates the owner
	created, existing, failed := 0, 0, 0
	err = eachLine(r, func(n int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		done := c.createLine(ctx, t, in, line, first)
		done.Line = n
		switch {
		case first && done.Error != "": // the next line must not become the owner
			return fmt.Errorf("line %d: %s", n, done.Error)
		case done.Error != "":
			failed++
		case done.Existing:
			existing++
		default:
			created++
		}
		if first {
			first = false
			t.Say("%s is the owner of this instance, with the plan %s.", terminal.Plain(done.Email), done.Plan)
		}
		return c.showLine(t, done)
	})
	switch {
	case err != nil && created+existing+failed == 0:
		return err
	case err != nil:
		return fmt.Errorf("%w; the accounts of earlier lines were created; you can run the command again", err)
	}
	t.Say("%s created, %d existed already.", terminal.Counted(int64(created), "account"), existing)
	if failed > 0 {
		return fmt.Errorf("%s failed", terminal.Counted(int64(failed), "line"))
	}
	return nil
}

// showLine prints the result for a line.
func (c *accountCreateCmd) showLine(t *terminal.Terminal, done createdAccount) error {
	switch {
	case c.JSON:
		return t.JSON(done)
	case done.Error != "":
		t.Say("line %d: %s", done.Line, terminal.Plain(done.Error))
	case done.Existing:
		t.Say("line %d: %s already has an account", done.Line, terminal.Plain(done.Email))
	default:
		_, err := fmt.Fprintf(t.Out, "%s\t%s\n", terminal.Plain(done.Email), done.APIKey)
		return err
	}
	return nil
}

// eachLine calls f for each line that is not blank, with its number from 1.
func eachLine(r io.Reader, f func(n int, line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // a byte order mark
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := f(n, line); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// noAccountError returns the message for a line that cannot be parsed.
func noAccountError(err error) string {
	wrong := new(json.SemanticError)
	if !errors.As(err, &wrong) {
		return "it is not a JSON object"
	}
	member := strings.TrimPrefix(string(wrong.JSONPointer), "/")
	if errors.Is(err, json.ErrUnknownName) {
		return fmt.Sprintf("there is no member %q: email, plan, role or password", member)
	}
	return fmt.Sprintf("the member %q must be a text", member)
}

// check returns an error for an account that cannot be created. The first
// account is the owner, with the plan lifetime: a line that names another role
// or plan must not become it.
func (a *newAccount) check(first bool) error {
	const advice = "the first account is the owner, with the plan lifetime. Put the owner first, or create it with \"vitrine admin account create EMAIL\""
	switch a.Plan {
	case vitrine.PlanFree, vitrine.PlanPro, vitrine.PlanLifetime:
	case "":
		if !first {
			return errors.New("the plan is missing: free, pro or lifetime (--plan sets it for lines without one)")
		}
	default:
		return fmt.Errorf("there is no plan %q: free, pro or lifetime", a.Plan)
	}
	switch {
	case first && a.Role == string(vitrine.RoleOwner):
	case a.Role == string(vitrine.RoleOwner):
		return errors.New("only the first account is created as owner. For another one, create it without a role, then use \"vitrine admin account role\"")
	case a.Role != "" && a.Role != memberRole && a.Role != string(vitrine.RoleModerator):
		return fmt.Errorf("there is no role %q: member or moderator", a.Role)
	case first && a.Role != "":
		return fmt.Errorf("%s would be the owner, not a %s: %s", a.Email, a.Role, advice)
	}
	if first && a.Plan != "" && a.Plan != vitrine.PlanLifetime {
		return fmt.Errorf("%s would be the owner, and not have the plan %s: %s", a.Email, a.Plan, advice)
	}
	if a.Password != "" {
		_, err := password.Parse(a.Password, a.Email)
		return err
	}
	return nil
}

// createLine creates the account for a line. first says that it is the first
// account of the instance, the owner.
func (c *accountCreateCmd) createLine(ctx context.Context, t *terminal.Terminal, in *instance.Instance,
	line []byte, first bool) createdAccount {
	var a newAccount
	if err := json.Unmarshal(line, &a, json.RejectUnknownMembers(true)); err != nil {
		return createdAccount{Error: noAccountError(err)}
	}
	done := createdAccount{Email: a.Email}
	fail := func(err error) createdAccount {
		done.Error = t.Sentence(err)
		return done
	}
	email, err := vitrine.NormalEmail(a.Email)
	if err != nil {
		return fail(err)
	}
	a.Email, done.Email = email, email
	if a.Role == string(vitrine.RoleOwner) && !first {
		if _, err := in.Accounts.ByEmail(ctx, email); err == nil { // created by an earlier run
			done.Existing = true
			return done
		}
	}
	if !first || a.Role == "" {
		a.Plan = cmp.Or(a.Plan, vitrine.Plan(c.Plan))
	}
	if err := a.check(first); err != nil {
		return fail(err)
	}
	made, key, err := in.Accounts.Create(ctx, email, a.Plan)
	if refused := new(vitrine.Error); errors.As(err, &refused) && refused.Field == "email" {
		done.Existing = true
		return done
	}
	if err != nil {
		return fail(err)
	}
	done.Plan, done.Role, done.APIKey = made.Plan, roleName(made.Role), string(key)
	if a.Password != "" {
		if err := in.Accounts.SetPassword(ctx, email, a.Password); err != nil {
			return fail(err)
		}
	}
	if a.Role == string(vitrine.RoleModerator) && made.Role == vitrine.RoleMember {
		if made, err = in.Accounts.SetRole(ctx, email, vitrine.RoleModerator,
			vitrine.Decision{By: vitrine.Administrator}); err != nil {
			return fail(err)
		}
		done.Role = roleName(made.Role)
	}
	return done
}
