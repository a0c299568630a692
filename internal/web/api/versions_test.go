package api_test

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
	"vitrine/internal/test/webtest"
)

// replaced replaces the file of a link with a text and returns the answer of
// step 3.
func (f *fixtureOf) replaced(slug, text string) webtest.Answer {
	f.T.Helper()
	file := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": len(text), "replace": slug}
	path := f.Stored(f.key, file, text)
	return f.Call(f.key, "POST", "/uploads/complete", file.With(webtest.Fields{"path": path, "size": nil}))
}

// fixtureOf is a fixture with an account and its key.
type fixtureOf struct {
	*webtest.Fixture
	key string
}

func newFixtureOf(t testing.TB, p vitrine.Plan) *fixtureOf {
	f := webtest.NewFixture(t)
	return &fixtureOf{f, f.Account(p)}
}

// listed returns the versions of a link as text.
func (f *fixtureOf) listed(slug string) string {
	f.T.Helper()
	text := ""
	for _, v := range f.Call(f.key, "GET", "/links/"+slug+"/versions", nil).Want(200, "").JSON()["versions"].([]any) {
		v := v.(map[string]any)
		text += fmt.Sprintf("%v %v %v %v; ", v["version"], v["status"], v["current"], v["size_bytes"])
	}
	return text
}

// viewedVersions returns the version of each view of a link, in order.
func (f *fixtureOf) viewedVersions(slug string) (list []int) {
	f.T.Helper()
	l, err := f.Server.Links.BySlug(f.T.Context(), slug)
	f.Check(err)
	views, err := f.Log.Recent(f.T.Context(), vitrine.RecentQuery{Scope: vitrine.Scope{Link: l.ID}, To: 1 << 62,
		N: 100})
	f.Check(err)
	for _, v := range slices.Backward(views) {
		list = append(list, max(v.Version, 1))
	}
	return list
}

// shown returns the link's text on its public page.
func (f *fixtureOf) shown(slug string) string {
	f.T.Helper()
	body := f.Status(f.Get("/p/"+slug), 200).Text
	m := regexp.MustCompile(`text \w+`).FindString(body)
	return m
}

func TestReplaceOverTheAPI(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanFree)
	f.Limits(vitrine.Limits{Links: 1, HourlyUploads: 100, Versions: 2})
	slug := f.Published(f.key, webtest.NoteFile.With(webtest.Fields{"size": 8}), "text one")
	made := f.replaced(slug, "text two").Want(200, "").JSON()
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
	same := f.replaced(slug, "text two").Want(200, "").JSON()
	if same["version"] != 2.0 || fmt.Sprint(same["replacement"]) != "map[status:live unchanged:true version:2]" {
		t.Errorf("replacement by the same bytes = %v", same)
	}
	download := f.Get("/p/" + slug + "/download")
	if download.Text != "text two" {
		t.Errorf("download = %q", download.Text)
	}
	f.Call(f.key, "POST", "/links/"+slug+"/versions/1/restore", nil).Want(200, "")
	if got := f.shown(slug); got != "text one" {
		t.Errorf("page after the restore = %q, want text one", got)
	}
	for _, bad := range []string{"0", "3", "-1", "x", "01", "99999999999999999999"} {
		f.Call(f.key, "POST", "/links/"+slug+"/versions/"+bad+"/restore", nil).Want(404, "not_found")
		f.Call(f.key, "DELETE", "/links/"+slug+"/versions/"+bad, nil).Want(404, "not_found")
	}
	f.Call(f.key, "DELETE", "/links/"+slug+"/versions/1", nil).Want(400, "invalid_request")
	f.Call(f.key, "DELETE", "/links/"+slug+"/versions/2", nil).Want(204, "")
	if got, want := f.listed(slug), "1 live true 8; "; got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
	if got := fmt.Sprint(f.viewedVersions(slug)); got != "[2 1]" {
		t.Errorf("versions of the views = %s, want 2 and then 1", got)
	}
	// A replacement must not have fields that the link keeps.
	file := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": 3, "replace": slug}
	f.Call(f.key, "POST", "/uploads", file.With(webtest.Fields{"slug": "mine"})).Want(403, "pro_required")
	path := f.Stored(f.key, file, "abc")
	complete := file.With(webtest.Fields{"path": path, "size": nil})
	for name, value := range map[string]any{"linkName": "x", "allowDownload": false} {
		if got := f.Call(f.key, "POST", "/uploads/complete", complete.With(webtest.Fields{name: value})).Want(400,
			"invalid_request").Text("field"); got != name {
			t.Errorf("field = %q, want %q", got, name)
		}
	}
	f.Call(f.key, "POST", "/uploads/complete", complete.With(webtest.Fields{"replace": nil})).Want(400,
		"idempotency_mismatch")
	f.Call(f.key, "POST", "/uploads/complete", complete).Want(200, "")
	f.Call(f.key, "POST", "/uploads", webtest.NoteFile).Want(403, "link_limit")
}

