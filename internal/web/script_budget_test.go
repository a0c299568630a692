package web_test

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"testing"
)

// TestScriptBudget checks that the scripts of all pages of a member, with their
// imports, are at most 60 KB in total as sent.
func TestScriptBudget(t *testing.T) {
	d := newDemo(t)
	sizes := map[string]int{}
	var follow func(address string)
	follow = func(address string) {
		if _, ok := sizes[address]; ok {
			return
		}
		r := d.status(d.get(address), http.StatusOK)
		sizes[address] = r.wire
		for _, m := range importedModule.FindAllStringSubmatch(r.body, -1) {
			follow(path.Join(path.Dir(address), m[1]))
		}
	}
	cookies := d.cookies()
	for _, p := range sitePages(d) {
		if p.as == nil || p.status != 0 {
			continue
		}
		for _, script := range d.parse(d.status(d.get(p.path, cookies[p.as]), http.StatusOK).body).tags("script") {
			follow(script.attr("src"))
		}
	}
	sum := 0
	for _, address := range slices.Sorted(maps.Keys(sizes)) {
		t.Logf("%6d %s", sizes[address], address)
		sum += sizes[address]
	}
	if t.Logf("%6d in total", sum); len(sizes) < 8 || sum > 60_000 {
		t.Errorf("%d scripts with %d bytes in total, want at most 60,000", len(sizes), sum)
	}
}
