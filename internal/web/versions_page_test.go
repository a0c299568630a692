package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The page of a link's versions restores and deletes them without a script, and
// says what cannot be done.
func TestVersionsPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie, stranger := d.signIn(d.member), d.signIn(d.owner)
	l := d.publish("report.pdf", samples["report.pdf"])
	at := linkPath(l) + "/versions"
	page := d.status(d.get(at, cookie), http.StatusOK)
	if !strings.Contains(page.body, "Version 1") || strings.Contains(page.body, "/versions/restore") || !strings.Contains(page.body, `id="replace"`) {
		t.Error("the page of a file that was never replaced")
	}
	begin := d.status(d.ask("/dashboard/uploads", `{"name":"other.txt","type":"text/plain","size":5,"replace":"`+string(l.Slug)+`"}`, cookie), http.StatusOK)
	var begun map[string]string
	d.check(json.Unmarshal([]byte(begin.body), &begun))
	d.status(d.do(http.MethodPut, begun["signedUrl"], "other", "Content-Type: text/plain"), http.StatusOK)
	path := begun["path"]
	made := d.status(d.ask("/dashboard/uploads/complete", `{"path":"`+path+`","name":"other.txt","type":"text/plain","replace":"`+string(l.Slug)+`"}`, cookie), http.StatusOK)
	if !strings.Contains(made.body, `"replacement":{"version":2,"status":"live"}`) || !strings.Contains(made.body, `"manage":"`+linkPath(l)+`"`) {
		t.Error(made.body)
	}
	page = d.follow(d.post(at+"/restore", url.Values{"version": {"1"}}, cookie), cookie)
	if !strings.Contains(page.body, "Readers see this version again.") || !strings.Contains(page.body, "Restore<span class=\"heard\"> version 2") {
		t.Error("after version 1 was restored the page does not say so")
	}
	for version, want := range map[string]int{"1": http.StatusBadRequest, "3": http.StatusNotFound, "x": http.StatusNotFound, "": http.StatusNotFound} {
		d.status(d.post(at+"/delete", url.Values{"version": {version}}, cookie), want)
	}
	d.status(d.post(at+"/delete", url.Values{"version": {"2"}}, stranger), http.StatusNotFound)
	d.status(d.get(at, stranger), http.StatusNotFound)
	page = d.follow(d.post(at+"/delete", url.Values{"version": {"2"}}, cookie), cookie)
	if strings.Contains(page.body, "Version 2") {
		t.Error("a deleted version is listed")
	}
	if history := d.status(d.get(linkPath(l), cookie), http.StatusOK).body; !strings.Contains(history, "File replaced") || !strings.Contains(history, "Version restored") || !strings.Contains(history, "version 2") {
		t.Error("the history does not tell of the versions")
	}
}
