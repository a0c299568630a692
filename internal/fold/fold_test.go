package fold

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// dir returns a folder with these files.
func dir(files map[string]string) fs.FS {
	d := fstest.MapFS{}
	for name, text := range files {
		d[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return d
}

func data(kind, text string) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(text))
}

// TestFolder checks that a page includes its styles with their imports,
// scripts, pictures and fonts, and that files on the web stay there.
func TestFolder(t *testing.T) {
	p, err := Folder(dir(map[string]string{
		"index.html": `<!doctype html><html><head><link rel="stylesheet" href="css/main.css?v=3" media="screen"><link rel=icon href=icon.svg>
			<link rel=preload href=a.png><style>b{background:url('a.png')}</style><script src="/js/app.js" defer></script></head>
			<body background=a.png><a href="#top">top</a><a href="index.html#end">end</a><a href="https://example.org/x">web</a><a href="mailto:a@b.example">mail</a>
			<img src="a.png" srcset="a.png 1x, pics/b.jpg 2x" alt=""><img src="https://example.org/far.png"><img src="data:image/gif;base64,R0==">
			<p style="background:url(pics/b.jpg)">x</p><video poster="a.png"></video><svg><image href="icon.svg#part"></image></svg></body></html>`,
		"css/main.css": "@import \"base.css\" print;\n/* url(no.png) */ h1 { content: \"url(no.png)\"; background: url( ../a.png ) } @font-face { src: url(\"f.woff2\") format('woff2') }",
		"css/base.css": "p { color: red } @import url(https://example.org/far.css);",
		"css/f.woff2":  "font", "js/app.js": "if (1 < 2) { run() }", "a.png": "PNG", "pics/b.jpg": "JPG",
		"icon.svg":  "<svg/>",
		"notes.txt": "unused", ".git/config": "hidden", ".DS_Store": "hidden",
	}))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	n, err := p.WriteTo(&b)
	if err != nil || int(n) != b.Len() {
		t.Fatalf("WriteTo = %d, want %d, %v", n, b.Len(), err)
	}
	text := b.String()
	png, jpg := data("image/png", "PNG"), data("image/jpeg", "JPG")
	for _, want := range []string{
		`<style media="screen">@media print {p { color: red } @import url("https://example.org/far.css") ;}`,
		`content: "url(no.png)"`, `/* url(no.png) */`,
		`h1 { content: "url(no.png)"; background: url("` + png + `") }`,
		`src: url("` + data("font/woff2", "font") + `")`, `<style>b{background:url("` + png + `")}</style>`,
		`<script defer="">if (1 < 2) { run() }</script>`,
		`<img src="` + png + `" srcset="` + png + ` 1x, ` + jpg + ` 2x"`, `src="https://example.org/far.png"`,
		`src="data:image/gif;base64,R0=="`,
		`style="background:url(&#34;` + jpg + `&#34;)"`, `poster="` + png + `"`,
		`href="` + data("image/svg+xml", "<svg/>") + `#part"`, `href="#end"`, `href="#top"`, `background="` + png + `"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, p.mark) || strings.Contains(text, "preload") {
		t.Errorf("a mark or a preload is left:\n%s", text)
	}
	if got := strings.Join(p.Unused, " "); got != "notes.txt" {
		t.Errorf("Unused = %s, want notes.txt", got)
	}
	if got := strings.Join(p.Remote, " "); got != "https://example.org/far.css https://example.org/far.png" {
		t.Errorf("Remote = %s, want https://example.org/far.css https://example.org/far.png", got)
	}
}

// TestWhatCannotBeFolded checks that the error names what cannot be included,
// and the file that requests it.
func TestWhatCannotBeFolded(t *testing.T) {
	const page = "index.html"
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"a.txt": "x"}, "the folder has no HTML page"},
		{map[string]string{"a.html": "x", "b.html": "y"}, "no index.html, but several pages: a.html, b.html"},
		{map[string]string{"sub/index.html": "x"}, "the folder has no HTML page"},
		{map[string]string{page: `<img src="gone.png">`}, "index.html: it uses gone.png, which does not exist"},
		{map[string]string{page: `<img src="../secret.png">`}, `index.html: "../secret.png" leads out of the folder`},
		{map[string]string{page: `<link rel=stylesheet href=a.css>`, "a.css": "b{background:url(gone.png)}"},
			"a.css: it uses gone.png"},
		{map[string]string{page: `<link rel=stylesheet href=a.css>`, "a.css": "@import 'a.css'"},
			"import each other too deeply"},
		{map[string]string{page: `<link rel=stylesheet href=a.css>`, "a.css": "@import 'b.css' layer(x)", "b.css": ""},
			"cannot be folded"},
		{map[string]string{page: `<link rel=stylesheet href=a.css>`, "a.css": "/* </style> */"},
			"a.css: it contains </style"},
		{map[string]string{page: `<a href="about.html">x</a>`, "about.html": "y"}, "it links to about.html"},
		{map[string]string{page: `<a href="report.pdf">x</a>`, "report.pdf": "y"}, "it links to report.pdf"},
		{map[string]string{page: `<iframe src="about.html"></iframe>`, "about.html": "y"},
			"it shows about.html in an <iframe>"},
		{map[string]string{page: `<object data="a.svg"></object>`, "a.svg": "y"}, "in an <object>"},
		{map[string]string{page: `<svg><use href="a.svg#x"></use></svg>`, "a.svg": "y"}, "it uses a drawing of a.svg"},
		{map[string]string{page: `<base href="/x/">`}, "<base>"},
		{map[string]string{page: `<script type=module src=a.js></script>`, "a.js": "import './b.js'"},
			"a.js is a module"},
		{map[string]string{page: `<script src=a.js></script>`, "a.js": "'</Script>'"}, "a.js: it contains </script"},
		{map[string]string{page: `<img src="http://[::1">`}, "cannot be read"},
		{map[string]string{page: `<img src="pics">`, "pics/a.png": ""}, "pics, which is not a file"},
		{map[string]string{page: strings.Repeat("x", maxText+1)}, "larger than 8 MiB"},
	} {
		_, err := Folder(dir(test.files))
		var p *Problem
		if !errors.As(err, &p) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.100v: %v, want %s", test.files, err, test.want)
		}
	}
}

// TestLinkOutOfTheFolder checks that a symbolic link out of the folder is not
// followed, whatever its name.
func TestLinkOutOfTheFolder(t *testing.T) {
	base := t.TempDir()
	in := filepath.Join(base, "in")
	for name, text := range map[string]string{"secret.png": "secret", "in/index.html": `<img src="a.png">`} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o755),
			os.WriteFile(filepath.Join(base, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.png", filepath.Join(in, "a.png")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(in)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := Folder(root.FS()); err == nil {
		t.Error("a link out of the folder is followed")
	}
}

// TestStreamed checks that a large picture is not kept in memory.
func TestStreamed(t *testing.T) {
	d := dir(map[string]string{"index.html": `<img src="big.png">`,
		"big.png": strings.Repeat("0123456789abcdef", 1<<18)})
	p, err := Folder(d)
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	if _, err := p.WriteTo(writer(func(b []byte) { most = max(most, len(b)) })); err != nil || most > 64<<10 {
		t.Errorf("%d bytes in one write, %v, want at most 64 KiB", most, err)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }

func FuzzFolder(f *testing.F) {
	f.Add(`<link rel=stylesheet href=a.css><img srcset="a.png 1x">`, `@import url("a.css"); b{c:url(a.png`)
	f.Fuzz(func(t *testing.T, page, style string) {
		p, err := Folder(dir(map[string]string{"index.html": page, "a.css": style, "a.png": "P"}))
		if err != nil {
			return
		}
		var b strings.Builder
		if _, err := p.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), p.mark) {
			t.Fatalf("a mark is left in %q", b.String())
		}
	})
}
