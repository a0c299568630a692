package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"

	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

// verb runs a command in this process, as main does. It returns the standard
// output and all output. It is faster than starting a program; TestScript
// starts programs.
func verb(args ...string) (out, all string, err error) {
	var o, both bytes.Buffer
	if code := run(context.Background(), &terminal.Terminal{Out: io.MultiWriter(&o, &both), Err: &both},
		args); code != 0 {
		err = fmt.Errorf("exit status %d", code)
	}
	return o.String(), both.String(), err
}

// vitrineOn runs a command on a data directory.
func vitrineOn(data string, args ...string) (string, error) {
	if !slices.Contains(args, "migrate") { // migrate has its storage as arguments
		args = append(args[:len(args):len(args)], "--data", data)
	}
	if args[0] == "doctor" && !slices.Contains(args, "--listen") {
		args = append(args, "--listen", "127.0.0.1:0") // the default may be in use
	}
	_, all, err := verb(args...)
	return all, err
}

// placed appends the flags for places to a command.
func placed(args []string, places instance.Places) []string {
	args = slices.Clone(args)
	for _, f := range [][2]string{{"--data", places.Data}, {"--database", places.Database}, {"--views", places.Views},
		{"--files", places.Files}} {
		if f[1] != "" {
			args = append(args, f[:]...)
		}
	}
	return args
}

// serveProcess starts a server as a separate process, on a free port unless the
// arguments say otherwise. settings are added to its environment.
func serveProcess(t testing.TB, settings []string, args ...string) (*exec.Cmd, *lines) {
	t.Helper()
	return startServer(t, settings, exec.Command("vitrine",
		append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

func startServer(t testing.TB, settings []string, cmd *exec.Cmd) (*exec.Cmd, *lines) {
	t.Helper()
	cmd.Env = append(os.Environ(), settings...)
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, readLines(out)
}

// serving matches the log line of a server that has started, with its port.
const serving = `serving\W+address\W+127\.0\.0\.1:(\d+)`
