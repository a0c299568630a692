package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// maxRestarts is the maximum number of restarts from step 1, because a URL
// expired or the instance lost the bytes.
const maxRestarts = 3

// expectFrom is the file size in bytes from which the client sends "Expect:
// 100-continue".
const expectFrom = 64 << 10

// File is a file to publish. Content is read from the beginning, possibly
// several times, and must not change during the upload.
type File struct {
	Name    string // with extension, without directory
	Size    int64  // exact size in bytes
	Content io.ReaderAt
}

// OpenFile opens a local file. The caller must close it.
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

// Close closes Content if it is an io.Closer.
func (f File) Close() error {
	if c, ok := f.Content.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Options configure an upload. The zero value is valid.
type Options struct {
	Type     string // MIME type; "" leaves it to the instance
	Slug     string // custom slug, on plans that have them; "" is one of the instance's choice
	LinkName string // title of the page; "" is the file's name
	ViewOnly bool   // the page has no download
	// ExpiresAt is the time when the link is disabled. The zero time means
	// never, or the limit of an API key that limits how long its links are
	// public.
	ExpiresAt time.Time
	// NeverExpires asks for a link that never expires: an API key that limits
	// it is refused. ExpiresAt is ignored.
	NeverExpires bool
	// Password is what readers must enter; "" is none. Readers is how many
	// people may open the link; 0 is any number.
	// Email, unless nil, makes readers confirm an email address.
	Password string
	Readers  int
	Email    *Email
	// Replace is the slug of an existing link whose file is replaced. The link
	// keeps its address, title and settings, so Slug, LinkName, ViewOnly,
	// ExpiresAt, NeverExpires, Password, Readers and Email are ignored.
	Replace string
	// Website is the slug of an existing website of the account, to which the
	// file, a ZIP, is deployed. The Link that Upload returns is the website. It
	// keeps its title, so the same options are ignored as for Replace.
	Website string
	// IfMatch is the expected ETag of the link in Replace, or "" for any. If
	// the link has changed, the upload fails.
	IfMatch string
	// IdempotencyKey is a UUID. Uploads with the same key create only one link,
	// also from different processes. If empty, Upload generates one.
	IdempotencyKey string
	// Cancel cancels an upload that fails, also with an IdempotencyKey: nobody
	// continues it.
	Cancel bool
	// Progress is called with the number of bytes sent. Calls come from another
	// goroutine and do not overlap. sent returns to 0 if the transfer restarts.
	Progress func(sent, total int64)
}

// keepsPage reports whether the upload changes no more than the file of a link
// or website.
func (o *Options) keepsPage() bool { return o.Replace != "" || o.Website != "" }

// Link is a published file.
type Link struct {
	Slug       string `json:"slug"`
	Title      string `json:"title"`
	URL        string `json:"url"`
	Review     bool   `json:"review,omitempty"`     // held for review and not public yet
	Processing bool   `json:"processing,omitempty"` // being scanned and not public yet
	Reason     string `json:"reason,omitempty"`     // reason code of Review
	Detail     string `json:"detail,omitempty"`     // details of Reason

	ExpiresAt time.Time `json:"expiresAt,omitzero"` // zero means never

	Version     int          `json:"version,omitempty"`     // current version, after a replacement
	Replacement *Replacement `json:"replacement,omitempty"` // result of a replacement

	// LeftOut are the first files of a deployed ZIP that the website does not
	// serve. LeftOutTotal is the number of all.
	LeftOut      []LeftOut `json:"leftOut,omitempty"`
	LeftOutTotal int       `json:"leftOutTotal,omitempty"`
}

// Upload publishes a file in three steps: it announces the file, sends its
// bytes to storage, and creates the link. It retries temporary failures with
// one idempotency key, so a call creates at most one link. A large file
// continues where it was after a lost connection, and when Upload is called
// again with its key, also by another process. If ctx ends before
// there is a link, or if Upload fails and nobody can continue, because it
// generated the key itself or o.Cancel is set, it cancels the upload. If the
// instance refuses the upload, the error is an *Error.
func (c *Client) Upload(ctx context.Context, f File, o Options) (Link, error) {
	o.Type = cmp.Or(o.Type, anyType)
	cancel := o.Cancel || o.IdempotencyKey == ""
	o.IdempotencyKey = cmp.Or(o.IdempotencyKey, newKey())
	for restarts := 0; ; restarts++ {
		link, path, err := c.upload(ctx, f, o)
		ends := err == nil || restarts == maxRestarts || !restart(err)
		if err != nil && path != "" && (ctx.Err() != nil || cancel && ends && !instanceUnreachable(err)) {
			c.giveUp(ctx, path)
		}
		if ends {
			return link, err
		}
	}
}

// Begun is a started upload. The bytes must be sent to SignedURL, or in chunks
// to ResumableURL.
type Begun struct {
	Path      string `json:"path"`      // identifies the upload in step 3
	SignedURL string `json:"signedUrl"` // accepts a PUT without a key, for ten minutes
	// ResumableURL accepts the bytes in chunks without a key (tus 1.0.0), for a
	// day. It is empty if the instance does not take chunks.
	ResumableURL string `json:"resumableUrl"`
	Existing     *Link  `json:"existing"` // set if the idempotency key already created a link; then send nothing
}

// BeginUpload performs step 1 of an upload whose bytes another program sends.
// It uses the options Type, Slug, Replace, Website and IdempotencyKey.
func (c *Client) BeginUpload(ctx context.Context, name string, size int64, o Options) (Begun, error) {
	o.Type = cmp.Or(o.Type, anyType)
	return c.begin(ctx, File{Name: name, Size: size}, o)
}

// CompleteUpload performs step 3 of an upload that BeginUpload started. Pass
// the same name and options.
func (c *Client) CompleteUpload(ctx context.Context, path, name string, o Options) (Link, error) {
	o.Type = cmp.Or(o.Type, anyType)
	return c.complete(ctx, path, File{Name: name}, o)
}

// CancelUpload ends an upload that will not be completed. What it reserves of
// the account's limits is free at once.
func (c *Client) CancelUpload(ctx context.Context, path string) error {
	return c.post(ctx, "/uploads/cancel", map[string]string{"path": path}, nil)
}

// cancelTime bounds how long Upload waits for the instance when it gives up.
// Without an answer the upload reserves its limits a while longer.
const cancelTime = 3 * time.Second

// instanceUnreachable reports whether no connection to the instance was made,
// rather than to its storage.
func instanceUnreachable(err error) bool {
	var storage *StorageError
	return Unreachable(err) && !errors.As(err, &storage)
}

// giveUp cancels an upload that nobody continues.
func (c *Client) giveUp(ctx context.Context, path string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancel()
	_ = c.CancelUpload(ctx, path)
}

// upload performs the three steps once. path is that of step 1.
func (c *Client) upload(ctx context.Context, f File, o Options) (l Link, path string, err error) {
	b, err := c.begin(ctx, f, o)
	if err != nil {
		return Link{}, "", err
	}
	if b.Existing != nil {
		return *b.Existing, "", nil
	}
	// A repeated PUT with the same bytes succeeds. It fails with url_used if
	// another process has completed the upload. Then step 3 returns that link.
	if err := c.store(ctx, b, f, o); err != nil && codeOf(err) != "url_used" {
		return Link{}, b.Path, err
	}
	l, err = c.complete(ctx, b.Path, f, o)
	return l, b.Path, err
}

// restart reports whether a restart from step 1 may succeed.
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

// anyType is the type with which the instance finds the type out by itself,
// from the name and the bytes.
const anyType = "application/octet-stream"

// newKey returns a random UUID.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (c *Client) begin(ctx context.Context, f File, o Options) (b Begun, err error) {
	if o.keepsPage() {
		o.Slug = ""
	}
	err = c.postIf(ctx, o.IfMatch, "/uploads", struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Size int64  `json:"size"`
		Slug string `json:"slug,omitempty"`
		Key  string `json:"idempotencyKey,omitempty"`

		Replace string `json:"replace,omitempty"`
		Website string `json:"website,omitempty"`
	}{f.Name, o.Type, f.Size, o.Slug, o.IdempotencyKey, o.Replace, o.Website}, &b)
	return b, err
}

