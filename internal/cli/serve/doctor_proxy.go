package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"vitrine/internal/cli/terminal"
)

const (
	// chunkBody is the size of the chunks of our clients.
	chunkBody = 8 << 20
	// leastBody is the smallest chunk to which our clients fall back.
	leastBody = 64 << 10
	// mostBody is the largest body that is asked for: that of a bucket's PUT.
	mostBody = 5 << 30
	// bodyTime limits a request that sends a body.
	bodyTime = 30 * time.Second
)

// bodies measures how large a request body may be that the proxy in front lets
// through.
func (d *doctor) bodies(ctx context.Context, part string, public *url.URL) {
	limit, err := d.largestBody(ctx, public)
	if err == nil && limit >= leastBody { // what the headers promise
		err = d.sendBody(ctx, public, min(limit, chunkBody), true)
	}
	size := terminal.FormatSize(limit)
	switch {
	case err != nil:
		d.report(part, warning, "%s does not let uploads through: %v. Check the reverse proxy: it must pass PATCH, HEAD and DELETE, and bodies of %s or more.",
			public, err, terminal.FormatSize(chunkBody))
	case limit < leastBody:
		d.report(part, wrong, "The proxy at %s refuses bodies of %s, so nothing can be uploaded through it. Allow %s or more (nginx: client_max_body_size).",
			public, terminal.FormatSize(leastBody), terminal.FormatSize(chunkBody))
	case limit < chunkBody:
		d.report(part, warning, "The proxy at %s refuses bodies of more than about %s. Larger files are sent in chunks of that size, which is slow. Allow %s or more (nginx: client_max_body_size).",
			public, size, terminal.FormatSize(chunkBody))
	case limit < mostBody:
		d.report(part, fine, "The proxy at %s lets bodies of about %s through. Larger files are sent in chunks by the website, \"vitrine put\" and \"vitrine deploy\"; other programs must use chunks for them, too.",
			public, size)
	default:
		d.report(part, fine, "%s lets bodies of any size through.", public)
	}
}

// largestBody returns the size of the largest body that is not refused when it
// is announced, within an eighth.
func (d *doctor) largestBody(ctx context.Context, public *url.URL) (int64, error) {
	low, high := int64(0), int64(2*mostBody)
	for next := int64(mostBody); ; {
		switch err := d.sendBody(ctx, public, next, false); {
		case err == nil:
			low = next
		case errors.Is(err, errTooLarge):
			high = next
		default:
			return 0, err
		}
		switch {
		case low == mostBody, high == leastBody, low > 0 && high-low <= low/8:
			return low, nil
		case low == 0:
			next = leastBody
		default:
			next = min(2*low, low+(high-low)/2)
		}
	}
}

var errTooLarge = errors.New("413 Request Entity Too Large")

// sendBody announces a body to a server, and sends it if it is asked to and
// whole is set. The address is that of no upload, so the server refuses it
// without reading it. It returns errTooLarge, or an error if no Vitrine server
// answers. A body that nobody refuses before it is sent may pass.
func (d *doctor) sendBody(ctx context.Context, public *url.URL, size int64, whole bool) error {
	ctx, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	var asked atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: func() { asked.Store(true) }})
	body := io.Reader(zeros{})
	if !whole {
		body = asking{&asked}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, public.String()+"/storage/doctor",
		io.LimitReader(body, size))
	if err != nil {
		return err
	}
	r.ContentLength = size
	r.Header = http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Offset": {"0"}, "Expect": {"100-continue"},
		"Content-Type": {"application/offset+octet-stream"}}
	res, err := asker().Do(r)
	switch {
	case asked.Load() && !whole:
		return nil
	case err != nil:
		return bareError(err)
	}
	defer res.Body.Close()
	switch {
	case res.Header.Get("Tus-Resumable") != "":
		return nil
	case res.StatusCode == http.StatusRequestEntityTooLarge:
		return errTooLarge
	}
	return errors.New("it answers " + res.Status)
}

// zeros is a reader of zeros without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// asking is a body that is not sent. It notes that it was asked for.
type asking struct{ asked *atomic.Bool }

func (a asking) Read([]byte) (int, error) {
	a.asked.Store(true)
	return 0, errors.New("the body is not sent")
}
