package user

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/web/agent"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCmd serves the instance to an AI agent on this machine (MCP).
type mcpCmd struct {
	Connection
	Root string
}

func newMCP() *command.Command {
	c := new(mcpCmd)
	cmd := command.New("mcp", "Serve AI agents on standard input and output (MCP).", c.Run)
	cmd.Examples("mcp",
		"mcp --root reports --server https://share.example")
	cmd.Path(&c.Root, "root", "DIR", "Folder whose files the agent may publish, with those below it, except hidden ones. Default: the working directory.")
	cmd.Take(&c.Connection)
	return cmd
}

// Run serves the protocol on standard input and output until the input ends.
func (c *mcpCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	api, err := c.Client(t, client.WithAttempts(1), client.WithAnswerTime(10*time.Second))
	if err != nil {
		return err
	}
	// Without a valid key no tool works. A server that cannot be reached may be
	// back when a tool is used.
	var refused *client.Error
	if _, err := api.Key(ctx); errors.As(err, &refused) && refused.Status/100 == 4 {
		return err
	}
	to := *t.Asked
	s := &agent.Server{Version: t.Version, Scope: agent.Full, Local: true, Files: files, Now: time.Now,
		Client: func(req *mcp.CallToolRequest) (*client.Client, error) {
			return client.New(to.Server, to.Key, client.WithUserAgent(agent.Label(req)), client.WithAttempts(4),
				client.WithPatience(10*time.Second))
		}}
	if t.InTTY {
		t.Say("Waiting for an MCP client on standard input. To end: Ctrl-D.")
	}
	stdio := newStdio(t.In, t.Out)
	err = s.MCP().Run(ctx, &mcp.IOTransport{Reader: stdio, Writer: stdio})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

// files returns the folder whose files the agent may publish. A program that
// was started in the root of the file system, as some agents do, may read none.
func (c *mcpCmd) files() (*agent.Folder, error) {
	if c.Root != "" {
		folder, err := agent.OpenFolder(c.Root)
		if err != nil {
			return nil, terminal.Usage(fmt.Sprintf("--root: %v", err))
		}
		return folder, nil
	}
	dir, err := os.Getwd()
	if err != nil || filepath.Dir(dir) == dir {
		return nil, err
	}
	return agent.OpenFolder(dir)
}
