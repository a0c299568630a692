package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"vitrine/internal/cli/terminal"
)

// TestInterruptedInput checks that a command which waits for its input ends
// when it is interrupted, and sends nothing.
func TestInterruptedInput(t *testing.T) {
	t.Setenv("VITRINE_DATA", t.TempDir()+"/data")
	if _, all, err := verb("admin", "account", "create", "owner@example.org"); err != nil {
		t.Fatal(all)
	}
	for _, args := range [][]string{{"put", "-", "--name", "a.txt", "--api-key", "x", "--server", "http://127.0.0.1:1"},
		{"admin", "import", "links", "-"}, {"admin", "account", "suspend", "owner@example.org"}} {
		ctx, interrupt := context.WithCancel(t.Context())
		in, writer := io.Pipe()
		go func() {
			_, _ = writer.Write([]byte("{")) // returns once the command has read it
			interrupt()
		}()
		var errs bytes.Buffer
		code := run(ctx, &terminal.Terminal{Out: new(bytes.Buffer), Err: &errs, In: in, InTTY: true,
			ErrTTY: true}, args)
		if code != terminal.ExitInterrupted || !strings.HasSuffix(errs.String(), "vitrine: interrupted\n") {
			t.Errorf("%q: exit code %d, %s", args, code, &errs)
		}
		writer.Close()
	}
}

// TestMCPOnTerminal checks that a person who starts mcp learns what it waits
// for.
func TestMCPOnTerminal(t *testing.T) {
	for _, tty := range []bool{true, false} {
		var errs bytes.Buffer
		code := run(t.Context(), &terminal.Terminal{Out: new(bytes.Buffer), Err: &errs, In: strings.NewReader(""),
			InTTY: tty}, []string{"mcp", "--api-key", "x", "--server", "http://127.0.0.1:1"})
		if said := strings.HasPrefix(errs.String(), "Waiting for an MCP client"); code != 0 || said != tty {
			t.Errorf("terminal %v: exit code %d, %s", tty, code, &errs)
		}
	}
}
