package user

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"vitrine/client"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/filetype"
)

// getCmd downloads the file of a link.
type getCmd struct {
	Link   string
	Output string
	Force  bool
	Flags
}

func newGet() *command.Command {
	c := new(getCmd)
	cmd := command.New("get", "Download the original file of a link.", c.Run)
	cmd.SuggestFor = []string{"download", "fetch", "pull"}
	cmd.Examples("get q3-report",
		"get q3-report --output downloads",
		"get q3-report --output - | sha256sum")
	cmd.Check(c.Validate)
	cmd.Arg(&c.Link, "link", "Slug or address of the link.").Complete(links)
	cmd.String(&c.Output, "output,o", "FILE", "File or directory to write to, or - for standard output. A device or a named pipe is written to. Default: the name that the file was uploaded with, in this directory.").Complete(command.Files)
	cmd.Bool(&c.Force, "force,f", "Replace a file that exists; for a symbolic link, its target.")
	cmd.Take(&c.Flags)
	return cmd
}

// Run downloads to a temporary file and renames it only if it is complete and
// its SHA-256 matches the link's. With --output -, or the name of a device or a
// pipe, it writes there directly.
func (c *getCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, l, err := c.find(ctx, t, c.Link)
	if err != nil {
		return err
	}
	if c.Output == "-" {
		return fetch(ctx, t, api, l, t.Out)
	}
	path, special, err := c.path(l.Name)
	if err != nil {
		return err
	}
	if err := save(ctx, t, api, l, path, special); err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(map[string]any{"file": path, "size_bytes": l.SizeBytes, "sha256": l.SHA256, "version": l.Version})
	}
	if special { // it may be standard output
		return nil
	}
	_, err = fmt.Fprintln(t.Out, terminal.Plain(path))
	return err
}

// Validate checks the combination of flags.
func (c *getCmd) Validate() error {
	if c.JSON && c.Output == "-" {
		return errors.New("--json and --output - both write to standard output: use one of them")
	}
	return nil
}

// path returns the file to write, and whether it is a device or a named pipe
// rather than a regular file. If it is a symbolic link, it returns its target.
func (c *getCmd) path(name string) (path string, special bool, err error) {
	path = c.Output
	named := func() error { // of a server that is not ours, a name may be .bashrc
		if _, err := filetype.ByName(name, "application/octet-stream"); err != nil {
			return fmt.Errorf("the server names the file %s, which is no name of a shared file. Name another one with --output",
				strconv.QuoteToASCII(name))
		}
		return nil
	}
	if path == "" {
		if err := named(); err != nil {
			return "", false, err
		}
		path = name
	}
	info, err := os.Stat(path)
	isDir := err == nil && info.IsDir()
	switch {
	case isDir && c.Output != "":
		if err := named(); err != nil {
			return "", false, err
		}
		path = filepath.Join(path, name)
		info, err = os.Stat(path)
	case isDir:
		return "", false, fmt.Errorf("%s is a directory. Name another file with --output", path)
	case err != nil && strings.HasSuffix(path, string(filepath.Separator)):
		return "", false, fmt.Errorf("there is no directory %s", path)
	}
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return path, true, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return c.existing(path)
	}
	if dir := filepath.Dir(path); !isDir {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return "", false, fmt.Errorf("there is no directory %s", dir)
		}
	}
	return path, false, nil
}

// existing returns the file to replace.
func (c *getCmd) existing(path string) (string, bool, error) {
	if !c.Force {
		return "", false, fmt.Errorf("%s exists. Replace it with --force, or name another file with --output", path)
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
	}
	return target, false, err
}

