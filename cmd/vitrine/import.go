package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"vitrine"
)

type importCmd struct {
	Links importLinksCmd `cmd:"" help:"Add links without bytes, one JSON object a line."`
	Opens importOpensCmd `cmd:"" help:"Add opens to links, one JSON object a line. A second run of the same file adds nothing."`
}

type fileArg struct {
	File string `arg:"" help:"NDJSON file, or - for standard input."`
	dataFlag
	jsonFlag
}

// run opens the file and tells what do made of it.
func (c fileArg) run(ctx context.Context, t *terminal, noun string, do func(*vitrine.Imports, io.Reader) (vitrine.ImportResult, error)) error {
	return withInstance(ctx, c.Data, func(in *instance) error {
		r := t.in
		if c.File != "-" {
			f, err := os.Open(c.File)
			if err != nil {
				return err
			}
			defer f.Close()
			r = f
		}
		res, err := do(&vitrine.Imports{Store: in.store, Log: in.log, Now: in.now}, r)
		if err != nil {
			return err
		}
		if err := in.analytics.Settle(ctx); err != nil {
			return fmt.Errorf("all is imported, but the tallies of the imported days could not be made; reports are right, and slow until a server has made them: %w", err)
		}
		switch {
		case c.JSON:
			return t.json(struct {
				Lines   int64 `json:"lines"`
				Added   int64 `json:"added"`
				Already bool  `json:"already"`
			}{res.Lines, res.Added, res.Already})
		case res.Already:
			t.say("Imported before: nothing added (%d lines).", res.Lines)
		default:
			t.say("%d %s added (%d lines).", res.Added, noun, res.Lines)
		}
		return nil
	})
}

type importLinksCmd struct{ fileArg }

func (c *importLinksCmd) Run(ctx context.Context, t *terminal) error {
	return c.run(ctx, t, "links", func(s *vitrine.Imports, r io.Reader) (vitrine.ImportResult, error) { return s.Links(ctx, r) })
}

type importOpensCmd struct{ fileArg }

func (c *importOpensCmd) Run(ctx context.Context, t *terminal) error {
	return c.run(ctx, t, "opens", func(s *vitrine.Imports, r io.Reader) (vitrine.ImportResult, error) { return s.Opens(ctx, r) })
}
