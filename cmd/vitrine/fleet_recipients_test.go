package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/test/tier"
)

// largeText is a large text that is nowhere: any part of it can be read.
type largeText struct{}

func (largeText) ReadAt(b []byte, at int64) (int, error) {
	const line = "Nothing of this may be lost.\n"
	for i := range b {
		b[i] = line[(at+int64(i))%int64(len(line))]
	}
	return len(b), nil
}

// recipients revokes the address of a recipient on one server, while readers
// fetch a large file by it from both. Both refuse the address within the time
// in which others see a change, the transfers end, and those by another address
// do not.
func (f *fleet) recipients(key string) {
	ctx := f.t.Context()
	size := int64(tier.Pick(96<<20, 1<<30))
	c := f.client(f.servers[0].url, key)
	l, err := c.Upload(ctx, client.File{Name: "large.txt", Size: size,
		Content: io.NewSectionReader(largeText{}, 0, size)}, client.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	list, err := c.AddRecipients(ctx, l.Slug, []client.NewRecipient{{Label: "Anna"}, {Label: "Bob"}}, "")
	if err != nil {
		f.t.Fatal(err)
	}
	path := func(i int) string { return strings.TrimPrefix(list[i].URL, f.url) }
	begin := func(s *fleetServer, i int) io.ReadCloser {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path(i)+"/download", nil)
		if err != nil {
			f.t.Fatal(err)
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil || res.StatusCode != http.StatusOK {
			f.t.Fatal(res, err)
		}
		if _, err := io.CopyN(io.Discard, res.Body, 1<<20); err != nil {
			f.t.Fatal(err)
		}
		return res.Body // the reader waits, so only a server ends it
	}
	var cut, whole []io.ReadCloser
	for _, s := range f.servers {
		cut, whole = append(cut, begin(s, 0)), append(whole, begin(s, 1))
	}
	if err := f.client(f.servers[1].url, key).RevokeRecipient(ctx, l.Slug, list[0].ID); err != nil {
		f.t.Fatal(err)
	}
	revoked := time.Now()
	for i, s := range f.servers {
		f.within(seen, "a recipient that is revoked", func() bool {
			status, _, err := getPage(ctx, s.url+path(0))
			return err == nil && status == http.StatusGone
		})
		f.t.Logf("server %d answers 410 after %v", i, time.Since(revoked).Round(time.Millisecond))
		if status, _, err := getPage(ctx, s.url+path(1)); err != nil || status != 200 {
			f.t.Errorf("server %d, another recipient: %d, %v", i, status, err)
		}
	}
	for i, body := range cut {
		f.within(seen, fmt.Sprintf("server %d ends a transfer of a revoked recipient", i), func() bool {
			_, err := io.CopyN(io.Discard, body, 64<<10) // a reader that is slow: all would take longer
			return err != nil && err != io.EOF
		})
		f.t.Logf("server %d has ended its transfer after %v", i, time.Since(revoked).Round(time.Millisecond))
		body.Close()
	}
	for i, body := range whole {
		if n, err := io.CopyN(io.Discard, body, 32<<20); err != nil {
			f.t.Errorf("server %d sent %d bytes to another recipient: %v", i, n, err)
		}
		body.Close()
	}
}
