package main

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// chunks sends the first chunk of a file to both servers at once. One must be
// stored. Each server goes on where the other one was.
func (f *fleet) chunks(key string) {
	const chunk = 8 << 20
	letters := "abcdefghijklmnopqrst"
	b := f.post(f.servers[0], key, "/uploads", beginText("size", 2*chunk+100))
	_, path, _ := strings.Cut(b.ResumableURL, "/storage/")
	path = "/storage/" + path
	var next, stored atomic.Int64
	all := f.race(len(letters), func(s *fleetServer) (o outcome) {
		i := next.Add(1) - 1
		_, err := askChunks(http.MethodPatch, s.url+path, 0, bytes.Repeat([]byte{letters[i]}, chunk))
		switch {
		case err == nil:
			stored.Store(i)
			o.status = http.StatusNoContent
		case strings.Contains(err.Error(), "409 Conflict"):
			o.status = http.StatusConflict
		default:
			f.t.Error(err)
		}
		return o
	})
	if n := ofStatus(all, http.StatusNoContent, ""); n != 1 {
		f.t.Fatalf("%d chunks at one offset were stored, want 1", n)
	}
	at := chunk
	for i, more := range []int{chunk, 100} {
		s := f.servers[i]
		if n, err := askChunks(http.MethodHead, s.url+path, 0, nil); err != nil || n != at {
			f.t.Fatalf("%d bytes have arrived, %v, want %d", n, err, at)
		}
		n, err := askChunks(http.MethodPatch, s.url+path, at, bytes.Repeat([]byte("z"), more))
		if at += more; err != nil || n != at {
			f.t.Fatalf("%d bytes have arrived, %v, want %d", n, err, at)
		}
	}
	c := f.client(f.servers[1].url, key)
	made := f.post(f.servers[1], key, "/uploads/complete", map[string]any{"path": b.Path, "name": "a.txt",
		"type": "text/plain"})
	res, err := c.OpenLinkFile(f.t.Context(), filepath.Base(made.Slug))
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	want := append(bytes.Repeat([]byte{letters[stored.Load()]}, chunk), bytes.Repeat([]byte("z"), chunk+100)...)
	if got, err := io.ReadAll(res.Body); err != nil || !bytes.Equal(got, want) {
		f.t.Errorf("the link has %d other bytes, %v", len(got), err)
	}
}
