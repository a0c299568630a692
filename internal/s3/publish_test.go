package s3

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/publish"
	"vitrine/internal/sqlstore"
	"vitrine/internal/vitrinetest"
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
		two[i] = &publish.Uploads{Store: store, Blobs: opened(t, address), Scanner: vitrine.NoScanner{},
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
