// Package fold makes one HTML file of a folder: its page with the styles,
// scripts and pictures that the page uses inside it.
package fold

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

const (
	// maxText bounds a page, a style or a script, which are held in memory.
	maxText = 8 << 20
	// maxFiles bounds the files of a folder.
	maxFiles = 2000
	// maxStyles bounds how deep styles import each other.
	maxStyles = 20
)

// Page is a folder that was read, and can be written as one file.
type Page struct {
	Entry  string   // the page in the folder
	Unused []string // files that the page does not use
	Remote []string // addresses on the web that the page uses, which stay there

	folder fs.FS
	mark   string // stands before and behind the number of a file in text
	text   []byte // the page, with placeholders for files
	files  []string
}

// Problem is why a folder cannot be one file.
type Problem struct {
	File string // the file that asks for what cannot be folded; ".": the folder
	Text string
}

func (p *Problem) Error() string {
	if p.File == "." {
		return p.Text
	}
	return p.File + ": " + p.Text
}

// Folder reads a folder. Errors: *Problem.
func Folder(folder fs.FS) (*Page, error) {
	p := &Page{folder: folder, mark: rand.Text()}
	there, err := list(folder)
	if err != nil {
		return nil, err
	}
	if p.Entry, err = entry(there); err != nil {
		return nil, err
	}
	text, err := p.read(p.Entry)
	if err != nil {
		return nil, err
	}
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, &Problem{p.Entry, "it is not HTML: " + err.Error()}
	}
	f := &folding{Page: p, used: map[string]bool{p.Entry: true}, number: map[string]int{}, remote: map[string]bool{}}
	if err := f.node(root); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := html.Render(&b, root); err != nil {
		return nil, err
	}
	p.text = b.Bytes()
	for _, name := range there {
		if !f.used[name] {
			p.Unused = append(p.Unused, name)
		}
	}
	p.Remote = slices.Sorted(func(yield func(string) bool) {
		for a := range f.remote {
			if !yield(a) {
				return
			}
		}
	})
	return p, nil
}

// list names the files of a folder. Those whose names begin with a dot are
// left out.
func list(folder fs.FS) (names []string, err error) {
	err = fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		if names = append(names, name); len(names) > maxFiles {
			return &Problem{".", fmt.Sprintf("the folder has more than %d files", maxFiles)}
		}
		return nil
	})
	return names, err
}

// entry returns the page of a folder: index.html, or the only page at its top.
func entry(names []string) (string, error) {
	var pages []string
	for _, name := range names {
		ext := strings.ToLower(path.Ext(name))
		if strings.Contains(name, "/") || ext != ".html" && ext != ".htm" {
			continue
		}
		if base := strings.ToLower(strings.TrimSuffix(name, path.Ext(name))); base == "index" {
			return name, nil
		}
		pages = append(pages, name)
	}
	switch len(pages) {
	case 0:
		return "", &Problem{".", "the folder has no HTML page. Publish its files one by one, or pack it into a ZIP"}
	case 1:
		return pages[0], nil
	}
	return "", &Problem{".", "the folder has no index.html, but several pages: " + strings.Join(pages, ", ") +
		". To publish all of them, create a website in the app"}
}

func (p *Page) read(name string) ([]byte, error) {
	file, err := p.folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxText+1))
	if err == nil && len(b) > maxText {
		err = &Problem{name, "it is larger than 8 MiB, the limit for pages, style sheets and scripts"}
	}
	return b, err
}

// WriteTo writes the file. Pictures go through it piece by piece.
func (p *Page) WriteTo(w io.Writer) (n int64, err error) {
	count := &counter{w: w}
	for i, piece := range strings.Split(string(p.text), p.mark) {
		if i%2 == 0 {
			_, err = io.WriteString(count, piece)
		} else if number, wrong := strconv.Atoi(piece); wrong != nil || number >= len(p.files) {
			err = errors.New("the page contains a placeholder of another page")
		} else {
			err = p.embed(count, p.files[number])
		}
		if err != nil {
			return count.n, err
		}
	}
	return count.n, nil
}

// embed writes a file as a data address.
func (p *Page) embed(w io.Writer, name string) error {
	file, err := p.folder.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.WriteString(w, "data:"+typeOf(name)+";base64,"); err != nil {
		return err
	}
	e := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.Copy(e, file); err != nil {
		return err
	}
	return e.Close()
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// types are those of files that systems know differently, or not at all.
var types = map[string]string{".svg": "image/svg+xml", ".webp": "image/webp", ".avif": "image/avif",
	".ico": "image/x-icon", ".woff": "font/woff",
	".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf", ".mp4": "video/mp4", ".webm": "video/webm",
	".mp3": "audio/mpeg", ".vtt": "text/vtt"}

func typeOf(name string) string {
	ext := strings.ToLower(path.Ext(name))
	t, _, _ := strings.Cut(cmp.Or(types[ext], mime.TypeByExtension(ext), "application/octet-stream"), ";")
	return t
}

// folding is a page that is being folded.
type folding struct {
	*Page
	used   map[string]bool
	number map[string]int // of files that are embedded
	remote map[string]bool
}

// target returns the file of the folder that an address in a file leads to, or
// "" if the address stays unchanged.
func (f *folding) target(from, address string) (string, error) {
	address = strings.TrimSpace(address)
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", &Problem{from, fmt.Sprintf("the address %q cannot be read", address)}
	case address == "" || strings.HasPrefix(address, "#") || u.Scheme == "data" || u.Scheme == "about":
		return "", nil
	case u.Scheme != "" || u.Host != "":
		f.remote[address] = true
		return "", nil
	case u.Path == "":
		return "", nil
	}
	name := path.Join(path.Dir(from), u.Path)
	if strings.HasPrefix(u.Path, "/") {
		name = strings.TrimPrefix(path.Clean(u.Path), "/")
	}
	if !fs.ValidPath(name) {
		return "", &Problem{from, fmt.Sprintf("%q leads out of the folder", address)}
	}
	info, err := fs.Stat(f.folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Problem{from, fmt.Sprintf("it uses %s, which does not exist", name)}
	case err != nil:
		return "", &Problem{from, fmt.Sprintf("it uses %s: %v", name, err)}
	case !info.Mode().IsRegular():
		return "", &Problem{from, fmt.Sprintf("it uses %s, which is not a file", name)}
	}
	f.used[name] = true
	return name, nil
}

// embedded returns the replacement of an address: a mark for a file's bytes.
func (f *folding) embedded(from, address string) (string, error) {
	name, err := f.target(from, address)
	if name == "" {
		return address, err
	}
	n, there := f.number[name]
	if !there {
		n = len(f.files)
		f.number[name] = n
		f.files = append(f.files, name)
	}
	text := f.mark + strconv.Itoa(n) + f.mark
	if _, part, ok := strings.Cut(address, "#"); ok { // of an SVG
		text += "#" + part
	}
	return text, nil
}
