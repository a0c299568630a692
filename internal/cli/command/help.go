package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"vitrine/internal/cli/terminal"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width of help in columns.
const helpWidth = 110

// helpCommand returns the command that prints the help of another one.
func (c *Command) helpCommand() *cobra.Command {
	return &cobra.Command{Use: "help [command]", Short: "Show the help of a command.", Hidden: true,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if of, _, err := c.Find(args); err == nil {
				for _, below := range c.find(of).Children {
					names = append(names, below.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			of, rest, err := c.Find(args)
			if err == nil && len(rest) > 0 {
				err = c.find(of).noCommand(nil, rest)
			}
			if err == nil {
				err = of.Help()
			}
			return err
		}}
}

// printHelp prints the help of a command.
func (c *Command) printHelp(to io.Writer) {
	var b strings.Builder
	b.WriteString(c.Short + "\n")
	if c.Long != "" {
		b.WriteString("\n" + c.Long + "\n")
	}
	flags := ""
	if len(c.Options) > 0 {
		flags = " [flags]"
	}
	fmt.Fprintf(&b, "\nUsage: %s%s\n", c.Line(), flags)
	var lines [][2]string
	for _, a := range c.Arguments {
		lines = append(lines, [2]string{a.Summary(), a.Help})
	}
	section(&b, "Arguments", lines)
	for _, group := range c.Groups() {
		lines = nil
		for _, child := range c.Children {
			if child.GroupID == group.ID && !child.Hidden {
				lines = append(lines, [2]string{child.Name(), child.Short})
			}
		}
		section(&b, group.Title, lines)
	}
	c.flagSections(&b)
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	_, _ = io.WriteString(to, b.String()) // there is nothing to do about an error
}

// section writes names and texts below a title.
func section(b *strings.Builder, title string, lines [][2]string) {
	if len(lines) == 0 {
		return
	}
	width := 0
	for _, l := range lines {
		width = max(width, len(l[0]))
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, l := range lines {
		below := "\n" + strings.Repeat(" ", width+4)
		text := strings.ReplaceAll(wrapped(l[1], helpWidth-width-4), "\n", below)
		fmt.Fprintf(b, "  %s  %s\n", terminal.Pad(l[0], width), text)
	}
}

// wrapped breaks a text into lines of at most a width.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// flagSections writes the flags of a command below their titles.
func (c *Command) flagSections(b *strings.Builder) {
	var titles []string
	sets := map[string]*pflag.FlagSet{}
	add := func(title string, f *pflag.Flag) {
		if sets[title] == nil {
			titles, sets[title] = append(titles, title), pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
		}
		sets[title].AddFlag(f)
	}
	for _, f := range c.Options { // its own come first
		if f.title == "" {
			add("Flags", f.Flag)
		}
	}
	for _, f := range c.Options {
		if f.title != "" {
			add(f.title, f.Flag)
		}
	}
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { add("Flags of all commands", f) })
	for _, title := range titles {
		fmt.Fprintf(b, "\n%s:\n%s", title, sets[title].FlagUsagesWrapped(helpWidth))
	}
}

// NewCompletion returns the command that prints a script for a shell, which
// completes the commands of the program.
func NewCompletion() *Command {
	shell := ""
	var c *Command
	c = New("completion", "Print a shell completion script.", func(_ context.Context, t *terminal.Terminal) error {
		switch shell {
		case "zsh":
			return c.Root().GenZshCompletion(t.Out)
		case "fish":
			return c.Root().GenFishCompletion(t.Out, true)
		case "powershell":
			return c.Root().GenPowerShellCompletionWithDesc(t.Out)
		}
		return c.Root().GenBashCompletionV2(t.Out, true)
	})
	c.Long = `For bash, with the package bash-completion, add to ~/.bashrc: source <(vitrine completion bash)

For zsh, add to ~/.zshrc: source <(vitrine completion zsh)

For fish, run: vitrine completion fish > ~/.config/fish/completions/vitrine.fish

For PowerShell, add to your profile: vitrine completion powershell | Out-String | Invoke-Expression`
	c.Examples("completion bash", "completion fish")
	c.ChoiceArg(&shell, "shell", "bash, zsh, fish or powershell.", "bash", "zsh", "fish", "powershell")
	return c
}
