package user

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

	"vitrine/client"
	"vitrine/internal/app/access"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/filetype"
)

// deployCmd deploys a folder as a version of a website.
type deployCmd struct {
	Folder string
	To     string
	Flags
}

func newDeploy() *command.Command {
	c := new(deployCmd)
	cmd := command.New("deploy", "Deploy a folder to one of your websites.", c.Run)
	cmd.Long = `Visitors see the new version at once, as a whole, unless it is held for review. Programs, types that no
website serves, and files whose names begin with a dot are left out; the command lists them and still
succeeds. Create a website in the app first, on the page Websites. There you can also restore an
earlier version.`
	cmd.Examples("deploy dist",
		"deploy dist --to handbook",
		"deploy website.zip --to handbook --json | jq -r .url")
	cmd.Arg(&c.Folder, "folder", "Folder with an index.html at its top, such as the one that a site generator writes; or a ZIP of it.").Complete(command.Files)
	cmd.String(&c.To, "to", "WEBSITE", "Slug or address of the website. Default: the only website of your account.").Once().Complete(websites)
	cmd.Take(&c.Flags)
	return cmd
}

// deployed is the JSON output for a deploy: the website, and whether the
// version is held.
type deployed struct {
	client.Website
	Review     bool   `json:"review,omitempty"`
	Processing bool   `json:"processing,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Detail     string `json:"detail,omitempty"`

	LeftOut      []client.LeftOut `json:"leftOut,omitempty"`
	LeftOutTotal int              `json:"leftOutTotal,omitempty"`
}

// Run deploys the folder and prints the address of the website.
func (c *deployCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	f, unsent, err := openWebsite(c.Folder)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Folder, terminal.Bare(err))
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
	l, err := upload(ctx, t, api, f, client.Options{Website: site.Slug, Type: filetype.MIMEOf(f.Name), Progress: b.Set})
	b.End()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Folder, err)
	}
	unprinted := fmt.Sprintf("%s is sent to %s, which", c.Folder, l.URL)
	left, total := append(l.LeftOut, unsent...), l.LeftOutTotal+len(unsent)
	if c.JSON {
		if all, err := api.Websites(ctx); err == nil { // it is deployed all the same
			for _, w := range all {
				if w.Slug == site.Slug {
					site = w
				}
			}
		}
		return terminal.Unprinted(t.JSON(deployed{site, l.Review, l.Processing, l.Reason, l.Detail, left, total}),
			unprinted)
	}
	switch {
	case l.Review:
		t.Say("The new version of %s is held for review (%s): visitors see it once a moderator approves it.",
			terminal.Plain(site.Slug), terminal.Plain(terminal.Why(l.Reason, l.Detail)))
		if meaning := access.OwnerMeaning(l.Reason); meaning != "" {
			t.Say("%s", meaning)
		}
	case l.Processing:
		t.Say("The new version of %s is being checked: visitors see it in a moment.", terminal.Plain(site.Slug))
	default:
		t.Say("%s is deployed (%s).", terminal.Plain(site.Slug), terminal.FormatSize(f.Size))
	}
	sayLeftOut(t, site.Slug, left, total)
	_, err = fmt.Fprintln(t.Out, terminal.Plain(l.URL))
	return terminal.Unprinted(err, unprinted)
}

// namedLeftOut is how many files a message about files that are left out names.
const namedLeftOut = 10

// sayLeftOut names the files that a website does not serve. Those of the ZIP
// come first.
func sayLeftOut(t *terminal.Terminal, slug string, left []client.LeftOut, total int) {
	if total == 0 {
		return
	}
	var names []string
	for _, f := range left[:min(len(left), namedLeftOut)] {
		names = append(names, fmt.Sprintf("%s (%s)", f.Path, f.Meaning))
	}
	more := ""
	if total > len(names) {
		more = fmt.Sprintf(" and %d more. See %s", total-len(names), websitePage(t.Asked.Server, slug))
	}
	t.Say("Left out (%d): %s", total, terminal.Plain(strings.Join(names, ", ")+more))
}

// openWebsite opens a ZIP, or packs a folder into one. It returns what it left
// out.
func openWebsite(path string) (f client.File, unsent []client.LeftOut, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return f, nil, err
	case !info.IsDir() && !strings.EqualFold(filepath.Ext(path), ".zip"):
		return f, nil, terminal.Usage("it is neither a folder nor a ZIP. To publish a file as a link: " +
			terminal.Self() + " put " + notation.ShellWord(path))
	case !info.IsDir():
		f, err = client.OpenFile(path)
		return f, nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return f, nil, err
	}
	defer root.Close()
	if index, err := root.Lstat("index.html"); err != nil || !index.Mode().IsRegular() {
		return f, nil, errors.New("there is no index.html at the top of this folder. Name the folder of the finished website, such as dist or public")
	}
	out, err := temporary()
	if err != nil {
		return f, nil, err
	}
	unsent, err = pack(root.FS(), out)
	if err == nil {
		info, err = out.Stat()
	}
	if err != nil {
		out.Close()
		return f, nil, err
	}
	return client.File{Name: "website.zip", Size: info.Size(), Content: out}, unsent, nil
}

// pack writes the files of a folder into a ZIP. It returns what it left out:
// hidden files, and links and devices, which no website serves. A hidden folder
// is one entry. The same files make the same bytes.
func pack(from fs.FS, to io.Writer) (unsent []client.LeftOut, err error) {
	var hidden []client.LeftOut
	archive := zip.NewWriter(to)
	err = fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		system := path != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "__MACOSX"
		switch {
		case err != nil:
			return err
		case system && d.IsDir():
			hidden = append(hidden, client.LeftOut{Path: path + "/", Reason: "hidden", Meaning: "hidden folder"})
			return fs.SkipDir
		case system:
			hidden = append(hidden, client.LeftOut{Path: path, Reason: "hidden", Meaning: "hidden file"})
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			unsent = append(unsent, client.LeftOut{Path: path, Reason: "link", Meaning: "a link or device, not a file"})
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
	return append(unsent, hidden...), err
}
