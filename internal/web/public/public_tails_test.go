package public_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// tails are what texts, chat programs and mail programs add behind an address.
var tails = []string{"/", ".", ",", ")", "),", ".)", "]", ">", "\"", "'", ";", "!", "…", "。", "」", "*", "**", "|",
	" ", "\u00a0", "\u200b", "\ufeff", "\n", "./", ")/", "%", "\xff"}

// TestAddressTails checks that an address with something behind it leads to
// itself, with its query, and that this is not a view.
func TestAddressTails(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentPages]
	album, err := o.Server.Albums.Create(t.Context(), o.Member, "Spring", "")
	o.Check(err)
	shared := o.Share(t, "/analytics", "label=x&life=7d")
	before := len(o.Views(l))
	for _, own := range []string{"/p/" + string(l.Slug), "/a/" + string(album.Slug), shared} {
		for _, tail := range tails {
			r := o.Get(own + strings.ReplaceAll(url.PathEscape(tail), "%2F", "/"))
			if to := r.Header.Get("Location"); r.StatusCode != http.StatusPermanentRedirect || to != own {
				t.Errorf("%s%q: %d, to %q", own, tail, r.StatusCode, to)
			}
		}
		for _, other := range []string{"é", "x", "/x", ".x"} {
			if r := o.Get(own + url.PathEscape(other)); r.StatusCode != http.StatusNotFound {
				t.Errorf("%s%s: %d, want 404", own, other, r.StatusCode)
			}
		}
	}
	for from, to := range map[string]string{
		"/p/" + string(l.Slug) + "./?utm_source=x": "/p/" + string(l.Slug) + "?utm_source=x",
		"/p/" + string(l.Slug) + "),/embed":        "/p/" + string(l.Slug) + "/embed",
	} {
		if r := o.Get(from); r.Header.Get("Location") != to {
			t.Errorf("%s leads to %q, want %q", from, r.Header.Get("Location"), to)
		}
	}
	if after := len(o.Views(l)); after != before {
		t.Errorf("%d views, want %d", after, before)
	}
	for _, bare := range []string{"/p/%20", "/a/,", "/p/--"} {
		o.Status(o.Get(bare), http.StatusNotFound)
	}
}
