package ui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/web/httpx"
)

//go:embed static
var staticFiles embed.FS

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
			if z := httpx.Compress(body); len(z) < len(body)*9/10 {
				return z
			}
			return nil
		})}
		set.names[name] = httpx.AssetRoot + address
	})
	return set
})

// AssetPath is the address of a static file, or of a directory of them, on
// whatever host the page has that names it.
func AssetPath(name string) string {
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

// SendIcon leads to the icon of the site.
func SendIcon(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, AssetPath("icon.svg"), http.StatusFound)
}

// ServeAsset needs no credentials and carries nothing secret; viewer frames,
// whose origin is opaque, read it by CORS.
func ServeAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := assets().files[r.PathValue("path")]
	if !ok {
		return httpx.ErrNoPage
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", a.contentType)
	body := a.body
	if z := a.gzip(); z != nil {
		h.Set("Vary", "Accept-Encoding")
		if httpx.AcceptsGzip(r) {
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
