package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed static
var staticFiles embed.FS

// assetRoot is where static files are served, on the hosts of pages and of file
// bytes alike.
const assetRoot = "/assets/"

// asset is one static file, ready to be sent.
type asset struct {
	body        []byte
	gzip        func() []byte // body compressed, once; nil where that saves nothing
	contentType string
}

// assetSet is every static file by the part of its address after assetRoot, and
// the address of each by its name.
type assetSet struct {
	files map[string]asset
	names map[string]string
}

// assets are read once in a process, and compressed when they are first asked
// for. The address of a file holds a hash of its content, or for a vendored
// library of all its files, which find each other by name: what an address
// answers never changes.
var assets = sync.OnceValue(func() assetSet {
	set := assetSet{files: map[string]asset{}, names: map[string]string{}}
	hashes := map[string]string{}
	each := func(f func(name, group string, body []byte)) {
		err := fs.WalkDir(staticFiles, "static", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			body, err := staticFiles.ReadFile(p)
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(strings.TrimPrefix(p, "static/"), "vendor/")
			group, _, _ := strings.Cut(name, "/")
			f(name, group, body)
			return nil
		})
		if err != nil {
			panic(err) // the files are part of the program
		}
	}
	each(func(_, group string, body []byte) {
		sum := sha256.Sum256(append([]byte(hashes[group]), body...))
		hashes[group] = hex.EncodeToString(sum[:])
	})
	each(func(name, group string, body []byte) {
		address := hashes[group][:12] + "/" + name
		set.files[address] = asset{body: body, contentType: assetType(name), gzip: sync.OnceValue(func() []byte {
			if z := compress(body); len(z) < len(body)*9/10 {
				return z
			}
			return nil
		})}
		set.names[name] = assetRoot + address
	})
	return set
})

// assetPath is the address of a static file, or of a directory of them, on
// whatever host the page has that names it.
func assetPath(name string) string {
	if dir, ok := strings.CutSuffix(name, "/"); ok {
		for n, address := range assets().names {
			if strings.HasPrefix(n, name) {
				return address[:len(address)-len(n)] + dir + "/"
			}
		}
	}
	address, ok := assets().names[name]
	if !ok {
		panic("no static file " + name)
	}
	return address
}

func assetType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".ttf":
		return "font/ttf"
	case ".wasm":
		return "application/wasm"
	case "":
		return "text/plain; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}

// sendIcon leads to the icon of the site.
func sendIcon(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, assetPath("icon.svg"), http.StatusFound)
}

// serveAsset needs no credentials and carries nothing secret; viewer frames,
// whose origin is opaque, read it by CORS.
func serveAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := assets().files[r.PathValue("path")]
	if !ok {
		return errNoPage
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", a.contentType)
	body := a.body
	if z := a.gzip(); z != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body = z
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// acceptsGzip reports whether a request names gzip among what it accepts, and
// not with quality 0.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, err := mime.ParseMediaType(part)
		if err == nil && coding == "gzip" {
			q, err := strconv.ParseFloat(params["q"], 64)
			return err != nil || q > 0
		}
	}
	return false
}

var gzipWriters = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.DefaultCompression)
	return z
}}

func compress(body []byte) []byte {
	z := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}
