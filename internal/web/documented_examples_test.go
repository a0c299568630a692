package web_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine/report"
)

// example is an example of a body in openapi.json.
type example struct {
	Request, Response map[string]any // nil if there is none
}

// examples returns the examples of each operation.
func examples(t *testing.T) map[string]example {
	t.Helper()
	b, err := os.ReadFile("api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	type content map[string]struct{ Example map[string]any }
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody struct{ Content content }
			Responses   map[string]struct{ Content content }
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
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
	f := newFixture(t)
	c := caller{f, f.account("lifetime")}
	all := examples(t)
	check := func(op string, a answer) {
		t.Helper()
		e, there := all[op]
		if !there || e.Response == nil {
			t.Errorf("%s has no example", op)
			return
		}
		delete(all, op)
		for _, d := range differ(op, e.Response, any(a.want(200, "").json())) {
			t.Error(d)
		}
	}
	request := func(op string, change fields) fields { return fields(all[op].Request).with(change) }

	pdf := string(makePDF(1))
	create, complete := request("createUpload", fields{"size": len(pdf)}), request("completeUpload", nil)
	created := c.call(c.key, "POST", "/uploads", create)
	check("createUpload", created)
	signed, err := url.Parse(created.text("signedUrl"))
	f.check(err)
	if !strings.Contains(signed.RawQuery, "expires=") || !strings.Contains(signed.RawQuery, "signature=") {
		t.Errorf("signed URL = %s", signed)
	}
	check("putFile", c.put(created.text("signedUrl"), create["type"].(string), strings.NewReader(pdf)))
	check("completeUpload", c.call(c.key, "POST", "/uploads/complete",
		complete.with(fields{"path": created.text("path")})))
	path, _ := c.begun(c.key, noteFile)
	c.call(c.key, "POST", "/uploads/cancel", request("cancelUpload", fields{"path": path})).want(204, "")
	delete(all, "cancelUpload")
	check("listLinks", c.call(c.key, "GET", "/links", nil))
	slug := c.published(c.key, create.with(fields{"idempotencyKey": nil}), pdf)
	second := string(makePDF(2))
	c.published(c.key, create.with(fields{"idempotencyKey": nil, "size": len(second), "replace": slug}), second)
	check("listVersions", c.call(c.key, "GET", "/links/"+slug+"/versions", nil))
	check("restoreVersion", c.call(c.key, "POST", "/links/"+slug+"/versions/1/restore", nil))
	published := "/links/" + slug
	c.described(published)
	check("getLink", c.call(c.key, "GET", published, nil))
	check("updateLink", c.call(c.key, "PATCH", published, request("updateLink", nil)))
	captions := c.sound(c.key)
	check("putCaptions", c.send(c.key, "PUT", captions+"/de", "text/vtt", morning))
	check("listCaptions", c.call(c.key, "GET", captions, nil))
	c.deploy(c.newWebsite("Garden").Slug, "index.html=<p>Garden").want(200, "")
	check("listWebsites", c.call(c.key, "GET", "/websites", nil))
	check("getKey", c.call(c.key, "GET", "/key", nil))
	made := c.call(c.key, "POST", "/keys", request("createKey", nil))
	check("createKey", made)
	check("listKeys", c.call(c.key, "GET", "/keys", nil))
	check("revokeKeyById", c.call(c.key, "DELETE", fmt.Sprint("/keys/", made.json()["id"]), nil))
	check("status", c.call("", "GET", "/status", nil))

	check("startLogin", c.call("", "POST", "/logins", request("startLogin", nil)))
	if take := request("takeLogin", nil); take["secret"] == nil {
		t.Errorf("example of takeLogin = %v, want a secret", take)
	}
	check("takeLogin", c.call("", "POST", "/logins/take", c.login()))

	o := newReportSite(t)
	visits := "/links/" + string(o.links[report.ContentPages].Slug) + "/visits"
	listed := o.ask(visits + "?engaged=true&limit=1")
	check("listVisits", listed)
	check("getVisit", o.ask(visits+"/"+listed.json()["visits"].([]any)[0].(map[string]any)["id"].(string)))
	for op := range all {
		t.Errorf("the example of %s was not compared", op)
	}
}
