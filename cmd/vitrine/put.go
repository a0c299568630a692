package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/terminal"

	"github.com/schollz/progressbar/v3"
)

type putCmd struct {
	Files    []string `arg:"" name:"file" help:"Files to publish; each becomes a link."`
	Title    string   `help:"Title of the page. Default: the file's name."`
	Slug     string   `help:"Custom slug, the part of the link's address after /p/, if your account may choose it."`
	ViewOnly bool     `help:"Offer no download on the page."`
	Type     string   `help:"MIME type. Default: that of the file's extension."`
	remote
}

// Validate refuses options that name one file where there are several.
func (c *putCmd) Validate() error {
	if len(c.Files) > 1 && (c.Slug != "" || c.Title != "") {
		return errors.New("--slug and --title are for one file")
	}
	return nil
}

// put is one file's line of the output in JSON.
type put struct {
	File string `json:"file"`
	*client.Link
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`
}

// Run publishes the files one after the other. A file that fails does not
// keep the others.
func (c *putCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	b := &bar{t: t}
	api, err := c.client(t, client.WithRetryNotice(func(r client.Retry) { b.clear(); notice(t, r) }))
	if err != nil {
		return err
	}
	failed := 0
	for _, path := range c.Files {
		l, err := c.put(ctx, api, b, path)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			failed++
			if len(c.Files) > 1 || c.JSON {
				t.Say("vitrine: %s: %s", terminal.Plain(path), terminal.Plain(t.Sentence(err)))
			} else {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		if err := c.show(t, path, l, err); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d files failed", failed, len(c.Files))
	}
	return nil
}

func (c *putCmd) put(ctx context.Context, api *client.Client, b *bar, path string) (*client.Link, error) {
	f, err := client.OpenFile(path)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	if f.Size == 0 {
		return nil, errors.New("the file is empty")
	}
	b.begin(f)
	defer b.end()
	l, err := api.Upload(ctx, f, client.Options{Type: c.Type, Slug: c.Slug, LinkName: c.Title, ViewOnly: c.ViewOnly, Progress: b.set})
	if err != nil {
		return nil, err
	}
	return &l, nil
}

// show prints what came of a file.
func (c *putCmd) show(t *terminal.Terminal, path string, l *client.Link, failure error) error {
	if c.JSON {
		row := put{File: path, Link: l}
		if failure != nil {
			row.Error = t.Sentence(failure)
			var e *client.Error
			if errors.As(failure, &e) {
				row.Error, row.Code = e.Message, e.Code
			}
		}
		return t.JSON(row)
	}
	if failure != nil {
		return nil
	}
	if l.Review {
		t.Say("%s is held for review (%s): its link works once a person has cleared it.", terminal.Plain(path), terminal.Plain(why(l.Reason, l.Detail)))
		if meaning := vitrine.OwnerMeaning(l.Reason); meaning != "" {
			t.Say("%s", meaning)
		}
	}
	if l.Processing {
		t.Say("%s is being checked: its link works in a moment.", terminal.Plain(path))
	}
	line := terminal.Plain(l.URL)
	if t.OutTTY && len(c.Files) > 1 {
		line = terminal.Plain(path) + " → " + line
	}
	_, err := fmt.Fprintln(t.Out, line)
	return err
}

// bar shows on a terminal how much of a file is on its way. It is the one line
// of the terminal that is drawn again.
type bar struct {
	t    *terminal.Terminal
	mu   sync.Mutex // what is sent is told from another goroutine
	bar  *progressbar.ProgressBar
	sent int64
}

func (b *bar) begin(f client.File) {
	if !b.t.ErrTTY {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = 0
	b.bar = progressbar.NewOptions64(f.Size,
		progressbar.OptionSetWriter(b.t.Err),
		progressbar.OptionSetDescription(terminal.Pad(terminal.Truncate(terminal.Plain(filepath.Base(f.Name)), 30), 30)),
		progressbar.OptionSetWidth(24),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(terminal.ProgressEvery),
		progressbar.OptionSetRenderBlankState(true))
}

func (b *bar) set(sent, _ int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		return
	}
	if sent < b.sent {
		b.bar.Reset() // the transfer begins again
	}
	b.sent = sent
	_ = b.bar.Set64(sent)
}

// clearLine moves to the beginning of a line and empties it.
const clearLine = "\r\x1b[2K"

// clear takes the bar off the screen until something more is sent.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		fmt.Fprint(b.t.Err, clearLine)
	}
}

// end takes the bar off the screen for good.
func (b *bar) end() {
	b.clear()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bar = nil
}

// bare is a file's failure without the file's name, which the caller has.
func bare(err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return p.Err
	}
	return err
}
