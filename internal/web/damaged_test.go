package web_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"vitrine"
)

// TestCutFileIsNotServed checks that a truncated file in storage is not served,
// neither as a whole nor in ranges: the status is 503, and the log names the
// link.
func TestCutFileIsNotServed(t *testing.T) {
	s := newSite(t)
	var log bytes.Buffer
	s.server.Log = slog.New(slog.NewTextHandler(&log, nil))
	l := s.publish("notes.txt", bytes.Repeat([]byte("words\n"), 5000))
	download, file := s.url+"/p/"+string(l.Slug)+"/download", s.contentAddress(l, "file")
	for _, address := range []string{download, file} {
		if r := s.get(address); r.StatusCode != 200 {
			t.Fatalf("%s: status %d before the damage, want 200", address, r.StatusCode)
		}
	}
	cut := 0
	s.check(filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), string(l.Upload)) {
			if st, _ := d.Info(); st.Size() == l.Size {
				cut++
				err = os.Truncate(path, l.Size/3)
			}
		}
		return err
	}))
	if cut != 1 {
		t.Fatalf("%d files truncated, want 1", cut)
	}
	for _, address := range []string{download, file} {
		for _, headers := range [][]string{nil, {"Range: bytes=0-99"}, {"Range: bytes=-5"}} {
			if r := s.get(address, headers...); r.StatusCode != 503 || strings.Contains(r.body, "words") {
				t.Errorf("%s %v: status %d, want 503 without content", address, headers, r.StatusCode)
			}
		}
	}
	if !strings.Contains(log.String(), "link "+string(l.Slug)) {
		t.Errorf("the log does not name the link:\n%s", log.String())
	}
}

// TestPageWithoutFile checks that the page of an imported link without a file
// says so, and that its views count.
func TestPageWithoutFile(t *testing.T) {
	s := newSite(t)
	l := &vitrine.Link{Account: s.account.ID, Slug: "imported", Title: "Imported", Name: "old.pdf", Kind: "pdf",
		Pages: 3, State: vitrine.StateLive,
		AllowDownload: true, CreatedAt: s.server.Now(), StateAt: s.server.Now()}
	s.check(s.server.Links.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.AddLink(l) }))
	r := s.status(s.get("/p/imported"), 200)
	if !strings.Contains(r.body, "The file of this link is not available here.") ||
		strings.Contains(r.body, "/download") ||
		strings.Contains(r.body, "/c/") {
		t.Error(r.body)
	}
	for _, what := range []string{"file", "view", "frame"} {
		s.status(s.get(s.contentAddress(l, what)), 404)
	}
	s.status(s.get("/p/imported/download"), 404)
	s.countOpens(l, 1)
}
