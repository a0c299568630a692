package vitrine_test

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

// mayImport says which package may import which inside the module, without
// tests. Nothing may import a package that is not listed.
var mayImport = table(`
docs
report
client                       report filetype
e2e
cmd/vitrine                  command operator preview remote serve terminal

vitrine                      report filetype

accept
durable
filetype
filetype/image               filetype
filetype/ole                 filetype
filetype/text                charset filetype
filetype/archive             charset filetype
filetype/media               filetype filetype/text
filetype/pdf                 filetype filetype/image filetype/ole filetype/text
filetype/inspect             filetype filetype/archive filetype/image filetype/media filetype/ole filetype/pdf filetype/text
charset
tiff
turn
sharedclock
geo                          durable
hostname
visitor
worker
credentials                  hostname terminal
datadir                      durable terminal
manifest                     durable
terminal                     vitrine client report
secrets
spelling
command                      spelling terminal
agent                        charset client report secrets terminal
remote                       vitrine agent client command credentials filetype hostname report terminal
limits                       vitrine command terminal
markup                       vitrine filetype
password                     vitrine turn
webvtt                       vitrine charset
signer                       vitrine report

access                       vitrine
analytics                    vitrine filetype signer report versions visitor
audit                        vitrine password publish storageowner
auth                         vitrine signer lease outbox password ratelimit
collections                  vitrine access links
export                       vitrine access report analytics collections
importer                     vitrine report filetype versions visitor
ingest                       vitrine visitor
lease                        vitrine
links                        vitrine access report filetype signer spare versions
logowner                     vitrine
moderation                   vitrine access ratelimit visitor
outbox                       vitrine
ownviews                     vitrine report
reclassify                   vitrine report
publish                      vitrine access filetype filetype/inspect lease spare storageowner turn versions webvtt
ratelimit                    vitrine
sharedreport                 vitrine password ratelimit signer
sitestats                    vitrine report ingest
spare                        vitrine
storageowner                 vitrine
versions                     vitrine access

instance                     vitrine analytics auth command disk geo links logowner manifest moderation s3 sharedclock
instance                     signer spool sqldb sqlstore storageowner viewdb
operator                     vitrine audit auth command datadir disk durable geo hostname importer ingest instance
operator                     lease limits links logowner manifest password publish reclassify remote report s3 spool
operator                     sqldb sqlstore storageowner terminal viewdb visitor web/httpx

serve                        vitrine accept auth clamav collections command datadir disk durable geo hostname ingest
serve                        instance lease limits mail moderation outbox ownviews preview publish s3 sink sitestats sqldb
serve                        sqlstore storageowner terminal viewdb web web/api web/app web/httpx web/ui worker

clamav                       vitrine
disk                         vitrine signer durable
mail                         vitrine hostname
preview                      vitrine filetype filetype/inspect tiff
s3                           vitrine durable hostname
sink                         vitrine report durable
spool                        vitrine durable
sqldb                        vitrine durable
sqlstore                     vitrine report filetype sqldb
viewdb                       vitrine report sqldb viewdb/feed viewdb/kept viewdb/labels viewdb/recount viewdb/scan viewdb/segment viewdb/visits
viewdb/kept
viewdb/visits                vitrine sqldb viewdb/segment
viewdb/recount               vitrine report sqldb viewdb/labels viewdb/segment
viewdb/scan                  vitrine report viewdb/distinct viewdb/segment
viewdb/segment               vitrine report
viewdb/distinct              report
viewdb/labels                vitrine report sqldb viewdb/segment
viewdb/feed                  vitrine report

web                          vitrine analytics auth collections ingest links moderation ownviews publish signer sitestats versions
web                          web/agents web/api web/app web/app/accountpage web/app/albumpage web/app/entrypage web/app/keypage
web                          web/app/linkpage web/app/peoplepage web/app/reportpage web/app/uploadpage
web                          web/app/versionpage web/app/websitepage web/content web/front web/httpx web/moderator web/public web/ui
web                          web/viewer
web/agents                   vitrine client agent auth turn web/httpx
web/api                      vitrine analytics auth collections export filetype links publish versions web/httpx web/viewer report
web/api                      filetype/inspect web/content
web                          geo sharedreport
web/app                      vitrine collections filetype links moderation publish web/httpx web/ui web/viewer
web/app                      analytics report web/chart
web/app/accountpage          vitrine analytics auth export links password publish report sitestats web/app web/httpx
web/app/accountpage          web/ui
web/app/albumpage            vitrine collections links web/app web/httpx web/ui web/viewer
web/app/entrypage            vitrine auth web/httpx web/ui
web/app/entrypage            analytics web/app
web/app/keypage              vitrine auth web/app web/httpx web/ui
web/app/linkpage             vitrine analytics collections filetype links publish web/app web/httpx web/ui
web/app/linkpage             report visitor web/viewer
web/app/peoplepage           vitrine auth web/app web/httpx web/ui
web/app/reportpage           vitrine access analytics collections export links ownviews report sitestats web/app web/httpx
web/app/reportpage           ratelimit turn web/samples web/ui
web/app/reportpage           geo web/chart sharedreport web/api versions visitor
web/app/uploadpage           vitrine auth collections filetype links publish web/api web/app web/httpx web/ui
web/app/versionpage          vitrine filetype publish versions web/app web/httpx web/ui
web/app/websitepage          vitrine collections filetype/inspect publish web/api web/app web/content web/httpx
web/app/websitepage          web/ui
web/chart                    web/ui
web/content                  vitrine accept charset collections filetype filetype/inspect links moderation sitestats
web/content                  filetype/archive ratelimit turn web/httpx web/ui web/viewer
web/front                    web/app/reportpage
web/front                    docs vitrine auth filetype publish report web/api web/httpx web/samples web/ui web/viewer
web/httpx                    vitrine auth geo report spelling turn visitor
web/moderator                vitrine auth collections filetype links moderation web/app web/httpx web/ui web/viewer
web/public                   vitrine report accept collections filetype ingest links markup moderation ratelimit visitor web/httpx
web/public                   web/ui web/viewer
web/samples                  vitrine report visitor
web/ui                       vitrine filetype importer moderation report visitor web/httpx
web/viewer                   vitrine charset filetype markup publish signer web/httpx web/ui report

vitrinetest                  vitrine report vitrinetest/tier
vitrinetest/blobstest        vitrine vitrinetest vitrinetest/tier
vitrinetest/tier
vitrinetest/tifftest
vitrinetest/fault            vitrine report sqldb
vitrinetest/firefox          vitrinetest
vitrinetest/fixture          vitrine signer report audit auth collections disk s3 filetype ingest links moderation outbox password publish sqlstore versions viewdb vitrinetest vitrinetest/fault
vitrinetest/mailtest         vitrine vitrinetest
vitrinetest/previewtest      vitrine filetype vitrinetest
vitrinetest/scannertest      vitrine vitrinetest
vitrinetest/spooltest        vitrine report vitrinetest
vitrinetest/sqltest          sqldb vitrinetest vitrinetest/tier
vitrinetest/storetest        vitrine report filetype signer auth lease vitrinetest
vitrinetest/viewlogtest      vitrine report vitrinetest reclassify
`)

