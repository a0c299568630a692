package user

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/terminal"
)

// forEach calls do for each argument of a command, which prints its result. It
// continues after an error, unless the command fails for the others too.
// failed prints an argument with an error for programs; if it cannot, the
// command ends. Messages name the arguments that have failed, by shown, and
// those that were not tried. what is the end of a message such as "1 of 2 files
// failed".
func forEach(ctx context.Context, t *terminal.Terminal, args []string, what string, do func(arg string) error,
	failed func(arg string, err error) error, shown func(arg string) string) error {
	var errs []error
	for i, arg := range args {
		err := do(arg)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return err
		}
		named := &terminal.NamedError{Name: shown(arg), Err: err}
		errs = append(errs, named)
		unprinted := failed(arg, err)
		if left := args[i+1:]; len(left) > 0 && (unprinted != nil || hopeless(err)) {
			for _, arg := range left {
				if unprinted == nil {
					unprinted = failed(arg, terminal.ErrNotTried)
				}
			}
			return &terminal.AdvisedError{Err: named, Lines: []string{"Not tried: " + strings.Join(left, ", ")}}
		}
		if len(args) > 1 {
			t.Tell("vitrine: %s", terminal.Plain(t.Sentence(named)))
		}
	}
	switch {
	case len(errs) == 0:
		return nil
	case len(args) == 1:
		return errs[0]
	}
	return terminal.Failures(fmt.Sprintf("%d of %d %s", len(errs), len(args), what), errs)
}

// hopeless reports whether a command fails for its other arguments too: the
// server cannot be reached or refuses the key, or a limit on links or on
// uploads in an hour is reached.
func hopeless(err error) bool {
	var e *client.Error
	if errors.As(err, &e) && (e.Code == string(vitrine.CodeRateLimited) || e.Code == string(vitrine.CodeLinkLimit)) {
		return true
	}
	return client.Unreachable(err) || terminal.ExitCode(err) == terminal.ExitAccess
}

// failure is the JSON output for an argument that failed.
type failure struct {
	Error      string   `json:"error,omitempty"`
	Code       string   `json:"code,omitempty"`
	Limit      int64    `json:"limit,omitempty"` // of the plan, in links or bytes
	Used       int64    `json:"used,omitempty"`  // of the limit
	UpgradeURL string   `json:"upgradeUrl,omitempty"`
	Advice     []string `json:"advice,omitempty"`
}

// failed returns the JSON output for an error.
func failed(t *terminal.Terminal, err error) failure {
	f := failure{Error: t.Sentence(err), Code: terminal.Code(err)}
	if terminal.ExitCode(err) != terminal.ExitUsage { // its advice is about the whole command
		f.Advice = t.Advice(err, "")
	}
	var e *client.Error
	if errors.As(err, &e) {
		f.Error, f.Limit, f.Used, f.UpgradeURL = e.Message, e.Limit, e.Used, e.UpgradeURL
	}
	return f
}
