package lint_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayImport says what the packages of a folder may import inside the module,
// without tests. Packages of one folder may import each other, as far as the
// compiler lets them. A folder that is not listed has no packages.
var mayImport = folders(`
report
filetype
.          report filetype
base       . report
visitor    report base
app        . report filetype visitor base
backend    . report filetype base
web        . report filetype visitor base app client docs
cli        . report filetype visitor base app backend web client
test       . report filetype visitor base app backend web
cmd        cli backend
docs
e2e
lint
`)

// folders parses lines of a folder and those that it may import.
func folders(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 {
			all[f[0]] = append(f[1:], f[0])
		}
	}
	return all
}

// folderOf returns the folder of a package of the module: the first name below
// internal or below the root, and "." for the root itself.
func folderOf(importPath string) string {
	dir, ok := strings.CutPrefix(importPath, "vitrine/")
	if !ok {
		return "."
	}
	folder, _, _ := strings.Cut(strings.TrimPrefix(dir, "internal/"), "/")
	return folder
}

// ports are the ports that each use case names as a whole: vitrine.Store and so
// on. If it needs only a part of a port, it declares an interface. A package
// below internal/app that is not listed names none.
var ports = map[string][]string{
	"access":      {"Store"},
	"analytics":   {"Store"},
	"audit":       {"Store"},
	"auth":        {"Store"},
	"collections": {"Store"},
	"events":      {"Store"},
	"export":      {"Store"},
	"fleet":       {"Mailer", "Store"},
	"importer":    {"Store"},
	"ingest":      {"Spool", "Store"},
	"links":       {"Store"},
	"moderation":  {"Store"},
	"notify":      {"Store"},
	"ownership":   {"Store"},
	"recipients":  {"Store"},
	"publish":     {"Blobs", "Previewer", "Scanner", "Store"},
	"webhooks":    {"Store"},
	"services":    {"Blobs", "Previewer", "Scanner", "Store", "ViewLog"},
}

// allPorts are packages that implement ports, test them, or wire everything.
var allPorts = []string{"backend", "cli", "test", "web"}

func TestPorts(t *testing.T) {
	inRoot(t)
	port := regexp.MustCompile(`\bvitrine\.(Store|ViewLog|Blobs|Scanner|Previewer|Spool|Mailer)\b`)
	named := map[string][]string{}
	eachTracked(t, func(name, text string) {
		dir := strings.Split(strings.TrimPrefix(strings.TrimPrefix(name, "internal/"), "app/"), "/")[0]
		if strings.HasSuffix(name, "_test.go") || slices.Contains(allPorts, dir) {
			return
		}
		for line := range strings.Lines(text) {
			code, _, _ := strings.Cut(line, "//")
			for _, m := range port.FindAllStringSubmatch(code, -1) {
				if !slices.Contains(named[dir], m[1]) {
					named[dir] = append(named[dir], m[1])
				}
			}
		}
	}, "internal/*.go")
	for dir := range named {
		slices.Sort(named[dir])
		if !slices.Equal(named[dir], ports[dir]) {
			t.Errorf("internal/app/%s names the ports %v, want %v", dir, named[dir], ports[dir])
		}
	}
	for dir := range ports {
		if named[dir] == nil {
			t.Errorf("internal/app/%s is listed but names no port", dir)
		}
	}
}

// pure are the folders whose packages must not use some packages of the
// standard library, except for the city file, which is on the disk.
var (
	pure      = []string{".", "report", "filetype", "visitor"}
	notInPure = []string{"net/http", "database/sql", "log", "log/slog", "os", "os/exec", "net", "sync"}
	cityFile  = "vitrine/internal/visitor/geo"
	// once are packages that make tables and expressions when they need them.
	once = []string{"vitrine/internal/visitor", "vitrine/internal/filetype/text"}
)

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestImports(t *testing.T) {
	inRoot(t)
	used := map[string]map[string]bool{}
	for _, p := range packages(t) {
		folder := folderOf(p.ImportPath)
		allowed, ok := mayImport[folder]
		if !ok {
			t.Errorf("%s is in no folder of the table of imports", p.ImportPath)
		}
		if used[folder] == nil {
			used[folder] = map[string]bool{folder: true}
		}
		for _, i := range p.Imports {
			if i == "vitrine" || strings.HasPrefix(i, "vitrine/") {
				used[folder][folderOf(i)] = true
				if !slices.Contains(allowed, folderOf(i)) {
					t.Errorf("%s imports %s", p.ImportPath, i)
				}
			}
			if slices.Contains(pure, folder) && p.ImportPath != cityFile && slices.Contains(notInPure, i) &&
				(i != "sync" || !slices.Contains(once, p.ImportPath)) {
				t.Errorf("%s imports %s", p.ImportPath, i)
			}
		}
	}
	for folder, allowed := range mayImport {
		for _, a := range allowed {
			if !used[folder][a] {
				t.Errorf("%s may import %s, but does not", folder, a)
			}
		}
	}
}