// table parses lines of a package and the packages that it may import. Short
// names are those of internal, except for packages outside it.
func table(text string) map[string][]string {
	full := func(name string) string {
		switch name {
		case "vitrine":
			return name
		case "docs", "report", "client", "e2e", "cmd/vitrine":
			return "vitrine/" + name
		}
		return "vitrine/internal/" + name
	}
	all := map[string][]string{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 {
			p := full(f[0])
			for _, i := range f[1:] {
				all[p] = append(all[p], full(i))
			}
			if all[p] == nil {
				all[p] = []string{}
			}
		}
	}
	return all
}

// ports are the ports that each use case names as a whole: vitrine.Store and so
// on. If it needs only a part of a port, it declares an interface. A package
// below internal that is not listed names none.
var ports = map[string][]string{
	"analytics":    {"Store"},
	"audit":        {"Store"},
	"auth":         {"Store"},
	"collections":  {"Store"},
	"export":       {"Store"},
	"importer":     {"Store"},
	"ingest":       {"Spool", "Store"},
	"lease":        {"Store"},
	"links":        {"Store"},
	"spare":        {"Store"},
	"logowner":     {"Store"},
	"moderation":   {"Store"},
	"outbox":       {"Mailer", "Store"},
	"ownviews":     {"Store"},
	"publish":      {"Blobs", "Previewer", "Scanner", "Store"},
	"reclassify":   {"Store"},
	"sharedreport": {"Store"},
	"sitestats":    {"Store"},
	"storageowner": {"Store"},
	"versions":     {"Store"},
}

// allPorts are packages that implement ports, test them, or wire everything.
var allPorts = []string{"clamav", "disk", "instance", "mail", "operator", "preview", "s3", "serve", "spool", "sqldb",
	"sqlstore", "viewdb", "vitrinetest", "web"}

func TestPorts(t *testing.T) {
	port := regexp.MustCompile(`\bvitrine\.(Store|ViewLog|Blobs|Scanner|Previewer|Spool|Mailer)\b`)
	named := map[string][]string{}
	eachTracked(t, func(name, text string) {
		dir := strings.Split(name, "/")[1]
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
			t.Errorf("internal/%s names the ports %v, want %v", dir, named[dir], ports[dir])
		}
	}
	for dir := range ports {
		if named[dir] == nil {
			t.Errorf("internal/%s is listed but names no port", dir)
		}
	}
}

