package client

import (
	"net/http"
	"strings"
	"testing"
)

// TestBucket checks how the client reacts to a bucket's answers to the PUT.
func TestBucket(t *testing.T) {
	xml := func(code string) string {
		return `<?xml version="1.0" encoding="UTF-8"?>` + "\n<Error><Code>" + code +
			"</Code><Message>Said by a bucket.</Message><RequestId>1</RequestId></Error>"
	}
	for _, test := range []struct {
		name         string
		status       int
		body         string
		puts, begins int // 0 if the upload fails
	}{
		{"expired", http.StatusForbidden, xml("AccessDenied"), 2, 2},
		{"internal", http.StatusInternalServerError, xml("InternalError"), 2, 1},
		{"slow down", http.StatusServiceUnavailable, xml("SlowDown"), 2, 1},
		{"timeout", http.StatusBadRequest, xml("RequestTimeout"), 2, 1},
		{"too large", http.StatusBadRequest, xml("EntityTooLarge"), 1, 0},
		{"no bucket", http.StatusForbidden, "<html>Forbidden</html>", 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.fail(stepPut, refused(test.status, nil, test.body))
			c, _ := fresh(t, f.URL)
			l, err := c.Upload(t.Context(), textFile(), Options{})
			if test.begins == 0 {
				if err == nil || strings.HasPrefix(test.body, "<?xml") &&
					!strings.Contains(err.Error(), "Storage refuses the file: EntityTooLarge. Said by a bucket.") {
					t.Errorf("Upload = %v, want the bucket's error", err)
				}
			} else if err != nil || l.Slug != "abc" || f.count(stepBegin) != test.begins {
				t.Errorf("Upload = %+v, %v after step 1 was sent %d times, want %d", l, err, f.count(stepBegin),
					test.begins)
			}
			if f.count(stepPut) != test.puts {
				t.Errorf("%d PUTs, want %d", f.count(stepPut), test.puts)
			}
		})
	}
}
