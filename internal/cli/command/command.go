// Package command is the command line of the program, on cobra: commands with
// their arguments and flags, help, completion, and messages about wrong input.
package command

import (
	"context"
	"io"
	"strings"

	"vitrine/internal/cli/terminal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Program is the name of the program, the first word of each command.
const Program = "vitrine"

// Command is a command of the program, or a group of commands.
type Command struct {
	*cobra.Command
	Arguments []*Argument
	Options   []*Flag // without those that all commands have
	Children  []*Command

	run    func(context.Context, *terminal.Terminal) error // nil for a group
	checks []func() error
	begins []func(*terminal.Terminal)
	parent *Command
	title  string // of the flags that are added next
	parsed bool
	lists  bool
}

// listNames are the two names of each command that lists something: one takes
// the other's name, too.
var listNames = [][2]string{{"ls", "list"}, {"list", "ls"}}

// Lists makes a command without arguments one that lists something: "trash ls"
// and "trash list" are "trash".
func (c *Command) Lists() { c.lists = true }

// New returns a command. run runs it, after its arguments and flags are set.
func New(name, short string, run func(context.Context, *terminal.Terminal) error) *Command {
	c := &Command{run: run}
	c.Command = &cobra.Command{Use: name, Short: short, Args: c.setArguments, RunE: c.ready}
	c.Flags().SortFlags = false
	return c
}

// NewGroup returns a command that has others below it. Alone, it prints help.
func NewGroup(name, short string, children ...*Command) *Command {
	c := &Command{}
	c.Command = &cobra.Command{Use: name, Short: short, Args: c.noCommand,
		RunE: func(*cobra.Command, []string) error { return pflag.ErrHelp }}
	c.Add("Commands", children...)
	return c
}

// NewProgram returns the command with all others below it. long is the text of
// its help, and version its answer to --version.
func NewProgram(short, long, version string) *Command {
	c := NewGroup(Program, short)
	c.Long, c.Version = long, version
	c.SetVersionTemplate(Program + " {{.Version}}\n")
	c.SilenceErrors, c.SilenceUsage = true, true
	c.CompletionOptions.DisableDefaultCmd = true
	c.PersistentFlags().BoolP("help", "h", false, "Show this help.")
	c.PersistentFlags().BoolP("quiet", "q", false, "Print only results and errors.")
	c.SetFlagErrorFunc(func(cc *cobra.Command, err error) error { return c.find(cc).wrongFlag(err) })
	c.SetHelpFunc(func(cc *cobra.Command, _ []string) { c.find(cc).printHelp(cc.OutOrStdout()) })
	c.SetHelpCommand(c.helpCommand())
	return c
}

// Add adds commands below a group. Help lists them below a title.
func (c *Command) Add(title string, children ...*Command) {
	for _, child := range children {
		if !c.ContainsGroup(title) {
			c.AddGroup(&cobra.Group{ID: title, Title: title})
		}
		child.GroupID = title
		for _, names := range listNames {
			if child.Name() == names[0] {
				child.Aliases = append(child.Aliases, names[1])
			}
		}
		child.parent = c
		c.AddCommand(child.Command)
		c.Children = append(c.Children, child)
	}
}

// Examples sets the examples of the help: command lines without the name of the
// program.
func (c *Command) Examples(lines ...string) {
	c.Example = "  " + Program + " " + strings.Join(lines, "\n  "+Program+" ")
}

// Check adds a function that checks the arguments and flags together. Its error
// is one of usage.
func (c *Command) Check(check func() error) { c.checks = append(c.checks, check) }

// FullName returns the words of a command, without the name of the program.
func (c *Command) FullName() string {
	return strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), Program), " ")
}

// Walk calls do for all commands that are not groups, in the order of the help.
func (c *Command) Walk(do func(*Command)) {
	if c.run != nil {
		do(c)
	}
	for _, child := range c.Children {
		child.Walk(do)
	}
}

// find returns the command of one of cobra, or the program if it is not ours.
func (c *Command) find(wanted *cobra.Command) *Command {
	if c.Command == wanted {
		return c
	}
	for _, child := range c.Children {
		if found := child.find(wanted); found.Command == wanted {
			return found
		}
	}
	return c
}

// Parse parses the arguments of the program and sets those of the command that
// they name. It returns nil if it has printed help, the version or completions
// to out.
func (c *Command) Parse(args []string, out io.Writer) (*Command, error) {
	c.SetOut(out)
	c.SetErr(io.Discard) // errors are returned
	if completing(args) {
		c.prepareCompletion()
	}
	c.SetArgs(args)
	selected, err := c.ExecuteC()
	if err != nil {
		return nil, err
	}
	if chosen := c.find(selected); chosen.parsed {
		return chosen, nil
	}
	return nil, nil
}

// ready reads the variables of the environment and checks the input.
func (c *Command) ready(*cobra.Command, []string) error {
	if err := c.readVariables(); err != nil {
		return err
	}
	for _, check := range c.checks {
		if err := check(); err != nil {
			return &wrong{err.Error(), c}
		}
	}
	c.parsed = true
	return nil
}

// Begin adds a function that is called before the command runs.
func (c *Command) Begin(f func(*terminal.Terminal)) { c.begins = append(c.begins, f) }

// Do runs the command that Parse has returned.
func (c *Command) Do(ctx context.Context, t *terminal.Terminal) error {
	for _, begin := range c.begins {
		begin(t)
	}
	return c.run(ctx, t)
}

// On reports whether a switch is set.
func (c *Command) On(name string) bool {
	f := c.Flags().Lookup(name)
	return f != nil && f.Value.String() == "true"
}

// Given reports whether a flag is on the command line or in the environment,
// rather than at its default.
func (c *Command) Given(name string) bool { return c.Flags().Changed(name) }
