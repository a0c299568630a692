package web_test

import (
	"strings"
	"testing"
)

// TestRecentLinksNameTheirViews checks that the numbers of views beside recent
// links have a head.
func TestRecentLinksNameTheirViews(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.publish("notes.txt", []byte("one"))
	r := d.status(d.get("/dashboard", d.signIn(d.member)), 200)
	if !strings.Contains(r.body, `class="views"`) || !strings.Contains(r.body, ">Views, 30 days</p>") {
		t.Errorf("the page lacks views or their head: %s", r.body)
	}
}
