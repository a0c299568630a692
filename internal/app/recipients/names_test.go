package recipients_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/recipients"
)

func TestReadNames(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "Anna": {"Anna"}, "Anna\nBob\n": {"Anna", "Bob"}, "\xef\xbb\xbfAnna\r\nBob": {"Anna", "Bob"},
		"Name;Mail\nAnna;a@example.org\n": {"Anna"}, "label\tx\nAnna\ty\n": {"Anna"},
		"\"Smith, Anna\",x\n\"a \"\"b\"\"\"\n": {"Smith, Anna", `a "b"`}, "Anna;B, C\nBob;x": {"Anna", "Bob"},
		"=HYPERLINK(\"x\")\n+1\n": {`=HYPERLINK("x")`, "+1"}, "\n\n , x\nBob": {"Bob"},
		"J\xfcrgen;x\n": {"Jürgen"}, "Jürgen\n": {"Jürgen"}, "a \"b\nc": {`a "b`, "c"},
		"Anna\nname\n": {"Anna", "name"}, "Anna\nAnna": {"Anna", "Anna"},
	} {
		got, err := recipients.ReadNames(strings.NewReader(in))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ReadNames(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for name, in := range map[string]string{"10 MB": strings.Repeat("Anna\n", 2<<20), "a program": "MZ\x00\x00",
		"UTF-16": "\xff\xfeA\x00n\x00"} {
		if got, err := recipients.ReadNames(strings.NewReader(in)); err == nil {
			t.Errorf("ReadNames of %s = %d names, want an error", name, len(got))
		}
	}
}
