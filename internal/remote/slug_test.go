package remote

import "testing"

func TestSlugOf(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "http://localhost:8080/p/abc": "abc",
		"https://x/p/abc?qr=1": "abc", "/p/abc/": "abc"} {
		if got := slugOf(in); got != want {
			t.Errorf("slugOf(%q) = %q, want %q", in, got, want)
		}
	}
}
