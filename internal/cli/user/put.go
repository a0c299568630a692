package user

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/access"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/filetype"
)

// putCmd publishes files.
type putCmd struct {
	Files    []string
	Name     string
	Title    string
	Slug     string
	ViewOnly bool
	Expires  command.When
	Type     string
	Replace  string
	Password bool // from standard input
	Readers  int

	RequireLive bool
	emailFlags
	Yes bool
	Flags

	secret string // the password
}

func newPut() *command.Command {
	c := new(putCmd)
	cmd := command.New("put", "Publish files and print their links.", c.Run)
	cmd.SuggestFor = []string{"upload", "publish", "push", "add", "share"}
	cmd.Examples("put report.pdf",
		"put deck.pdf --title 'Spring deck' --expires 30d --view-only",
		"put report.pdf --replace q3-report",
		"put *.png --json | jq -r .url",
		"put report.pdf --require-live && ./announce.sh",
		"put offer.pdf --password-stdin",
		"put - --name minutes.md")
	cmd.Check(c.Validate)
	cmd.Rest(&c.Files, "file", "Files to publish; each becomes a link. A folder is published with deploy, as a website. With - and --name, the file is read from standard input.").Complete(command.Files)
	cmd.String(&c.Name, "name", "NAME", "Publish the file under this name, whose extension says what it is. Required for standard input.")
	cmd.String(&c.Title, "title", "TEXT", "Title of the page. Default: the file's name without its extension.")
	cmd.String(&c.Slug, "slug", "SLUG", "Custom slug, the part of the link's address after /p/, if your account may choose it.")
	cmd.Bool(&c.ViewOnly, "view-only", "View only: readers cannot download the file.")
	cmd.WhenOrNever(&c.Expires, "expires", "When the link expires, such as 12h, 30d, 2w, 1y, 2027-01-31, or never. Default: never, or the limit of your API key.")
	cmd.String(&c.Type, "type", "TYPE", "MIME type. Default: that of the file's extension.")
	cmd.String(&c.Replace, "replace", "LINK", "Replace the file of one of your links by this one. The link keeps its address, title and numbers.").Complete(links)
	cmd.Bool(&c.Password, "password-stdin", passwordHelp)
	cmd.Int(&c.Readers, "readers", "N", "How many people may open the link. Default: any number.")
	c.take(cmd, "")
	cmd.Bool(&c.RequireLive, "require-live", "Wait until the file is checked, at most 10 minutes, and exit with 0 only if its link works: with 1 if a moderator must approve it, with 75 if the check takes longer. The link is printed in any case.")
	cmd.Bool(&c.Yes, "yes,y", "With --replace, do not ask when the new file is of another kind. Required without a terminal.")
	cmd.Take(&c.Flags)
	return cmd
}

// Validate returns an error if options for a single file are used with several.
func (c *putCmd) Validate() error {
	switch {
	case len(c.Files) > 1 && (c.Slug != "" || c.Title != "" || c.Replace != "" || c.Name != ""):
		return errors.New("--slug, --title, --name and --replace only work with one file")
	case slices.Contains(c.Files, stdin) && len(c.Files) > 1:
		return errors.New("standard input (-) cannot be combined with other files")
	case slices.Contains(c.Files, stdin) && c.Name == "":
		return errors.New("- reads standard input and needs a name for the file, such as --name report.pdf")
	case strings.ContainsAny(c.Name, `/\\`):
		return fmt.Errorf("--name: %q is not a file name, such as report.pdf", c.Name)
	case c.Replace != "" &&
		(c.Slug != "" || c.Title != "" || c.ViewOnly || c.Expires.Given || c.Password || c.Readers != 0 ||
			c.email() != nil):
		return errors.New("--replace cannot be combined with --slug, --title, --view-only, --expires, --password-stdin, --readers, --allow, --deny or --consent: the link keeps its own")
	case c.Password && slices.Contains(c.Files, stdin):
		return errors.New("--password-stdin and - cannot both read standard input")
	}
	return nil
}

// stdin is the argument that stands for standard input.
const stdin = "-"

