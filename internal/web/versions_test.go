package web_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	instance "vitrine/internal/test/fixture"
	"vitrine/internal/test/vitrinetest"
)

// replaced replaces the file of a link with a text and returns the answer of
// step 3.
func (f *fixtureOf) replaced(slug, text string) answer {
	f.t.Helper()
	file := fields{"name": "minutes.txt", "type": "text/plain", "size": len(text), "replace": slug}
	path := f.stored(f.key, file, text)
	return f.call(f.key, "POST", "/uploads/complete", file.with(fields{"path": path, "size": nil}))
}

// fixtureOf is a fixture with an account and its key.
type fixtureOf struct {
	*fixture
	key string
}

func newFixtureOf(t testing.TB, p vitrine.Plan) *fixtureOf {
	f := newFixture(t)
	return &fixtureOf{f, f.account(p)}
}

// listed returns the versions of a link as text.
func (f *fixtureOf) listed(slug string) string {
	f.t.Helper()
	text := ""
	for _, v := range f.call(f.key, "GET", "/links/"+slug+"/versions", nil).want(200, "").json()["versions"].([]any) {
		v := v.(map[string]any)
		text += fmt.Sprintf("%v %v %v %v; ", v["version"], v["status"], v["current"], v["size_bytes"])
	}
	return text
}

// viewedVersions returns the version of each view of a link, in order.
func (f *fixtureOf) viewedVersions(slug string) (list []int) {
	f.t.Helper()
	l, err := f.server.Links.BySlug(f.t.Context(), slug)
	f.check(err)
	views, err := f.log.Recent(f.t.Context(), vitrine.RecentQuery{Scope: vitrine.Scope{Link: l.ID}, To: 1 << 62,
		N: 100})
	f.check(err)
	for _, v := range slices.Backward(views) {
		list = append(list, max(v.Version, 1))
	}
	return list
}

// shown returns the link's text on its public page.
func (f *fixtureOf) shown(slug string) string {
	f.t.Helper()
	body := f.status(f.get("/p/"+slug), 200).body
	m := regexp.MustCompile(`text \w+`).FindString(body)
	return m
}

func TestReplaceOverTheAPI(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanFree)
	f.limits(vitrine.Limits{Links: 1, HourlyUploads: 100, Versions: 2})
	slug := f.published(f.key, noteFile.with(fields{"size": 8}), "text one")
	made := f.replaced(slug, "text two").want(200, "").json()
	if made["slug"] != slug || made["version"] != 2.0 ||
		fmt.Sprint(made["replacement"]) != "map[status:live version:2]" {
		t.Errorf("replacement = %v", made)
	}
	if got := f.shown(slug); got != "text two" {
		t.Errorf("page = %q, want text two", got)
	}
	if got, want := f.listed(slug), "2 live true 8; 1 live false 8; "; got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
	same := f.replaced(slug, "text two").want(200, "").json()
	if same["version"] != 2.0 || fmt.Sprint(same["replacement"]) != "map[status:live unchanged:true version:2]" {
		t.Errorf("replacement by the same bytes = %v", same)
	}
	download := f.get("/p/" + slug + "/download")
	if download.body != "text two" {
		t.Errorf("download = %q", download.body)
	}
	f.call(f.key, "POST", "/links/"+slug+"/versions/1/restore", nil).want(200, "")
	if got := f.shown(slug); got != "text one" {
		t.Errorf("page after the restore = %q, want text one", got)
	}
	for _, bad := range []string{"0", "3", "-1", "x", "01", "99999999999999999999"} {
		f.call(f.key, "POST", "/links/"+slug+"/versions/"+bad+"/restore", nil).want(404, "not_found")
		f.call(f.key, "DELETE", "/links/"+slug+"/versions/"+bad, nil).want(404, "not_found")
	}
	f.call(f.key, "DELETE", "/links/"+slug+"/versions/1", nil).want(400, "invalid_request")
	f.call(f.key, "DELETE", "/links/"+slug+"/versions/2", nil).want(204, "")
	if got, want := f.listed(slug), "1 live true 8; "; got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
	if got := fmt.Sprint(f.viewedVersions(slug)); got != "[2 1]" {
		t.Errorf("versions of the views = %s, want 2 and then 1", got)
	}
	// A replacement must not have fields that the link keeps.
	file := fields{"name": "minutes.txt", "type": "text/plain", "size": 3, "replace": slug}
	f.call(f.key, "POST", "/uploads", file.with(fields{"slug": "mine"})).want(403, "pro_required")
	path := f.stored(f.key, file, "abc")
	complete := file.with(fields{"path": path, "size": nil})
	for name, value := range map[string]any{"linkName": "x", "allowDownload": false} {
		if got := f.call(f.key, "POST", "/uploads/complete", complete.with(fields{name: value})).want(400,
			"invalid_request").text("field"); got != name {
			t.Errorf("field = %q, want %q", got, name)
		}
	}
	f.call(f.key, "POST", "/uploads/complete", complete.with(fields{"replace": nil})).want(400, "idempotency_mismatch")
	f.call(f.key, "POST", "/uploads/complete", complete).want(200, "")
	f.call(f.key, "POST", "/uploads", noteFile).want(403, "link_limit")
}

