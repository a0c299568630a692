// Vitrine turns a file into a public link and tells its owner exactly how it
// was read. This program is the server, the commands of its operator, and the
// commands of people who publish files.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"vitrine/internal/command"
	"vitrine/internal/operator"
	"vitrine/internal/remote"
	"vitrine/internal/terminal"

	"github.com/alecthomas/kong"
	"github.com/posener/complete"
	"github.com/willabides/kongplete"
)

type cli struct {
	Put      remote.PutCmd      `cmd:"" group:"use" help:"Publish files and print their links."`
	Stats    remote.StatsCmd    `cmd:"" group:"use" help:"Show how a link was read, or all your links together."`
	Ls       remote.LsCmd       `cmd:"" group:"use" help:"List your links, newest first."`
	Open     remote.OpenCmd     `cmd:"" group:"use" help:"Open a link in your browser."`
	Get      remote.GetCmd      `cmd:"" group:"use" help:"Download the original file of a link."`
	Edit     remote.EditCmd     `cmd:"" group:"use" help:"Change a link: title, address, download, expiry; or disable it."`
	Versions remote.VersionsCmd `cmd:"" group:"use" help:"List, restore and delete the versions of a link's file."`
	Captions remote.CaptionsCmd `cmd:"" group:"use" help:"Add, list and delete captions of a video or audio file."`
	Rm       remote.RmCmd       `cmd:"" group:"use" help:"Delete links, their files and their numbers permanently."`
	Deploy   remote.DeployCmd   `cmd:"" group:"use" help:"Deploy a folder to one of your websites."`
	Websites remote.WebsitesCmd `cmd:"" group:"use" help:"List your websites."`
	Login    loginCmd           `cmd:"" group:"use" help:"Sign in through your browser and store an API key."`
	Logout   logoutCmd          `cmd:"" group:"use" help:"Revoke and remove the API key stored by login."`
	Whoami   remote.WhoamiCmd   `cmd:"" group:"use" help:"Show the server, account and API key in use, and the limits."`
	Keys     remote.KeysCmd     `cmd:"" group:"use" help:"List, create and revoke your API keys."`
	MCP      remote.MCPCmd      `cmd:"" name:"mcp" group:"use" help:"Serve AI agents on standard input and output (MCP)."`

	Serve       serveCmd            `cmd:"" group:"run" help:"Run the server."`
	Setup       operator.SetupCmd   `cmd:"" group:"run" help:"Print the set-up link, where you create the first account."`
	Doctor      doctorCmd           `cmd:"" group:"run" help:"Check the configuration and suggest fixes."`
	Healthcheck healthcheckCmd      `cmd:"" group:"run" help:"Check that the server on this machine responds."`
	Account     operator.AccountCmd `cmd:"" group:"manage" help:"Create, invite, change and suspend accounts."`
	Key         operator.KeyCmd     `cmd:"" group:"manage" help:"Create, list, rotate and revoke API keys of all accounts."`
	Link        operator.LinkCmd    `cmd:"" group:"manage" help:"Show, review, disable and delete links of all accounts."`
	Backup      backupCmd           `cmd:"" group:"keep" help:"Back up an instance into a directory while it runs."`
	Restore     restoreCmd          `cmd:"" group:"keep" help:"Restore a backup into a new data directory."`
	Migrate     migrateCmd          `cmd:"" group:"keep" help:"Copy an instance to PostgreSQL, a bucket or another directory."`
	Audit       auditCmd            `cmd:"" group:"keep" help:"Check the database against the files and print every fault."`
	Storage     storageCmd          `cmd:"" group:"keep" help:"Check and claim the storage of files and views."`
	Secret      secretCmd           `cmd:"" group:"keep" help:"Replace the secret of an instance, after it leaked."`
	Import      importCmd           `cmd:"" group:"keep" help:"Import links and views from another system."`
	Reclassify  reclassifyCmd       `cmd:"" group:"keep" help:"Reclassify stored views with the bot rules of this version."`
	Geo         geoCmd              `cmd:"" group:"keep" help:"Download the city database."`

	Version    versionCmd           `cmd:"" group:"other" help:"Print the version. --version does the same."`
	Completion remote.CompletionCmd `cmd:"" group:"other" help:"Print a shell completion script."`

	Preview previewCmd `cmd:"" hidden:"" group:"other"`

	Quiet bool `short:"q" help:"Print only results and errors."`
}

