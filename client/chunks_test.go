package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

const stepChunk, stepHead = "chunk", "head"

// chunked lets an instance take chunks. Its storage keeps what has arrived of a
// chunk that breaks off.
func (f *fake) chunked() {
	f.resumable = true
	storage := f.Config.Handler.(*http.ServeMux)
	storage.HandleFunc("HEAD /storage/{path}", f.step(stepHead, func(w http.ResponseWriter, r *http.Request) {
		if _, known := f.arrived[r.PathValue("path")]; !known && f.forgotten {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Upload-Offset", strconv.Itoa(len(f.arrived[r.PathValue("path")])))
	}))
	storage.HandleFunc("PATCH /storage/{path}", f.step(stepChunk, func(w http.ResponseWriter, r *http.Request) {
		path := r.PathValue("path")
		have := f.arrived[path]
		if r.Header.Get("Upload-Offset") != strconv.Itoa(len(have)) || r.Header.Get("Tus-Resumable") != "1.0.0" ||
			r.Header.Get("Content-Type") != "application/offset+octet-stream" {
			refused(http.StatusConflict, nil, `{"error":"Elsewhere.","code":"offset_mismatch"}`)(w, nil)
			return
		}
		b, _ := io.ReadAll(r.Body)
		f.sentBytes += len(b)
		f.arrived[path] = append(have, b...)
		if len(f.arrived[path]) == f.size {
			f.stored[path] = string(f.arrived[path])
		}
		w.Header().Set("Upload-Offset", strconv.Itoa(len(f.arrived[path])))
		w.WriteHeader(http.StatusNoContent)
	}))
}

// large returns a file of some chunks.
func large(f *fake) (File, []byte) {
	content := make([]byte, 3*chunkSize-5)
	for i := range content {
		content[i] = byte(i / 4099)
	}
	f.size = len(content)
	return File{Name: "tour.mp4", Size: int64(len(content)), Content: bytes.NewReader(content)}, content
}

// TestUploadInChunks interrupts an upload in chunks in each way. It goes on
// where it was.
func TestUploadInChunks(t *testing.T) {
	limit := refused(http.StatusRequestEntityTooLarge, nil, "<html>") // of a proxy
	for name, c := range map[string]struct {
		faults []fault
		chunks int // requests
	}{
		"undisturbed":        {nil, 3},
		"cut":                {[]fault{cut}, 4},
		"lost answer":        {[]fault{lost}, 3},
		"lost last answer":   {[]fault{nil, nil, lost}, 3},
		"busy":               {[]fault{refused(409, nil, `{"error":"Busy.","code":"upload_in_progress"}`)}, 4},
		"elsewhere":          {[]fault{refused(409, nil, `{"error":"No.","code":"offset_mismatch"}`)}, 4},
		"down":               {[]fault{nil, refused(502, nil, "Bad gateway"), refused(503, nil, "")}, 5},
		"a proxy's limit":    {[]fault{limit}, 7},
		"a proxy's limit, 2": {[]fault{limit, limit}, 14},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.chunked()
			file, content := large(f)
			for _, fault := range c.faults {
				if fault == nil {
					fault = func(http.ResponseWriter, func(http.ResponseWriter)) bool { return false }
				}
				f.fail(stepChunk, fault)
			}
			api, _ := fresh(t, f.URL)
			var last int64
			o := Options{Progress: func(sent, total int64) {
				if last = sent; total != file.Size || sent > total {
					t.Errorf("progress: %d of %d", sent, total)
				}
			}}
			if _, err := api.Upload(t.Context(), file, o); err != nil {
				t.Fatal(err)
			}
			for _, got := range f.stored {
				if got != string(content) {
					t.Error("the stored bytes are others")
				}
			}
			if f.requests[stepChunk] != c.chunks || f.requests[stepBegin] != 1 || last != file.Size ||
				f.sentBytes != len(content) {
				t.Errorf("requests = %v, %d bytes, progress %d, want %d chunks and %d bytes", f.requests, f.sentBytes, last,
					c.chunks, len(content))
			}
		})
	}
}

