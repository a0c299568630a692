package httpx

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// AcceptsGzip reports whether a request accepts gzip, with a quality other than
// 0.
func AcceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, err := mime.ParseMediaType(part)
		if err == nil && coding == "gzip" {
			q, err := strconv.ParseFloat(params["q"], 64)
			return err != nil || q > 0
		}
	}
	return false
}

// GzipWriters are used again, because each has large tables. A caller resets
// the writer that it takes, and puts it back after Close.
var GzipWriters = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.DefaultCompression)
	return z
}}

// Compress returns a body that is sent with Content-Encoding: gzip.
func Compress(body []byte) []byte {
	z := GzipWriters.Get().(*gzip.Writer)
	defer GzipWriters.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}
