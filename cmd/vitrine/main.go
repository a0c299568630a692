// Vitrine turns a file into a public link and tells its owner exactly how it
// was read. This is the whole of it: the server, the verbs of its operator, and
// the verbs of those who publish files.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"vitrine/internal/remote"
	"vitrine/internal/terminal"

	"github.com/alecthomas/kong"
	"github.com/posener/complete"
	"github.com/willabides/kongplete"
)

type cli struct {
	Serve       serveCmd       `cmd:"" group:"run" help:"Run the server."`
	Setup       setupCmd       `cmd:"" group:"run" help:"Print the address where the first account is created."`
	Account     accountCmd     `cmd:"" group:"run" help:"Create, invite, change and suspend accounts; sign in to the website."`
	Key         keyCmd         `cmd:"" group:"run" help:"Create, list and revoke API keys."`
	Link        linkCmd        `cmd:"" group:"run" help:"Show, disable, review and delete links."`
	Import      importCmd      `cmd:"" group:"run" help:"Import links and views from another system."`
	Storage     storageCmd     `cmd:"" group:"run" help:"Check and claim the storage of files."`
	Geo         geoCmd         `cmd:"" group:"run" help:"Fetch the file that cities are looked up in."`
	Audit       auditCmd       `cmd:"" group:"run" help:"Check database and files against each other; each fault is a line."`
	Reclassify  reclassifyCmd  `cmd:"" group:"run" help:"Apply the rules of this version to stored views by programs."`
	Healthcheck healthcheckCmd `cmd:"" group:"run" help:"Check that the server on this machine answers, for the health check of a container."`
	Doctor      doctorCmd      `cmd:"" group:"run" help:"Check each part of the configuration, and say what to do about problems."`
	Backup      backupCmd      `cmd:"" group:"run" help:"Back up an instance into a directory while it runs."`
	Migrate     migrateCmd     `cmd:"" group:"run" help:"Copy an instance to PostgreSQL, a bucket or another directory."`
	Restore     restoreCmd     `cmd:"" group:"run" help:"Restore a backup into a new data directory."`

	Login    loginCmd           `cmd:"" group:"use" help:"Sign in through your browser, and store an API key for the commands below."`
	Logout   logoutCmd          `cmd:"" group:"use" help:"Revoke the API key that login has stored, and remove it."`
	Put      remote.PutCmd      `cmd:"" group:"use" help:"Publish files; prints a link for each."`
	Ls       remote.LsCmd       `cmd:"" group:"use" help:"List your links, newest first."`
	Edit     remote.EditCmd     `cmd:"" group:"use" help:"Change the title, address, download or expiry of a link, or disable it."`
	Rm       remote.RmCmd       `cmd:"" group:"use" help:"Delete links, their files and their numbers, for good."`
	Open     remote.OpenCmd     `cmd:"" group:"use" help:"Open a link in your browser."`
	Get      remote.GetCmd      `cmd:"" group:"use" help:"Fetch the file of one of your links, as it was uploaded."`
	Versions remote.VersionsCmd `cmd:"" group:"use" help:"List, restore and delete the versions of a link's file."`
	Captions remote.CaptionsCmd `cmd:"" group:"use" help:"Add, list and delete captions of a video or sound."`
	Stats    remote.StatsCmd    `cmd:"" group:"use" help:"Show how a link was read, or all your links together."`
	MCP      remote.MCPCmd      `cmd:"" name:"mcp" group:"use" help:"Offer your links to an AI agent on this machine, over the Model Context Protocol on standard input and output."`
	Version  versionCmd         `cmd:"" group:"use" help:"Print the version."`

	Completion remote.CompletionCmd `cmd:"" group:"use" help:"Print the commands that make your shell complete commands and flags. For bash, add to ~/.bashrc: source <(vitrine completion bash)"`

	Preview previewCmd `cmd:"" hidden:""`
}

var groups = []kong.Group{
	{Key: "run", Title: "Run an instance (on its data directory)"},
	{Key: "use", Title: "Use an instance (over its API)"},
	{Key: "places", Title: "Where an instance keeps what it knows"},
	{Key: "scanning", Title: "Scanning for malware"},
	{Key: "previews", Title: "Programs that previews are made with"},
	{Key: "accounts", Title: "Accounts on the website, and mail"},
	{Key: "plans", Title: "Limits of the plans (links=N,file=SIZE,storage=SIZE,uploads=N an hour,versions=N)"},
}

// The exit codes.
const (
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	ctx, interrupt := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		interrupt()
		<-signals // the second ends the process at once
		os.Exit(exitFailure)
	}()
	os.Exit(run(ctx, terminal.Console(), os.Args[1:]))
}

// run does what the arguments say and returns the exit code.
func run(ctx context.Context, t *terminal.Terminal, args []string) int {
	remote.Version = version
	exited := -1
	parser := kong.Must(new(cli),
		kong.Name("vitrine"),
		kong.Description("Publish a file and see how it is read."),
		kong.Writers(t.Out, t.Err),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
		kong.ExplicitGroups(groups),
		helpFacts(),
	)
	kongplete.Complete(parser, kongplete.WithPredictor("file", complete.PredictFiles("*")))
	if exited >= 0 { // a shell has asked
		return exited
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		t.Say("vitrine: %s", terminal.Plain(err.Error()))
		if args[0] == "restore" {
			t.Say("To show an earlier version of a link's file again, use: %s", restoresVersion)
		}
		t.Say("Try: vitrine --help")
		return exitUsage
	}
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(t); err != nil {
		t.Say("vitrine: %s", terminal.Plain(t.Sentence(err)))
		if u := new(terminal.UsageError); errors.As(err, &u) {
			return exitUsage
		}
		return exitFailure
	}
	return 0
}
