package command

import (
	"slices"

	"github.com/spf13/cobra"
)

// Words completes fixed values.
func Words(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// Files completes paths of files and directories.
func Files(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// Complete sets how shells complete the value.
func (f *Flag) Complete(with cobra.CompletionFunc) *Flag {
	f.complete = with
	return f
}

// Complete sets how shells complete the argument.
func (a *Argument) Complete(with cobra.CompletionFunc) *Argument {
	a.complete = with
	return a
}

// completing reports whether a shell asks for completions.
func completing(args []string) bool {
	asks := []string{cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	return len(args) > 0 && slices.Contains(asks, args[0])
}

// prepareCompletion tells cobra how values are completed. It keeps these
// functions as long as the process runs, so it is told only if it needs them.
func (c *Command) prepareCompletion() {
	c.Walk(func(leaf *Command) {
		for _, f := range leaf.Options {
			_ = leaf.RegisterFlagCompletionFunc(f.Name, f.complete) // each has one
		}
		leaf.ValidArgsFunction = leaf.completeArgument
	})
}

// completeArgument completes an argument by its position.
func (c *Command) completeArgument(cc *cobra.Command, args []string,
	typed string) ([]string, cobra.ShellCompDirective) {
	n := len(c.Arguments)
	switch {
	case len(args) < n:
		return c.Arguments[len(args)].complete(cc, args, typed)
	case n > 0 && c.Arguments[n-1].Many:
		return c.Arguments[n-1].complete(cc, args, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
