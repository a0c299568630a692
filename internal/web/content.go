package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/signer"
)

// contentRoot is where file bytes and viewer frames stand, on the content host.
const contentRoot = "/c/"

// fileCSP makes bytes inert that a browser shows by themselves: an opaque
// origin, nothing loaded, nothing run (security, surfaces).
const fileCSP = "default-src 'none'; sandbox"

// frameSandbox is what a user's HTML may do. Neither our origin nor the page
// around it is ever among it.
const frameSandbox = "allow-scripts allow-forms allow-popups allow-modals allow-downloads"

// apart keeps the origin of file bytes to itself on an install with two: the
// content host has file bytes, frames and what they load, and no other host has
// file bytes.
func (s *contentH) apart(next http.Handler) http.Handler {
	if s.ContentURL.Host == s.PublicURL.Host {
		return next
	}
	nothing := s.page(func(http.ResponseWriter, *http.Request) error { return errNoPage })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here := strings.EqualFold(r.Host, s.ContentURL.Host)
		switch {
		case strings.HasPrefix(r.URL.Path, assetRoot), here == (strings.HasPrefix(r.URL.Path, contentRoot) || strings.HasPrefix(r.URL.Path, siteRoot)):
			next.ServeHTTP(w, r)
		default:
			nothing.ServeHTTP(w, r)
		}
	})
}

// contentAddress is where the content host has something of a link: "file",
// "view" or "frame". The token's time counts from the beginning of the hour, so
// that for an hour a file keeps its address, and a copy that a browser has kept
// can be used again.
func (s *viewerH) contentAddress(l *vitrine.Link, what string) string {
	until := s.Now().Truncate(time.Hour).Add(signer.ContentLife)
	return origin(s.ContentURL) + contentRoot + s.Signer.ContentToken(l.ID, until) + "/" + what
}

type contentHandler func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error

// onContent finds the link of a content token. Its state is asked for on every
// request, and nothing may be used from a browser's store without asking: a
// link that is taken down is gone at once.
func (s *contentH) onContent(h contentHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		header.Set("X-Robots-Tag", "noindex")
		id, err := s.Signer.ParseContentToken(r.PathValue("token"), s.Now())
		if err != nil {
			return err
		}
		l, err := s.Links.PublicByID(r.Context(), id)
		if err != nil {
			return err
		}
		header.Set("Cache-Control", "private, no-cache")
		shown := func(ctx context.Context) error { _, err := s.Links.PublicByID(ctx, id); return err }
		return s.whileShown(w, r, shown, func() error { return h(w, r, l) })
	}
}

