package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

type healthcheckCmd struct {
	Listen string
}

func newHealthcheck() *command.Command {
	c := new(healthcheckCmd)
	cmd := command.New("healthcheck", "Check that the server on this machine responds.", c.Run)
	cmd.Examples("healthcheck",
		"healthcheck --listen :8080")
	c.Listen = "localhost:8080"
	cmd.String(&c.Listen, "listen", "HOST:PORT", "Address that the server listens on.").Env("VITRINE_LISTEN")
	return cmd
}

// healthcheckTime is the timeout of the request.
const healthcheckTime = 4 * time.Second

// Run returns an error unless the server on this machine responds. It is for
// containers without other programs.
func (c *healthcheckCmd) Run(ctx context.Context, _ *terminal.Terminal) error {
	host, port, err := splitListen("--listen", c.Listen)
	if err != nil {
		return terminal.Usage(err.Error())
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, healthcheckTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		if op := new(net.OpError); errors.As(err, &op) {
			err = op.Err
		}
		return fmt.Errorf("no server responds at %s (%w): check that it runs, and the address (--listen or VITRINE_LISTEN)",
			req.URL.Host, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s is not healthy: it responds %s", req.URL.Host, res.Status)
	}
	return nil
}
