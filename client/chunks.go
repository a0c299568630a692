package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
)

const (
	// chunkSize is the size of a chunk. A file that is larger is sent in
	// chunks.
	chunkSize = 8 << 20
	// minChunk is the size below which a chunk is not divided when a proxy
	// refuses it as too large.
	minChunk = 64 << 10
)

const (
	tusVersion = "1.0.0"
	chunkType  = "application/offset+octet-stream"
)

// receivedBytes is how many bytes of an upload have arrived, as an answer says.
// It is -1 if that is unknown.
type receivedBytes int64

func (r *receivedBytes) head(h http.Header) {
	n, err := strconv.ParseInt(h.Get("Upload-Offset"), 10, 64)
	if err != nil || n < 0 {
		n = -1
	}
	*r = receivedBytes(n)
}

// putChunks sends the bytes in chunks of a size, from where the last attempt
// ended: in this call, in an earlier one or in another process.
func (c *Client) putChunks(ctx context.Context, address string, size int64, f File, o Options) error {
	at := receivedBytes(-1)
	for int64(at) < f.Size {
		err := c.retry(ctx, func(ctx context.Context) error {
			if at < 0 {
				if err := c.received(ctx, address, f.Size, &at); err != nil || int64(at) == f.Size {
					return err
				}
			}
			from := int64(at)
			at = -1 // unless the answer says it
			next := span{from, min(from+size, f.Size)}
			err := c.sendBytes(ctx, http.MethodPatch, address, next, f, o, func(h http.Header) {
				h.Set("Tus-Resumable", tusVersion)
				h.Set("Content-Type", chunkType)
				h.Set("Upload-Offset", strconv.FormatInt(from, 10))
			}, &at)
			if err == nil && (int64(at) <= from || int64(at) > f.Size) {
				return permanent(errors.New("the instance does not say how much of the file it has stored"))
			}
			return err
		})
		switch {
		case tooLarge(err) && size > minChunk: // for a proxy
			size = max(size/2, minChunk)
		case err != nil:
			return err
		}
	}
	return nil
}

// received asks how many bytes have arrived.
func (c *Client) received(ctx context.Context, address string, size int64, at *receivedBytes) error {
	ctx, cancel := context.WithTimeout(ctx, stallTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return permanent(errors.New("the address of the storage is not valid"))
	}
	req.Header.Set("Tus-Resumable", tusVersion)
	err = c.send(req, at)
	var e *Error
	switch {
	case errors.As(err, &e) && e.Status == http.StatusNotFound:
		e.Code = "upload_not_found" // an answer to HEAD has no body that says so
	case errors.As(err, &e) && e.Status == http.StatusConflict:
		e.Code = "url_used"
	case err == nil && (*at < 0 || int64(*at) > size):
		err = permanent(errors.New("the instance does not say how much of the file it has stored"))
	}
	return err
}

// tooLarge reports whether a proxy refused a body as too large.
func tooLarge(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusRequestEntityTooLarge && e.Code == ""
}
