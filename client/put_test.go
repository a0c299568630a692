package client

import (
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