var groups = []kong.Group{
	{Key: "use", Title: "Publish and read reports, over the API"},
	{Key: "run", Title: "Run a server"},
	{Key: "manage", Title: "Manage accounts and links, in the data directory of a server"},
	{Key: "keep", Title: "Look after the data, in the data directory of a server"},
	{Key: "other", Title: "Other commands"},
	{Key: "addresses", Title: "Addresses"},
	{Key: "places", Title: "Storage"},
	{Key: "scanning", Title: "Malware scanning"},
	{Key: "previews", Title: "Previews"},
	{Key: "accounts", Title: "Sign-up and mail"},
	{Key: "plans", Title: "Limits of the plans"},
	{Key: "advanced", Title: "Advanced"},
}

func main() {
	percent := debug.SetGCPercent(-1)
	resumeGC = func() { debug.SetGCPercent(percent) }
	ctx, interrupt := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var terminated atomic.Bool
	interrupted := func() int {
		if terminated.Load() {
			return terminal.ExitTerminated
		}
		return terminal.ExitInterrupted
	}
	go func() {
		terminated.Store(<-signals == syscall.SIGTERM)
		interrupt()
		<-signals // a second signal ends the process at once
		os.Exit(interrupted())
	}()
	code := run(ctx, terminal.Console(), os.Args[1:])
	if code == terminal.ExitInterrupted {
		code = interrupted()
	}
	os.Exit(code)
}

// newParser returns the parser of the command line.
func newParser(c *cli, options ...kong.Option) *kong.Kong {
	return command.New(c, append([]kong.Option{
		kong.Description("Publish a file and see how it is read.\n\n" +
			"A flag whose help names a $VARIABLE can also be set in the environment.\n\n" + terminal.ExitCodes),
		kong.ExplicitGroups(groups),
		helpFacts(),
	}, options...)...)
}

// resumeGC starts the garbage collector, which main stops while the command
// line is parsed: that takes a few megabytes, which are not worth collecting.
// Tests call run many times at once, and do not stop it.
var resumeGC = func() {}

// run executes the command line and returns the exit code.
func run(ctx context.Context, t *terminal.Terminal, args []string) int {
	remote.Version = version
	exited, c := -1, new(cli)
	parser := newParser(c, kong.Writers(t.Out, t.Err), kong.Exit(func(code int) { exited = code }))
	kongplete.Complete(parser, kongplete.WithPredictor("file", complete.PredictFiles("*")),
		kongplete.WithPredictor("level", complete.PredictSet("debug", "info", "warn", "error")),
		kongplete.WithPredictor("dir", complete.PredictDirs("*")), kongplete.WithPredictors(remote.Predictors()))
	if exited >= 0 { // a completion was printed
		return exited
	}
	k, err := command.Parse(parser, command.Rewrite(parser, args))
	if exited >= 0 { // help was printed
		return exited
	}
	if err != nil {
		advice := []string{"Try: " + command.Try(err)}
		if args[0] == "restore" && strings.HasPrefix(err.Error(), "unexpected argument") {
			advice = []string{restoreHint, advice[0]}
		}
		t.Fail(err.Error(), terminal.UsageCode, advice, slices.Contains(args, "--json"))
		return terminal.ExitUsage
	}
	if c.Quiet {
		t.Hush()
	}
	resumeGC()
	k.BindTo(ctx, (*context.Context)(nil))
	in := terminal.NewInput(ctx, t.In)
	t.In = in
	if err := k.Run(t); err != nil {
		if in.Cut() { // err is about what was read so far
			err = ctx.Err()
		}
		t.Fail(t.Sentence(err), terminal.Code(err), t.Advice(err, command.Help(k)), command.Given(k, "json"))
		return terminal.ExitCode(err)
	}
	return terminal.ExitDone
}
