package user

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
)

type captionsCmd struct {
	Link     string
	File     string
	Language string
	Delete   bool
	Yes      bool
	Flags
}

func newCaptions() *command.Command {
	c := new(captionsCmd)
	cmd := command.New("captions", "Add, list and delete captions of a video or audio file.", c.Run)
	cmd.Examples("captions tour tour.en.vtt",
		"captions tour")
	cmd.Check(c.Validate)
	cmd.Arg(&c.Link, "link", "Slug or address of the link.").Complete(links)
	cmd.Arg(&c.File, "file", "Captions to add: WebVTT (.vtt) or SubRip (.srt). Without it, the captions of the link are listed.").OrNone().Complete(command.Files)
	cmd.String(&c.Language, "language", "TAG", "Language of the captions, such as de or pt-BR. Default: what the file's name says, as in film.de.vtt.")
	cmd.Bool(&c.Delete, "delete", "Delete the captions in the language.")
	cmd.Bool(&c.Yes, "yes,y", "Do not ask before captions are deleted. Required for that without a terminal.")
	cmd.Take(&c.Flags)
	return cmd
}

// Validate checks the combination of arguments.
func (c *captionsCmd) Validate() error {
	switch {
	case c.Delete && c.File != "":
		return errors.New("--delete takes no file: the language says which captions")
	case c.Delete && c.Language == "":
		return errors.New("--delete needs --language")
	case !c.Delete && c.File == "" && c.Language != "":
		return errors.New("--language needs a file or --delete")
	case c.File != "" && !slices.Contains([]string{".vtt", ".srt"}, strings.ToLower(filepath.Ext(c.File))):
		return fmt.Errorf("<file>: %q is neither WebVTT (.vtt) nor SubRip (.srt)", c.File)
	}
	if c.Language != "" {
		if _, err := vitrine.ParseLanguage(c.Language); err != nil {
			return fmt.Errorf("--language: %q is not the tag of a language, such as en, de or pt-BR", c.Language)
		}
	}
	return nil
}

// Run adds, deletes or lists captions, then prints the captions of the link. On
// a terminal the columns are aligned. Otherwise they are separated by tabs:
// language, name, address.
func (c *captionsCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	language, text, err := c.read()
	if err != nil {
		return err
	}
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	var all []client.Captions
	switch {
	case c.File != "":
		if all, err = api.PutCaptions(ctx, slug, language, text); err != nil {
			err = fmt.Errorf("%s: %w", c.File, err)
		}
	case c.Delete:
		ok, sure := t.Confirmed(c.Yes, "Delete the captions in %s?", terminal.Plain(language))
		if sure != nil || !ok {
			return sure
		}
		all, err = deleteCaptions(ctx, api, slug, language)
	default:
		all, err = api.Captions(ctx, slug)
	}
	if err != nil {
		return orWebsite(ctx, t, api, slug, err)
	}
	return c.show(t, all)
}

// deleteCaptions deletes the captions in a language and returns the others.
func deleteCaptions(ctx context.Context, api *client.Client, slug, language string) ([]client.Captions, error) {
	before, err := api.Captions(ctx, slug)
	if err != nil {
		return nil, err
	}
	if tag, err := vitrine.ParseLanguage(language); err == nil && !slices.ContainsFunc(before,
		func(one client.Captions) bool { return one.Language == tag }) {
		return nil, vitrine.Errorf(vitrine.CodeNotFound, "The link has no captions in %s.", tag)
	}
	if err := api.DeleteCaptions(ctx, slug, language); err != nil {
		return nil, err
	}
	return api.Captions(ctx, slug)
}

// read returns the language and the text of the file.
func (c *captionsCmd) read() (language string, text []byte, err error) {
	if c.File == "" {
		return c.Language, nil, nil
	}
	f, err := os.Open(c.File)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", c.File, terminal.Bare(err))
	}
	defer f.Close()
	if language = c.Language; language == "" {
		if language = languageOf(c.File); language == "" {
			return "", nil, terminal.Usage(fmt.Sprintf("the language of %s is unknown: set --language, such as --language de, or name the file like film.de.vtt", c.File))
		}
	}
	if text, err = io.ReadAll(io.LimitReader(f, vitrine.MaxCaptions+1)); err != nil {
		return "", nil, fmt.Errorf("%s: %w", c.File, terminal.Bare(err))
	}
	if len(text) > vitrine.MaxCaptions {
		return "", nil, fmt.Errorf("%s is larger than 1 MiB, the limit for captions", c.File)
	}
	return language, text, nil
}

// languageOf returns the language in a file name, the part before its last
// extension, or "" if there is none.
func languageOf(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	tag, err := vitrine.ParseLanguage(strings.TrimPrefix(filepath.Ext(name), "."))
	if err != nil {
		return ""
	}
	return tag
}

func (c *captionsCmd) show(t *terminal.Terminal, all []client.Captions) error {
	header := []string{"LANGUAGE", "NAME", "ADDRESS"}
	return command.List(t, c.JSONFlag, "The link has no captions.", header, all, command.Itself,
		func(one client.Captions) []string { return []string{one.Language, one.Label, one.URL} })
}
