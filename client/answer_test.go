package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// TestNoAnswerEndsTheRequest asks a server that never answers: the client says
// that it waits, and gives up without another attempt.
func TestNoAnswerEndsTheRequest(t *testing.T) {
	end := make(chan struct{})
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1); <-end }))
	defer server.Close()
	defer close(end)
	waits := make(chan bool, 1)
	c, pauses := fresh(t, server.URL, WithWaitNotice(func() { waits <- true }), WithAnswerTime(time.Second))
	c.waitNotice = 0
	if _, err := c.Status(t.Context()); !errors.Is(err, os.ErrDeadlineExceeded) || len(*pauses) != 0 ||
		asked.Load() != 1 {
		t.Errorf("error %v after %d requests and %d pauses, want no answer in time after one", err, asked.Load(), len(*pauses))
	}
	<-waits
}

// TestErrorNamesTheLimit checks what an error says about a limit.
func TestErrorNamesTheLimit(t *testing.T) {
	for want, e := range map[string]*Error{
		"Slow. (rate_limited; limit 20 an hour; try again in 1h)": {Code: "rate_limited", Limit: 20,
			RetryAfter: time.Hour},
		"Big. (file_too_large; limit 25,000,000 bytes, file 81,052,632 bytes)": {Code: "file_too_large",
			Limit: 25_000_000, Used: 81_052_632},
		"Full. (storage_limit; limit 999 bytes, used 100 bytes; held 1,000; try again in 1m)": {Code: "storage_limit",
			Limit: 999, Used: 100, Held: 1000, RetryAfter: time.Minute},
		"Many. (link_limit; limit 3, used 3; try again in 1m10s)": {Code: "link_limit", Limit: 3, Used: 3,
			RetryAfter: 70 * time.Second},
	} {
		e.Message = map[string]string{"rate_limited": "Slow.", "file_too_large": "Big.", "storage_limit": "Full.",
			"link_limit": "Many."}[e.Code]
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
