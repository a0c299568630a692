package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"vitrine"
	"vitrine/internal/app/importer"
	"vitrine/internal/base/durable"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
)

func newImport() *command.Command {
	return command.NewGroup("import", "Import links and views from another system.", newImportLinks(), newImportViews())
}

// fileArg is the file of an import.
type fileArg struct {
	File string
	instance.Places
	command.JSONFlag
}

// AddFlags adds the flags to a command.
func (c *fileArg) AddFlags(cmd *command.Command) {
	cmd.Arg(&c.File, "file", "NDJSON file, or - for standard input.")
	cmd.Take(&c.Places, &c.JSONFlag)
}

// named adds the file to the error about its first invalid line, and as advice
// the further ones and what to do.
func (c fileArg) named(err error) error {
	var invalid *importer.InvalidLinesError
	if !errors.As(err, &invalid) {
		return err
	}
	if e := invalid.Lines[0]; c.File != "-" {
		err = &vitrine.Error{Code: e.Code, Message: terminal.Plain(c.File) + ", " + e.Message, Err: e.Err}
	}
	var lines []string
	for _, also := range invalid.Lines[1:] {
		lines = append(lines, also.Message)
	}
	if invalid.Cut {
		lines = append(lines, "The lines after it were not checked.")
	}
	return &terminal.AdvisedError{Err: err,
		Lines: append(lines, "Nothing was added. Correct the file, then run the command again.")}
}

// run opens the file, calls do and finish, and prints the result and the
// duration of finish.
func (c fileArg) run(ctx context.Context, t *terminal.Terminal, noun string,
	do func(*importer.Importer, io.Reader) (importer.Result, error), finish func(*instance.Instance) error) error {
	return instance.With(ctx, c.Places, func(in *instance.Instance) error {
		if err := in.ReserveIDs(ctx, func(w string) { t.Say("Warning: %s.", w) }); err != nil {
			return err
		}
		r := t.In
		if c.File != "-" {
			if info, err := os.Stat(c.File); err == nil && info.IsDir() {
				return terminal.Usage(c.File + " is a directory, not an NDJSON file")
			}
			f, err := os.Open(c.File)
			if err != nil {
				return fmt.Errorf("%s: %w", c.File, errors.Unwrap(err))
			}
			defer f.Close()
			r = f
		}
		from := in.Now()
		res, err := do(&importer.Importer{Store: in.Store, Log: in.Log, Now: in.Now, Retry: t.Patiently}, r)
		if err != nil {
			return c.named(err)
		}
		added := in.Now()
		if err := t.Patiently(ctx, func() error { return finish(in) }); err != nil {
			return err
		}
		if err := t.Patiently(ctx, func() error { return in.LogPair().Record(ctx) }); err != nil {
			return c.ExplainLoss(err)
		}
		return c.report(t, noun, res, added.Sub(from), in.Now().Sub(added))
	})
}

// report prints the result of an import, which took a time, and what followed
// another.
func (c fileArg) report(t *terminal.Terminal, noun string, res importer.Result, took, after time.Duration) error {
	if c.JSON {
		return t.JSON(struct {
			Lines         int64   `json:"lines"`
			Added         int64   `json:"added"`
			Already       bool    `json:"already"`
			Known         int64   `json:"known"`
			Dated         int64   `json:"dated"`
			Seconds       float64 `json:"seconds"`
			FinishSeconds float64 `json:"finishSeconds"`
		}{res.Lines, res.Added, res.Already, res.Known, res.Dated, took.Seconds(), after.Seconds()})
	}
	if res.Already {
		t.Say("Imported before: nothing added (%s).", terminal.Counted(res.Lines, "line"))
	} else {
		t.Say("%s added (%s) in %s.", terminal.Counted(res.Added, noun), terminal.Counted(res.Lines, "line"),
			took.Round(time.Millisecond))
	}
	if res.Known > 0 {
		t.Say("Left out, because they were there already: %s of the same link, time and viewer.",
			terminal.Counted(res.Known, noun))
	}
	if res.Dated > 0 {
		t.Say("%s had views from before the date of creation, which is now that of the first view.",
			terminal.Counted(res.Dated, "link"))
	}
	return nil
}

type importLinksCmd struct {
	fileArg
}

func newImportLinks() *command.Command {
	c := new(importLinksCmd)
	cmd := command.New("links", "Import links without files, one JSON object per line.", c.Run)
	cmd.Long = `A line has slug, title, kind, createdAt and account, and may have sizeBytes, pagesTotal and sections, such as
{"slug":"q3-report","title":"Q3 report","kind":"pdf","createdAt":"2026-05-01T09:00:00Z","account":"anna@example.org"}`
	cmd.Examples("admin import links links.ndjson")
	cmd.Take(&c.fileArg)
	return cmd
}

func (c *importLinksCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return c.run(ctx, t, "link", func(s *importer.Importer, r io.Reader) (importer.Result, error) {
		return s.Links(ctx, r)
	}, func(*instance.Instance) error { return nil })
}

type importViewsCmd struct {
	fileArg
}

func newImportViews() *command.Command {
	c := new(importViewsCmd)
	cmd := command.New("views", "Import views, one JSON object per line. Views that were imported before are left out.", c.Run)
	cmd.Long = `A line has slug, at and viewer, and may have country, source, device, session and more, such as
{"slug":"q3-report","at":"2026-05-04T12:00:00.000Z","viewer":"a17","country":"DE"}`
	cmd.Examples("admin import views views.ndjson",
		"admin import views -")
	cmd.Take(&c.fileArg)
	return cmd
}

func (c *importViewsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	// Collecting seldom saves a seventh of the processor time, for 100 MB.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	views := func(s *importer.Importer, r io.Reader) (importer.Result, error) {
		lock, err := lockImport(c.Data)
		if err != nil {
			return importer.Result{}, err
		}
		defer lock.Close() // of nil, too
		return s.Views(ctx, r)
	}
	return c.run(ctx, t, "view", views, func(in *instance.Instance) error {
		if err := in.Analytics.RollUp(ctx); err != nil {
			return fmt.Errorf("everything was imported, but the tallies of the imported days were not built; reports are correct, but slow until a server builds them: %w", err)
		}
		return nil
	})
}

// lockImport lets one import of views use a data directory at a time, until the
// lock is closed or the process ends: each compares its file with the views
// that are there before it adds any, so two could add the same view. Like
// [instance.LockFile], the file is never deleted.
func lockImport(dir string) (durable.Locked, error) {
	f, err := os.OpenFile(filepath.Join(dir, "import.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return durable.Locked{}, nil // an instance with all its data elsewhere
	}
	if err != nil {
		return durable.Locked{}, err
	}
	l, err := durable.Lock(f, durable.Hold{})
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		f.Close()
		return durable.Locked{}, fmt.Errorf("another import of views is running in %s: wait until it has ended, then import again",
			terminal.Plain(dir))
	}
	return l, nil
}
