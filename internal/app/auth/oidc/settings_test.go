package oidc

import (
	"strings"
	"testing"
)

// TestParse checks the settings of a provider, and that errors do not show its
// secret.
func TestParse(t *testing.T) {
	s, err := Parse("work=https://id%40x:s3cret%3A%2F%3F@login.example/realms/acme/?name=Acme+%26+Co&offline=yes" +
		"&roles=groups&moderator=mods&two-step=mfa,gold&scope=groups+profile&accounts=open&addresses=verified")
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "work" || s.Issuer != "https://login.example/realms/acme/" || s.Client != "id@x" || s.Secret != "s3cret:/?" ||
		s.Name != "Acme & Co" || !s.Offline || s.Moderator != "mods" || len(s.Steps) != 2 || len(s.Scopes) != 2 ||
		s.Accounts != "open" || !s.Assume {
		t.Errorf("parsed as %+v", s)
	}
	if s, err := Parse("a=http://id@127.0.0.1:8080"); err != nil || s.Name != "127.0.0.1" || s.Secret != "" {
		t.Errorf("a provider on this machine: %+v, %v", s, err)
	}
	for _, bad := range []string{"", "https://id:hush@login.example", "Work=https://id:hush@login.example", "a=hush",
		"a=http://id:hush@login.example", "a=https://login.example?x=hush", "a=https://id:hush@login.example#hush",
		"a=https://id:hush@login.example?offline=maybe", "a=https://id:hush@login.example?roles=groups",
		"a=https://id:hush@login.example?moderator=x", "a=https://id:hush@login.example?unknown=x",
		"a=https://id:hush@login.example?name=x&name=y", "a=https://id:hu%sh@login.example", "a=https://:hush@login.example",
		"a=https://id:hush@login.example?accounts=some", "a=ftp://id:hush@login.example"} {
		if _, err := Parse(bad); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("Parse(%q) = %v", bad, err)
		}
	}
}

// TestClaims checks where roles are found, and in which forms.
func TestClaims(t *testing.T) {
	claims := map[string]any{"a.b": "literal", "a": map[string]any{"b": "inner", "c": []any{"x", 1.0, nil, "y"}}, "n": 5.0}
	for name, want := range map[string]string{"a.b": "literal", "a.c": "x y", "a": "", "n": "", "n.x": "", "none": "", "a.c.d": ""} {
		if got := strings.Join(values(claimAt(claims, name)), " "); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}