// TestReplaceOnce checks that retries of each step make one version and get the
// same answer.
func TestReplaceOnce(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	slug := f.published(f.key, noteFile, note)
	text := "text two"
	file := fields{"name": "minutes.txt", "type": "text/plain", "size": len(text), "replace": slug,
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}
	path := f.stored(f.key, file, text)
	complete := file.with(fields{"path": path, "size": nil})
	answers := parallel(20, func(int) string {
		return string(f.call(f.key, "POST", "/uploads/complete", complete).want(200, "").Body)
	})
	for _, a := range answers {
		if a != answers[0] {
			t.Errorf("answers %s and %s, want the same", a, answers[0])
		}
	}
	again := f.call(f.key, "POST", "/uploads", file).want(200, "").json()["existing"].(map[string]any)
	if again["slug"] != slug || fmt.Sprint(again["replacement"]) != "map[status:live version:2]" {
		t.Errorf("repeated step 1 = %v", again)
	}
	f.call(f.key, "POST", "/uploads", file.with(fields{"replace": nil})).want(400, "idempotency_mismatch")
	if got, want := f.listed(slug), fmt.Sprintf("2 live true 8; 1 live false %d; ", len(note)); got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
}

// TestReplaceByWhatIsRefusedOrHeld checks that version 1 stays public if
// version 2 is the test virus or other malware. A file that needs review waits,
// and is shown after approval.
func TestReplaceByWhatIsRefusedOrHeld(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	slug := f.published(f.key, noteFile.with(fields{"size": 8}), "text one")
	f.replaced(slug, string(vitrinetest.EICAR())).want(400, "malware")
	f.server.Uploads.Scanner = &instance.Scanner{Known: "1", Verdict: instance.Malware}
	f.replaced(slug, "text two").want(400, "malware")
	f.server.Uploads.Scanner = &instance.Scanner{Known: "1", Verdict: instance.Suspicious}
	held := f.replaced(slug, "text three").want(200, "").json()
	if r := held["replacement"].(map[string]any); held["version"] != 1.0 || held["review"] != nil ||
		r["version"] != 2.0 || r["status"] != "review" || r["reason"] != vitrine.ReasonSuspicious {
		t.Errorf("held replacement = %v", held)
	}
	if got := f.shown(slug); got != "text one" {
		t.Errorf("page = %q, want text one", got)
	}
	queue, _, err := f.server.Moderation.Queue(t.Context(), "", vitrine.ReviewCursor{}, 10)
	f.check(err)
	if len(queue) != 1 {
		t.Fatalf("%d links in the queue, want 1", len(queue))
	}
	own := string(queue[0].Link.Slug)
	f.status(f.get("/p/"+own), 404) // a version has no page of its own
	f.call(f.key, "GET", "/links/"+own+"/versions", nil).want(404, "not_found")
	_, err = f.server.Links.Clear(t.Context(), own, instance.Operator(""))
	f.check(err)
	if got := f.shown(slug); got != "text three" {
		t.Errorf("page after approval = %q, want text three", got)
	}
	f.status(f.get("/p/"+own), 404)
}