// put is the JSON output for one file: the link as "ls --json" prints it, and
// what happened to the file. After a failure there is no link.
type put struct {
	File string `json:"file"`
	*client.LinkDetail
	Review      bool                `json:"review,omitempty"`
	Processing  bool                `json:"processing,omitempty"`
	Replacement *client.Replacement `json:"replacement,omitempty"`
	failure
}

// Run publishes the files one by one.
func (c *putCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	b := &terminal.Bar{T: t}
	api, err := c.Client(t, notices(t, b.Clear)...)
	if err != nil {
		return err
	}
	if c.Replace, err = c.slug(ctx, t, api, c.Replace); err != nil {
		return err
	}
	if c.Password {
		if c.secret, err = readPassword(t); err != nil {
			return err
		}
	}
	return forEach(ctx, t, c.Files, "files failed", func(path string) error {
		l, err := c.put(ctx, api, b, path)
		if err != nil {
			return err
		}
		live := c.untilLive(ctx, t, api, c.shownName(path), l)
		if err := c.show(ctx, t, api, c.shownName(path), l); err != nil || live == nil {
			return err
		}
		return live
	}, func(path string, err error) error {
		if e := new(notLiveError); !c.JSON || errors.As(err, &e) { // its link was printed
			return nil
		}
		return t.JSON(put{File: c.shownName(path), failure: failed(t, err)})
	}, c.shownName)
}

// shownName returns the name of a file for messages.
func (c *putCmd) shownName(path string) string {
	if path == stdin {
		return c.Name
	}
	return path
}

func (c *putCmd) put(ctx context.Context, api *client.Client, b *terminal.Bar, path string) (*client.Link, error) {
	f, err := open(b.T, path)
	if err != nil {
		return nil, terminal.Bare(err)
	}
	defer f.Close()
	f.Name = cmp.Or(c.Name, f.Name)
	if f.Size == 0 {
		return nil, errors.New("the file is empty")
	}
	if c.Replace != "" && !c.Yes {
		if err := c.sameKind(ctx, api, b.T, f.Name); err != nil {
			return nil, orWebsite(ctx, b.T, api, c.Replace, err)
		}
	}
	before := c.versions(ctx, api)
	b.Begin(f)
	defer b.End()
	l, err := upload(ctx, b.T, api, f, client.Options{Type: cmp.Or(c.Type, filetype.MIMEOf(f.Name)), Slug: c.Slug,
		LinkName: c.titleOf(f.Name), ViewOnly: c.ViewOnly,
		Password: c.secret, Readers: c.Readers, Email: c.email(), Replace: c.Replace,
		ExpiresAt:    c.Expires.At(time.Now()),
		NeverExpires: c.Expires.Never,
		Progress:     b.Set})
	if err != nil {
		return nil, c.advised(err, path, f.Name)
	}
	c.sayDeleted(ctx, api, b, before, c.versions(ctx, api))
	return &l, nil
}

// titleOf returns the title of the link of a file, as the app's page does: the
// name without its extension, unless there is another. "" leaves it to the
// server.
func (c *putCmd) titleOf(name string) string {
	if c.Title != "" || c.Replace != "" {
		return c.Title
	}
	stem, err := vitrine.ParseTitle(strings.TrimSpace(strings.TrimSuffix(name, filepath.Ext(name))))
	if err != nil {
		return ""
	}
	return stem
}

// advised adds what to do about a file whose name has no extension.
func (c *putCmd) advised(err error, path, name string) error {
	var e *client.Error
	if len(c.Files) > 1 || filepath.Ext(name) != "" || !errors.As(err, &e) ||
		e.Code != string(vitrine.CodeInvalidName) {
		return err
	}
	return &terminal.AdvisedError{Err: err, Lines: []string{fmt.Sprintf("For example, if it is text: %s put %s --name %s",
		terminal.Self(), notation.ShellWord(path), notation.ShellWord(name+".txt"))}}
}

