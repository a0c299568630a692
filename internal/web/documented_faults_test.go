package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"vitrine"
)

// putDuring sends a file to a signed URL during another transfer to it.
func (c caller) putDuring(address string) answer {
	c.t.Helper()
	began, ended := make(chan struct{}), make(chan struct{})
	first := c.server.Receiver
	c.server.Receiver = startedReceiver{first, sync.OnceFunc(func() { close(began) })}
	r, w := io.Pipe()
	go func() {
		defer close(ended)
		req, _ := http.NewRequest(http.MethodPut, address, r)
		req.Header.Set("Content-Type", "text/plain")
		req.ContentLength = int64(len(note))
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	fmt.Fprint(w, note[:5])
	<-began
	a := c.put(address, "text/plain", strings.NewReader(note))
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
func (c caller) repeated(n int, op string) answer {
	c.t.Helper()
	for range n {
		a := validRequests[op](c).want(200, "")
		if op == "createKey" {
			c.call(c.key, "DELETE", fmt.Sprint("/keys/", a.json()["id"]), nil).want(200, "")
		}
	}
	return validRequests[op](c)
}
