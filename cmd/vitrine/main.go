// Vitrine turns a file into a public link and tells its owner exactly how it
// was read. This program is the server, the commands of its administrator, and
// the commands of people who publish files.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"

	"vitrine/internal/cli/admin"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/serve"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/cli/user"
)

func main() { os.Exit(runProgram(terminal.Console())) }

// runProgram runs the program with the arguments of the process, and returns
// its exit code.
func runProgram(t *terminal.Terminal) int {
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
	code := run(ctx, t, os.Args[1:])
	if code == terminal.ExitInterrupted {
		code = interrupted()
	}
	return code
}

// newProgram returns all commands.
func newProgram() *command.Command {
	program := command.NewProgram("Publish a file and see how it is read.",
		"A flag whose help names a $VARIABLE can also be set in the environment.\n\n"+terminal.ExitCodes, platform())
	program.Add("Publish files and read reports", user.Commands()...)
	program.Add("Your account, its keys and its agents", user.AccountCommands()...)
	program.Add("Run a server", append(serve.Commands(), admin.New())...)
	program.Add("Other commands", command.NewCompletion(), newPreview())
	return program
}

// resumeGC starts the garbage collector, which main stops while the command
// line is parsed: that takes a few megabytes, which are not worth collecting.
// Tests call run many times at once, and do not stop it.
var resumeGC = func() {}

// run executes the command line and returns the exit code.
func run(ctx context.Context, t *terminal.Terminal, args []string) int {
	t.Version = version
	chosen, err := newProgram().Parse(args, t.Out)
	if err != nil {
		t.Fail(err.Error(), terminal.UsageCode, []string{"Try: " + command.Try(err)}, slices.Contains(args, "--json"))
		return terminal.ExitUsage
	}
	if chosen == nil { // help was printed
		return terminal.ExitDone
	}
	if chosen.On("quiet") {
		t.Hush()
	}
	resumeGC()
	in := terminal.NewInput(ctx, t.In)
	t.In = in
	if err := chosen.Do(ctx, t); err != nil {
		if in.Cut() { // err is about what was read so far
			err = ctx.Err()
		}
		t.Fail(t.Sentence(err), terminal.Code(err), t.Advice(err, chosen.Try()), chosen.On("json"))
		return terminal.ExitCode(err)
	}
	return terminal.ExitDone
}
