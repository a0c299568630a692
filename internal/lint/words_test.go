package lint_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// avoided are words and phrases that readers of pages, logs, errors and help
// would have to decode. docs/specification and doc.go have the plain ones.
var avoided = regexp.MustCompile(`(?i)\b(whoever|whomever|whom|somebody|tells? apart|told apart|put away|puts away|let go|lets go|text of chance|on display|off display|put back on|meanwhile|very same|most likely you|unwanted messages|in the place of|(one|someone)[’']s own|good for an? (day|hour|week)|look among|stands|will stand|goes by|knower|unsee)\b`)

// avoidedInDocs are more words and phrases that the documentation avoids.
var avoidedInDocs = regexp.MustCompile(`(?i)\b(of which|for want of|anew|for ever|(is|are|was|were) told|that is none|hence|thereby|whichever|operators?)\b`)

// avoidedOnPages are more words and phrases that pages, scripts and messages
// avoid.
var avoidedOnPages = regexp.MustCompile(`(?i)\b((the|an|its|your) operator|(on|of|by) this site|an? \w+ are allowed|replace (it|this) by|frees its|takes up (no|a|one)|in no average|single moments|as soon as it came|no more on)\b`)

// avoidedInComments are more words and phrases that comments of scripts, styles
// and templates avoid.
var avoidedInComments = regexp.MustCompile(`(?i)\b((tells?|told|answers) (whether|how|what|when)|told (aloud|by)|came (of|to nothing)|as good as|stranger[’']s|in sight|given up|scripting brings)\b`)

// unquoted returns a text of Markdown without code, quotations and comments.
// Lines keep their numbers.
func unquoted(text string) string {
	spans := regexp.MustCompile("`[^`]*`|\"[^\"\n]*\"|“[^”\n]*”")
	lines := strings.Split(text, "\n")
	fence := false
	for i, l := range lines {
		trimmed := strings.TrimSpace(l)
		begins := strings.HasPrefix(trimmed, "```")
		switch {
		case begins:
			fence = !fence
			lines[i] = ""
		case fence, strings.HasPrefix(trimmed, ">"), strings.HasPrefix(trimmed, "<!--"):
			lines[i] = ""
		default:
			lines[i] = spans.ReplaceAllString(l, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// administrator matches old names of the administrator and of their actions,
// which comments avoid, too.
var administrator = regexp.MustCompile(`(?i)whoever (runs|put)|on and off display`)

// texts calls f with each string of a Go file that is a text: one with a space,
// or that begins with a capital letter.
func texts(t *testing.T, file string, f func(line int, text string)) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && isText.MatchString(s.Value) {
			f(set.Position(s.Pos()).Line, s.Value)
		}
		return true
	})
}

// isText matches a string of Go or JavaScript that people may read, with its
// first quote.
var isText = regexp.MustCompile(`^.[A-Z]| `)

// scriptTexts matches the strings of a script, and comments, so that quotes in
// them begin no string.
var scriptTexts = regexp.MustCompile("(?m)^\\s*//.*$|\\s//\\s.*$|\"(?:[^\"\\\\\n]|\\\\.)*\"|`(?:[^`\\\\]|\\\\.)*`|'[^'\n]*'")

// TestPlainWordsEverywhere checks that logs, errors, command-line help and
// pages use plain words.
func TestPlainWordsEverywhere(t *testing.T) {
	inRoot(t)
	if !avoided.MatchString("Whoever opens it") || avoided.MatchString("The link is live.") {
		t.Fatal("the pattern does not match what it should")
	}
	actions := regexp.MustCompile(`\{\{[^}]*\}\}|<[^>]*>`)
	quoted := regexp.MustCompile(`"[^"]* [^"]*"`)
	read, scripts := 0, 0
	eachTracked(t, func(file, text string) {
		if m := administrator.FindString(text); m != "" && file != "internal/lint/words_test.go" {
			t.Errorf("%s: %q", file, m)
		}
		check := func(line int, text string) {
			read++
			word := avoided.FindString(text)
			if word == "" {
				word = avoidedOnPages.FindString(text)
			}
			if word != "" {
				t.Errorf("%s:%d: %q in %.80s", file, line, word, text)
			}
		}
		switch {
		case strings.HasSuffix(file, "_test.go"), strings.HasPrefix(file, "internal/test/"),
			strings.HasPrefix(file, "bench/"), strings.HasPrefix(file, "tools/"), strings.Contains(file, "jstest/"),
			strings.Contains(file, "vendor/"):
		case strings.HasSuffix(file, ".go"):
			texts(t, file, check)
		case strings.HasSuffix(file, ".js"):
			for _, at := range scriptTexts.FindAllStringIndex(text, -1) {
				if s := text[at[0]:at[1]]; !strings.Contains(s, "//") && isText.MatchString(s) {
					scripts++
					check(1+strings.Count(text[:at[0]], "\n"), s)
				}
			}
		default:
			text = actions.ReplaceAllStringFunc(text, func(s string) string { // the strings in them are texts, too
				return strings.Join(quoted.FindAllString(s, -1), " ") + strings.Repeat("\n", strings.Count(s, "\n"))
			})
			for i, line := range strings.Split(text, "\n") {
				check(i+1, line)
			}
		}
	}, "*.go", "*.html", "*.js")
	if scripts < 200 {
		t.Errorf("read %d texts of scripts, want at least 200", scripts)
	}
	if read < 5000 {
		t.Errorf("read %d texts, want at least 5000", read)
	}
}

// TestPlainWordsInDocs checks that the documentation uses plain words, also
// where a phrase goes on in the next line.
func TestPlainWordsInDocs(t *testing.T) {
	inRoot(t)
	pattern := regexp.MustCompile(strings.ReplaceAll("(?:"+avoided.String()+")|(?:"+avoidedInDocs.String()+")", " ", `\s+`))
	for text, want := range map[string]string{"It stands\nthere": "stands", "a size, of\nwhich": "of\nwhich",
		"`of which`": "", "say \"stands\"": "", "```\nwhoever\n```\nThe link": ""} {
		if got := pattern.FindString(unquoted(text)); got != want {
			t.Fatalf("%q: found %q, want %q", text, got, want)
		}
	}
	read := 0
	eachTracked(t, func(file, text string) {
		text = unquoted(text)
		read += strings.Count(text, "\n")
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			t.Errorf("%s:%d: %q", file, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]])
		}
	}, "*.md", ":!internal/web/ui/vendor")
	if read < 3000 {
		t.Errorf("read %d lines, want at least 3000", read)
	}
}

