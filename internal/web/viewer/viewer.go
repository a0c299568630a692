// Package viewer shows files on pages: for each kind of file a template, a
// style and a script, and what all other packages know of it.
package viewer

import (
	"context"
	"embed"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/publish"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/markup"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// Viewers shows the content of links, and knows where their bytes are.
type Viewers struct {
	Server   *httpx.Server
	Now      func() time.Time
	Log      *slog.Logger
	Blobs    vitrine.Blobs
	Previews *publish.Previews
	Signer   *signer.Signer
	Gates    *access.Gates
	// StorageTime is how long a reader waits for storage that is not in this
	// process; 0 means 3 seconds.
	StorageTime time.Duration
}

// A Viewer shows files of some kinds. It is a row of the table. Its templates,
// styles and scripts are in a folder. Nothing else knows a viewer by its name.
type Viewer struct {
	Name   string // most have a folder of this name
	Layout string // of the page: the class of its body after "is-"
	Page   string // template that defines "shown", the content on the page

	Styles []string // assets, besides the page's own
	Script string   // asset; "" for none
	Speeds bool     // offers a choice of speeds
	Full   bool     // it can fill the screen
	Prints bool     // the content can be printed

	// Shows reports whether the viewer shows a link whose bytes exist and that
	// no earlier viewer shows.
	Shows func(s *Viewers, l *vitrine.Link) bool
	// Fill adds what the template needs. address returns the address of
	// something of the link on the content host. nil: only the frame is needed.
	// [httpx.ErrNoPage]: the content is lost.
	Fill func(s *Viewers, r *http.Request, l *vitrine.Link, address func(what string) string, c *Content) error

	// Rows prepares sending all rows of a table, counted from 1: a JSON array a
	// line, and at the end an object that says whether more exist. send must be
	// called. nil if it shows no tables.
	Rows func(s *Viewers, r *http.Request, l *vitrine.Link, table int) (send func(io.Writer) error, err error)

	Frame    *Frame // nil if the page itself shows the content
	Scripted bool   // without JavaScript nothing is shown
	Waits    bool   // another viewer takes over once parts are made

	// Progress lists what its page can measure. The file's kind selects one of
	// it: reports measure all files of a kind alike, whatever shows them.
	Progress []report.ContentKind

	Height int    // of the content in an embed, CSS pixels
	Wide   bool   // it keeps the shape 16:9
	Type   string // the type for other sites, in Open Graph terms

	Inert    string // template that defines "inert": the content without scripts of ours; "" for none
	Examined Examined
	Entries  *Entries // nil if it shows no files in archives
}

// ProgressOf returns how progress on the page of a link is measured.
func (v *Viewer) ProgressOf(l *vitrine.Link) report.ContentKind {
	if k := report.ContentOf(l.Kind); slices.Contains(v.Progress, k) {
		return k
	}
	return report.ContentNone
}

// Frame is a document on the content host that shows a file in its own sandbox.
type Frame struct {
	Path    string // below the address of the link's content
	Sandbox string

	// The rest is of frames that are a template of the viewer.

	Template string
	Policy   httpx.Surface // {sandbox} is what SandboxOf returns
	Library  string        // directory of assets; "" for none
	File     bool          // it reads a file that browsers do not show by themselves
	// Reads returns the path of what the frame reads, below the link's content,
	// and its size in bytes. [httpx.ErrNoPage]: it cannot show the link.
	Reads func(s *Viewers, r *http.Request, l *vitrine.Link) (path string, size int64, err error)
}

// SandboxOf returns what the frame may do for a link. Printing requires
// dialogs, and is offered with the download.
func (f *Frame) SandboxOf(l *vitrine.Link) string {
	if f.Template != "" && l.AllowDownload {
		return f.Sandbox + " allow-modals"
	}
	return f.Sandbox
}

// Examined is how moderators see what a viewer shows.
type Examined struct {
	None    bool   // there is nothing to see
	Path    string // of the frame that shows it; "": the inert template
	Parsed  bool   // a web page, shown without active elements
	Sandbox string // of the frame
	Source  bool   // the text of the file is offered too, if it is text
	Note    func(l *vitrine.Link) string
}

// Entries is how a viewer shows files in archives: in its frame, or with its
// inert template.
type Entries struct {
	Shows  func(name string) bool
	Text   bool     // the template shows text, not the address of the bytes
	Styles []string // assets
}

// Content is what a viewer shows of a file.
type Content struct {
	File     string // address of the bytes, or of the frame that shows them; "" for none
	Sandbox  string // of the frame
	Cover    string // address of a picture that belongs to a sound; "" for none
	Tracks   []Track
	TextCut  bool // there is more of the text than Document has
	Wrap     bool // long lines are wrapped at first
	Lines    bool // Document is lines of text or code
	Document markup.Document
	Parts    int // of the file, whose reading the page measures; 0 for none
}

// Track is captions of a video or sound in WebVTT.
type Track struct {
	Language string // a BCP 47 tag
	Label    string // the language's name
	Address  string
}

// ContentOf collects what a viewer shows of a link. It waits for storage no
// longer than AnswerTime.
func (s *Viewers) ContentOf(v *Viewer, r *http.Request, l *vitrine.Link,
	address func(what string) string) (c Content, err error) {
	if v.Frame != nil {
		c.File, c.Sandbox = address(v.Frame.Path), v.Frame.SandboxOf(l)
	}
	if v.Fill != nil {
		ctx, cancel := context.WithTimeout(r.Context(), s.AnswerTime())
		defer cancel()
		err = v.Fill(s, r.WithContext(ctx), l, address, &c)
	}
	c.Parts = l.Outline.Len()
	return c, err
}

// Of returns the viewer of a link, which depends on its file and its parts.
func (s *Viewers) Of(l *vitrine.Link) *Viewer {
	if l.HasBytes {
		for _, v := range Table {
			if v.Shows(s, l) {
				return v
			}
		}
	}
	return Card
}

// ByFrame returns the viewer whose frame is a template with a path, or nil.
func ByFrame(path string) *Viewer {
	for _, v := range Table {
		if v.Frame != nil && v.Frame.Template != "" && v.Frame.Path == path {
			return v
		}
	}
	return nil
}

//go:embed *.css */*.html */*.css */*.js
var files embed.FS

var _ = ui.Folder("viewer", files)
