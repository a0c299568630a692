package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/web/httpx"
)

// asset is a static file, ready to be sent.
type asset struct {
	body        func() []byte
	gzip        func() []byte // body compressed, once; nil where that saves nothing
	contentType string
}

// newAsset returns a file of the program.
func newAsset(name string, body []byte) asset {
	return asset{contentType: assetType(name), body: func() []byte { return body }, gzip: sync.OnceValue(func() []byte {
		if z := httpx.Compress(body); len(z) < len(body)*9/10 {
			return z
		}
		return nil
	})}
}

// packedAsset returns a file that the program has compressed. Nearly every
// browser gets it as it is.
func packedAsset(name string, z []byte) asset {
	return asset{contentType: assetType(name), gzip: func() []byte { return z }, body: func() []byte {
		r, err := gzip.NewReader(bytes.NewReader(z))
		if err != nil {
			panic(err) // the file is part of the program or the checkout
		}
		body, err := io.ReadAll(r)
		if err != nil {
			panic(err)
		}
		return body
	}}
}

// assetSet holds every static file by the part of its address after AssetRoot,
// and the addresses by name.
type assetSet struct {
	files map[string]asset
	names map[string]string
}

// readAssets reads all static files. The address of a file contains a hash over
// all own files or, for a vendored library, over all its files, which find each
// other by path. So the content of an address never changes. A file NAME.gz is
// NAME, compressed.
func readAssets() assetSet {
	set := assetSet{files: map[string]asset{}, names: map[string]string{}}
	bodies, packed := map[string][]byte{}, map[string]bool{}
	for _, f := range folders {
		f.each(func(file string) {
			name := path.Join(f.dir, file)
			if vendored, ok := strings.CutPrefix(file, "vendor/"); ok {
				name = vendored
			}
			body, err := f.read(file)
			if err != nil {
				panic(err) // the file is part of the program or the checkout
			}
			switch {
			case path.Ext(file) != ".css":
			case strings.HasPrefix(file, "vendor/"):
				body = slices.Concat([]byte("@layer base {"), body, []byte("}")) // so that pages can change it
			default:
				body = layered(name, body)
			}
			if unpacked, ok := strings.CutSuffix(name, ".gz"); ok {
				name, packed[unpacked] = unpacked, true
			}
			bodies[name] = body
		})
	}
	bodies["ui/core.css"] = []byte(layers)
	for sheet, parts := range sheets {
		for _, part := range parts {
			name := "ui/" + part
			bodies[sheet] = append(append(bodies[sheet], bodies[name]...), '\n')
		}
	}
	maps.DeleteFunc(bodies, func(name string, _ []byte) bool { // only in the sheets
		return strings.HasPrefix(name, "ui/styles/") || strings.HasPrefix(name, "ui/components/")
	})
	for name, body := range bodies {
		switch {
		case path.Ext(name) == ".css":
			bodies[name] = shorter(body)
		case path.Ext(name) == ".js" && assetGroup(name) == "":
			bodies[name] = jsComment.ReplaceAll(body, nil)
		}
	}
	hashes := hashAssets(bodies)
	for name, body := range bodies {
		address := hashes[assetGroup(name)][:12] + "/" + name
		if packed[name] {
			set.files[address] = packedAsset(name, body)
		} else {
			set.files[address] = newAsset(name, body)
		}
		set.names[name] = httpx.AssetRoot + address
	}
	return set
}

// hashAssets returns the hash of each group of files, and "" for own files.
// In own styles, it changes the addresses of vendored files.
func hashAssets(bodies map[string][]byte) map[string]string {
	hashes := map[string]string{}
	names := slices.Sorted(maps.Keys(bodies))
	for _, name := range names {
		if group := assetGroup(name); group != "" {
			hashes[group] = hashOn(hashes[group], name, bodies[name])
		}
	}
	for _, name := range names {
		if assetGroup(name) == "" {
			bodies[name] = cssVendored.ReplaceAllFunc(bodies[name], func(url []byte) []byte {
				group := string(cssVendored.FindSubmatch(url)[1])
				return []byte("url(../../" + hashes[group][:12] + "/" + group + "/")
			})
			hashes[""] = hashOn(hashes[""], name, bodies[name])
		}
	}
	return hashes
}

// hashOn returns the hash of a group with one more file.
func hashOn(hash, name string, body []byte) string {
	sum := sha256.Sum256(slices.Concat([]byte(hash), []byte(name), body))
	return hex.EncodeToString(sum[:])
}

// cssVendored matches the beginning of an address in ui/styles or
// ui/components: of a file of a vendored library, whose address has the hash of
// the library.
var cssVendored = regexp.MustCompile(`url\(\.\./vendor/([^/]+)/`)

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	// jsComment matches a line that is a comment, as no line of a string is.
	jsComment = regexp.MustCompile(`(?m)^ *//.*\n`)
	cssSpace  = regexp.MustCompile(`\s*([{};]|\s)\s*`)
)

// shorter removes comments and indentation from a style sheet. No string in
// ours contains either.
func shorter(css []byte) []byte {
	return cssSpace.ReplaceAll(cssComment.ReplaceAll(css, nil), []byte("$1"))
}

// assetGroup returns the vendored library of a file, or "" for own files.
func assetGroup(name string) string {
	first, _, _ := strings.Cut(name, "/")
	for _, f := range folders {
		if own, _, _ := strings.Cut(f.dir, "/"); own == first {
			return ""
		}
	}
	return first
}

// onceAssets are read once, and compressed on first use.
var onceAssets = sync.OnceValue(readAssets)

// lastAssets are those of a checkout, as of the last change of a file.
var lastAssets struct {
	sync.Mutex
	of  time.Time
	set assetSet
}

func assets() assetSet {
	if !Developing() {
		return onceAssets()
	}
	lastAssets.Lock()
	defer lastAssets.Unlock()
	if of := changed(); !of.Equal(lastAssets.of) {
		lastAssets.of, lastAssets.set = of, readAssets()
	}
	return lastAssets.set
}

// AssetPath returns the address of a static file or directory, on the host of
// the page that names it.
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

// inline returns a style sheet or script of ours, for a page that cannot wait
// for another request. Relative addresses in it mean something else there.
func inline(name string) string {
	return string(assets().files[strings.TrimPrefix(AssetPath(name), httpx.AssetRoot)].body())
}

func assetType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webp":
		return "image/webp"
	case ".ttf":
		return "font/ttf"
	case ".woff2":
		return "font/woff2"
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
	http.Redirect(w, r, AssetPath("ui/icon.svg"), http.StatusFound)
}

// ServeAsset serves a static file. It needs no credentials and contains no
// secrets; viewer frames, whose origin is opaque, read it by CORS.
func ServeAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := assets().files[r.PathValue("path")]
	if !ok {
		return httpx.ErrNoPage
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", a.contentType)
	body := a.gzip()
	if body != nil {
		h.Set("Vary", "Accept-Encoding")
	}
	if body != nil && httpx.AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
	} else {
		body = a.body()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}
