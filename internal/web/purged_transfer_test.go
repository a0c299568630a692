package web_test

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
)

// TestTransferEndsWhenPurged checks that transfers of a replaced version end
// when an upload needs its room: a reader gets an error, not a part that looks
// complete, and an open file does not keep bytes that no longer count.
func TestTransferEndsWhenPurged(t *testing.T) {
	s := newSite(t)
	s.server.RecheckEvery = 10 * time.Millisecond
	content := func(n byte) []byte { return bytes.Repeat([]byte{n}, 16<<20) } // more than a connection buffers
	s.server.Uploads.Plans = vitrine.Plans{s.account.Plan: {StorageBytes: 3 * 16 << 20, Versions: 1}}
	s.server.Links.Plans = s.server.Uploads.Plans
	l := s.publish("a.txt", content('1'))
	s.sendReplacement(l, "a.txt", "text/plain", content('2'))
	for _, path := range []string{"/download", "/file"} {
		ended := endings(s, path)
		address := s.url + "/p/" + string(l.Slug) + path
		if path == "/file" {
			now, err := s.server.Links.BySlug(t.Context(), string(l.Slug))
			s.check(err)
			address = s.server.ContentURL.String() + "/c/" +
				s.server.Signer.ContentToken(signer.Content{Link: l.ID, Version: now.Version}, s.server.Now().Add(time.Hour)) + path
		}
		res, err := http.Get(address)
		s.check(err)
		defer res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("%s: status %d", path, res.StatusCode)
		}
		head := make([]byte, 1<<10)
		_, err = io.ReadFull(res.Body, head)
		s.check(err)
		for n := byte('3'); n < '6'; n++ {
			s.sendReplacement(l, "a.txt", "text/plain", content(n)) // the last one needs the room
		}
		ended()
		rest, err := io.ReadAll(res.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(errorText(err), "reset") {
			t.Errorf("%s: %d more bytes, then %v, want an error", path, len(rest), err)
		}
	}
}
