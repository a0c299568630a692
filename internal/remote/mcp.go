package remote

import (
	"context"
	"errors"
	"io"
	"time"

	"vitrine/client"
	"vitrine/internal/agent"
	"vitrine/internal/terminal"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MCPCmd serves the instance to an AI agent on this machine (MCP).
type MCPCmd struct{ Connection }

// Run serves the protocol on standard input and output until the input ends.
func (c *MCPCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	if _, err := c.Client(t); err != nil { // check the address before an agent starts
		return err
	}
	to := *t.Asked
	s := &agent.Server{Version: Version, Scope: agent.Full, Local: true, Now: time.Now,
		Client: func(req *mcp.CallToolRequest) (*client.Client, error) {
			return client.New(to.Server, to.Key, client.WithUserAgent(agent.Label(req)), client.WithAttempts(4),
				client.WithPatience(10*time.Second))
		}}
	if t.InTTY {
		t.Say("Waiting for an MCP client on standard input. To end: Ctrl-D.")
	}
	stdio := newStdio(t.In, t.Out)
	err := s.MCP().Run(ctx, &mcp.IOTransport{Reader: stdio, Writer: stdio})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}