// fileOptions lets the PDF viewer, whose origin is opaque, ask for ranges in
// browsers that want leave for that.
func fileOptions(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", "Range, If-Range")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// file sends a file's bytes to its viewer. It does so for a view-only link too,
// and by that anyone who can see such a file can keep it, as with anything that
// a browser shows; what view-only means is that nobody is offered a copy: no
// download, no attachment, no page that is the file alone.
func (s *contentH) file(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	t, ok := filetype.ByExt(l.Name)
	inline := ok && filetype.Inline(t) && l.Kind != filetype.HTML
	svg := t.Ext == "svg"
	switch {
	case l.Kind == filetype.HTML:
		return errNoPage // in its frame only
	case navigated(r) && (l.Kind == filetype.PDF || !l.AllowDownload):
		return s.toPage(w, r, l)
	case !inline && !svg && s.showOf(l) != showDocx && !l.AllowDownload: // docxFrame reads the bytes too
		return errNoPage // it has no viewer that would need the bytes
	}
	blob, err := s.blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Content-Type", filetype.ContentType(t))
	kind := "inline"
	if l.AllowDownload && (svg || !inline) {
		kind = "attachment" // an <img> shows it all the same
	}
	h.Set("Content-Disposition", disposition(kind, l.Name))
	sendBlob(w, r, l, blob)
	return nil
}

// navigated reports whether a browser wants to show what it asked for as a page
// of its own.
func navigated(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "document" }

func (s *contentH) toPage(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	http.Redirect(w, r, s.linkURL(l.Slug), http.StatusSeeOther)
	return nil
}

// ancestors tells whose pages may show a content frame: the link's own page,
// and strangers' where that is in a frame of theirs. A moderator's frame is on
// no stranger's page.
func (s *httpxH) ancestors(r *http.Request) string {
	if r.URL.Query().Has("embed") && !examined(r) {
		return "*"
	}
	return origin(s.PublicURL)
}

// blob opens a link's bytes.
func (s *viewerH) blob(r *http.Request, l *vitrine.Link) (vitrine.Blob, error) {
	if !l.HasBytes {
		return nil, errNoPage
	}
	return vitrine.OpenWhole(r.Context(), s.Blobs, l)
}

// sendBlob answers with bytes, whole or in ranges; they never change, so their
// hash is a strong validator.
func sendBlob(w http.ResponseWriter, r *http.Request, l *vitrine.Link, b vitrine.Blob) {
	w.Header().Set("ETag", `"`+l.SHA256+`"`)
	http.ServeContent(w, r, "", time.Time{}, b)
}

// htmlFrame streams a user's HTML into its frame, with one script of ours
// before everything else, which tells the page around it how far it was
// scrolled. The stored bytes stay as they are, and a download is without it.
func (s *contentH) htmlFrame(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if l.Kind != filetype.HTML {
		return errNoPage
	}
	if navigated(r) {
		return s.toPage(w, r, l)
	}
	blob, err := s.blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	in := bufio.NewReaderSize(blob, htmlHead)
	head, err := in.Peek(htmlHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return vitrine.Unavailable(err)
	}
	charset := charsetOf(head)
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Type", "text/html; charset="+charset)
	h.Set("Content-Security-Policy", "sandbox "+frameSandbox+"; form-action 'none'; frame-ancestors "+s.ancestors(r))
	if r.Method == http.MethodHead {
		return nil
	}
	if !strings.HasPrefix(charset, "utf-16") {
		n := prologue(head)
		script := `<script src="` + origin(s.ContentURL) + assetPath("frame.js") + `"></script>`
		if _, err := io.WriteString(w, string(head[:n])+script); err != nil {
			return nil // the reader has gone away
		}
		_, _ = in.Discard(n)
	}
	if _, err := in.WriteTo(w); err != nil {
		panic(http.ErrAbortHandler) // what was sent is not the whole, and must not pass for it
	}
	return nil
}

// htmlHead is how much of an HTML file is looked at for its encoding and its
// beginning.
const htmlHead = 4 << 10

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9][a-z0-9_:.-]{1,39})`)

// charsetOf tells the encoding of an HTML file by its byte order mark or what
// it says itself; UTF-8 where it says nothing.
func charsetOf(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "utf-16be"
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return "utf-16le"
	}
	if m := metaCharset.FindSubmatch(head); m != nil {
		// A file that can be read up to here as ASCII is not UTF-16, whatever
		// it says (HTML standard, encoding sniffing).
		if c := strings.ToLower(string(m[1])); !strings.HasPrefix(c, "utf-16") {
			return c
		}
	}
	return "utf-8"
}

// prologue is the length of what comes before an HTML document's first element:
// a byte order mark, space, comments, the document type. A script put there is
// the first thing in the head, and the document type still decides how the page
// is laid out.
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

// disposition is a Content-Disposition with a file's name: in ASCII for old
// programs, and whole (RFC 6266). What could end the header, a quoted string or
// a path, or turn the direction of text, is in neither.
func disposition(kind, name string) string {
	var ascii, full strings.Builder
	for _, r := range strings.ToValidUTF8(path.Base(name), "_") {
		if hidden(r) || strings.ContainsRune(`"\/:*?<>|`, r) {
			r = '_'
		}
		if r < 0x7f && r != '%' && r != ';' {
			ascii.WriteRune(r)
		} else {
			ascii.WriteByte('_')
		}
		for _, c := range []byte(string(r)) {
			if attrChar(c) {
				full.WriteByte(c)
			} else {
				full.WriteByte('%')
				full.WriteByte("0123456789ABCDEF"[c>>4])
				full.WriteByte("0123456789ABCDEF"[c&15])
			}
		}
	}
	return kind + `; filename="` + ascii.String() + `"; filename*=UTF-8''` + full.String()
}

// hidden tells control characters, separators of lines, and what overrides the
// direction of text. The mere marks of direction stay: Arabic and Hebrew names
// need them.
func hidden(r rune) bool {
	return unicode.IsControl(r) || r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\ufeff'
}

// attrChar is the set of RFC 8187 that is literal.
func attrChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0
}