func (c *Client) complete(ctx context.Context, path string, f File, o Options) (l Link, err error) {
	download := new(bool)
	var expires string
	switch {
	case o.NeverExpires:
		expires = expiry(&time.Time{})
	case !o.ExpiresAt.IsZero():
		expires = expiry(&o.ExpiresAt)
	}
	var protect *AccessChange
	if o.Password != "" || o.Readers != 0 || o.Email != nil {
		protect = &AccessChange{Email: o.Email}
	}
	if o.Password != "" {
		protect.Password = &o.Password
	}
	if o.Readers != 0 {
		protect.Readers = &o.Readers
	}
	if *download = !o.ViewOnly; o.keepsPage() {
		o.Slug, o.LinkName, download, expires, protect = "", "", nil, "", nil
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
		Website       string `json:"website,omitempty"`
		ExpiresAt     string `json:"expiresAt,omitempty"`

		Access *AccessChange `json:"access,omitempty"`
	}{path, f.Name, o.Type, o.LinkName, o.Slug, download, o.IdempotencyKey, o.Replace, o.Website, expires, protect}, &l)
	return l, err
}

// store performs step 2: it sends the bytes, in one PUT, or a large file in
// chunks. With files in a bucket, a large file goes to the bucket in one PUT,
// and in chunks through the instance once a connection was lost. A proxy may
// refuse the PUT as too large, but not chunks.
func (c *Client) store(ctx context.Context, b Begun, f File, o Options) error {
	large := b.ResumableURL != "" && f.Size > chunkSize
	chunks := large
	if large && originOf(b.SignedURL) != originOf(b.ResumableURL) {
		at := receivedBytes(-1)
		if err := c.retry(ctx, func(ctx context.Context) error {
			return c.received(ctx, b.ResumableURL, f.Size, &at)
		}); err != nil {
			return err
		}
		chunks = at > 0 // an earlier attempt has sent some
	}
	size := int64(chunkSize)
	if !chunks {
		err := c.put(ctx, b.SignedURL, f, o, large)
		switch {
		case b.ResumableURL == "", !errors.As(err, new(cutOff)) && !tooLarge(err):
			return err
		case tooLarge(err) && f.Size <= minChunk:
			return err
		case tooLarge(err):
			size = max(min(size, f.Size)/2, minChunk)
		}
	}
	return c.putChunks(ctx, b.ResumableURL, size, f, o)
}

