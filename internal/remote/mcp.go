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
type MCPCmd struct {
	URL    string `help:"Address of the instance. Default: the one that \"login\" was used with last, or http://localhost:8080 with an API key of your own." env:"VITRINE_URL" placeholder:"URL"`
	APIKey string `help:"API key. Default: the one that \"login\" has stored. Better in the environment: arguments can be seen by others on the machine." env:"VITRINE_API_KEY" placeholder:"KEY"`
}

// Run serves the protocol on standard input and output until the input ends.
func (c *MCPCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	to, err := Flags{URL: c.URL, APIKey: c.APIKey}.target()
	if err != nil {
		return err
	}
	s := &agent.Server{Version: Version, Scope: agent.Full, Local: true, Now: time.Now,
		Client: func(req *mcp.CallToolRequest) (*client.Client, error) {
			return client.New(to.Server, to.Key, client.WithUserAgent(agent.Label(req)), client.WithAttempts(4),
				client.WithPatience(10*time.Second))
		}}
	err = s.MCP().Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(t.In), Writer: keptOpen{t.Out}})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
