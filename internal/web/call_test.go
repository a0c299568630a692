package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/web/front"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

var openAPI = sync.OnceValue(func() routers.Router {
	b, err := os.ReadFile("api/openapi.json")
	if err != nil {
		panic(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(b)
	if err != nil {
		panic(err)
	}
	doc.Servers = openapi3.Servers{{URL: "/api/v1"}}
	if err := doc.Validate(context.Background()); err != nil {
		panic(err)
	}
	r, err := legacy.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return r
})

// answer is an answer of the API.
type answer struct {
	t      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

func (a answer) json() map[string]any {
	a.t.Helper()
	var m map[string]any
	if err := json.Unmarshal(a.Body, &m); err != nil {
		a.t.Fatalf("status %d: %v: %s", a.Status, err, a.Body)
	}
	return m
}

func (a answer) text(name string) string {
	s, _ := a.json()[name].(string)
	return s
}

// want checks status and code. code is "" for success.
func (a answer) want(status int, code string) answer {
	a.t.Helper()
	if a.Status != status || (status >= 400 && a.text("code") != code) {
		a.t.Errorf("status %d, code %s, want %d, %s", a.Status, a.Body, status, code)
	}
	return a
}

// call sends a request to the API, with body as JSON (a string is sent
// unchanged), and validates the answer against the OpenAPI document.
func (f *fixture) call(key, method, path string, body any) answer {
	f.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		j, err := json.Marshal(b)
		if err != nil {
			f.t.Fatal(err)
		}
		r = bytes.NewReader(j)
	}
	req, err := http.NewRequest(method, f.url+"/api/v1"+path, r)
	if err != nil {
		f.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return f.do(req)
}

// noRedirects is a client that does not follow redirects.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request,
	[]*http.Request) error {
	return http.ErrUseLastResponse
}}

func (f *fixture) do(req *http.Request) answer {
	f.t.Helper()
	res, err := noRedirects.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	a := answer{t: f.t, Status: res.StatusCode, Header: res.Header, Body: b}
	if res.Header.Get("X-Request-Id") == "" {
		f.t.Error("no X-Request-Id header")
	}
	if strings.HasPrefix(req.URL.Path, "/api/v1/") {
		f.validate(req, a)
	}
	return a
}

// validate validates the answer of a documented operation against the OpenAPI
// document.
func (f *fixture) validate(req *http.Request, a answer) {
	f.t.Helper()
	clone := req.Clone(context.Background())
	clone.URL.Host, clone.URL.Scheme = "", ""
	route, params, err := openAPI().FindRoute(clone)
	if err != nil {
		return
	}
	if op := route.Operation.OperationID; a.Status >= 400 && !front.Documented(op, vitrine.Code(a.text("code"))) {
		f.t.Errorf("%s: its documentation does not list the code %s", op, a.text("code"))
	}
	in := &openapi3filter.RequestValidationInput{Request: clone, PathParams: params, Route: route,
		Options: &openapi3filter.Options{IncludeResponseStatus: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	err = openapi3filter.ValidateResponse(context.Background(),
		&openapi3filter.ResponseValidationInput{RequestValidationInput: in,
			Status: a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)), Options: in.Options})
	if err != nil {
		f.t.Errorf("%s %s: the answer does not match the OpenAPI document: %v", req.Method, req.URL.Path, err)
	}
}

// put sends bytes to a signed URL.
func (f *fixture) put(url, contentType string, body io.Reader) answer {
	f.t.Helper()
	req, err := http.NewRequest(http.MethodPut, url, body)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	return f.do(req)
}

type fields map[string]any

func (m fields) with(more fields) fields {
	c := fields{}
	for k, v := range m {
		c[k] = v
	}
	for k, v := range more {
		if v == nil {
			delete(c, k)
		} else {
			c[k] = v
		}
	}
	return c
}

const note = "Minutes of the meeting, in plain text.\n"

var noteFile = fields{"name": "minutes.txt", "type": "text/plain", "size": len(note)}

// begun runs step 1 of an upload, stored steps 1 and 2, and published all
// three.
func (f *fixture) begun(key string, file fields) (path, url string) {
	f.t.Helper()
	a := f.call(key, "POST", "/uploads", file).want(200, "")
	return a.text("path"), a.text("signedUrl")
}

func (f *fixture) stored(key string, file fields, content string) (path string) {
	f.t.Helper()
	path, url := f.begun(key, file)
	f.put(url, file["type"].(string), strings.NewReader(content)).want(200, "")
	return path
}

func (f *fixture) published(key string, file fields, content string) (slug string) {
	f.t.Helper()
	path := f.stored(key, file, content)
	return f.call(key, "POST", "/uploads/complete", file.with(fields{"path": path, "size": nil})).want(200,
		"").text("slug")
}

func parallel[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { out[i] = f(i) })
	}
	wg.Wait()
	return out
}