// commentOf matches the comments of files that are not Go, by extension. The
// comments of a script are also strings of [scriptTexts].
var commentOf = map[string]*regexp.Regexp{
	".css":  regexp.MustCompile(`(?s)/\*.*?\*/`),
	".html": regexp.MustCompile(`(?s)\{\{-? ?/\*.*?\*/|<!--.*?-->`),
}

// scriptComments calls f with each comment of a script, and its line. Lines of
// comments below each other are one comment.
func scriptComments(text string, f func(line int, comment string)) {
	first, end, comment := 0, 0, ""
	for _, at := range scriptTexts.FindAllStringIndex(text, -1) {
		s := strings.TrimSpace(text[at[0]:at[1]])
		if !strings.HasPrefix(s, "//") {
			continue
		}
		begin := at[0] + strings.Index(text[at[0]:], s)
		if comment != "" && strings.Trim(text[end:begin], " ") != "\n" {
			f(first, comment)
			comment = ""
		}
		if comment == "" {
			first = 1 + strings.Count(text[:begin], "\n")
		}
		comment += s[len("//"):]
		end = at[1]
	}
	if comment != "" {
		f(first, comment)
	}
}

// TestPlainWordsInComments checks that the comments of scripts, styles and
// templates use plain words.
func TestPlainWordsInComments(t *testing.T) {
	inRoot(t)
	const sample = "let a; // zero\n\n  // One\n  // two\nlet b = \"// no\";\n// three"
	var got []string
	scriptComments(sample, func(line int, comment string) { got = append(got, fmt.Sprint(line, comment)) })
	if want := []string{"1 zero", "3 One two", "6 three"}; !slices.Equal(got, want) {
		t.Fatalf("comments %q, want %q", got, want)
	}
	patterns := []*regexp.Regexp{avoided, avoidedInDocs, avoidedOnPages, avoidedInComments}
	read := map[string]int{}
	eachTracked(t, func(file, text string) {
		ext := path.Ext(file)
		check := func(line int, comment string) {
			read[ext]++
			comment = strings.Join(strings.Fields(comment), " ")
			for _, p := range patterns {
				if word := p.FindString(comment); word != "" {
					t.Errorf("%s:%d: %q in %.90s", file, line, word, comment)
				}
			}
		}
		if comments := commentOf[ext]; comments != nil {
			for _, at := range comments.FindAllStringIndex(text, -1) {
				check(1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]])
			}
			return
		}
		scriptComments(text, check)
	}, "*.js", "*.mjs", "*.ts", "*.css", "*.html")
	if read[".js"] < 400 || read[".css"] < 60 || read[".html"] < 8 {
		t.Errorf("read %v comments, want at least 400 of scripts, 60 of styles and 8 of templates", read)
	}
}

// TestPlainWordsInTests checks that the comments of tests and of their helpers
// use plain words.
func TestPlainWordsInTests(t *testing.T) {
	inRoot(t)
	read := 0
	eachTracked(t, func(file, _ string) {
		if !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(file, "internal/test/") || file == "internal/lint/words_test.go" {
			return
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range parsed.Comments {
			read++
			text := strings.Join(strings.Fields(group.Text()), " ")
			word, _, _ := strings.Cut(text, " ")
			if found := avoided.FindString(text); found != "" && found != word {
				t.Errorf("%s: %q in %.80s", set.Position(group.Pos()), found, text)
			}
		}
	}, "*.go")
	if read < 2000 {
		t.Errorf("read %d comments, want at least 2000", read)
	}
}
