package inspect

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

// TestRewound checks that a rewound stream returns the same bytes at any
// offset, until its budget is spent.
func TestRewound(t *testing.T) {
	want := []byte(noise(100_000))
	begun := 0
	budget := filetype.Allowance(10_000_000)
	w := &rewound{open: func() io.Reader { begun++; return bytes.NewReader(want) }, budget: &budget}
	x := uint32(7)
	for range 100 {
		x = x*1664525 + 1013904223
		off, n := int(x>>8%90_000), int(x>>16%5000)
		p := make([]byte, n)
		if k, err := w.ReadAt(p, int64(off)); err != nil || k != n || !bytes.Equal(p, want[off:off+n]) {
			t.Fatalf("ReadAt of %d bytes at %d = %d, %v", n, off, k, err)
		}
	}
	if begun < 10 {
		t.Errorf("the stream was restarted only %d times", begun)
	}
	budget = 1000
	if _, err := w.ReadAt(make([]byte, 5000), 0); err != filetype.ErrAllowance {
		t.Errorf("ReadAt beyond the budget = %v, want ErrAllowance", err)
	}
}

// TestNestedBudgets checks that what exceeds the budgets is held, not skipped,
// whatever contains it, and that nothing is refused for it.
func TestNestedBudgets(t *testing.T) {
	harmless := string(named("a.txt", "b.txt"))
	page := "<p>" + strings.Repeat("hello ", 50_000)
	for _, c := range []struct {
		what, ext string
		data      []byte
	}{
		{"ZIP", "zip", zipOf("a.zip", harmless)},
		{"page", "zip", zipOf("a.html", page)},
		{"ZIP in a packed tar", "tgz", gzipFile("", tarOf("a.zip", harmless))},
		{"packed ZIP", "gz", gzipFile("", []byte(harmless))},
		{"ZIP in a 7z", "7z", sevenOf(sevenFile{name: "a.zip", data: harmless})},
		{"directory of a 7z", "7z", sevenWith(sevenOptions{coder: "lzma", pack: true},
			sevenFile{name: "a.txt", data: "x"})},
	} {
		for _, budget := range []filetype.Allowance{0, filetype.MaxNestedTotal} {
			want := "live"
			if budget == 0 {
				want = "held " + filetype.HoldNotFullyInspected
			}
			var facts filetype.Facts
			s := filetype.NewSource(bytes.NewReader(c.data), int64(len(c.data)))
			z := newInspection(s, &facts)
			z.nested = budget
			p := z.look("x."+c.ext, map[string]filetype.Form{"zip": filetype.FormZIP, "tgz": filetype.FormGzip,
				"gz": filetype.FormGzip, "7z": filetype.Form7z}[c.ext], s, 0)
			if p != nil {
				t.Fatalf("%s: %v", c.what, p)
			}
			if got, _ := ruling(facts, nil); got != want {
				t.Errorf("%s, %d bytes: %s, want %s", c.what, budget, got, want)
			}
		}
	}
}

// TestDetailOfNested checks that nested names are listed from the outside in.
func TestDetailOfNested(t *testing.T) {
	p := zipOf("b.zip", string(gzipFile("c", []byte(elfProgram))))
	_, about := ruling(inspectBytes(t, "tar", tarOf("a.zip", string(p))))
	if want := "a.zip > b.zip > c"; about != want {
		t.Errorf("detail = %q, want %q", about, want)
	}
}

func TestReservedNames(t *testing.T) {
	for _, c := range []struct {
		name string
		want bool
	}{
		{"con", true}, {"CON .txt", true}, {"a/PRN/b", true}, {"com1", true}, {"com¹.log", true}, {"conin$", true},
		{"icon.png", false}, {"com10", false}, {"console", false}, {"a.con", false}, {"con_1.txt", false},
		{"a.", true}, {"a ", true}, {"..a", false}, {"a/ /b", true}, {"a/. ./b", true}, {".", false}, {"./a", false},
		{"a//b", false},
		{"Smith Inc./a", false}, {"a.txt:b", true}, {"b:$DATA", true}, {"a::b", true}, {"Re: offer.pdf", false},
		{"10:30.log", false},
	} {
		if got := filetype.ReservedOnWindows(c.name, false); got != c.want {
			t.Errorf("ReservedOnWindows(%q) = %v", c.name, got)
		}
	}
}
