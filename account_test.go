package vitrine

import (
	"strings"
	"testing"
)

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
	long := strings.Repeat("a", 30)
	for in, want := range map[string]string{"Acme Series A": "acme-series-a", " Büro_Café! ": "buro-cafe", "a b": "a-b",
		long + " " + long: long, "北京": "", "a": "", "Admin ": "", "Q3": ""} {
		_, err := ParseSlug(in)
		if _, like, _ := strings.Cut(err.Error(), "For example: "); like != want {
			t.Errorf("ParseSlug(%q) proposes %q, want %q", in, like, want)
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
