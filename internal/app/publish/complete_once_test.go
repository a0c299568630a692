package publish_test

import (
	"context"
	"errors"
	"testing"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/test/fixture"
)

// gated is storage whose blobs report that they were opened and wait for a
// permit before the first read.
type gated struct {
	vitrine.Blobs
	opened, read, permit chan struct{}
}

func (g gated) Open(ctx context.Context, key vitrine.UploadID) (vitrine.Blob, error) {
	b, err := g.Blobs.Open(ctx, key)
	g.opened <- struct{}{}
	return &gatedBlob{Blob: b, gated: g}, err
}

type gatedBlob struct {
	vitrine.Blob
	gated
	passed bool
}

func (b *gatedBlob) ReadAt(p []byte, off int64) (int, error) {
	if !b.passed {
		b.read <- struct{}{}
		<-b.permit
		b.passed = true
	}
	return b.Blob.ReadAt(p, off)
}

// TestInspectionsTakeTurns checks that inspections are limited to the number of
// turns. A request that waits for a turn ends when its last client leaves, and
// can be repeated.
func TestInspectionsTakeTurns(t *testing.T) {
	s := fixture.New(t)
	g := gated{s.Blobs, make(chan struct{}, 9), make(chan struct{}, 9), make(chan struct{}, 9)}
	s.Uploads.Blobs, s.Uploads.Inspections = g, 1
	type answer struct {
		*vitrine.Link
		error
	}
	put := func(name string) publish.CompleteRequest {
		kind, _ := filetype.ByExt(name)
		b, err := s.Uploads.Create(t.Context(), s.Account,
			publish.UploadRequest{Name: name, Type: kind.MIME, Size: int64(len(name))})
		s.Must(err)
		s.Put(b.Path, kind.MIME, name)
		return publish.CompleteRequest{Path: string(b.Path), Name: name, Type: kind.MIME}
	}
	complete := func(ctx context.Context, r publish.CompleteRequest) chan answer {
		c := make(chan answer, 1)
		go func() {
			l, err := s.Uploads.Complete(ctx, s.Account, r)
			c <- answer{l, err}
		}()
		return c
	}
	first := complete(t.Context(), put("first.txt"))
	<-g.opened
	<-g.read

	second := put("second.txt")
	ctx, leave := context.WithCancel(t.Context())
	left := complete(ctx, second)
	<-g.opened
	leave()
	select {
	case a := <-left:
		if !errors.Is(a.error, context.Canceled) && vitrine.CodeOf(a.error) != vitrine.CodeUnavailable {
			t.Errorf("Complete after the client has left = %v, %v", a.Link, a.error)
		}
	case <-g.read:
		t.Fatal("two files are inspected at once")
	}

	again, retried := complete(t.Context(), second), complete(t.Context(), second)
	<-g.opened
	// The third is for a retry that looked for the link before it existed and
	// comes after the check that made it: it checks the file once more.
	for range 3 {
		g.permit <- struct{}{}
	}
	for what, c := range map[string]chan answer{"first": first, "again": again, "retried": retried} {
		if a := <-c; a.error != nil || a.Link.State != vitrine.StateLive {
			t.Errorf("%s: Complete = %v, %v, want a live link", what, a.Link, a.error)
		}
	}
}
