package s3

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/publish"
	"vitrine/internal/backend/sqlstore"
	"vitrine/internal/test/vitrinetest"
)

// TestSwapWhileInspected completes one upload in two processes while its sender
// replaces a text with a program. A link is created only with the inspected
// bytes.
func TestSwapWhileInspected(t *testing.T) {
	server := vitrinetest.S3(t)
	address := server.Address(server.Bucket(t), "")
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "vitrine.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	owner, _, err := (&auth.Accounts{Store: store, Now: time.Now}).Create(ctx, "owner@example.org",
		vitrine.PlanLifetime)
	if err != nil {
		t.Fatal(err)
	}
	good := strings.Repeat("Good day. ", 2000)
	evil := "MZ" + strings.Repeat("\x00\x90", len(good)/2-1)
	if len(good) != len(evil) {
		t.Fatal("the files have different lengths")
	}
	two := make([]*publish.Uploads, 2)
	for i := range two {
		two[i] = &publish.Uploads{Store: store, Blobs: opened(t, address), Scanner: publish.NoScanner{},
			Plans: vitrine.DefaultPlans(), Now: time.Now}
	}
	made, refused := 0, 0
	for round := range 12 {
		begun, err := two[0].Create(ctx, owner, publish.UploadRequest{Name: "note.txt", Type: "text/plain",
			Size: int64(len(good))})
		if err != nil {
			t.Fatal(err)
		}
		put(t, begun.SignedURL, "text/plain", good)
		var wg sync.WaitGroup
		links := make([]*vitrine.Link, 2)
		for i, u := range two {
			wg.Go(func() {
				var err error
				links[i], err = u.Complete(ctx, owner,
					publish.CompleteRequest{Path: string(begun.Path), Name: "note.txt", Type: "text/plain"})
				if code := vitrine.CodeOf(err); err != nil && code != vitrine.CodeContentMismatch &&
					code != vitrine.CodeUnsafeFile && code != vitrine.CodeUnavailable &&
					code != vitrine.CodeUploadIncomplete {
					t.Errorf("Complete = %v", err)
				}
			})
		}
		wg.Go(func() {
			for n := range 8 {
				put(t, begun.SignedURL, "text/plain", []string{evil, good}[(n+round)%2])
			}
		})
		wg.Wait()
		if links[0] == nil && links[1] == nil {
			refused++
			continue
		}
		made++
		for _, u := range two {
			b, err := u.Blobs.Open(ctx, begun.Path)
			if err != nil {
				t.Fatalf("the link exists, but its bytes: %v", err)
			}
			got, err := io.ReadAll(b)
			b.Close()
			if err != nil || !bytes.Equal(got, []byte(good)) {
				t.Errorf("the served bytes were not inspected: %.10q, %v", got, err)
			}
		}
	}
	t.Logf("%d links, %d refusals", made, refused)
}

// TestRepeatedPuts repeats the PUTs of uploads that have ended in each way. The
// next sweep deletes all these bytes: what is left in the bucket is what counts
// for the account. An upload that is still open keeps its bytes.
func TestRepeatedPuts(t *testing.T) {
	server := vitrinetest.S3(t)
	store, err := sqlstore.Open(filepath.Join(t.TempDir(), "vitrine.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	owner, _, err := (&auth.Accounts{Store: store, Now: time.Now}).Create(ctx, "owner@example.org",
		vitrine.PlanLifetime)
	if err != nil {
		t.Fatal(err)
	}
	blobs := opened(t, server.Address(server.Bucket(t), ""))
	uploads := &publish.Uploads{Store: store, Blobs: blobs, Scanner: publish.NoScanner{}, Plans: vitrine.DefaultPlans(),
		Now: time.Now}
	text := strings.Repeat("Good day. ", 2000)
	ends := map[string]func(vitrine.UploadID) error{
		"published": func(k vitrine.UploadID) error {
			_, err := uploads.Complete(ctx, owner, publish.CompleteRequest{Path: string(k), Name: "note.txt",
				Type: "text/plain"})
			return err
		},
		"cancelled": func(k vitrine.UploadID) error { return uploads.Cancel(ctx, owner, string(k)) },
		"purged":    func(k vitrine.UploadID) error { return blobs.Delete(ctx, k) },
		"open":      func(vitrine.UploadID) error { return nil },
	}
	again := map[string]string{}
	for name, end := range ends {
		begun, err := uploads.Create(ctx, owner, publish.UploadRequest{Name: "note.txt", Type: "text/plain",
			Size: int64(len(text))})
		if err != nil {
			t.Fatal(err)
		}
		if status := put(t, begun.SignedURL, "text/plain", text); status != http.StatusOK {
			t.Fatalf("%s: PUT = %d", name, status)
		}
		if err := end(begun.Path); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again[name] = begun.SignedURL
	}
	stored := func() (bytes, incoming int64) {
		for _, dir := range []string{incomingDir, blobsDir} {
			if err := blobs.list(ctx, blobs.prefix+dir, func(e entry) error {
				if !strings.HasSuffix(e.key, usedSuffix) {
					bytes += e.size
				}
				if dir == incomingDir && !strings.HasSuffix(e.key, usedSuffix) {
					incoming++
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		return bytes, incoming
	}
	for range 3 {
		for name, address := range again {
			if status := put(t, address, "text/plain", text); status != http.StatusOK {
				t.Fatalf("%s: PUT again = %d", name, status)
			}
		}
		if _, incoming := stored(); incoming != int64(len(ends)) {
			t.Fatalf("%d objects in incoming after PUTs again, want %d: the test shows nothing", incoming, len(ends))
		}
		if err := uploads.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		use, err := uploads.Usage(ctx, owner)
		if err != nil {
			t.Fatal(err)
		}
		if bytes, incoming := stored(); bytes > use.Bytes || incoming != 1 {
			t.Errorf("%d bytes in the bucket, %d of uploads, and %d count: want the open upload, and no byte uncounted",
				bytes, incoming, use.Bytes)
		}
	}
}