// originOf returns the scheme and host of an address.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// cutOff is a network error after some bytes of a file were sent.
type cutOff struct{ error }

func (c cutOff) Unwrap() error { return c.error }

// put sends the bytes to storage in one PUT. If the connection is lost after
// some of them, it tries again, or with once it returns a cutOff.
func (c *Client) put(ctx context.Context, signedURL string, f File, o Options, once bool) error {
	return c.retry(ctx, func(ctx context.Context) error {
		sent := int64(0)
		counted := o
		counted.Progress = func(n, total int64) {
			if sent = n; o.Progress != nil {
				o.Progress(n, total)
			}
		}
		err := c.sendBytes(ctx, http.MethodPut, signedURL, span{0, f.Size}, f, counted,
			func(h http.Header) { h.Set("Content-Type", o.Type) }, nil)
		if n := (networkError{}); once && sent > 0 && errors.As(err, &n) && mayBeTemporary(err) {
			return permanent(cutOff{err})
		}
		return err
	})
}

// span is the part of a file from one offset to another.
type span struct{ from, to int64 }

// sendBytes makes one attempt to send part of a file to storage, without the
// key. set sets the headers.
func (c *Client) sendBytes(ctx context.Context, method, address string, s span, f File, o Options,
	set func(http.Header), answer any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(stallTime, func() { cancel(networkError{errors.New("the transfer stalled")}) })
	defer stalled.Stop()
	body := &transfer{content: io.NewSectionReader(f.Content, s.from, s.to-s.from), sent: s.from, end: s.to,
		total: f.Size, progress: o.Progress, moved: func() { stalled.Reset(stallTime) }}
	defer body.Close()
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return permanent(errors.New("the address of the storage is not valid"))
	}
	req.ContentLength = s.to - s.from
	set(req.Header)
	if req.ContentLength >= expectFrom {
		req.Header.Set("Expect", "100-continue")
	}
	err = c.send(req, answer)
	if broken := body.failure(); broken != nil {
		return permanent(broken)
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if to := req.URL; Unreachable(err) && to.Host != c.base.Host {
		return &StorageError{Address: to.Scheme + "://" + to.Host, Err: err}
	}
	return err
}

// transfer is the body of one request to storage. It reports progress and
// distinguishes read errors of the file from network errors.
type transfer struct {
	content  io.Reader
	total    int64 // size of the file
	end      int64 // where content ends in the file
	progress func(sent, total int64)
	moved    func()

	mu     sync.Mutex // the transport may continue to read after the response
	sent   int64      // how much of the file was sent, with what earlier requests sent
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
	case err == io.EOF && t.sent < t.end:
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

// Close ends the transfer. Afterwards nothing is read and Progress is not
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
