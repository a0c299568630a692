package remote

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/terminal"
)

// DeployCmd deploys a folder as a version of a website.
type DeployCmd struct {
	Folder string `arg:"" predictor:"file" help:"Folder with an index.html at its top, such as the one that a site generator writes; or a ZIP of it."`
	To     string `once:"" predictor:"website" help:"Slug or address of the website. Default: the only website of your account." placeholder:"WEBSITE"`
	Flags
}

func (*DeployCmd) Help() string {
	return `Visitors see the new version at once, as a whole, unless it is held for review. Files whose names begin
with a dot are left out, and so are types that no website serves. Create a website in the app first,
on the page Websites. There you can also restore an earlier version, and see what was left out.
"vitrine put FOLDER" publishes one page instead, as a link.`
}

// deployed is the JSON output for a deploy: the website, and whether the
// version is held.
type deployed struct {
	client.Website
	Review     bool   `json:"review,omitempty"`
	Processing bool   `json:"processing,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Detail     string `json:"detail,omitempty"`
}

// Run deploys the folder and prints the address of the website.
func (c *DeployCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	f, err := openWebsite(t, c.Folder)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Folder, bare(err))
	}
	defer f.Close()
	b := &terminal.Bar{T: t}
	api, err := c.Client(t, notices(t, b.Clear)...)
	if err != nil {
		return err
	}
	site, err := findWebsite(ctx, t, api, c.To)
	if err != nil {
		return err
	}
	b.Begin(f)
	l, err := api.Upload(ctx, f, client.Options{Website: site.Slug, Progress: b.Set})
	b.End()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Folder, err)
	}
	if c.JSON {
		if all, err := api.Websites(ctx); err == nil { // it is deployed all the same
			for _, w := range all {
				if w.Slug == site.Slug {
					site = w
				}
			}
		}
		return t.JSON(deployed{site, l.Review, l.Processing, l.Reason, l.Detail})
	}
	switch {
	case l.Review:
		t.Say("The new version of %s is held for review (%s): visitors see it once a moderator approves it.",
			terminal.Plain(site.Slug), terminal.Plain(terminal.Why(l.Reason, l.Detail)))
		if meaning := vitrine.OwnerMeaning(l.Reason); meaning != "" {
			t.Say("%s", meaning)
		}
	case l.Processing:
		t.Say("The new version of %s is being checked: visitors see it in a moment.", terminal.Plain(site.Slug))
	default:
		t.Say("%s is deployed (%s).", terminal.Plain(site.Slug), terminal.FormatSize(f.Size))
	}
	_, err = fmt.Fprintln(t.Out, terminal.Plain(l.URL))
	return err
}

// findWebsite returns the website with a slug or an address, or the only one of
// the account if name is "".
func findWebsite(ctx context.Context, t *terminal.Terminal, api *client.Client, name string) (client.Website, error) {
	all, err := api.Websites(ctx)
	if err != nil {
		return client.Website{}, err
	}
	var slugs []string
	for _, w := range all {
		if strings.EqualFold(name, w.Slug) || normalAddress(name) == normalAddress(w.URL) {
			return w, nil
		}
		slugs = append(slugs, w.Slug)
	}
	create := "Create a website in the app: " + t.Asked.Server + "/websites"
	switch {
	case name == "" && len(all) == 1:
		return all[0], nil
	case name == "" && len(all) == 0:
		err = errors.New("your account has no website to deploy to")
	case name == "":
		return client.Website{}, terminal.Usage("name the website with --to: " + some(slugs))
	default:
		err = vitrine.Errorf(vitrine.CodeNotFound, "Your account has no website %q.", name)
	}
	if len(slugs) > 0 {
		create = "Your websites: " + some(slugs)
	}
	return client.Website{}, &terminal.AdvisedError{Err: err, Lines: []string{create}}
}

// normalAddress returns an address without scheme and final slash.
func normalAddress(address string) string {
	_, host, found := strings.Cut(address, "://")
	if !found {
		host = address
	}
	return strings.ToLower(strings.TrimSuffix(host, "/"))
}

// openWebsite opens a ZIP, or packs a folder into one.
func openWebsite(t *terminal.Terminal, path string) (client.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return client.File{}, err
	case !info.IsDir() && !strings.EqualFold(filepath.Ext(path), ".zip"):
		return client.File{}, terminal.Usage("it is neither a folder nor a ZIP. To publish a file as a link: " +
			terminal.Self() + " put " + terminal.ShellWord(path))
	case !info.IsDir():
		return client.OpenFile(path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return client.File{}, err
	}
	defer root.Close()
	if index, err := root.Lstat("index.html"); err != nil || !index.Mode().IsRegular() {
		return client.File{}, errors.New("there is no index.html at the top of this folder. Name the folder of the finished website, such as dist or public")
	}
	out, err := temporary()
	if err != nil {
		return client.File{}, err
	}
	size, others, err := pack(root.FS(), out)
	if err != nil {
		out.Close()
		return client.File{}, err
	}
	if len(others) > 0 {
		t.Say("Left out, because they are not regular files (%d): %s", len(others), terminal.Plain(some(others)))
	}
	return client.File{Name: "website.zip", Size: size, Content: out}, nil
}

// pack writes the files of a folder into a ZIP. It returns its size, and the
// links and devices that it left out. No website has names that begin with a
// dot. The same files make the same bytes.
func pack(from fs.FS, to io.Writer) (size int64, others []string, err error) {
	counted := counter{to: to}
	archive := zip.NewWriter(&counted)
	err = fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		hidden := path != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "__MACOSX"
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return fs.SkipDir
		case hidden || d.IsDir():
			return nil
		case !d.Type().IsRegular():
			others = append(others, path)
			return nil
		}
		f, err := from.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w, err := archive.Create(path)
		if err == nil {
			_, err = io.Copy(w, f)
		}
		return err
	})
	err = errors.Join(err, archive.Close())
	return counted.n, others, err
}

// counter counts the bytes that are written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// WebsitesCmd lists the websites of the account.
type WebsitesCmd struct{ Flags }

func (*WebsitesCmd) Help() string {
	return `On a terminal, a table. Otherwise a line for each website, its columns separated by tabs: slug, status,
number of versions, bytes of all versions, time of the last deploy, title, address.`
}

// Run lists the websites, newest first.
func (c *WebsitesCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	api, err := c.reader(t)
	if err != nil {
		return err
	}
	all, err := api.Websites(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, w := range all {
		if c.JSON {
			if err := t.JSON(w); err != nil {
				return err
			}
			continue
		}
		status := w.Status
		if w.Pending {
			status += " (newer version held)"
		}
		row := []string{w.Slug, status, fmt.Sprint(w.Versions), t.Size(w.SizeBytes), t.When(w.DeployedAt), w.Title}
		if !t.OutTTY {
			row = append(row, w.URL)
		}
		rows = append(rows, row)
	}
	switch {
	case c.JSON:
		return nil
	case len(rows) == 0 && t.OutTTY:
		t.Say("No websites yet. Create one in the app: %s/websites", terminal.Plain(t.Asked.Server))
		return nil
	}
	return t.Table([]string{"SLUG", "STATUS", "VERSIONS", "SIZE", "DEPLOYED", "TITLE"}, rows)
}
