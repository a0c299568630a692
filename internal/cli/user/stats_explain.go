package user

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"vitrine/client"
	"vitrine/internal/cli/terminal"
)

// explain writes what makes a figure of a report.
func (c *statsCmd) explain(ctx context.Context, t *terminal.Terminal, api *client.Client, slug string,
	q client.ReportQuery) error {
	explain := api.Explain
	if slug != "" {
		explain = func(ctx context.Context, q client.ReportQuery, figure, cursor string) (*client.Explanation, error) {
			return api.ExplainLink(ctx, slug, q, figure, cursor)
		}
	}
	e, err := explain(ctx, q, c.Explain, "")
	if err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(e)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s  %s\n%s\n", e.Figure, e.Value, e.Rule)
	for _, from := range e.From {
		fmt.Fprintf(&text, "from %s\n", from)
	}
	if e.KeptFrom != "" {
		fmt.Fprintf(&text, "Visits before %s have expired.\n", e.KeptFrom)
	}
	if e.Without > 0 {
		fmt.Fprintf(&text, "%d without a visit\n", e.Without)
	}
	if e.Count > 0 {
		fmt.Fprintf(&text, "%d visits, sum %d of %d %s\n", e.Count, e.Sum, e.Of, cmp.Or(e.Unit, "views"))
	}
	for _, v := range e.Visits {
		fmt.Fprintf(&text, "%s  %d of %d  %s\n", v.At.UTC().Format("2006-01-02 15:04:05"), v.Value, v.Of,
			strings.TrimSpace(v.ID+" "+v.Link))
	}
	if n := e.Count - int64(len(e.Visits)); n > 0 {
		fmt.Fprintf(&text, "and %d earlier ones\n", n)
	}
	_, err = io.WriteString(t.Out, text.String())
	return err
}
