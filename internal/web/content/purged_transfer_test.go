package content_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// TestTransferEndsWhenPurged checks that transfers of a replaced version end
// when an upload needs its room: a reader gets an error, not a part that looks
// complete, and an open file does not keep bytes that no longer count.
func TestTransferEndsWhenPurged(t *testing.T) {
	s := webtest.NewSite(t)
	s.Server.RecheckEvery = 10 * time.Millisecond
	content := func(n byte) []byte { return bytes.Repeat([]byte{n}, 16<<20) } // more than a connection buffers
	s.Server.Uploads.Plans = vitrine.Plans{s.Account.Plan: {StorageBytes: 3 * 16 << 20, Versions: 1}}
	s.Server.Links.Plans = s.Server.Uploads.Plans
	l := s.Publish("a.txt", content('1'))
	s.SendReplacement(l, "a.txt", "text/plain", content('2'))
	for _, path := range []string{"/download", "/file"} {
		ended := webtest.Endings(s, path)
		address := s.URL + "/p/" + string(l.Slug) + path
		if path == "/file" {
			now, err := s.Server.Links.BySlug(t.Context(), string(l.Slug))
			s.Check(err)
			address = s.Server.ContentURL.String() + "/c/" +
				s.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: now.Version},
					s.Server.Now().Add(time.Hour)) + path
		}
		res, err := http.Get(address)
		s.Check(err)
		defer res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("%s: status %d", path, res.StatusCode)
		}
		head := make([]byte, 1<<10)
		_, err = io.ReadFull(res.Body, head)
		s.Check(err)
		for n := byte('3'); n < '6'; n++ {
			s.SendReplacement(l, "a.txt", "text/plain", content(n)) // the last one needs the room
		}
		ended()
		rest, err := io.ReadAll(res.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(webtest.ErrorText(err), "reset") {
			t.Errorf("%s: %d more bytes, then %v, want an error", path, len(rest), err)
		}
	}
}