// TestUploadGoesOnInAnotherProcess ends an upload after a chunk, and calls
// Upload again with its key.
func TestUploadGoesOnInAnotherProcess(t *testing.T) {
	f := newFake(t)
	f.chunked()
	file, content := large(f)
	o := Options{IdempotencyKey: "123e4567-e89b-12d3-a456-426614174000"}
	gone := errors.New("killed")
	ctx, kill := context.WithCancelCause(t.Context())
	f.fail(stepChunk, func(w http.ResponseWriter, do func(http.ResponseWriter)) bool {
		do(w)
		f.faults[stepCancel] = []fault{cut} // a process that is killed cancels nothing
		kill(gone)
		return true
	})
	first, _ := fresh(t, f.URL)
	if _, err := first.Upload(ctx, file, o); !errors.Is(err, gone) {
		t.Fatalf("Upload = %v, want killed", err)
	}
	var from int64 = -1
	o.Progress = func(sent, _ int64) {
		if from < 0 {
			from = sent
		}
	}
	second, _ := fresh(t, f.URL)
	if _, err := second.Upload(t.Context(), file, o); err != nil {
		t.Fatal(err)
	}
	if f.sentBytes != len(content) || from <= chunkSize {
		t.Errorf("%d bytes were sent, want %d; progress begins at %d, want above %d", f.sentBytes, len(content), from,
			chunkSize)
	}

	// The instance has forgotten the upload: it begins again.
	f.forgotten, f.arrived = true, map[string][]byte{}
	f.links, f.stored = map[string]Link{}, map[string]string{}
	third, _ := fresh(t, f.URL)
	_, err := third.Upload(t.Context(), file, Options{})
	if e := new(Error); !errors.As(err, &e) || e.Code != "upload_not_found" || f.requests[stepBegin] != 2+1+maxRestarts {
		t.Errorf("Upload = %v after %v, want upload_not_found after %d restarts", err, f.requests, maxRestarts)
	}
}

// TestBucketInChunks checks that a large file goes to a bucket at once, in
// chunks to the instance once the connection was lost, and in chunks if an
// earlier process has begun so.
func TestBucketInChunks(t *testing.T) {
	for name, c := range map[string]struct {
		fault        func(f *fake) fault
		before       int
		puts, chunks int
	}{
		"undisturbed": {nil, 0, 1, 0},
		"refused":     {func(*fake) fault { return refused(503, nil, "") }, 0, 2, 0},
		"cut at once": {func(*fake) fault { return cut }, 0, 2, 0},
		"cut later":   {func(f *fake) fault { return f.cutLate }, 0, 1, 3},
		"gone on":     {nil, chunkSize, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.chunked()
			bucket := httptest.NewServer(f.Config.Handler) // another origin
			defer bucket.Close()
			f.bucket = bucket.URL
			file, content := large(f)
			o := Options{IdempotencyKey: "123e4567-e89b-12d3-a456-426614174000"}
			f.arrived["path-of-"+o.IdempotencyKey] = content[:c.before:c.before]
			if c.fault != nil {
				f.fail(stepPut, c.fault(f))
			}
			api, _ := fresh(t, f.URL)
			if _, err := api.Upload(t.Context(), file, o); err != nil {
				t.Fatal(err)
			}
			if got := f.stored["path-of-"+o.IdempotencyKey]; got != string(content) {
				t.Errorf("%d other bytes are stored", len(got))
			}
			if f.requests[stepPut] != c.puts || f.requests[stepChunk] != c.chunks {
				t.Errorf("requests = %v, want %d PUTs and %d chunks", f.requests, c.puts, c.chunks)
			}
		})
	}
}

// TestSmallFileBehindAProxy checks that a file that a proxy refuses as too
// large is sent in chunks, although it is small, and that without chunks the
// refusal is the error.
func TestSmallFileBehindAProxy(t *testing.T) {
	for _, resumable := range []bool{true, false} {
		f := newFake(t)
		if resumable {
			f.chunked()
		}
		content := strings.Repeat("x", 1<<20)
		f.size = len(content)
		f.fail(stepPut, refused(http.StatusRequestEntityTooLarge, nil, "<html>"))
		c, _ := fresh(t, f.URL)
		_, err := c.Upload(t.Context(), File{Name: "a.txt", Size: int64(len(content)),
			Content: strings.NewReader(content)}, Options{})
		if e := new(Error); resumable != (err == nil) || !resumable && (!errors.As(err, &e) || e.Status != 413) {
			t.Errorf("Upload with chunks %v = %v", resumable, err)
		}
		if want := map[bool]int{true: 2, false: 0}[resumable]; f.requests[stepChunk] != want {
			t.Errorf("requests = %v, want %d chunks", f.requests, want)
		}
	}
}