// TestImportGroups checks that the packages of the repository are imported in
// one group, behind those of the standard library. gofmt sorts each group, but
// keeps the groups.
func TestImportGroups(t *testing.T) {
	inRoot(t)
	eachTracked(t, func(name, text string) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		last, ours := 0, false // the line and the kind of the import before
		seen := false
		for _, i := range f.Imports {
			line, path := files.Position(i.Pos()).Line, strings.Trim(i.Path.Value, `"`)
			is := path == "vitrine" || strings.HasPrefix(path, "vitrine/")
			switch near := line == last+1; {
			case near && is != ours:
				t.Errorf("%s:%d: %s is in a group with others", name, line, path)
			case !near && is && seen:
				t.Errorf("%s:%d: %s is in a second group", name, line, path)
			}
			last, ours, seen = line, is, seen || is
		}
	}, "*.go")
}

// TestVocabulary checks that the root package has only the vocabulary and
// nothing that runs: no goroutine and no clock, because callers pass the time.
// It must stay small enough to be read.
func TestVocabulary(t *testing.T) {
	inRoot(t)
	const mostFiles, mostLines = 30, 3500
	files, lines := 0, 0
	eachTracked(t, func(name, text string) {
		if strings.Contains(name, "/") || strings.HasSuffix(name, "_test.go") {
			return
		}
		files++
		lines += strings.Count(text, "\n")
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine", name)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" &&
					slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer",
						"NewTicker", "Tick"}, n.Sel.Name) {
					t.Errorf("%s uses the clock: time.%s", name, n.Sel.Name)
				}
			}
			return true
		})
	}, "*.go")
	if files > mostFiles || lines > mostLines {
		t.Errorf("the root package has %d files and %d lines, want at most %d and %d", files, lines, mostFiles,
			mostLines)
	}
}

// TestSizes checks that a file of Go or a script has at most 500 lines, a
// function 60, and a package 6,000 without its tests. Suites are lists of
// cases, whose functions may be longer.
func TestSizes(t *testing.T) {
	inRoot(t)
	const mostOfFile, mostOfFunction, mostOfPackage = 500, 60, 6000
	packages := map[string]int{}
	eachTracked(t, func(name, text string) {
		lines := strings.Count(text, "\n")
		if lines > mostOfFile {
			t.Errorf("%s has %d lines, want at most %d", name, lines, mostOfFile)
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return
		}
		packages[path.Dir(name)] += lines
		if strings.Contains(name, "internal/test/") {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n := files.Position(fn.End()).Line - files.Position(fn.Pos()).Line + 1; n > mostOfFunction {
					t.Errorf("%s: %s has %d lines, want at most %d", name, fn.Name.Name, n, mostOfFunction)
				}
			}
		}
	}, "*.go", "*.js", "*.mjs", "*.ts")
	for p, lines := range packages {
		if lines > mostOfPackage {
			t.Errorf("%s has %d lines, want at most %d", p, lines, mostOfPackage)
		}
	}
}

// TestKeysReachFields checks that no handler can prevent every key by accident:
// a property handler that returns false prevents what the browser does, unlike
// a listener. Tests press keys as a person does, so that they see it.
func TestKeysReachFields(t *testing.T) {
	inRoot(t)
	mayBeFalse := regexp.MustCompile(`\.on[a-z]+ = (async )?\(?\w*\)? => [^{\n]*(&&|\|\||==|!)`)
	eachTracked(t, func(name, text string) {
		for _, found := range mayBeFalse.FindAllString(text, -1) {
			t.Errorf("%s: use addEventListener for what may return false: %s", name, found)
		}
	}, "*.js", "*.mjs", "*.html")
	byChromedp := regexp.MustCompile(`chromedp\.(SendKeys|KeyEvent)\(`)
	eachTracked(t, func(name, text string) {
		if found := byChromedp.FindString(text); found != "" {
			t.Errorf("%s: %s types what a page prevents: use Keys or Type of webtest", name, found)
		}
	}, "*.go")
}

