package terminal

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"vitrine/internal/base/notation"
)

// hostile is text with escape sequences and control characters.
const hostile = "a\x1b[31m\x1b]0;owned\x07\u009b1mb\u202ec\u2066d\r\n\te\x00\xff\U000e0041f"

func TestPlain(t *testing.T) {
	if got, want := Plain(hostile), "a[31m]0;owned1mbcd  e\ufffdf"; got != want {
		t.Errorf("Plain = %q, want %q", got, want)
	}
	for _, s := range []string{"Bericht Größe – 日本語", "👩‍👩‍👧", "نص عربي", "می\u200cخواهم"} {
		if Plain(s) != s {
			t.Errorf("Plain(%q) = %q, want it unchanged", s, Plain(s))
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) {
		p := Plain(s)
		if strings.IndexFunc(p, Unsafe) >= 0 || !utf8.ValidString(p) {
			t.Errorf("Plain(%q) = %q", s, p)
		}
		if Plain(p) != p {
			t.Errorf("Plain(%q) is not plain yet: %q", s, p)
		}
	})
}

// FuzzJSON checks that a program reads the text itself, and that a terminal
// gets no control characters.
func FuzzJSON(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, s string) {
		var out bytes.Buffer
		if err := (&Terminal{Out: &out}).JSON(s); err != nil {
			t.Fatal(err)
		}
		line, found := strings.CutSuffix(out.String(), "\n")
		if !found || strings.IndexFunc(line, Unsafe) >= 0 {
			t.Errorf("json(%q) = %q", s, line)
		}
		var back string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") &&
			utf8.ValidString(s) {
			t.Errorf("json(%q) reads back as %q, %v", s, back, err)
		}
	})
}

func TestTable(t *testing.T) {
	rows := [][]string{{"a", "日本", "x"}, {"long name", "b\tc", "y\x1b[1m"}}
	header := []string{"NAME", "TEXT", "LAST"}
	var out bytes.Buffer
	if err := (&Terminal{Out: &out}).Table(header, rows); err != nil {
		t.Fatal(err)
	}
	if want := "a\t日本\tx\nlong name\tb c\ty[1m\n"; out.String() != want {
		t.Errorf("for a program: %q, want %q", out.String(), want)
	}
	out.Reset()
	if err := (&Terminal{Out: &out, OutTTY: true}).Table(header, rows); err != nil {
		t.Fatal(err)
	}
	if want := "NAME       TEXT  LAST\na          日本  x\nlong name  b c   y[1m\n"; out.String() != want {
		t.Errorf("for a terminal:\n%s, want\n%s", out.String(), want)
	}
	out.Reset()
	sizes := [][]string{{"9 B", "a"}, {"120 kB", "b"}}
	if err := (&Terminal{Out: &out, OutTTY: true}).Table([]string{"SIZE", "NAME"}, sizes); err != nil {
		t.Fatal(err)
	}
	if want := "  SIZE  NAME\n   9 B  a\n120 kB  b\n"; out.String() != want {
		t.Errorf("numbers:\n%s, want\n%s", out.String(), want)
	}
}

// TestTableFits checks tables on narrow terminals: texts are shortened, then
// columns are omitted from the last on, but not the state, and lines never
// wrap.
func TestTableFits(t *testing.T) {
	header := []string{"ACCOUNT", "SIZE", "NOTE", "STATE"}
	rows := [][]string{{"ada@example.org", "9 kB", "a note that is longer than others", "active"}, {"b@c.de", "10 kB", "", "x"}}
	for width, want := range map[int]string{
		80: "ACCOUNT           SIZE  NOTE                               STATE\n" +
			"ada@example.org   9 kB  a note that is longer than others  active\n" +
			"b@c.de           10 kB                                     x\n",
		60: "ACCOUNT           SIZE  NOTE                          STATE\n" +
			"ada@example.org   9 kB  a note that is longer than …  active\n" +
			"b@c.de           10 kB                                x\n",
		46: "ACCOUNT           SIZE  STATE\nada@example.org   9 kB  active\nb@c.de           10 kB  x\n",
		30: "ACCOUNT           SIZE  STATE\nada@example.org   9 kB  active\nb@c.de           10 kB  x\n",
		24: "ACCOUNT          STATE\nada@example.org  active\nb@c.de           x\n",
		16: "ACCOUNT   STATE\nada@…org  active\nb@c.de    x\n",
	} {
		var out bytes.Buffer
		if err := (&Terminal{Out: &out, OutTTY: true, Width: width}).Table(header, rows); err != nil || out.String() != want {
			t.Errorf("%d columns, %v:\n%s, want\n%s", width, err, &out, want)
		}
	}
	address := "https://share.example/captions/en.vtt"
	var out bytes.Buffer
	if err := (&Terminal{Out: &out, OutTTY: true, Width: 20}).Table([]string{"NAME", "ADDRESS"},
		[][]string{{"English", address}}); err != nil || !strings.Contains(out.String(), address) {
		t.Errorf("%v: %s, want the whole address", err, &out)
	}
}

// TestHush checks that results and errors are printed even with --quiet.
func TestHush(t *testing.T) {
	var out bytes.Buffer
	q := &Terminal{Err: &out, ErrTTY: true}
	q.Hush()
	q.Say("by the way")
	(&Meter{T: q}).Begin("a.txt", 10)
	q.Tell("an error")
	if out.String() != "an error\n" {
		t.Errorf("output = %q, want the error", out.String())
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"too long for it", 8, "too lon…"},
		{"日本語日本語", 6, "日本…"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 4, "👩‍👩‍👧…"},
		{"x", 0, "…"},
	} {
		if got := Truncate(c.in, c.width); got != c.want {
			t.Errorf("truncate(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func FuzzTruncate(f *testing.F) {
	f.Add("日本語 text 👩‍👩‍👧", 5)
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = Plain(s)
		for _, got := range []string{Truncate(s, width), truncateMiddle(s, width)} {
			if uniseg.StringWidth(got) > max(width, 1) {
				t.Errorf("%q shortened to %d is %q, %d wide", s, width, got, uniseg.StringWidth(got))
			}
		}
	})
}

// TestShellWord checks with a shell how it reads the words.
func TestShellWord(t *testing.T) {
	for _, s := range []string{"plain/path-1.2", "", "two words", "it's", "$HOME `id` \\ \"x\"", "~", "*", "#x", "a;b",
		"ü", "=x", "\xff", "a\x80b"} {
		out, err := exec.Command("sh", "-c", "printf %s "+notation.ShellWord(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("the shell reads %s as %q (%v), want %q", notation.ShellWord(s), out, err, s)
		}
	}
}
