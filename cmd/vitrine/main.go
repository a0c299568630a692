// Vitrine turns a file into a public link and tells its owner exactly how it
// was read. This program is the server, the commands of its operator, and the
// commands of people who publish files.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"vitrine/internal/remote"
	"vitrine/internal/terminal"

	"github.com/alecthomas/kong"
	"github.com/posener/complete"
	"github.com/willabides/kongplete"
)

type cli struct {
	Login    loginCmd           `cmd:"" group:"use" help:"Sign in through your browser and store an API key."`
	Logout   logoutCmd          `cmd:"" group:"use" help:"Revoke and remove the API key stored by login."`
	Put      remote.PutCmd      `cmd:"" group:"use" help:"Publish files and print their links."`
	Ls       remote.LsCmd       `cmd:"" group:"use" help:"List your links, newest first."`
	Edit     remote.EditCmd     `cmd:"" group:"use" help:"Change the title, address, download or expiry of a link, or disable it."`
	Rm       remote.RmCmd       `cmd:"" group:"use" help:"Delete links, their files and their numbers permanently."`
	Open     remote.OpenCmd     `cmd:"" group:"use" help:"Open a link in your browser."`
	Get      remote.GetCmd      `cmd:"" group:"use" help:"Download the original file of a link."`
	Versions remote.VersionsCmd `cmd:"" group:"use" help:"List, restore and delete the versions of a link's file."`
	Captions remote.CaptionsCmd `cmd:"" group:"use" help:"Add, list and delete captions of a video or audio file."`
	Stats    remote.StatsCmd    `cmd:"" group:"use" help:"Show how a link was read, or all your links together."`
	MCP      remote.MCPCmd      `cmd:"" name:"mcp" group:"use" help:"Serve the Model Context Protocol on standard input and output, for AI agents."`
	Version  versionCmd         `cmd:"" group:"use" help:"Print the version."`

	Completion remote.CompletionCmd `cmd:"" group:"use" help:"Print the shell completion script. For bash, add to ~/.bashrc: source <(vitrine completion bash)"`

	Serve       serveCmd       `cmd:"" group:"run" help:"Run the server."`
	Setup       setupCmd       `cmd:"" group:"run" help:"Print the set-up link, where you create the first account."`
	Account     accountCmd     `cmd:"" group:"run" help:"Create, invite, change and suspend accounts; sign in to the website."`
	Key         keyCmd         `cmd:"" group:"run" help:"Create, list and revoke API keys."`
	Link        linkCmd        `cmd:"" group:"run" help:"Show, disable, review and delete links."`
	Import      importCmd      `cmd:"" group:"run" help:"Import links and views from another system."`
	Storage     storageCmd     `cmd:"" group:"run" help:"Check and claim the storage of files."`
	Geo         geoCmd         `cmd:"" group:"run" help:"Download the city database."`
	Audit       auditCmd       `cmd:"" group:"run" help:"Check the database against the files and print every fault."`
	Reclassify  reclassifyCmd  `cmd:"" group:"run" help:"Reclassify stored views with the bot rules of this version."`
	Healthcheck healthcheckCmd `cmd:"" group:"run" help:"Check that the server on this machine responds. For container health checks."`
	Doctor      doctorCmd      `cmd:"" group:"run" help:"Check the configuration and suggest fixes."`
	Backup      backupCmd      `cmd:"" group:"run" help:"Back up an instance into a directory while it runs."`
	Migrate     migrateCmd     `cmd:"" group:"run" help:"Copy an instance to PostgreSQL, a bucket or another directory."`
	Restore     restoreCmd     `cmd:"" group:"run" help:"Restore a backup into a new data directory."`

	Preview previewCmd `cmd:"" hidden:""`

	Quiet bool `short:"q" help:"Print only results and errors."`
}

var groups = []kong.Group{
	{Key: "use", Title: "Publish and read reports (uses the API)"},
	{Key: "run", Title: "Run a server (uses its data directory)"},
	{Key: "addresses", Title: "Addresses"},
	{Key: "places", Title: "Storage"},
	{Key: "scanning", Title: "Malware scanning"},
	{Key: "previews", Title: "Previews"},
	{Key: "accounts", Title: "Sign-up and mail"},
	{Key: "plans", Title: "Limits of the plans (links=N,file=SIZE,storage=SIZE,uploads=N an hour,versions=N)"},
	{Key: "advanced", Title: "Advanced"},
}

func main() {
	ctx, interrupt := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		interrupt()
		<-signals // a second signal ends the process at once
		os.Exit(terminal.ExitFailed)
	}()
	os.Exit(run(ctx, terminal.Console(), os.Args[1:]))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, t *terminal.Terminal, args []string) int {
	remote.Version = version
	exited, c := -1, new(cli)
	parser := kong.Must(c,
		kong.Name("vitrine"),
		kong.Description("Publish a file and see how it is read.\n\n"+terminal.ExitCodes),
		kong.Writers(t.Out, t.Err),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.ExplicitGroups(groups),
		helpFacts(),
	)
	showExamples(parser)
	kongplete.Complete(parser, kongplete.WithPredictor("file", complete.PredictFiles("*")))
	if exited >= 0 { // a completion was printed
		return exited
	}
	args = rewriteArgs(args)
	k, err := parser.Parse(args)
	if exited >= 0 { // help was printed
		return exited
	}
	if err != nil {
		t.Tell("vitrine: %s", terminal.Plain(err.Error()))
		if args[0] == "restore" {
			t.Tell("To show an earlier version of a link's file again, use: %s", restoresVersion)
		}
		t.Tell("Try: %s --help", commandOf(err))
		return terminal.ExitUsage
	}
	if c.Quiet {
		t.Hush()
	}
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(t); err != nil {
		t.Tell("vitrine: %s", terminal.Plain(t.Sentence(err)))
		if a := new(terminal.AdvisedError); errors.As(err, &a) {
			for _, line := range a.Lines {
				t.Tell("%s", terminal.Plain(line))
			}
		}
		return terminal.ExitCode(err)
	}
	return terminal.ExitDone
}

// rewriteArgs replaces forms that other programs have: no arguments and "help",
// with or without a command, print help; --version and -V are the command
// version. --version cannot be a flag of all commands, since some have one of
// their own.
func rewriteArgs(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version" || args[0] == "-V":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// commandOf returns the command whose arguments an error is about.
func commandOf(err error) string {
	if p := new(kong.ParseError); errors.As(err, &p) && p.Context != nil && p.Context.Selected() != nil {
		return "vitrine " + nameOf(p.Context.Selected())
	}
	return "vitrine"
}
