package api_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/internal/web/front"
)

// putDuring sends a file to a signed URL during another transfer to it.
func (c caller) putDuring(address string) webtest.Answer {
	c.T.Helper()
	began, ended := make(chan struct{}), make(chan struct{})
	first := c.Server.Receiver
	c.Server.Receiver = startedReceiver{first, sync.OnceFunc(func() { close(began) })}
	r, w := io.Pipe()
	go func() {
		defer close(ended)
		req, _ := http.NewRequest(http.MethodPut, address, r)
		req.Header.Set("Content-Type", "text/plain")
		req.ContentLength = int64(len(webtest.Note))
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	fmt.Fprint(w, webtest.Note[:5])
	<-began
	a := c.Put(address, "text/plain", strings.NewReader(webtest.Note))
	w.CloseWithError(io.ErrUnexpectedEOF)
	<-ended
	return a
}

// startedReceiver calls a function when the first bytes of a file are read.
type startedReceiver struct {
	vitrine.Receiver
	started func()
}

type startedReader struct {
	io.Reader
	started func()
}

// shorterBlobs reports fewer bytes of each file than were sent.
type shorterBlobs struct{ vitrine.Blobs }

type failingReceiver struct{ err error }

// repeated sends the request of an operation n times, and once more. It revokes
// the keys that it creates.
func (c caller) repeated(n int, op string) webtest.Answer {
	c.T.Helper()
	for range n {
		a := validRequests[op](c).Want(200, "")
		if op == "createKey" {
			c.Call(c.key, "DELETE", fmt.Sprint("/keys/", a.JSON()["id"]), nil).Want(200, "")
		}
	}
	return validRequests[op](c)
}

// TestDocumentedErrors checks that each error in the documentation of an
// operation can be provoked and has the documented status.
func TestDocumentedErrors(t *testing.T) {
	pairs := 0
	front.DocumentedErrors(func(op string, code vitrine.Code, status int) {
		pairs++
		if op == "completeUpload" && code == vitrine.CodeRateLimited {
			return // the specification lists it, so programs must handle it, but nothing returns it
		}
		t.Run(fmt.Sprint(op, "/", code), func(t *testing.T) {
			f := webtest.NewFixture(t)
			c := caller{f, f.Account(vitrine.PlanPro)}
			provoke := provoked[code][op]
			if op == "appendUpload" || op == "terminateUpload" {
				provoke = provokedOnChunks[code]
			}
			if provoke == nil {
				provoke = provoked[code][""]
			}
			if provoke == nil || validRequests[op] == nil {
				t.Fatal("no function provokes it; do not document a code that nothing returns")
			}
			a := provoke(c, op).Want(status, string(code))
			if a.Text("error") == "" || !bytes.HasPrefix(a.Body, []byte("{")) {
				t.Errorf("the answer has no message: %s", a.Body)
			}
			if code == vitrine.CodeInvalidRequest && op != "putCaptions" &&
				a.Text("field") == "" { // its body is a file
				t.Errorf("the answer names no field: %s", a.Body)
			}
			if slices.Contains([]vitrine.Code{vitrine.CodeRateLimited, vitrine.CodeUnavailable}, code) &&
				a.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After header")
			}
			if code == vitrine.CodeMethodNotAllowed && a.Header.Get("Allow") == "" {
				t.Error("no Allow header")
			}
		})
	})
	if pairs < 100 {
		t.Errorf("only %d errors are documented, want at least 100", pairs)
	}
}

// broken calls an operation while everything fails.
func (c caller) broken(op string, err error) webtest.Answer {
	if op != "putFile" {
		c.failing(err)
		return validRequests[op](c)
	}
	address := c.address()
	c.failing(err)
	return c.Put(address, "text/plain", strings.NewReader(webtest.Note))
}

// failing makes the store, the blobs and the view log fail with an error.
func (c caller) failing(err error) {
	store := failingStore{c.Server.Keys.Store, err}
	c.Server.Keys.Store, c.Server.Logins.Store, c.Server.Uploads.Store = store, store, store
	c.Server.Receiver = failingReceiver{err}
	c.Server.Log = slog.New(slog.DiscardHandler)
}

type failingStore struct {
	vitrine.Store
	err error
}

func (s failingStore) Read(context.Context, func(vitrine.Tx) error) error   { return s.err }
func (s failingStore) Update(context.Context, func(vitrine.Tx) error) error { return s.err }

func (r failingReceiver) Receive(context.Context, vitrine.PutGrant, io.Reader) (string, error) {
	return "", r.err
}
