package user

import "testing"

func TestSlugOf(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "http://localhost:8080/p/abc": "abc",
		"https://x/p/abc?qr=1": "abc", "/p/abc/": "abc",
		"https://x/links/abc/analytics?range=7d": "abc", "https://x/links/abc": "abc"} {
		if got := slugOf(in); got != want {
			t.Errorf("slugOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSlugAt(t *testing.T) {
	for _, c := range []struct {
		arg, own, want string
	}{
		{"abc", "http://localhost:8080", "abc"},
		{"http://localhost:8080/p/abc?x=1", "http://localhost:8080", "abc"},
		{"127.0.0.1:8080/p/abc/", "http://localhost:8080", "abc"},
		{"https://share.example/p/abc", "https://Share.example", "abc"},
		{"https://other.example/p/abc", "https://share.example", ""},
		{"https://other.example/p/abc", "", "abc"}, // the own address is not known
	} {
		got, err := SlugAt(c.arg, c.own)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("SlugAt(%q, %q) = %q, %v; want %q", c.arg, c.own, got, err, c.want)
		}
	}
}
