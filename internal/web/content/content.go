package content

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/filetype/text"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
	"vitrine/report/part"
)

// SeparateOrigins separates the origin of file bytes on an instance with two
// hosts: the content host serves only file bytes and frames with what they
// load, and no other host serves file bytes.
func (s *Handler) SeparateOrigins(next http.Handler) http.Handler {
	if s.Server.ContentURL.Host == s.Server.PublicURL.Host {
		return next
	}
	nothing := s.Pages.Page(func(http.ResponseWriter, *http.Request) error { return httpx.ErrNoPage })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here := strings.EqualFold(r.Host, s.Server.ContentURL.Host)
		switch {
		case strings.HasPrefix(r.URL.Path, httpx.AssetRoot),
			here == (strings.HasPrefix(r.URL.Path, httpx.ContentRoot) || strings.HasPrefix(r.URL.Path, httpx.SiteRoot)):
			next.ServeHTTP(w, r)
		default:
			nothing.ServeHTTP(w, r)
		}
	})
}

type contentHandler func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error

// OnContent finds the link of a content token, with the version of the file
// with which the reader's page began. It checks the link's state on every
// request, and browsers must revalidate their copies, so that a disabled link
// disappears at once.
func (s *Handler) OnContent(h contentHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("X-Robots-Tag", "noindex")
		c, err := s.Signer.ParseContentToken(r.PathValue("token"), s.Now())
		if err != nil {
			return err
		}
		find := func(ctx context.Context) (*vitrine.Link, error) {
			return s.Links.PublicVersion(ctx, c.Link, c.Version, c.Recipient, s.Viewers.Bearer(ctx, c.Pass))
		}
		l, err := find(r.Context())
		if err != nil {
			return err
		}
		if err := s.Viewers.Fetches(r, l, c.Pass); err != nil {
			return err
		}
		header.Set("Cache-Control", "private, no-cache")
		shown := func(ctx context.Context) error { _, err := find(ctx); return err }
		return s.Server.StopWhenNotPublic(w, r, shown, func() error { return h(w, r, l) })
	}
}

// FileOptions answers preflights. The PDF viewer, whose origin is opaque, needs
// them for range requests in some browsers.
func FileOptions(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", "Range, If-Range")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// File sends a file's bytes to its viewer, also for a view-only link. So anyone
// who can see such a file can save it, as with everything that a browser shows.
// View-only means that no copy is offered: no download, no attachment, and no
// page with only the file.
func (s *Handler) File(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	t, ok := filetype.ByExt(l.Name)
	inline := ok && filetype.Inline(t) && l.Kind != filetype.HTML
	svg := t.Ext == "svg"
	switch {
	case l.Kind == filetype.HTML:
		return httpx.ErrNoPage // in its frame only
	case httpx.Navigated(r) && (l.Kind == filetype.PDF || !l.AllowDownload):
		return s.toPage(w, r, l)
	case !inline && !svg && !reads(s.Viewers.Of(l)) && !l.AllowDownload:
		return httpx.ErrNoPage // it has no viewer that would need the bytes
	}
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", filetype.ContentType(t))
	kind := "inline"
	if l.AllowDownload && (svg || !inline) {
		kind = "attachment" // an <img> shows it all the same
	}
	h.Set("Content-Disposition", httpx.Disposition(kind, l.Name))
	viewer.SendBlob(w, r, l, blob)
	return nil
}

// reads reports whether the frame of a viewer reads the file itself.
func reads(v *viewer.Viewer) bool { return v.Frame != nil && v.Frame.File }

func (s *Handler) toPage(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	http.Redirect(w, r, s.Server.AddressOf(l), http.StatusSeeOther)
	return nil
}

// HTMLFrame streams a user's HTML into its frame. It inserts a script before
// everything else, which reports to the surrounding page how far the frame was
// scrolled, and gives the headings that begin sections their number. Stored
// bytes and downloads have neither.
func (s *Handler) HTMLFrame(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if l.Kind != filetype.HTML {
		return httpx.ErrNoPage
	}
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	in := bufio.NewReaderSize(blob, viewer.HTMLHead)
	head, err := in.Peek(viewer.HTMLHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return vitrine.Unavailable(err)
	}
	_, label := text.PageCharset(head)
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Type", "text/html; charset="+label)
	s.Server.SetPolicy(w, r, httpx.HTMLFrame, "sandbox", viewer.HTMLSandbox)
	if r.Method == http.MethodHead {
		return nil
	}
	if !strings.HasPrefix(label, "utf-16") {
		n := prologue(head)
		marks := marksOf(l.Outline)
		if _, err := io.WriteString(w, string(head[:n])+s.frameScript(l.Outline.Len(), len(marks) > 0)); err != nil {
			return nil // the reader has gone away
		}
		_, _ = in.Discard(n)
		err = writeMarked(w, in, int64(n), marks)
	}
	if err == nil || errors.Is(err, io.EOF) {
		_, err = in.WriteTo(w)
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client must not mistake a partial answer for a complete one
	}
	return nil
}

// frameScript returns the element that loads the script of the frame. It says
// how many parts the file has, and whether their headings are marked.
func (s *Handler) frameScript(parts int, marked bool) string {
	attributes := ""
	if parts > 0 {
		attributes = fmt.Sprintf(` data-parts="%d"`, parts)
	}
	if marked {
		attributes += " data-marked"
	}
	return `<script src="` + httpx.Origin(s.Server.ContentURL) + ui.AssetPath("viewer/html/frame.js") + `"` +
		attributes + `></script>`
}

// mark is a text to insert at a byte of a file.
type mark struct {
	at   int64
	text string
}

// marksOf returns the marks of the headings that begin the second and each
// later section of a file.
func marksOf(o part.Outline) (marks []mark) {
	for i, p := range o.Parts() {
		if i > 0 && p.At > 0 {
			marks = append(marks, mark{p.At, fmt.Sprintf(` data-vitrine-part="%d"`, i+1)})
		}
	}
	return marks
}

// writeMarked copies a file from a byte on up to its last mark.
func writeMarked(w io.Writer, in io.Reader, from int64, marks []mark) error {
	for _, m := range marks {
		if m.at < from {
			continue
		}
		if _, err := io.CopyN(w, in, m.at-from); err != nil {
			return err
		}
		if _, err := io.WriteString(w, m.text); err != nil {
			return err
		}
		from = m.at
	}
	return nil
}

// prologue returns the length of what precedes the first element of an HTML
// document: byte order mark, space, comments, document type. A script inserted
// there is the first one in the head, and the document type still applies.
func prologue(b []byte) int {
	n := 0
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		n = 3
	}
	for {
		rest := bytes.TrimLeft(b[n:], " \t\r\n\f")
		var end int
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			if end = bytes.Index(rest[4:], []byte("-->")); end >= 0 {
				end += 4 + 3
			}
		case bytes.HasPrefix(rest, []byte("<!")), bytes.HasPrefix(rest, []byte("<?")):
			if end = bytes.IndexByte(rest, '>'); end >= 0 {
				end++
			}
		default:
			return n
		}
		if end < 0 {
			return n
		}
		n = len(b) - len(rest) + end
	}
}
