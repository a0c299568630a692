package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
)

// styleSheets returns the site's own style sheets without comments, by their
// paths below this directory.
func styleSheets(t *testing.T) map[string]string {
	t.Helper()
	comment := regexp.MustCompile(`(?s)/\*.*?\*/`)
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "vendor" || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(p) == ".css":
			b, err := os.ReadFile(p)
			all[p] = comment.ReplaceAllString(string(b), "")
			return err
		}
		return nil
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d style sheets, %v, want at least 20", len(all), err)
	}
	return all
}

// TestStyleTokens checks that values of styles are tokens: at most eight font
// sizes, one scale of distances, three radii, one duration, five breakpoints,
// and each colour once.
func TestStyleTokens(t *testing.T) {
	declaration := regexp.MustCompile(`(?m)([a-z-]+):\s+([^;{}]+);`)
	length := regexp.MustCompile(`(?:^|[\s(,-])(\d*\.?\d+)(rem|px)\b`)
	raw := func(value string) bool { // a length other than a hairline
		for _, m := range length.FindAllStringSubmatch(value, -1) {
			if m[2] == "rem" && m[1] != "0" || m[2] == "px" &&
				!slices.Contains([]string{"0", "1", "1.5", "2", "3"}, m[1]) {
				return true
			}
		}
		return false
	}
	color := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|(?:^|\s)(?:white|black|red|gray)(?:$|\s)`)
	size := regexp.MustCompile(`var\(--text-\w+\)|\b(?:inherit|smaller|normal|revert)\b|--font-height`)
	width := regexp.MustCompile(`(?:max-width:|width >) ([\d.]+)rem\)`)
	sheets := styleSheets(t)
	for name, css := range sheets {
		if strings.HasPrefix(name, "ui/styles/") && name != "ui/styles/base.css" && name != "ui/styles/reset.css" {
			continue // it defines the tokens
		}
		if strings.Contains(css, "@layer") && name != "viewer/page.css" {
			t.Errorf("%s names a layer; its place does", name)
		}
		for _, m := range regexp.MustCompile(`@media[^{]*`).FindAllString(css, -1) {
			for _, w := range width.FindAllStringSubmatch(m, -1) {
				if !slices.Contains([]string{"24", "40", "48", "64", "80"}, w[1]) {
					t.Errorf("%s has a breakpoint that is not a token: %s", name, m)
				}
			}
		}
		for _, m := range declaration.FindAllStringSubmatch(css, -1) {
			property, value := m[1], strings.Join(strings.Fields(m[2]), " ")
			wrong := ""
			switch {
			case color.MatchString(value):
				wrong = "a colour"
			case (property == "font" || property == "font-size") && !size.MatchString(value):
				wrong = "a size of type"
			case regexp.MustCompile(`^(scroll-)?(padding|margin|gap|row-gap|column-gap)`).MatchString(property) &&
				raw(value):
				wrong = "a distance"
			case strings.HasSuffix(property, "radius") && raw(value):
				wrong = "a corner"
			case property == "z-index" && !strings.HasPrefix(value, "var(--z-"):
				wrong = "a height"
			case property == "transition" && !strings.HasPrefix(value, "none") &&
				!strings.Contains(value, "var(--motion)"):
				wrong = "a motion"
			}
			if wrong != "" {
				t.Errorf("%s: %s is not a token of ui/styles/tokens.css: %s: %s", name, wrong, property,
					value)
			}
		}
	}
	sizes := regexp.MustCompile(`(?m)^\s*--text-(\w+):`).FindAllStringSubmatch(sheets["ui/styles/tokens.css"], -1)
	if len(sizes) != 9 { // one is relative, for code in a line of text
		t.Errorf("%d font sizes, want 9: %v", len(sizes), sizes)
	}
}

// TestHeadingFont checks that the pages that ask for the font of headings get
// the file that their styles name, for good, and that a page of a link, whose
// size is limited, names none.
func TestHeadingFont(t *testing.T) {
	s := webtest.NewSite(t)
	home := s.Status(s.Get("/"), 200)
	early := s.Attr(home.Text, `<link rel="preload" href="(/assets/[^"]+\.woff2)" as="font"`)
	css := s.Attr(home.Text, `href="(/assets/[^"]+/ui/app\.css)"`)
	named := regexp.MustCompile(`url\(([^)]+\.woff2)\)`).FindAllStringSubmatch(s.Status(s.Get(css), 200).Text, -1)
	if len(named) != 2 {
		t.Fatalf("the styles name %d fonts, want 2", len(named))
	}
	for i, m := range named {
		address := path.Join(path.Dir(css), m[1])
		r := s.Status(s.Get(address), 200)
		if !strings.HasPrefix(r.Text, "wOF2") || r.Header.Get("Content-Type") != "font/woff2" ||
			!strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %v, %.4q", address, r.Header, r.Text)
		}
		if i == 0 && address != early {
			t.Errorf("the page asks early for %s, its styles for %s", early, address)
		}
	}
	page := s.Status(s.Get("/p/"+string(s.Publish("notes.txt", webtest.Samples["notes.txt"]).Slug)), 200)
	for _, m := range regexp.MustCompile(`href="(/assets/[^"]+\.css)"`).FindAllStringSubmatch(page.Text, -1) {
		if strings.Contains(s.Status(s.Get(m[1]), 200).Text, "@font-face") {
			t.Errorf("the page of a link loads a font by %s", m[1])
		}
	}
}

