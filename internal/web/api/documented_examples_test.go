package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/test/webtest"
	"vitrine/internal/web/api"
	"vitrine/report"
)

// example is an example of a body in openapi.json.
type example struct {
	Request, Response map[string]any // nil if there is none
}

// examples returns the examples of each operation.
func examples(t *testing.T) map[string]example {
	t.Helper()
	type content map[string]struct{ Example map[string]any }
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody struct{ Content content }
			Responses   map[string]struct{ Content content }
		}
	}
	if err := json.Unmarshal(api.OpenAPI, &doc); err != nil {
		t.Fatal(err)
	}
	all := map[string]example{}
	for _, methods := range doc.Paths {
		for _, op := range methods {
			e := example{op.RequestBody.Content["application/json"].Example,
				op.Responses["200"].Content["application/json"].Example}
			if e.Request != nil || e.Response != nil {
				all[op.OperationID] = e
			}
		}
	}
	return all
}

// shape describes the kind of a text value, as far as it matters to programs.
func shape(text string) string {
	for _, kind := range []struct{ name, pattern string }{
		{"a moment", `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`}, {"another moment", `^\d{4}-\d\d-\d\dT`},
		{"an address", `^https?://`},
		{"a slug", `^[a-z0-9]{10}$`}, {"an upload", `^[a-z0-9]{26}$`}, {"a code", `^[A-Z]{4}-[A-Z]{4}$`},
		{"a secret", `^[A-Za-z0-9_-]{43}$`}, {"a key", `^vtr_`},
	} {
		if regexp.MustCompile(kind.pattern).MatchString(text) {
			return kind.name
		}
	}
	return "text"
}

// differ lists where an example has other members, types or kinds of text than
// a real body.
func differ(at string, shown, real any) (list []string) {
	switch s := shown.(type) {
	case map[string]any:
		r, ok := real.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v", at, real)}
		}
		for name := range s {
			if _, there := r[name]; !there {
				list = append(list, fmt.Sprintf("%s.%s is shown, and not there", at, name))
				continue
			}
			list = append(list, differ(at+"."+name, s[name], r[name])...)
		}
		for name := range r {
			if _, there := s[name]; !there {
				list = append(list, fmt.Sprintf("%s.%s is there, and not shown", at, name))
			}
		}
	case []any:
		r, ok := real.([]any)
		if !ok || len(r) == 0 || len(s) == 0 {
			return []string{fmt.Sprintf("%s is %v", at, real)}
		}
		list = differ(at+"[0]", s[0], r[0])
	case string:
		if r, ok := real.(string); !ok || shape(r) != shape(s) {
			list = append(list, fmt.Sprintf("%s is shown as %q, and is %v", at, s, real))
		}
	default:
		if fmt.Sprintf("%T", shown) != fmt.Sprintf("%T", real) {
			list = append(list, fmt.Sprintf("%s is shown as %v, and is %v", at, shown, real))
		}
	}
	return list
}

