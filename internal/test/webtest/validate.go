package webtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/web/api"
	"vitrine/internal/web/front"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

var openAPI = sync.OnceValue(func() routers.Router {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
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

// Answer is an answer of the API.
type Answer struct {
	t      testing.TB
	Status int
	Header http.Header
	Body   []byte
}

func (a Answer) JSON() map[string]any {
	a.t.Helper()
	var m map[string]any
	if err := json.Unmarshal(a.Body, &m); err != nil {
		a.t.Fatalf("status %d: %v: %s", a.Status, err, a.Body)
	}
	return m
}

func (a Answer) Text(name string) string {
	s, _ := a.JSON()[name].(string)
	return s
}

// Want checks status and code. code is "" for success.
func (a Answer) Want(status int, code string) Answer {
	a.t.Helper()
	if a.Status != status || (status >= 400 && a.Text("code") != code) {
		a.t.Errorf("status %d, code %s, want %d, %s", a.Status, a.Body, status, code)
	}
	return a
}

// Call sends a request to the API, with body as JSON (a string is sent
// unchanged), and validates the answer against the OpenAPI document.
func (f *Fixture) Call(key, method, path string, body any) Answer {
	f.T.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(b)
	default:
		j, err := json.Marshal(b)
		if err != nil {
			f.T.Fatal(err)
		}
		r = bytes.NewReader(j)
	}
	req, err := http.NewRequest(method, f.URL+"/api/v1"+path, r)
	if err != nil {
		f.T.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return f.Do(req)
}

// NoRedirects is a client that does not follow redirects.
var NoRedirects = &http.Client{CheckRedirect: func(*http.Request,
	[]*http.Request) error {
	return http.ErrUseLastResponse
}}

func (f *Fixture) Do(req *http.Request) Answer {
	f.T.Helper()
	res, err := NoRedirects.Do(req)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		f.T.Fatal(err)
	}
	a := Answer{t: f.T, Status: res.StatusCode, Header: res.Header, Body: b}
	if res.Header.Get("X-Request-Id") == "" {
		f.T.Error("no X-Request-Id header")
	}
	if strings.HasPrefix(req.URL.Path, "/api/v1/") {
		f.validate(req, a)
	}
	return a
}

// validate validates the answer of a documented operation against the OpenAPI
// document.
func (f *Fixture) validate(req *http.Request, a Answer) {
	f.T.Helper()
	clone := req.Clone(context.Background())
	clone.URL.Host, clone.URL.Scheme = "", ""
	route, params, err := openAPI().FindRoute(clone)
	if err != nil {
		return
	}
	if op := route.Operation.OperationID; a.Status >= 400 && !front.Documented(op, vitrine.Code(a.Text("code"))) {
		f.T.Errorf("%s: its documentation does not list the code %s", op, a.Text("code"))
	}
	in := &openapi3filter.RequestValidationInput{Request: clone, PathParams: params, Route: route,
		Options: &openapi3filter.Options{IncludeResponseStatus: true,
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}}
	err = openapi3filter.ValidateResponse(context.Background(),
		&openapi3filter.ResponseValidationInput{RequestValidationInput: in,
			Status: a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)), Options: in.Options})
	if err != nil {
		f.T.Errorf("%s %s: the answer does not match the OpenAPI document: %v", req.Method, req.URL.Path, err)
	}
}

// Put sends bytes to a signed URL.
func (f *Fixture) Put(url, contentType string, body io.Reader) Answer {
	f.T.Helper()
	req, err := http.NewRequest(http.MethodPut, url, body)
	if err != nil {
		f.T.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	return f.Do(req)
}

type Fields map[string]any

func (m Fields) With(more Fields) Fields {
	c := Fields{}
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

const Note = "Minutes of the meeting, in plain text.\n"

var NoteFile = Fields{"name": "minutes.txt", "type": "text/plain", "size": len(Note)}

// Begun runs step 1 of an upload, stored steps 1 and 2, and published all
// three.
func (f *Fixture) Begun(key string, file Fields) (path, url string) {
	f.T.Helper()
	a := f.Call(key, "POST", "/uploads", file).Want(200, "")
	return a.Text("path"), a.Text("signedUrl")
}

func (f *Fixture) Stored(key string, file Fields, content string) (path string) {
	f.T.Helper()
	path, url := f.Begun(key, file)
	f.Put(url, file["type"].(string), strings.NewReader(content)).Want(200, "")
	return path
}

func (f *Fixture) Published(key string, file Fields, content string) (slug string) {
	f.T.Helper()
	path := f.Stored(key, file, content)
	return f.Call(key, "POST", "/uploads/complete", file.With(Fields{"path": path, "size": nil})).Want(200,
		"").Text("slug")
}

func Parallel[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { out[i] = f(i) })
	}
	wg.Wait()
	return out
}
