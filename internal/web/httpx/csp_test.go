package httpx

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func policyServer() *Server {
	public, content := &url.URL{Scheme: "https", Host: "example.org"}, &url.URL{Scheme: "https", Host: "files.example.org"}
	return &Server{PublicURL: public, ContentURL: content, StorageOrigin: "https://bucket.example.net"}
}

func TestPolicyFillsAllPlaceholders(t *testing.T) {
	s := policyServer()
	for _, c := range []struct {
		of    Surface
		fills []string
		want  string
	}{
		{Data, nil, "default-src 'none'; frame-ancestors 'none'"},
		{EntryPage, []string{"nonce", "'nonce-abc'"}, "default-src 'none'; script-src 'nonce-abc'; style-src 'nonce-abc'; font-src 'self'; " +
			"img-src https://files.example.org" + AssetRoot + "; " + string(ownForms)},
		{"img-src {files} {links} {public}; connect-src 'self'{storage}; frame-ancestors {framers}", nil,
			"img-src https://files.example.org" + ContentRoot + " https://example.org/p/ https://example.org; " +
				"connect-src 'self' https://bucket.example.net; frame-ancestors 'none'"},
		{"sandbox {sandbox}; img-src {base}", []string{"sandbox", "allow-scripts", "base", "https://example.org/x/"},
			"sandbox allow-scripts; img-src https://example.org/x/"},
	} {
		w := httptest.NewRecorder()
		s.SetPolicy(w, httptest.NewRequest("GET", "/", nil), c.of, c.fills...)
		if got := w.Header().Get("Content-Security-Policy"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.of, got, c.want)
		}
	}
}

// A policy is made for each answer, beacons included, so it allocates only its
// text and its place in the header.
func TestPolicyAllocations(t *testing.T) {
	s, w, r := policyServer(), httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	nonce := strings.Repeat("n", 22)
	if n := testing.AllocsPerRun(100, func() { s.SetPagePolicy(w, r, PublicPage, nonce) }); n > 6 {
		t.Errorf("the policy of a page makes %v allocations, want at most 6", n)
	}
	if n := testing.AllocsPerRun(100, func() { s.SetPolicy(w, r, Data) }); n > 3 {
		t.Errorf("the policy of an answer for a program makes %v allocations, want at most 3", n)
	}
}