// TestReadersKeepTheirVersion checks that a reader who has opened a page can
// read its version to the end, whatever happens to the link's file, and that
// the next page shows the new version. The kind may change.
func TestReadersKeepTheirVersion(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	first, second := string(makePDF(1)), string(makePDF(2))
	pdf := fields{"name": "a.pdf", "type": "application/pdf", "size": len(first)}
	slug := f.published(f.key, pdf, first)
	address := regexp.MustCompile(`http[^"]*/c/[^"]*/view`)
	view := address.FindString(f.status(f.get("/p/"+slug), 200).body)
	file := strings.TrimSuffix(view, "view") + "file"
	f.published(f.key, pdf.with(fields{"size": len(second), "replace": slug}), second)
	next := address.FindString(f.status(f.get("/p/"+slug), 200).body)
	for _, c := range []struct{ address, want string }{{file, first},
		{strings.TrimSuffix(next, "view") + "file", second}} {
		if got := f.fetch(c.address); got != c.want {
			t.Errorf("%d bytes, want %d", len(got), len(c.want))
		}
	}
	f.replaced(slug, "text three").want(200, "")
	if got := f.shown(slug); got != "text three" {
		t.Errorf("page = %q, want text three", got)
	}
	if got := f.fetch(file); got != first {
		t.Error("an earlier reader does not get the version of their page")
	}
	// A version that its owner deletes is gone for everyone.
	f.call(f.key, "DELETE", "/links/"+slug+"/versions/1", nil).want(204, "")
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, file, nil)
	f.check(err)
	res, err := http.DefaultClient.Do(req)
	f.check(err)
	res.Body.Close()
	if res.StatusCode != 404 {
		t.Errorf("deleted version: status %d, want 404", res.StatusCode)
	}
	f.clock.Advance(time.Minute)
}

// fetch downloads a file from the content host.
func (f *fixtureOf) fetch(address string) string {
	f.t.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	f.check(err)
	return string(f.do200(req))
}

func (f *fixtureOf) do200(req *http.Request) []byte {
	f.t.Helper()
	a := f.do(req)
	if a.Status != 200 {
		f.t.Fatalf("%s: status %d: %s, want 200", req.URL, a.Status, a.Body)
	}
	return a.Body
}

// TestReplaceWithIfMatch checks that of two replacements with the same ETag one
// succeeds, and that the other gets the current link.
func TestReplaceWithIfMatch(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	c := caller{f.fixture, f.key}
	slug := f.published(f.key, noteFile, note)
	etag := f.call(f.key, "GET", "/links/"+slug, nil).want(200, "").Header.Get("ETag")
	texts := []string{"text A", "text B"}
	file := func(text string) fields {
		return fields{"name": "minutes.txt", "type": "text/plain", "size": len(text), "replace": slug}
	}
	var begun []answer
	for _, text := range texts {
		b := c.conditional("POST", "/uploads", file(text), etag).want(200, "")
		f.put(b.text("signedUrl"), "text/plain", strings.NewReader(text)).want(200, "")
		begun = append(begun, b)
	}
	answers := parallel(2, func(i int) answer {
		return c.conditional("POST", "/uploads/complete",
			file(texts[i]).with(fields{"path": begun[i].text("path"), "size": nil}), etag)
	})
	won, lost := answers[0], answers[1]
	if won.Status != 200 {
		won, lost = lost, won
	}
	won.want(200, "")
	lost.want(412, "precondition_failed")
	now := f.call(f.key, "GET", "/links/"+slug, nil).want(200, "")
	current, _ := lost.json()["current"].(map[string]any)
	if current["version"] != 2.0 || lost.Header.Get("ETag") != now.Header.Get("ETag") ||
		won.Header.Get("ETag") != now.Header.Get("ETag") {
		t.Errorf("answer to the refused replacement = %s, want the link %s", lost.Body, now.Body)
	}
	if got, want := f.listed(slug), fmt.Sprintf("2 live true 6; 1 live false %d; ", len(note)); got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
	for i, b := range begun {
		if answers[i].Status != 200 && f.blobExists(b.text("path")) {
			t.Error("the bytes of the refused replacement still exist")
		}
		// A retry gets the same answer as before.
		again := c.conditional("POST", "/uploads/complete",
			file(texts[i]).with(fields{"path": b.text("path"), "size": nil}), etag)
		again.want(answers[i].Status, answers[i].text("code"))
	}
	c.conditional("POST", "/uploads", file("text C"), etag).want(412, "precondition_failed")
	c.conditional("POST", "/links/"+slug+"/versions/1/restore", nil, now.Header.Get("ETag")).want(200, "")
	c.conditional("DELETE", "/links/"+slug+"/versions/2", nil, now.Header.Get("ETag")).want(412, "precondition_failed")
}