// TestStylesOfPages checks that a page links the shared style sheets and those
// of its own directory, and none of another page. The pages about Vitrine share
// a directory, so there the names have to be the same.
func TestStylesOfPages(t *testing.T) {
	linked := regexp.MustCompile(`(?:asset|style) "([^"]+\.css)"`)
	sheets, used := styleSheets(t), map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(p) != ".html" {
			return err
		}
		b, err := os.ReadFile(p)
		for _, m := range linked.FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = true
			if dir := path.Dir(m[1]); dir != "ui" && dir != "viewer" && dir != "viewer/text" && dir != path.Dir(p) {
				t.Errorf("%s links the style sheet of another page, %s", p, m[1])
			} else if dir == "front" && strings.TrimSuffix(m[1], ".css") != strings.TrimSuffix(p, ".html") {
				t.Errorf("%s links the style sheet of another page, %s", p, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range sheets {
		if dir := path.Dir(name); dir != "ui/styles" && dir != "ui/components" && !strings.HasPrefix(dir, "viewer") &&
			!used[name] {
			t.Errorf("no page links %s", name)
		}
	}
}

// TestScriptsOfPages checks that a page loads scripts of its own directory, of
// those around it, and of ui and chart, and none of another page. Scripts, too.
func TestScriptsOfPages(t *testing.T) {
	loads := regexp.MustCompile(`(?:asset|script) "([^"]+\.js)"|(?m)^(?:import|export)\b[^"\n]*"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)`)
	n := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "vendor" || d.Name() == "testdata" || d.Name() == "jstest"):
			return fs.SkipDir
		case path.Ext(p) != ".html" && path.Ext(p) != ".js":
			return nil
		}
		b, err := os.ReadFile(p)
		for _, m := range loads.FindAllStringSubmatch(string(b), -1) {
			n++
			script := m[1]
			if script == "" {
				script = path.Join(path.Dir(p), m[2]+m[3])
			}
			dir := path.Dir(script)
			if dir != "ui" && dir != "chart" && !strings.HasPrefix(p, dir+"/") {
				t.Errorf("%s loads the script of another page, %s", p, script)
			}
		}
		return err
	})
	if err != nil || n < 50 {
		t.Errorf("%d scripts are loaded, %v, want at least 50", n, err)
	}
}

// sharedWords are the classes that have no look of their own, with the one
// meaning that they have in several components.
var sharedWords = map[string]string{
	"address":    "the address of a row, with a button that copies it",
	"call":       "the panel with the request that returns a report",
	"gem":        "the gem in the mark",
	"icon":       "a picture without a meaning of its own",
	"made":       "the column of a row with the time since something was made",
	"rows":       "a list with a line between its rows",
	"size":       "the column of a row with sizes",
	"state":      "how far a transfer is",
	"status":     "the column of a row with the state of a link or website",
	"thumb":      "a small picture of a page or file",
	"uniques":    "the series of unique viewers in a chart",
	"views":      "the series of views in a chart",
	"view-count": "the column of a row with its views",
	"was":        "the series of the period before in a chart",
	"what":       "the column of a row that says what it is about",
	"when":       "the column of a row with a time",
	"why":        "the reason for a state",
}