// notInRoot are packages of the standard library that the domain and the engine
// must not use.
var notInRoot = []string{"net/http", "database/sql", "log", "log/slog", "os", "os/exec", "net", "sync"}

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
	for _, p := range packages(t) {
		allowed, ok := mayImport[p.ImportPath]
		if !ok {
			t.Errorf("%s is not in the table of imports", p.ImportPath)
		}
		for _, a := range allowed {
			if !slices.Contains(p.Imports, a) {
				t.Errorf("%s may import %s, but does not", p.ImportPath, a)
			}
		}
		for _, i := range p.Imports {
			if (i == "vitrine" || strings.HasPrefix(i, "vitrine/")) && !slices.Contains(allowed, i) {
				t.Errorf("%s imports %s", p.ImportPath, i)
			}
			switch p.ImportPath {
			case "vitrine", "vitrine/report", "vitrine/internal/filetype", "vitrine/internal/visitor":
				if slices.Contains(notInRoot, i) {
					t.Errorf("%s imports %s", p.ImportPath, i)
				}
			}
		}
	}
}

// TestVocabulary checks that the root package has only the vocabulary and
// nothing that runs: no goroutine and no clock, because callers pass the time.
// It must stay small enough to be read.
func TestVocabulary(t *testing.T) {
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
		if strings.Contains(name, "internal/vitrinetest/") {
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

// dependencies has each module that the program or its tests use, with the
// reason why it is used instead of our own code.
var dependencies = map[string]string{
	"github.com/chromedp/chromedp":       "tests: drives real Chromium",
	"github.com/dustin/go-humanize":      "sizes and counts as people write them",
	"github.com/spf13/cobra":             "commands, help and completion for each shell",
	"github.com/spf13/pflag":             "flags, as GNU programs have them, with typed errors",
	"github.com/rivo/uniseg":             "the width of text on a terminal",
	"github.com/gabriel-vasile/mimetype": "a second opinion on a file's bytes",
	"github.com/emersion/go-sasl":        "tests: how clients of the mail server sign in",
	"github.com/emersion/go-smtp":        "tests: a mail server that messages are sent to",
	"github.com/getkin/kin-openapi":      "tests: holds every answer of the API against openapi.json",
	"github.com/go-json-experiment/json": "strict JSON: duplicate names, invalid UTF-8 and other case are refused, unlike encoding/json",
	"github.com/gobwas/ws":               "tests: the WebSocket by which Firefox is driven",
	"github.com/google/uuid":             "idempotency keys",
	"github.com/hashicorp/golang-lru/v2": "the cards that were drawn last",
	"github.com/jackc/pgx/v5":            "PostgreSQL",
	"github.com/klippa-app/go-pdfium":    "PDF pages as pictures, without cgo, in a WebAssembly sandbox",
	"github.com/microcosm-cc/bluemonday": "what of a stranger's HTML may stand on a page",
	"github.com/phuslu/iploc":            "country of an address, embedded, without a file to fetch",
	"github.com/pressly/goose/v3":        "schema migrations, one embedded directory",
	"github.com/rogpeppe/go-internal":    "tests: scripts against the real binary, txtar",
	"github.com/schollz/progressbar/v3":  "progress of an upload on a terminal",
	"github.com/tetratelabs/wazero":      "bounds the memory of PDFium, and keeps what it compiled",
	"github.com/xuri/excelize/v2":        "the cells of a workbook as they are shown, row by row",
	"github.com/wneessen/go-mail":        "mail: messages and SMTP with TLS and authentication",
	"github.com/yuin/goldmark":           "Markdown: CommonMark with GitHub's extensions",
	"github.com/ulikunitz/xz":            "what is in a 7z archive, read in bounded steps: its LZMA",
	"golang.org/x/crypto":                "argon2id, by which passwords are kept",
	"golang.org/x/image":                 "WebP and BMP, what compresses TIFF, scaling, and text on cards",
	"golang.org/x/net":                   "HTML as browsers parse it, for what Markdown became; names of hosts in Punycode",
	"golang.org/x/sync":                  "singleflight: one check of an upload however many ask",
	"golang.org/x/sys":                   "sync_file_range, file locks, and what a child that reads strangers' files gives up",
	"golang.org/x/text":                  "language tags, what languages call themselves, one form for the same characters, and encodings of texts",
	"golang.org/x/term":                  "whether the output is a terminal, and its width",
	"modernc.org/sqlite":                 "SQLite without cgo",
	"rsc.io/qr":                          "QR codes",
	"github.com/chromedp/cdproto":        "tests: the commands of Chromium's protocol",

	"github.com/oschwald/maxminddb-golang/v2": "city files, by the format's own reader, mapped into memory; ISC licence",
	"github.com/google/jsonschema-go":         "the schemas of what tools for agents answer",
	"github.com/modelcontextprotocol/go-sdk":  "the protocol of AI agents",
	"github.com/aws/aws-sdk-go-v2":            "S3: signatures, and trying again",
	"github.com/aws/aws-sdk-go-v2/config":     "S3: credentials wherever Amazon's tools find them: environment, files, roles",
	"github.com/aws/aws-sdk-go-v2/service/s3": "S3: the operations, as Amazon and those after it speak them",
	"github.com/aws/smithy-go":                "S3: what their errors are",
}

func TestDependenciesHaveReasons(t *testing.T) {
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
