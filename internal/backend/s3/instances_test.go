package s3

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

var putGrant = vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 1, Type: "text/plain",
	Expires: time.Now().Add(time.Hour)}

// put stores a body like a browser and returns the status.
func put(t testing.TB, address, contentType, body string) (status int) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPut, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	r.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	res.Body.Close()
	return res.StatusCode
}

// TestInstances runs all operations with few keys in two processes, while
// browsers upload more. A sealed key never changes its bytes, and in the end
// nothing is left of deleted keys.
func TestInstances(t *testing.T) {
	server := vitrinetest.S3(t)
	address := server.Address(server.Bucket(t), "")
	two := []*Blobs{opened(t, address), opened(t, address)}
	const size = 10_000
	body := func(c int) string { return strings.Repeat(string(rune('a'+c)), size) }
	for round := range 4 {
		k := vitrine.NewUploadID()
		g := vitrine.PutGrant{Key: k, Size: size, Type: "text/plain", Expires: time.Now().Add(time.Hour)}
		to, err := two[0].SignPut(ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		if s := put(t, to, g.Type, body(0)); s != http.StatusOK {
			t.Fatalf("PUT: status %d, want 200", s)
		}
		var mu sync.Mutex
		read := map[string]bool{}
		var wg sync.WaitGroup
		for w := range 8 {
			b := two[w%2]
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(w)))
				for step := range 10 {
					var err error
					switch r.IntN(6) {
					case 0:
						put(t, to, g.Type, body(1+w))
					case 1:
						err = b.PutPart(ctx, k, vitrine.Part(fmt.Sprintf("part-%d", step)), strings.NewReader("part"))
					case 2:
						err = b.Sweep(ctx, time.Now().Add(-time.Hour),
							func(vitrine.UploadID) (bool, error) { return true, nil })
					case 3:
						_, err = b.Stat(ctx, k)
					default:
						if round%2 == 1 && w == 7 && step > 5 {
							err = b.Delete(ctx, k)
							break
						}
						if _, err = b.Seal(ctx, k); err != nil {
							break
						}
						var blob vitrine.Blob
						if blob, err = b.Open(ctx, k); err != nil {
							break
						}
						var got []byte
						got, err = io.ReadAll(blob)
						blob.Close()
						if err == nil {
							mu.Lock()
							read[string(got)] = true
							mu.Unlock()
						}
					}
					if err != nil && !errors.Is(err, vitrine.ErrNotFound) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if len(read) > 1 {
			t.Errorf("%d different bodies of one sealed key", len(read))
		}
		if err := two[0].Delete(ctx, k); err != nil {
			t.Fatal(err)
		}
		put(t, to, g.Type, body(9))
		for _, b := range two {
			_, err1 := b.Stat(ctx, k)
			_, err2 := b.Seal(ctx, k)
			_, err3 := b.Open(ctx, k)
			if !errors.Is(err1, vitrine.ErrNotFound) || !errors.Is(err2, vitrine.ErrNotFound) ||
				!errors.Is(err3, vitrine.ErrNotFound) {
				t.Errorf("deleted key: %v, %v, %v, want ErrNotFound", err1, err2, err3)
			}
		}
	}
	sweepEmpty(t, two)
}

// sweepEmpty sweeps from two processes at once, for a store without rows, until
// nothing is left.
func sweepEmpty(t *testing.T, two []*Blobs) {
	t.Helper()
	for range 2 { // the first sweep deletes blobs and leaves tombstones
		var wg sync.WaitGroup
		for _, b := range two {
			wg.Go(func() {
				if err := b.Sweep(ctx, time.Now().Add(time.Hour),
					func(vitrine.UploadID) (bool, error) { return false, nil }); err != nil {
					t.Errorf("Sweep = %v", err)
				}
			})
		}
		wg.Wait()
	}
	if err := two[0].list(ctx, "", func(e entry) error { t.Errorf("%s is left", e.key); return nil }); err != nil {
		t.Error(err)
	}
	if err := two[0].unfinished(ctx, "", func(a *assembly,
		_ time.Time) error {
		t.Errorf("unfinished upload %s is left", a.key)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestCrashes checks that what a crash leaves between any two steps is
// completed by the next Seal, and swept.
func TestCrashes(t *testing.T) {
	server := vitrinetest.S3(t)
	address := server.Address(server.Bucket(t), "")
	b := opened(t, address)
	text := strings.Repeat("x", 6<<20) // two parts
	k := vitrine.NewUploadID()
	waiting := func() object {
		t.Helper()
		if err := b.putSmall(ctx, b.incoming(k, int64(len(text))), []byte(text)); err != nil {
			t.Fatal(err)
		}
		return object{size: int64(len(text))}
	}
	waiting()
	// A crash during the copy leaves an unfinished upload.
	if a, err := b.assemble(ctx, b.path(k)); err != nil {
		t.Fatal(err)
	} else if err := a.add(ctx, []byte(text[:5<<20])); err != nil {
		t.Fatal(err)
	}
	if info, err := b.Seal(ctx, k); err != nil || info.Size != int64(len(text)) {
		t.Fatalf("Seal after a crash during the copy = %+v, %v", info, err)
	}
	// A crash before the source of the copy was removed.
	waiting()
	if _, err := b.Seal(ctx, k); err != nil {
		t.Fatal(err)
	}
	if there, err := b.exists(ctx, b.incoming(k, int64(len(text)))); err != nil || there {
		t.Errorf("incoming has the bytes of a sealed blob: %v", err)
	}
	waiting() // with a URL that is still valid
	if err := b.Sweep(ctx, time.Now().Add(time.Hour),
		func(vitrine.UploadID) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	left := []string{}
	if err := b.list(ctx, "", func(e entry) error { left = append(left, e.key); return nil }); err != nil ||
		len(left) != 1 || left[0] != b.path(k) {
		t.Errorf("objects left: %q, %v", left, err)
	}
	if err := b.unfinished(ctx, "", func(a *assembly,
		_ time.Time) error {
		t.Errorf("unfinished upload %s is left", a.key)
		return nil
	}); err != nil {
		t.Error(err)
	}
	// A part without a blob, and an object of another program.
	if err := b.write(ctx, b.partPath(vitrine.NewUploadID(), vitrine.PartPicture), -1,
		strings.NewReader("part")); err != nil {
		t.Fatal(err)
	}
	if err := b.write(ctx, b.prefix+"readme.txt", -1, strings.NewReader("not ours")); err != nil {
		t.Fatal(err)
	}
	if err := b.Sweep(ctx, time.Now().Add(time.Hour),
		func(vitrine.UploadID) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	left = left[:0]
	if err := b.list(ctx, "", func(e entry) error { left = append(left, e.key); return nil }); err != nil ||
		len(left) != 2 {
		t.Errorf("objects left: %q, %v", left, err)
	}
}

// TestTruncated checks that a body of another size than the grant's does not
// count, even if the server stored it.
func TestTruncated(t *testing.T) {
	server := vitrinetest.S3(t)
	b := opened(t, server.Address(server.Bucket(t), ""))
	k := vitrine.NewUploadID()
	for _, text := range []string{"hell", "hello!"} {
		if err := b.putSmall(ctx, b.incoming(k, 5), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Stat(ctx, k); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("Stat of %q for 5 bytes = %v, want ErrNotFound", text, err)
		}
		if _, err := b.Seal(ctx, k); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("Seal of %q for 5 bytes = %v, want ErrNotFound", text, err)
		}
	}
}

// TestBetweenSteps checks what other processes may do between the steps of
// Seal.
func TestBetweenSteps(t *testing.T) {
	server := vitrinetest.S3(t)
	b := opened(t, server.Address(server.Bucket(t), ""))
	begin := func(text string) (vitrine.UploadID, object) {
		t.Helper()
		k := vitrine.NewUploadID()
		if err := b.putSmall(ctx, b.incoming(k, int64(len(text))), []byte(text)); err != nil {
			t.Fatal(err)
		}
		o, err := b.incomingObject(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		return k, o
	}
	nothing := func(what string, k vitrine.UploadID) {
		t.Helper()
		if _, err := b.head(ctx, b.path(k)); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: a blob exists (%v)", what, err)
		}
		if err := b.unfinished(ctx, "", func(a *assembly,
			_ time.Time) error {
			t.Errorf("%s: unfinished upload %s is left", what, a.key)
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	for _, size := range []int{5, 6 << 20} { // in one part and in two
		// Other bytes are uploaded.
		k, o := begin(strings.Repeat("a", size))
		if err := b.putSmall(ctx, b.incoming(k, o.size), []byte(strings.Repeat("b", size))); err != nil {
			t.Fatal(err)
		}
		if err := b.copy(ctx, k, o); !errors.Is(err, errReplaced) {
			t.Errorf("copy of other bytes = %v, want errReplaced", err)
		}
		nothing("a copy of other bytes", k)
		// The bytes are deleted.
		k, o = begin(strings.Repeat("a", size))
		if err := b.remove(ctx, b.incoming(k, o.size)); err != nil {
			t.Fatal(err)
		}
		if err := b.copy(ctx, k, o); !errors.Is(err, errReplaced) {
			t.Errorf("copy of missing bytes = %v, want errReplaced", err)
		}
		nothing("a copy of nothing", k)
		// Another process is first.
		k, o = begin(strings.Repeat("a", size))
		if err := b.putSmall(ctx, b.path(k), []byte("first")); err != nil {
			t.Fatal(err)
		}
		if err := b.copy(ctx, k, o); !errors.Is(err, errReplaced) {
			t.Errorf("copy over an existing blob = %v, want errReplaced", err)
		}
		if info, err := b.Seal(ctx, k); err != nil || info.Size != 5 {
			t.Errorf("Seal after another one = %+v, %v", info, err)
		}
		// The key is deleted before the blob exists, and the bytes are uploaded
		// again.
		k, o = begin(strings.Repeat("a", size))
		if err := b.Delete(ctx, k); err != nil {
			t.Fatal(err)
		}
		if err := b.putSmall(ctx, b.incoming(k, o.size), []byte(strings.Repeat("a", size))); err != nil {
			t.Fatal(err)
		}
		if err := b.copy(ctx, k, o); err != nil {
			t.Fatal(err)
		}
		if _, err := b.sealed(ctx, k, o); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("end of a Seal after Delete = %v, want ErrNotFound", err)
		}
		nothing("a Seal after Delete", k)
	}
}
