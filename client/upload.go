package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vitrine/internal/filetype"

	"github.com/google/uuid"
)

// maxRestarts is how often one Upload may go back to step 1, because a URL
// expired or the instance lost the bytes.
const maxRestarts = 3

// expectFrom is the size in bytes from which the client asks the instance to
// accept a file before it sends it.
const expectFrom = 64 << 10

// File is a file to publish. Content is read from its beginning, possibly more
// than once, and must not change meanwhile.
type File struct {
	Name    string // with its extension, without a directory
	Size    int64  // exact, in bytes
	Content io.ReaderAt
}

// OpenFile opens a file of this machine; close its Content after use.
func OpenFile(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &os.PathError{Op: "open", Path: path,
			Err: errors.New("it is a folder: name the files in it, or a ZIP of it")}
	} else if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return File{}, err
	}
	return File{Name: filepath.Base(path), Size: info.Size(), Content: f}, nil
}

// Close closes the content if it is an io.Closer.
func (f File) Close() error {
	if c, ok := f.Content.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Options are the options of an upload. The zero value is valid.
type Options struct {
	Type     string // MIME type; "" is the one of the name's extension
	Slug     string // custom slug, on plans that have them; "" is one of the instance's choice
	LinkName string // title of the page; "" is the file's name
	ViewOnly bool   // the page offers no download
	// ExpiresAt is when the link is disabled. The zero time means never.
	ExpiresAt time.Time
	// Replace is the slug of a link whose file this one replaces. The link
	// keeps its address, title and settings: Slug, LinkName, ViewOnly and
	// ExpiresAt are not sent.
	Replace string
	// IfMatch is an ETag of the link to replace. The file is replaced only if
	// the link has not changed since; "" matches any state.
	IfMatch string
	// IdempotencyKey is a UUID. Uploads with the same key, also from other
	// processes, make only one link. "" makes a new key.
	IdempotencyKey string
	// Progress is called with the number of bytes sent, from another goroutine,
	// one call at a time. The number returns to 0 if a transfer begins again.
	Progress func(sent, total int64)
}

// Link is a published file.
type Link struct {
	Slug       string `json:"slug"`
	Title      string `json:"title"`
	URL        string `json:"url"`
	Review     bool   `json:"review,omitempty"`     // held for review; not public yet
	Processing bool   `json:"processing,omitempty"` // a video that is being scanned; not public yet
	Reason     string `json:"reason,omitempty"`     // why it is held: a reason code
	Detail     string `json:"detail,omitempty"`     // what exactly was found

	Version     int          `json:"version,omitempty"`     // the current one, after its file was replaced
	Replacement *Replacement `json:"replacement,omitempty"` // what the upload has made of it
}

// Upload publishes a file in three steps: it announces the file, sends its
// bytes to storage, and makes the link. It retries failures that may pass under
// one idempotency key, so that one call makes at most one link. A refusal by
// the instance is an *Error.
func (c *Client) Upload(ctx context.Context, f File, o Options) (Link, error) {
	o.Type = cmp.Or(o.Type, typeOf(f.Name))
	o.IdempotencyKey = cmp.Or(o.IdempotencyKey, uuid.NewString())
	for restarts := 0; ; restarts++ {
		link, err := c.upload(ctx, f, o)
		if err == nil || restarts == maxRestarts || !restart(err) {
			return link, err
		}
	}
}

// Begun is an upload whose bytes must be sent to a signed URL.
type Begun struct {
	Path      string `json:"path"`      // names the upload in step 3
	SignedURL string `json:"signedUrl"` // takes the bytes with PUT, for ten minutes, without a key
	Existing  *Link  `json:"existing"`  // the link that the idempotency key already made: send nothing
}

// BeginUpload does step 1 of an upload whose bytes another program sends. It
// reads the options Type, Slug, Replace and IdempotencyKey.
func (c *Client) BeginUpload(ctx context.Context, name string, size int64, o Options) (Begun, error) {
	o.Type = cmp.Or(o.Type, typeOf(name))
	return c.begin(ctx, File{Name: name, Size: size}, o)
}

// CompleteUpload does step 3 of an upload that BeginUpload began. Pass the same
// name and options.
func (c *Client) CompleteUpload(ctx context.Context, path, name string, o Options) (Link, error) {
	o.Type = cmp.Or(o.Type, typeOf(name))
	return c.complete(ctx, path, File{Name: name}, o)
}

// TypeOf returns the MIME type that a file of this name is sent with.
func TypeOf(name string) string { return typeOf(name) }

// upload does the three steps once.
func (c *Client) upload(ctx context.Context, f File, o Options) (Link, error) {
	b, err := c.begin(ctx, f, o)
	if err != nil {
		return Link{}, err
	}
	if b.Existing != nil {
		return *b.Existing, nil
	}
	// Repeating a PUT with the same bytes succeeds. The URL is used up if
	// another process has completed the upload meanwhile. Then step 3 returns
	// that link.
	if err := c.put(ctx, b.SignedURL, f, o); err != nil && codeOf(err) != "url_used" {
		return Link{}, err
	}
	return c.complete(ctx, b.Path, f, o)
}

// restart reports whether a new start from step 1 may help.
func restart(err error) bool {
	switch codeOf(err) {
	case "url_expired", "upload_incomplete", "upload_not_found":
		return true
	}
	return false
}

func codeOf(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

func typeOf(name string) string {
	if t, ok := filetype.ByExt(name); ok {
		return t.MIME
	}
	return "application/octet-stream"
}

func (c *Client) begin(ctx context.Context, f File, o Options) (b Begun, err error) {
	if o.Replace != "" {
		o.Slug = ""
	}
	err = c.postIf(ctx, o.IfMatch, "/uploads", struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Size int64  `json:"size"`
		Slug string `json:"slug,omitempty"`
		Key  string `json:"idempotencyKey,omitempty"`

		Replace string `json:"replace,omitempty"`
	}{f.Name, o.Type, f.Size, o.Slug, o.IdempotencyKey, o.Replace}, &b)
	return b, err
}

func (c *Client) complete(ctx context.Context, path string, f File, o Options) (l Link, err error) {
	download := new(bool)
	var expires string
	if !o.ExpiresAt.IsZero() {
		expires = expiry(&o.ExpiresAt)
	}
	if *download = !o.ViewOnly; o.Replace != "" {
		o.Slug, o.LinkName, download, expires = "", "", nil, ""
	}
	err = c.postIf(ctx, o.IfMatch, "/uploads/complete", struct {
		Path          string `json:"path"`
		Name          string `json:"name"`
		Type          string `json:"type"`
		LinkName      string `json:"linkName,omitempty"`
		Slug          string `json:"slug,omitempty"`
		AllowDownload *bool  `json:"allowDownload,omitempty"`
		Key           string `json:"idempotencyKey,omitempty"`
		Replace       string `json:"replace,omitempty"`
		ExpiresAt     string `json:"expiresAt,omitempty"`
	}{path, f.Name, o.Type, o.LinkName, o.Slug, download, o.IdempotencyKey, o.Replace, expires}, &l)
	return l, err
}

// put does step 2: it sends the bytes to storage, without the key.
func (c *Client) put(ctx context.Context, signedURL string, f File, o Options) error {
	return c.retry(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stalled := time.AfterFunc(stallTime, func() { cancel(errors.New("the transfer stalled")) })
		defer stalled.Stop()
		body := &transfer{content: io.NewSectionReader(f.Content, 0, f.Size), total: f.Size, progress: o.Progress,
			moved: func() { stalled.Reset(stallTime) }}
		defer body.Close()
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, signedURL, body)
		if err != nil {
			return final(withoutURL(err))
		}
		req.ContentLength = f.Size
		req.Header.Set("Content-Type", o.Type)
		if f.Size >= expectFrom {
			req.Header.Set("Expect", "100-continue")
		}
		err = c.send(req, nil)
		if broken := body.failure(); broken != nil {
			return final(broken)
		}
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	})
}

// transfer is the body of one PUT. It reports progress and keeps read errors of
// the file apart from network errors.
type transfer struct {
	content  io.Reader
	total    int64
	progress func(sent, total int64)
	moved    func()

	mu     sync.Mutex // the transport may read on after its answer was given
	sent   int64
	closed bool
	broken error
}

var errClosed = errors.New("transfer is closed")

func (t *transfer) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return 0, errClosed
	}
	n, err := t.content.Read(p)
	t.sent += int64(n)
	switch {
	case err == io.EOF && t.sent < t.total:
		t.broken = fmt.Errorf("the file became shorter while it was sent: %d bytes instead of %d", t.sent, t.total)
		return n, t.broken
	case err != nil && err != io.EOF:
		t.broken = fmt.Errorf("read the file: %w", err)
		return n, t.broken
	}
	t.moved()
	if n > 0 && t.progress != nil {
		t.progress(t.sent, t.total)
	}
	return n, err
}

// Close ends the transfer. After it, nothing is read and Progress is not
// called.
func (t *transfer) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return nil
}

func (t *transfer) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broken
}