// sameKind asks for confirmation before a file replaces one of another kind,
// because its reading statistics then start over.
func (c *putCmd) sameKind(ctx context.Context, api *client.Client, t *terminal.Terminal, name string) error {
	file, ok := filetype.ByExt(name)
	if !ok {
		return nil // the server returns the reason
	}
	l, err := api.Link(ctx, c.Replace)
	if err != nil || l.Kind == string(file.Kind) {
		return err
	}
	differs := fmt.Sprintf("The file of this link is of the kind %s, and the new file is of the kind %s. "+
		"Numbers of how far people read start again.", terminal.Plain(l.Kind), file.Kind)
	switch {
	case !t.InTTY:
		return terminal.Unconfirmed("t" + strings.TrimSuffix(differs[1:], ".")) // it follows a colon
	case !t.Agreed(bufio.NewReader(t.In), "%s Replace it anyway?", differs):
		return terminal.ErrDeclined
	}
	return nil
}

// open opens a file, or a copy of standard input.
func open(t *terminal.Terminal, path string) (client.File, error) {
	if path == stdin {
		return spool(t)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil && strings.Contains(path, "://"):
		return client.File{}, terminal.Usage("this is an address: put publishes files. Download it first")
	case err != nil || info.Mode().IsRegular():
		return client.OpenFile(path)
	case info.IsDir():
		return client.File{}, terminal.Usage("it is a folder. To publish it as a website: " + terminal.Self() +
			" deploy " + notation.ShellWord(path))
	}
	// Opening a pipe would wait for its other end.
	return client.File{}, errors.New("not a regular file. To publish what a program writes, pipe it into: " +
		terminal.Self() + " put - --name NAME")
}

// spool copies standard input to a temporary file: an upload announces the
// size, and may send the bytes again.
func spool(t *terminal.Terminal) (client.File, error) {
	out, err := temporary()
	if err != nil {
		return client.File{}, err
	}
	if t.InTTY {
		t.Say("Reading the file from the terminal. End it with Ctrl-D.")
	}
	size, err := io.Copy(out, t.In)
	if err != nil {
		out.Close()
		return client.File{}, fmt.Errorf("standard input: %w", err)
	}
	return client.File{Size: size, Content: out}, nil
}

// temporary returns a temporary file that has no name and ends with the
// process.
func temporary() (*os.File, error) {
	out, err := os.CreateTemp("", "vitrine-*")
	if err == nil {
		_ = os.Remove(out.Name()) // if this fails, the file stays in the temporary directory
	}
	return out, err
}

// some returns the first few names.
func some(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// show prints the result for a file.
func (c *putCmd) show(ctx context.Context, t *terminal.Terminal, api *client.Client, path string,
	l *client.Link) error {
	unprinted := "it is published at " + l.URL + ", which"
	if c.JSON {
		return terminal.Unprinted(t.JSON(row(ctx, api, path, l)), unprinted)
	}
	if l.Review {
		t.Say("%s is held for review (%s): its link works once a moderator approves it.", terminal.Plain(path),
			terminal.Plain(terminal.Why(l.Reason, l.Detail)))
		if meaning := access.OwnerMeaning(l.Reason); meaning != "" {
			t.Say("%s", meaning)
		}
	}
	if r := l.Replacement; r != nil {
		t.Say("%s", terminal.Plain(replacedText(path, r)))
	}
	if l.Processing {
		t.Say("%s is being checked: its link works in a moment.", terminal.Plain(path))
	}
	if !c.Expires.Given && c.Replace == "" && !l.ExpiresAt.IsZero() {
		t.Say("The link of %s expires on %s, because the API key limits how long its links are public.",
			terminal.Plain(path), terminal.Moment(l.ExpiresAt))
	}
	line := terminal.Plain(l.URL)
	if t.OutTTY && len(c.Files) > 1 {
		line = terminal.Plain(path) + " → " + line
	}
	_, err := fmt.Fprintln(t.Out, line)
	return terminal.Unprinted(err, unprinted)
}

// row returns the JSON output for a published file.
func row(ctx context.Context, api *client.Client, path string, l *client.Link) put {
	whole, err := api.Link(ctx, l.Slug)
	if err != nil { // the file is published all the same
		whole = client.LinkDetail{Version: l.Version, ListedLink: client.ListedLink{Slug: l.Slug, Title: l.Title,
			URL: l.URL, Reason: l.Reason, Detail: l.Detail}}
	}
	return put{File: path, LinkDetail: &whole, Review: l.Review, Processing: l.Processing, Replacement: l.Replacement}
}
