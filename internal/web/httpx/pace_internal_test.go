package httpx

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// slowClient accepts paceBytes of an answer in a given time, and fails if that
// is beyond the deadline.
type slowClient struct {
	*httptest.ResponseRecorder
	takes    time.Duration
	deadline time.Time
	most     int // size of the largest part
}

func (c *slowClient) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *slowClient) Write(b []byte) (int, error) {
	c.most = max(c.most, len(b))
	takes := c.takes * time.Duration(len(b)) / paceBytes
	time.Sleep(min(takes, time.Until(c.deadline)))
	if !time.Now().Before(c.deadline) {
		return 0, http.ErrHandlerTimeout
	}
	return c.ResponseRecorder.Write(b)
}

// TestAnswersKeepPace checks that an answer may take hours while its client
// reads some of it, ends when the client reads nothing, and ends at once when
// the link is disabled.
func TestAnswersKeepPace(t *testing.T) {
	text := bytes.Repeat([]byte("words\n"), paceBytes)
	ways := map[string]func(w http.ResponseWriter) (int64, error){
		"Write": func(w http.ResponseWriter) (int64, error) {
			n, err := w.Write(text)
			return int64(n), err
		},
		"ReadFrom": func(w http.ResponseWriter) (int64, error) {
			return io.Copy(w, struct{ io.Reader }{bytes.NewReader(text)})
		},
		"ReadFrom limited": func(w http.ResponseWriter) (int64, error) {
			return io.CopyN(w, io.MultiReader(bytes.NewReader(text), bytes.NewReader(text)), int64(len(text)))
		},
	}
	for name, send := range ways {
		synctest.Test(t, func(t *testing.T) {
			begin := func(takes time.Duration) (*slowClient, *pacedWriter) {
				c := &slowClient{ResponseRecorder: httptest.NewRecorder(), takes: takes}
				return c, (&Server{}).Pace(c)
			}
			c, w := begin(stallTime * 9 / 10)
			if n, err := send(w); err != nil || n != int64(len(text)) || !bytes.Equal(c.Body.Bytes(), text) ||
				c.most > paceBytes {
				t.Errorf("%s: a slow client read %d of %d bytes in parts of up to %d: %v", name, n, len(text), c.most,
					err)
			}
			_, w = begin(time.Hour)
			began := time.Now()
			if n, err := send(w); err == nil || n != 0 || time.Since(began) != stallTime {
				t.Errorf("%s: a client that reads nothing got %d bytes in %v: %v", name, n, time.Since(began), err)
			}
			c, w = begin(time.Millisecond)
			w.end()
			if n, err := send(w); err == nil || n != 0 || !c.deadline.Before(time.Now()) {
				t.Errorf("%s: %d bytes of a disabled link: %v, want 0 and an error", name, n, err)
			}
		})
	}
}
