package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

func TestUploadGoesOnWhenTheAnswerToThePutWasLost(t *testing.T) {
	f := newFake(t)
	f.fail(stepPut, lost)
	c, _ := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{}); err != nil {
		t.Fatal(err)
	}
	if f.count(stepPut) != 2 || f.count(stepBegin) != 1 {
		t.Errorf("requests = %v, want a second PUT and no second step 1", f.requests)
	}
}

// TestUploadGoesOnWhenTheURLIsUsed checks that the client returns the link of
// another process that was faster with the same key.
func TestUploadGoesOnWhenTheURLIsUsed(t *testing.T) {
	f := newFake(t)
	f.fail(stepPut, refused(http.StatusConflict, nil, `{"error":"Used.","code":"url_used"}`))
	const key = "123e4567-e89b-12d3-a456-426614174000"
	f.stored["path-of-"+key] = text
	c, _ := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{IdempotencyKey: key}); err != nil {
		t.Fatal(err)
	}
	if f.count(stepPut) != 1 || f.count(stepComplete) != 1 {
		t.Errorf("requests = %v, want one PUT, answered url_used, and step 3", f.requests)
	}
}

func TestUploadBeginsAgainWhenTheURLExpired(t *testing.T) {
	f := newFake(t)
	f.fail(stepPut, refused(http.StatusForbidden, nil, `{"error":"Late.","code":"url_expired"}`))
	c, _ := fresh(t, f.URL)
	if _, err := c.Upload(t.Context(), textFile(), Options{}); err != nil {
		t.Fatal(err)
	}
	if f.count(stepBegin) != 2 || len(f.keys) != 1 {
		t.Errorf("requests = %v with %d keys, want step 1 twice with one", f.requests, len(f.keys))
	}
}

// TestUploadIsCancelled interrupts an upload during its transfer: the instance
// is told, so that it reserves nothing for it.
func TestUploadIsCancelled(t *testing.T) {
	f := newFake(t)
	ctx, interrupt := context.WithCancel(t.Context())
	f.fail(stepPut, func(http.ResponseWriter, func(http.ResponseWriter)) bool {
		interrupt()
		panic(http.ErrAbortHandler)
	})
	c, _ := fresh(t, f.URL)
	const key = "123e4567-e89b-12d3-a456-426614174000"
	if _, err := c.Upload(ctx, textFile(), Options{IdempotencyKey: key}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that of the context", err)
	}
	if len(f.cancelled) != 1 || f.cancelled[0] != "path-of-"+key {
		t.Errorf("cancelled = %v, want the upload once", f.cancelled)
	}
}

// TestFailedUploadIsCancelled checks that an upload that nobody can continue is
// cancelled, also after the last restart, and that one whose key the caller
// knows is only cancelled if the caller asks for it.
func TestFailedUploadIsCancelled(t *testing.T) {
	const key = "123e4567-e89b-12d3-a456-426614174000"
	for _, step := range []string{stepPut, stepComplete} {
		for o, want := range map[*Options]int{{}: 1, {IdempotencyKey: key}: 0, {IdempotencyKey: key, Cancel: true}: 1} {
			for code, times := range map[string]int{"size_mismatch": 1, "url_expired": maxRestarts + 1} {
				f := newFake(t)
				for range times {
					f.fail(step, refused(http.StatusBadRequest, nil, `{"error":"No.","code":"`+code+`"}`))
				}
				c, _ := fresh(t, f.URL)
				if _, err := c.Upload(t.Context(), textFile(), *o); codeOf(err) != code {
					t.Errorf("error = %v, want %s", err, code)
				}
				if len(f.cancelled) != want {
					t.Errorf("%s fails with %s, key %q, cancel %v: cancelled %v, want %d", step, code,
						o.IdempotencyKey, o.Cancel, f.cancelled, want)
				}
			}
		}
	}
}

// TestStorageUnreachable checks that the error names the storage that the
// instance sends the bytes to, and that the upload is cancelled.
func TestStorageUnreachable(t *testing.T) {
	f := newFake(t)
	f.fail(stepBegin, refused(http.StatusOK, nil, `{"path":"p","signedUrl":"http://127.0.0.1:1/storage/p?signature=secret"}`))
	c, _ := fresh(t, f.URL)
	_, err := c.Upload(t.Context(), textFile(), Options{})
	var storage *StorageError
	if !errors.As(err, &storage) || storage.Address != "http://127.0.0.1:1" || !Unreachable(err) {
		t.Errorf("error = %v, want a StorageError with the address", err)
	}
	if len(f.cancelled) != 1 || f.cancelled[0] != "p" {
		t.Errorf("cancelled = %v, want the upload once", f.cancelled)
	}
}