// TestReplaceOnce checks that retries of each step make one version and get the
// same answer.
func TestReplaceOnce(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	slug := f.Published(f.key, webtest.NoteFile, webtest.Note)
	text := "text two"
	file := webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": len(text), "replace": slug,
		"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000"}
	path := f.Stored(f.key, file, text)
	complete := file.With(webtest.Fields{"path": path, "size": nil})
	answers := webtest.Parallel(20, func(int) string {
		return string(f.Call(f.key, "POST", "/uploads/complete", complete).Want(200, "").Body)
	})
	for _, a := range answers {
		if a != answers[0] {
			t.Errorf("answers %s and %s, want the same", a, answers[0])
		}
	}
	again := f.Call(f.key, "POST", "/uploads", file).Want(200, "").JSON()["existing"].(map[string]any)
	if again["slug"] != slug || fmt.Sprint(again["replacement"]) != "map[status:live version:2]" {
		t.Errorf("repeated step 1 = %v", again)
	}
	f.Call(f.key, "POST", "/uploads", file.With(webtest.Fields{"replace": nil})).Want(400, "idempotency_mismatch")
	if got, want := f.listed(slug), fmt.Sprintf("2 live true 8; 1 live false %d; ", len(webtest.Note)); got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
}

// TestReplaceByWhatIsRefusedOrHeld checks that version 1 stays public if
// version 2 is the test virus or other malware. A file that needs review waits,
// and is shown after approval.
func TestReplaceByWhatIsRefusedOrHeld(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	slug := f.Published(f.key, webtest.NoteFile.With(webtest.Fields{"size": 8}), "text one")
	f.replaced(slug, string(vitrinetest.EICAR())).Want(400, "malware")
	f.Server.Uploads.Scanner = &instance.Scanner{Known: "1", Verdict: instance.Malware}
	f.replaced(slug, "text two").Want(400, "malware")
	f.Server.Uploads.Scanner = &instance.Scanner{Known: "1", Verdict: instance.Suspicious}
	held := f.replaced(slug, "text three").Want(200, "").JSON()
	if r := held["replacement"].(map[string]any); held["version"] != 1.0 || held["review"] != nil ||
		r["version"] != 2.0 || r["status"] != "review" || r["reason"] != vitrine.ReasonSuspicious {
		t.Errorf("held replacement = %v", held)
	}
	if got := f.shown(slug); got != "text one" {
		t.Errorf("page = %q, want text one", got)
	}
	queue, _, err := f.Server.Moderation.Queue(t.Context(), "", vitrine.ReviewCursor{}, 10)
	f.Check(err)
	if len(queue) != 1 {
		t.Fatalf("%d links in the queue, want 1", len(queue))
	}
	own := string(queue[0].Link.Slug)
	f.Status(f.Get("/p/"+own), 404) // a version has no page of its own
	f.Call(f.key, "GET", "/links/"+own+"/versions", nil).Want(404, "not_found")
	_, err = f.Server.Links.Clear(t.Context(), own, instance.Administrator(""))
	f.Check(err)
	if got := f.shown(slug); got != "text three" {
		t.Errorf("page after approval = %q, want text three", got)
	}
	f.Status(f.Get("/p/"+own), 404)
}