// save writes the file of a link to path: a special file directly, any other
// under a temporary name until it is complete.
func save(ctx context.Context, t *terminal.Terminal, api *client.Client, l client.LinkDetail, path string,
	special bool) error {
	if special {
		f, err := openSpecial(ctx, path)
		if err != nil {
			return err
		}
		return errors.Join(fetch(ctx, t, api, l, f), f.Close())
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".vitrine-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	err = fetch(ctx, t, api, l, part)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}

// openSpecial opens a device or a named pipe. A pipe waits for its reader, but
// not longer than ctx.
func openSpecial(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// find returns the link for an argument.
func (f Flags) find(ctx context.Context, t *terminal.Terminal, arg string) (*client.Client, client.LinkDetail, error) {
	api, err := f.reader(t)
	if err != nil {
		return nil, client.LinkDetail{}, err
	}
	l, err := f.link(ctx, t, api, arg)
	return api, l, err
}

// link returns the link for an argument. It says if the argument is a former
// slug.
func (f Flags) link(ctx context.Context, t *terminal.Terminal, api *client.Client, arg string) (
	l client.LinkDetail, err error) {
	slug, err := f.slug(ctx, t, api, arg)
	if err != nil {
		return l, err
	}
	if l, err = api.Link(ctx, slug); err == nil {
		sayRenamed(t, slug, l.Slug)
	}
	return l, orWebsite(ctx, t, api, arg, err)
}

// sayRenamed says that a slug is a former one.
func sayRenamed(t *terminal.Terminal, former, slug string) {
	if former = strings.ToLower(former); former != slug {
		t.Say("%s is now %s.", terminal.Plain(former), terminal.Plain(slug))
	}
}

func fetch(ctx context.Context, t *terminal.Terminal, api *client.Client, l client.LinkDetail, w io.Writer) error {
	res, err := api.OpenLinkFile(ctx, l.Slug)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	bar := &terminal.Meter{T: t}
	if w != t.Out || !t.OutTTY { // it would be drawn over the file
		bar.Begin(l.Name, l.SizeBytes)
	}
	defer bar.End()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum, moved(bar.Add)), res.Body)
	switch {
	case err != nil:
		return err
	case n != l.SizeBytes || l.SHA256 != "" && hex.EncodeToString(sum.Sum(nil)) != l.SHA256:
		return errors.New("the received bytes do not match the link: its file may have been replaced during the download. Try again")
	}
	return nil
}

// moved is a writer that reports the number of bytes written.
type moved func(int64)

func (m moved) Write(b []byte) (int, error) { m(int64(len(b))); return len(b), nil }

// openCmd opens a link in the browser.
type openCmd struct {
	Link  string
	Stats bool
	Flags
}

func newOpen() *command.Command {
	c := new(openCmd)
	cmd := withAPI("open", "Open a link in your browser.", &c.Connection, c.Run)
	cmd.SuggestFor = []string{"view", "show", "browse"}
	cmd.Examples("open q3-report",
		"open q3-report --stats")
	cmd.Arg(&c.Link, "link", "Slug or address of the link. For a website, its page in the app is opened.").Complete(links)
	cmd.Bool(&c.Stats, "stats", "Open its analytics in the app instead of its public page.")
	cmd.Take(&c.Flags)
	return cmd
}

// Run opens the page and prints its address.
func (c *openCmd) Run(ctx context.Context, t *terminal.Terminal, api *client.Client) error {
	slug, err := c.slug(ctx, t, api, c.Link)
	if err != nil {
		return err
	}
	l, err := api.Link(ctx, slug)
	if w := websiteInstead(ctx, t, api, c.Link, err); w != nil {
		return c.open(t, websitePage(t.Asked.Server, w.Slug)+map[bool]string{true: "/analytics"}[c.Stats])
	}
	if err != nil {
		return err
	}
	sayRenamed(t, slug, l.Slug)
	address := l.URL
	if c.Stats {
		address = strings.TrimSuffix(strings.TrimSuffix(l.URL, l.Slug), "/p/") + "/links/" + l.Slug + "/analytics"
	}
	if !c.Stats && l.Status != "live" {
		t.Say("The link is %s: its page does not show the file now.", terminal.Plain(listStatus(l.ListedLink)))
	}
	return c.open(t, address)
}

// open opens a page and prints its address.
func (c *openCmd) open(t *terminal.Terminal, address string) error {
	if c.JSON {
		return t.JSON(map[string]string{"url": address})
	}
	if t.ErrTTY {
		OpenBrowser(address)
	}
	_, err := fmt.Fprintln(t.Out, terminal.Plain(address))
	return err
}

// OpenBrowser opens a page in the user's browser. It reports whether the
// browser could be started.
func OpenBrowser(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false // only open web addresses: the address comes from the server
	}
	var command []string
	switch {
	case os.Getenv("SSH_CONNECTION") != "":
		return false
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		command = []string{"xdg-open"}
	default:
		return false
	}
	p := exec.Command(command[0], append(command[1:], u.String())...)
	if p.Start() != nil {
		return false
	}
	go func() { _ = p.Wait() }()
	return true
}
