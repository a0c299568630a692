package vitrine

import (
	"fmt"
	"strings"
	"testing"
)

func TestKeyText(t *testing.T) {
	k := NewKeyText()
	if len(k) != 42 || !strings.HasPrefix(string(k), "vtr_") {
		t.Fatalf("key has %d characters, want 42: %q", len(k), string(k))
	}
	if p, ok := ParseKeyText(string(k)); !ok || p != k {
		t.Error("ParseKeyText refuses a new key")
	}
	if NewKeyText() == k {
		t.Error("NewKeyText returned the same key twice")
	}
	for i := range len(k) {
		c := byte('x')
		if k[i] == c {
			c = 'y'
		}
		if _, ok := ParseKeyText(string(k[:i]) + string(c) + string(k[i+1:])); ok {
			t.Errorf("ParseKeyText accepts a key with a wrong character %d", i)
		}
	}
	for _, s := range []string{"", "vtr_", string(k) + "0", string(k[:41]), " " + string(k[1:]),
		strings.Repeat("é", 21)} {
		if _, ok := ParseKeyText(s); ok {
			t.Errorf("ParseKeyText(%q) succeeds, want an error", s)
		}
	}
	for _, s := range []string{fmt.Sprint(k), fmt.Sprintf("%v %s %+v", k, k, struct{ K KeyText }{k})} {
		if strings.Contains(s, string(k[4:30])) {
			t.Error("printing a key shows it")
		}
	}
}

// TestKeySum checks that the checksum is CRC-32 (IEEE) in base62, most
// significant digit first, with digits before upper case before lower case. The
// CRC's published check value is 0xCBF43926 for "123456789".
func TestKeySum(t *testing.T) {
	n := uint64(0)
	for _, c := range keySum("123456789") {
		n = n*62 + uint64(strings.IndexRune(base62, c))
	}
	if n != 0xCBF43926 {
		t.Errorf("checksum of the check string = %#x", n)
	}
}

func TestParseSlug(t *testing.T) {
	good := map[string]Slug{"abc": "abc", "Q3-Report": "q3-report", "a1b": "a1b",
		strings.Repeat("a", 50): Slug(strings.Repeat("a", 50)), "2026": "2026"}
	for in, want := range good {
		if got, err := ParseSlug(in); err != nil || got != want {
			t.Errorf("ParseSlug(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "a", "ab", "-ab", "ab-", "a--b", "a_b", "a b", "äbc", "abc\n",
		strings.Repeat("a", 51), "api", "Admin", "a/b", "a.b", "İab"} {
		if got, err := ParseSlug(in); CodeOf(err) != CodeInvalidSlug {
			t.Errorf("ParseSlug(%q) = %q, %v, want invalid_slug", in, got, err)
		}
	}
	seen := map[Slug]bool{}
	for range 10000 {
		s := NewSlug()
		if p, err := ParseSlug(string(s)); err != nil || p != s || len(s) != 10 ||
			strings.ContainsAny(string(s), "ilo01") {
			t.Fatalf("NewSlug = %q: %v", s, err)
		}
		if seen[s] {
			t.Fatalf("NewSlug returned %q twice", s)
		}
		seen[s] = true
	}
}

func TestUploadID(t *testing.T) {
	id := NewUploadID()
	if got, ok := ParseUploadID(string(id)); !ok || got != id {
		t.Errorf("ParseUploadID refuses %q", id)
	}
	for _, s := range []string{"", "../../../../../../etc/passwd", string(id) + "a", strings.ToUpper(string(id)),
		string(id[:25]) + "/", string(id[:25]) + "1"} {
		if _, ok := ParseUploadID(s); ok {
			t.Errorf("ParseUploadID(%q) succeeds, want an error", s)
		}
	}
}

func TestNormalEmail(t *testing.T) {
	if got, err := NormalEmail(" Ann@Example.ORG "); err != nil || got != "ann@example.org" {
		t.Errorf("NormalEmail = %q, %v, want \"ann@example.org\"", got, err)
	}
	for _, s := range []string{"", "ann", "ann@", "@b.c", "Ann <ann@b.c>", "a@b.c, d@e.f", "a b@c.d",
		strings.Repeat("a", 250) + "@b.cd"} {
		if _, err := NormalEmail(s); err == nil {
			t.Errorf("NormalEmail(%q) succeeds, want an error", s)
		}
	}
}