// TestReadersKeepTheirVersion checks that a reader who has opened a page can
// read its version to the end, whatever happens to the link's file, and that
// the next page shows the new version. The kind may change.
func TestReadersKeepTheirVersion(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	first, second := string(webtest.MakePDF(1)), string(webtest.MakePDF(2))
	pdf := webtest.Fields{"name": "a.pdf", "type": "application/pdf", "size": len(first)}
	slug := f.Published(f.key, pdf, first)
	address := regexp.MustCompile(`http[^"]*/c/[^"]*/view`)
	view := address.FindString(f.Status(f.Get("/p/"+slug), 200).Text)
	file := strings.TrimSuffix(view, "view") + "file"
	f.Published(f.key, pdf.With(webtest.Fields{"size": len(second), "replace": slug}), second)
	next := address.FindString(f.Status(f.Get("/p/"+slug), 200).Text)
	for _, c := range []struct{ address, want string }{{file, first},
		{strings.TrimSuffix(next, "view") + "file", second}} {
		if got := f.fetch(c.address); got != c.want {
			t.Errorf("%d bytes, want %d", len(got), len(c.want))
		}
	}
	f.replaced(slug, "text three").Want(200, "")
	if got := f.shown(slug); got != "text three" {
		t.Errorf("page = %q, want text three", got)
	}
	if got := f.fetch(file); got != first {
		t.Error("an earlier reader does not get the version of their page")
	}
	// A version that its owner deletes is gone for everyone.
	f.Call(f.key, "DELETE", "/links/"+slug+"/versions/1", nil).Want(204, "")
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, file, nil)
	f.Check(err)
	res, err := http.DefaultClient.Do(req)
	f.Check(err)
	res.Body.Close()
	if res.StatusCode != 404 {
		t.Errorf("deleted version: status %d, want 404", res.StatusCode)
	}
	f.Clock.Advance(time.Minute)
}

// fetch downloads a file from the content host.
func (f *fixtureOf) fetch(address string) string {
	f.T.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	f.Check(err)
	return string(f.do200(req))
}

func (f *fixtureOf) do200(req *http.Request) []byte {
	f.T.Helper()
	a := f.Do(req)
	if a.Status != 200 {
		f.T.Fatalf("%s: status %d: %s, want 200", req.URL, a.Status, a.Body)
	}
	return a.Body
}

// TestReplaceWithIfMatch checks that of two replacements with the same ETag one
// succeeds, and that the other gets the current link.
func TestReplaceWithIfMatch(t *testing.T) {
	f := newFixtureOf(t, vitrine.PlanPro)
	c := caller{f.Fixture, f.key}
	slug := f.Published(f.key, webtest.NoteFile, webtest.Note)
	etag := f.Call(f.key, "GET", "/links/"+slug, nil).Want(200, "").Header.Get("ETag")
	texts := []string{"text A", "text B"}
	file := func(text string) webtest.Fields {
		return webtest.Fields{"name": "minutes.txt", "type": "text/plain", "size": len(text), "replace": slug}
	}
	var begun []webtest.Answer
	for _, text := range texts {
		b := c.conditional("POST", "/uploads", file(text), etag).Want(200, "")
		f.Put(b.Text("signedUrl"), "text/plain", strings.NewReader(text)).Want(200, "")
		begun = append(begun, b)
	}
	answers := webtest.Parallel(2, func(i int) webtest.Answer {
		return c.conditional("POST", "/uploads/complete",
			file(texts[i]).With(webtest.Fields{"path": begun[i].Text("path"), "size": nil}), etag)
	})
	won, lost := answers[0], answers[1]
	if won.Status != 200 {
		won, lost = lost, won
	}
	won.Want(200, "")
	lost.Want(412, "precondition_failed")
	now := f.Call(f.key, "GET", "/links/"+slug, nil).Want(200, "")
	current, _ := lost.JSON()["current"].(map[string]any)
	if current["version"] != 2.0 || lost.Header.Get("ETag") != now.Header.Get("ETag") ||
		won.Header.Get("ETag") != now.Header.Get("ETag") {
		t.Errorf("answer to the refused replacement = %s, want the link %s", lost.Body, now.Body)
	}
	if got, want := f.listed(slug), fmt.Sprintf("2 live true 6; 1 live false %d; ", len(webtest.Note)); got != want {
		t.Errorf("versions = %q, want %q", got, want)
	}
	for i, b := range begun {
		if answers[i].Status != 200 && f.BlobExists(b.Text("path")) {
			t.Error("the bytes of the refused replacement still exist")
		}
		// A retry gets the same answer as before.
		again := c.conditional("POST", "/uploads/complete",
			file(texts[i]).With(webtest.Fields{"path": b.Text("path"), "size": nil}), etag)
		again.Want(answers[i].Status, answers[i].Text("code"))
	}
	c.conditional("POST", "/uploads", file("text C"), etag).Want(412, "precondition_failed")
	c.conditional("POST", "/links/"+slug+"/versions/1/restore", nil, now.Header.Get("ETag")).Want(200, "")
	c.conditional("DELETE", "/links/"+slug+"/versions/2", nil, now.Header.Get("ETag")).Want(412, "precondition_failed")
}
