package client

import (
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Steps of an upload, as faults name them.
const (
	stepBegin    = "begin"
	stepPut      = "put"
	stepComplete = "complete"
	stepCancel   = "cancel"
)

// fault is a failure of one request. It may first let the request take effect
// (do). It reports whether it has answered instead of the instance.
type fault func(w http.ResponseWriter, do func(http.ResponseWriter)) bool

// refused answers with an error without effect.
func refused(status int, header map[string]string, body string) fault {
	return func(w http.ResponseWriter, _ func(http.ResponseWriter)) bool {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
		return true
	}
}

// cut closes the connection without effect and without an answer.
func cut(http.ResponseWriter, func(http.ResponseWriter)) bool { panic(http.ErrAbortHandler) }

// cutLate reads some of the body before it closes the connection.
func (f *fake) cutLate(http.ResponseWriter, func(http.ResponseWriter)) bool {
	_, _ = io.CopyN(io.Discard, f.current.Body, 1<<20)
	panic(http.ErrAbortHandler)
}

// lost lets the request take effect but closes the connection before the
// answer.
func lost(_ http.ResponseWriter, do func(http.ResponseWriter)) bool {
	do(httptest.NewRecorder())
	panic(http.ErrAbortHandler)
}

// fake is an instance with faults. It implements only the rules that retries
// depend on.
type fake struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	faults   map[string][]fault // faults of the next requests, by step
	requests map[string]int
	current  *http.Request     // the one that is answered
	keys     map[string]string // idempotency key to path
	stored   map[string]string // path to bytes
	links    map[string]Link   // path to link
	renewed  int               // number of signed URLs issued
	seen     []map[string]any  // bodies of step 3
	begun    []map[string]any  // bodies of step 1

	cancelled []string // paths

	// Uploads in chunks (chunked).
	resumable, forgotten bool
	bucket               string            // another origin of signed URLs; "" is the same
	size                 int               // of the file
	arrived              map[string][]byte // path to bytes
	sentBytes            int               // of all chunks
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, faults: map[string][]fault{}, requests: map[string]int{}, keys: map[string]string{},
		stored: map[string]string{}, links: map[string]Link{}, arrived: map[string][]byte{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/uploads", f.step(stepBegin, f.begin))
	mux.HandleFunc("PUT /storage/{path}", f.step(stepPut, f.put))
	mux.HandleFunc("POST /api/v1/uploads/complete", f.step(stepComplete, f.complete))
	mux.HandleFunc("POST /api/v1/uploads/cancel", f.step(stepCancel, f.cancel))
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) fail(step string, faults ...fault) { f.faults[step] = append(f.faults[step], faults...) }

func (f *fake) step(name string, do func(http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if step, key := name, r.Header.Get("Authorization"); (step == stepPut || step == stepChunk || step == stepHead) == (key == "Bearer vtr_key") {
			f.t.Errorf("%s has the Authorization %q", step, key)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.requests[name]++
		f.current = r
		if q := f.faults[name]; len(q) > 0 {
			f.faults[name] = q[1:]
			if q[0](w, func(w http.ResponseWriter) { do(w, r) }) {
				return
			}
		}
		do(w, r)
	}
}

func (f *fake) begin(w http.ResponseWriter, r *http.Request) {
	var b map[string]any
	json.NewDecoder(r.Body).Decode(&b)
	b["If-Match"] = r.Header.Get("If-Match")
	f.begun = append(f.begun, b)
	key := b["idempotencyKey"].(string)
	path, ok := f.keys[key]
	if !ok {
		path = "path-of-" + key
		f.keys[key] = path
	}
	if l, ok := f.links[path]; ok {
		json.NewEncoder(w).Encode(map[string]Link{"existing": l})
		return
	}
	f.renewed++
	a := map[string]string{"path": path, "signedUrl": cmp.Or(f.bucket, f.URL) + "/storage/" + path + "?signature=secret"}
	if f.resumable {
		a["resumableUrl"] = f.URL + "/storage/" + path + "?signature=resumed"
	}
	json.NewEncoder(w).Encode(a)
}

func (f *fake) put(w http.ResponseWriter, r *http.Request) {
	path := r.PathValue("path")
	b, err := io.ReadAll(r.Body)
	if err != nil || int64(len(b)) != r.ContentLength {
		return
	}
	stored, again := f.stored[path]
	if _, done := f.links[path]; done || again && stored != string(b) {
		refused(http.StatusConflict, nil, `{"error":"Used.","code":"url_used"}`)(w, nil)
		return
	}
	f.stored[path] = string(b)
	w.Header().Set("ETag", `"x"`)
}

func (f *fake) complete(w http.ResponseWriter, r *http.Request) {
	var b map[string]any
	json.NewDecoder(r.Body).Decode(&b)
	b["If-Match"] = r.Header.Get("If-Match")
	f.seen = append(f.seen, b)
	path := b["path"].(string)
	if _, ok := f.stored[path]; !ok {
		refused(http.StatusBadRequest, nil, `{"error":"Not there.","code":"upload_incomplete"}`)(w, nil)
		return
	}
	f.links[path] = Link{Slug: "abc", Title: "T", URL: f.URL + "/p/abc"}
	json.NewEncoder(w).Encode(f.links[path])
}

func (f *fake) cancel(w http.ResponseWriter, r *http.Request) {
	var b map[string]string
	json.NewDecoder(r.Body).Decode(&b)
	f.cancelled = append(f.cancelled, b["path"])
	w.WriteHeader(http.StatusNoContent)
}

// count returns how often a step was requested.
func (f *fake) count(step string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[step]
}