// classesOf returns the classes of the element that a selector styles, without
// those of states, and whether the selector says nothing else of it.
func classesOf(selector string) (classes []string, alone bool) {
	about := regexp.MustCompile(`:(?:has|not)\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\]`)
	group := regexp.MustCompile(`:is\(([^()]*)\)`)
	alone = regexp.MustCompile(`^[a-z]*(?:\.[a-zA-Z][\w-]*)+(?::{1,2}[a-z-]+)*$`).MatchString(selector)
	selector = about.ReplaceAllString(selector, "")
	selector = group.ReplaceAllStringFunc(selector, func(g string) string { // one element is one of them
		return strings.NewReplacer(" ", "", ",", "", ":is(", "", ")", "").Replace(g)
	})
	parts := regexp.MustCompile(`[\s>+~]+`).Split(strings.TrimSpace(selector), -1)
	for _, m := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)`).FindAllStringSubmatch(parts[len(parts)-1], -1) {
		if !strings.HasPrefix(m[1], "is-") {
			classes = append(classes, m[1])
		}
	}
	return classes, alone
}

// selectors splits the selectors of a rule at the commas between them.
func selectors(list string) (all []string) {
	depth, from := 0, 0
	for i, c := range list + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			all, from = append(all, strings.TrimSpace(list[from:i])), i+1
		}
	}
	return all
}

// TestStylesOfClasses checks that a class has one meaning. Either one file
// alone defines how it looks, and others only adapt it inside their own
// classes; or it varies another class, and is only used with that; or it has no
// look of its own, and is styled in one file, or is one of sharedWords. Frames
// of viewers are separate documents.
func TestStylesOfClasses(t *testing.T) {
	rule := regexp.MustCompile(`([^{};]+)\{`)
	homes, places, uses := map[string][]string{}, map[string][]string{}, map[string][][]string{}
	note := func(to map[string][]string, class, file string) {
		if !slices.Contains(to[class], file) {
			to[class] = append(to[class], file)
		}
	}
	varied := map[string][]string{} // the classes that a class varies
	for name, css := range styleSheets(t) {
		if strings.HasPrefix(name, "viewer/pdf/") || strings.HasPrefix(name, "viewer/docx/") {
			continue
		}
		for _, m := range rule.FindAllStringSubmatch(css, -1) {
			if strings.HasPrefix(strings.TrimSpace(m[1]), "@") {
				continue
			}
			for _, selector := range selectors(m[1]) {
				classes, alone := classesOf(selector)
				for _, c := range classes {
					note(places, c, name)
					uses[c] = append(uses[c], classes)
					switch {
					case alone && len(classes) == 1:
						note(homes, c, name)
					case alone:
						varied[c] = append(varied[c], classes...)
					}
				}
			}
		}
	}
	if len(homes) < 100 {
		t.Fatalf("%d classes, want at least 100", len(homes))
	}
	for _, class := range slices.Sorted(maps.Keys(places)) {
		files := slices.Sorted(slices.Values(places[class]))
		switch {
		case len(homes[class]) > 1:
			t.Errorf(".%s is defined in %q, want one file", class, homes[class])
		case len(homes[class]) == 1 || len(files) == 1 && varied[class] == nil:
		case varied[class] != nil:
			for _, with := range uses[class] {
				if !slices.ContainsFunc(with, func(c string) bool {
					return c != class && slices.Contains(varied[class],
						c)
				}) {
					t.Errorf(".%s varies .%s, but is also styled without it, in one of %q", class,
						strings.Join(varied[class], " and ."), files)
					break
				}
			}
		case sharedWords[class] == "":
			t.Errorf(".%s has no look of its own and is styled in %q, want one file or one of sharedWords", class,
				files)
		}
	}
	for word := range sharedWords {
		if len(homes[word]) > 0 || len(places[word]) < 2 {
			t.Errorf("%s is not one of sharedWords: it is defined in %q and styled in %q", word, homes[word],
				places[word])
		}
	}
}

// TestStylesOfNoClass checks that each class with a style is used in a
// template, a script or the program. Classes made of two parts ("is-" and a
// state) have their second part there.
func TestStylesOfNoClass(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z0-9][\w-]*`)
	written := map[string]bool{}
	for _, root := range []string{".", "../backend/preview", "../filetype", "../..", "../../report"} {
		err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if d != nil && d.IsDir() && p != "." && (root == "../.." || root == "../../report") {
					return fs.SkipDir // the packages alone
				}
				return err
			}
			plain, packed := strings.CutSuffix(p, ".gz")
			if strings.HasSuffix(p, "_test.go") || !slices.Contains([]string{".html", ".js", ".mjs", ".go"},
				path.Ext(plain)) {
				return nil
			}
			b, err := fs.ReadFile(os.DirFS(root), p)
			if packed && err == nil {
				b, err = unpacked(b)
			}
			for _, w := range word.FindAllString(string(b), -1) {
				written[w] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	class := regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)
	address := regexp.MustCompile(`url\([^)]*\)`)
	for name, css := range styleSheets(t) {
		for _, m := range class.FindAllStringSubmatch(address.ReplaceAllString(css, ""), -1) {
			second, made := strings.CutPrefix(m[1], "is-")
			if status := name == "front/docs.css" && len(m[1]) == 2; // "s" and the first digit
			!written[m[1]] && !(made && written[second]) && !status {
				t.Errorf("%s styles .%s, which nothing has", name, m[1])
			}
		}
	}
}

func unpacked(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