// dependencies has each module that the program or its tests use, with the
// reason why it is used instead of our own code.
var dependencies = map[string]string{
	"github.com/chromedp/chromedp":       "tests: drives real Chromium",
	"github.com/coreos/go-oidc/v3":       "discovery, keys and ID tokens of OpenID Connect",
	"github.com/dustin/go-humanize":      "sizes and counts as people write them",
	"github.com/spf13/cobra":             "commands, help and completion for each shell",
	"github.com/spf13/pflag":             "flags, as GNU programs have them, with typed errors",
	"github.com/rivo/uniseg":             "the width of text on a terminal",
	"github.com/gabriel-vasile/mimetype": "a second opinion on a file's bytes",
	"github.com/emersion/go-sasl":        "tests: how clients of the mail server sign in",
	"github.com/emersion/go-smtp":        "tests: a mail server that messages are sent to",
	"github.com/getkin/kin-openapi":      "tests: holds every answer of the API against openapi.json",
	"github.com/go-json-experiment/json": "strict JSON: duplicate names, invalid UTF-8 and other case are refused, unlike encoding/json",
	"github.com/go-webauthn/webauthn":    "passkeys: the checks of WebAuthn, its encodings and its signatures",
	"github.com/gobwas/ws":               "tests: the WebSocket by which Firefox is driven",
	"github.com/google/uuid":             "idempotency keys",
	"github.com/hashicorp/golang-lru/v2": "the cards that were drawn last",
	"github.com/jackc/pgx/v5":            "PostgreSQL",
	"github.com/klippa-app/go-pdfium":    "PDF pages as pictures, without cgo, in a WebAssembly sandbox",
	"github.com/microcosm-cc/bluemonday": "what of a stranger's HTML may stand on a page",
	"github.com/phuslu/iploc":            "tests: countries of addresses, of which the program has a packed copy",
	"github.com/pressly/goose/v3":        "schema migrations, one embedded directory",
	"github.com/rogpeppe/go-internal":    "tests: scripts against the real binary, txtar",
	"github.com/schollz/progressbar/v3":  "progress of an upload on a terminal",
	"github.com/tetratelabs/wazero":      "bounds the memory of PDFium, and keeps what it compiled",
	"github.com/xuri/excelize/v2":        "the cells of a workbook as they are shown, row by row",
	"github.com/wneessen/go-mail":        "mail: messages and SMTP with TLS and authentication",
	"github.com/yuin/goldmark":           "Markdown: CommonMark with GitHub's extensions",
	"github.com/ulikunitz/xz":            "what is in a 7z archive, read in bounded steps: its LZMA; PDFium, unpacked",
	"golang.org/x/crypto":                "argon2id, by which passwords are kept",
	"golang.org/x/image":                 "WebP and BMP, what compresses TIFF, scaling, and text on cards",
	"golang.org/x/net":                   "HTML as browsers parse it, for what Markdown became; names of hosts in Punycode",
	"golang.org/x/oauth2":                "the code flow with PKCE and refresh tokens, for go-oidc",
	"golang.org/x/sync":                  "singleflight: one check of an upload however many ask; a few requests to a provider at once",
	"golang.org/x/sys":                   "sync_file_range, file locks, and what a child that reads strangers' files gives up",
	"golang.org/x/text":                  "language tags, what languages call themselves, one form for the same characters, and encodings of texts",
	"golang.org/x/term":                  "whether the output is a terminal, and its width",
	"golang.org/x/time":                  "how often the keys of a provider are fetched",
	"modernc.org/sqlite":                 "SQLite without cgo",
	"rsc.io/qr":                          "QR codes",
	"github.com/chromedp/cdproto":        "tests: the commands of Chromium's protocol",

	"github.com/oschwald/maxminddb-golang/v2": "city files, by the format's own reader, mapped into memory; ISC licence",
	"github.com/prometheus/client_golang":     "metrics: counters, histograms, and the format that Prometheus reads",
	"github.com/prometheus/client_model":      "tests: metrics as they are gathered",
	"github.com/google/jsonschema-go":         "the schemas of what tools for agents answer",
	"github.com/modelcontextprotocol/go-sdk":  "the protocol of AI agents",
	"github.com/aws/aws-sdk-go-v2":            "S3: signatures, and trying again",
	"github.com/aws/aws-sdk-go-v2/config":     "S3: credentials wherever Amazon's tools find them: environment, files, roles",
	"github.com/aws/aws-sdk-go-v2/service/s3": "S3: the operations, as Amazon and those after it speak them",
	"github.com/aws/smithy-go":                "S3: what their errors are",
}

// TestModulesOfBenchmarks checks that the benchmarks name the versions of
// modules that the program has. Otherwise Go does not build them.
func TestModulesOfBenchmarks(t *testing.T) {
	inRoot(t)
	versions := func(name string) map[string]string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^(?:require)?\s+([\w.-]+\.[\w./-]+) (v\S+)`).FindAllStringSubmatch(string(b), -1) {
			all[m[1]] = m[2]
		}
		return all
	}
	of := versions("go.mod")
	for module, version := range versions("bench/go.mod") {
		if want := of[module]; want != "" && want != version {
			t.Errorf("bench/go.mod has %s %s, go.mod has %s: run \"go -C bench mod tidy\"", module, version, want)
		}
	}
}

func TestDependenciesHaveReasons(t *testing.T) {
	inRoot(t)
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^(?:require)?\s+([\w.-]+\.[\w./-]+) v[^\s]+$`)
	named := map[string]bool{}
	for _, m := range direct.FindAllStringSubmatch(string(b), -1) {
		named[m[1]] = true
		if dependencies[m[1]] == "" {
			t.Errorf("%s has no reason in the list of dependencies", m[1])
		}
	}
	for d := range dependencies {
		if !named[d] {
			t.Errorf("%s is in the list of dependencies, but not in go.mod", d)
		}
	}
}