// TestDocumentedExamples checks that the API accepts the example requests of
// openapi.json and returns answers like its examples.
func TestDocumentedExamples(t *testing.T) {
	f := webtest.NewFixture(t)
	c := caller{f, f.Account("lifetime")}
	all := examples(t)
	check := func(op string, a webtest.Answer) {
		t.Helper()
		e, there := all[op]
		if !there || e.Response == nil {
			t.Errorf("%s has no example", op)
			return
		}
		delete(all, op)
		for _, d := range differ(op, e.Response, any(a.Want(200, "").JSON())) {
			t.Error(d)
		}
	}
	request := func(op string, change webtest.Fields) webtest.Fields {
		return webtest.Fields(all[op].Request).With(change)
	}

	pdf := string(webtest.MakePDF(1))
	create, complete := request("createUpload", webtest.Fields{"size": len(pdf)}), request("completeUpload", nil)
	created := c.Call(c.key, "POST", "/uploads", create)
	check("createUpload", created)
	signed, err := url.Parse(created.Text("signedUrl"))
	f.Check(err)
	if !strings.Contains(signed.RawQuery, "expires=") || !strings.Contains(signed.RawQuery, "signature=") {
		t.Errorf("signed URL = %s", signed)
	}
	check("putFile", c.Put(created.Text("signedUrl"), create["type"].(string), strings.NewReader(pdf)))
	check("completeUpload", c.Call(c.key, "POST", "/uploads/complete",
		complete.With(webtest.Fields{"path": created.Text("path")})))
	path, _ := c.Begun(c.key, webtest.NoteFile)
	c.Call(c.key, "POST", "/uploads/cancel", request("cancelUpload", webtest.Fields{"path": path})).Want(204, "")
	delete(all, "cancelUpload")
	check("listLinks", c.Call(c.key, "GET", "/links", nil))
	slug := c.Published(c.key, create.With(webtest.Fields{"idempotencyKey": nil}), pdf)
	second := string(webtest.MakePDF(2))
	c.Published(c.key, create.With(webtest.Fields{"idempotencyKey": nil, "size": len(second), "replace": slug}), second)
	check("listVersions", c.Call(c.key, "GET", "/links/"+slug+"/versions", nil))
	check("restoreVersion", c.Call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil))
	published := "/links/" + slug
	c.Described(published)
	check("getLink", c.Call(c.key, "GET", published, nil))
	check("deleteLink", c.Call(c.key, "DELETE", published, nil))
	check("listTrash", c.Call(c.key, "GET", "/trash", nil))
	check("restoreLink", c.Call(c.key, "POST", "/trash/"+slug+"/restore", nil))
	check("updateLink", c.Call(c.key, "PATCH", published, request("updateLink", nil)))
	rows := published + "/recipients"
	added := c.Call(c.key, "POST", rows, request("addRecipients", nil))
	check("addRecipients", added)
	read(c.Fixture, rowsOf(t, added)[0].URL).Want(200, "")
	listed := c.Call(c.key, "GET", rows, nil)
	check("listRecipients", listed)
	check("updateRecipient", c.Call(c.key, "PATCH", rows+"/"+rowsOf(t, listed)[0].ID,
		request("updateRecipient", nil)))
	c.Confirmed(slug, "ann@example.com")
	check("listReaders", c.Call(c.key, "GET", published+"/readers", nil))
	noted := request("addNote", webtest.Fields{"day": c.today()})
	check("addNote", c.Call(c.key, "POST", published+"/notes", noted))
	check("listNotes", c.Call(c.key, "GET", published+"/notes", nil))
	captions := c.Sound(c.key)
	check("putCaptions", c.Send(c.key, "PUT", captions+"/de", "text/vtt", webtest.Morning))
	check("listCaptions", c.Call(c.key, "GET", captions, nil))
	c.deploy(c.newWebsite("Garden").Slug, "index.html=<p>Garden").Want(200, "")
	check("listWebsites", c.Call(c.key, "GET", "/websites", nil))
	check("getKey", c.Call(c.key, "GET", "/key", nil))
	made := c.Call(c.key, "POST", "/keys", request("createKey", nil))
	check("createKey", made)
	check("listKeys", c.Call(c.key, "GET", "/keys", nil))
	check("revokeKeyById", c.Call(c.key, "DELETE", fmt.Sprint("/keys/", made.JSON()["id"]), nil))
	check("status", c.Call("", "GET", "/status", nil))
	c.webhookExamples(slug, check, request)

	check("startLogin", c.Call("", "POST", "/logins", request("startLogin", nil)))
	if take := request("takeLogin", nil); take["secret"] == nil {
		t.Errorf("example of takeLogin = %v, want a secret", take)
	}
	check("takeLogin", c.Call("", "POST", "/logins/take", c.login()))

	o := webtest.NewReportSite(t)
	visits := "/links/" + string(o.Links[report.ContentPages].Slug) + "/visits"
	listed = o.Ask(visits + "?engaged=true&limit=1")
	check("listVisits", listed)
	check("getVisit", o.Ask(visits+"/"+listed.JSON()["visits"].([]any)[0].(map[string]any)["id"].(string)))
	o.Server.Events.Log = o.Log
	o.Check(o.Server.Events.Tell(t.Context()))
	check("getNotifications", o.Ask("/notifications"))
	check("changeNotifications", c.Call(c.key, "PATCH", "/notifications", request("changeNotifications", nil)))
	check("listEvents", o.Ask("/events?type=view.first&limit=1"))
	for op := range all {
		t.Errorf("the example of %s was not compared", op)
	}
}
