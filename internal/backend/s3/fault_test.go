package s3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// hasty are limits for servers that hang on purpose. Operations that must
// succeed do not use them, because a busy machine may take longer.
var hasty = limits{dial: patience, answer: 150 * time.Millisecond, copying: 150 * time.Millisecond,
	stall:    150 * time.Millisecond,
	attempts: 2, pause: 10 * time.Millisecond, part: 1 << 20}

// flaky is one bucket in three ways: through a proxy with hasty limits, through
// the proxy with ordinary limits, and without the proxy.
type flaky struct {
	*testing.T
	address              string // of the bucket, through the proxy
	proxy                *proxy
	hasty, far, straight *Blobs
}

func newFlaky(t *testing.T) *flaky {
	t.Helper()
	server := vitrinetest.S3(t)
	p, bucket := newProxy(t, server), server.Bucket(t)
	address := server.Address(bucket, p.address)
	through := func(l limits) *Blobs {
		l.part = hasty.part
		b, err := open(ctx, address, time.Now, l)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return &flaky{t, address, p, through(hasty), through(brief), opened(t, server.Address(bucket, ""))}
}

// put stores bytes like a browser.
func (f *flaky) put(text string) vitrine.UploadID {
	f.Helper()
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: int64(len(text)), Type: "text/plain",
		Expires: time.Now().Add(time.Minute)}
	address, err := f.straight.SignPut(ctx, g)
	if err != nil {
		f.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPut, address, strings.NewReader(text))
	if err != nil {
		f.Fatal(err)
	}
	r.Header.Set("Content-Type", g.Type)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		f.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		f.Fatalf("PUT: %s, want 200", res.Status)
	}
	return g.Key
}

func (f *flaky) sealed(text string) vitrine.UploadID {
	f.Helper()
	k := f.put(text)
	if _, err := f.straight.Seal(ctx, k); err != nil {
		f.Fatal(err)
	}
	return k
}

// fails runs a function with hasty limits. It must return unavailable or
// succeed, whatever hangs.
func (f *flaky) fails(what string, do func(context.Context) error) (failed bool) {
	f.Helper()
	within, cancel := context.WithTimeout(ctx, patience) // fails a request that has no end
	defer cancel()
	err := do(within)
	if within.Err() != nil {
		f.Errorf("%s takes %s", what, patience)
	}
	if err != nil && (vitrine.CodeOf(err) != vitrine.CodeUnavailable || errors.Is(err, vitrine.ErrNotFound)) {
		f.Errorf("%s: %v, want unavailable", what, err)
	}
	return err != nil
}

func (f *flaky) read(b *Blobs, k vitrine.UploadID) (string, error) {
	blob, err := b.Open(ctx, k)
	if err != nil {
		return "", err
	}
	defer blob.Close()
	got, err := io.ReadAll(blob)
	return string(got), err
}

// is checks the content of a sealed blob. "" means that it does not exist.
func (f *flaky) is(when string, k vitrine.UploadID, text string) {
	f.Helper()
	got, err := f.read(f.straight, k)
	if text == "" && !errors.Is(err, vitrine.ErrNotFound) || text != "" && (err != nil || got != text) {
		f.Errorf("%s: %d bytes, %v, want %d", when, len(got), err, len(text))
	}
}

func TestSealFaults(t *testing.T) {
	f := newFlaky(t)
	text := strings.Repeat("0123456789", 20_000)
	if _, err := f.far.Seal(ctx, f.put("the server is tried once")); err != nil {
		t.Fatal(err)
	}
	for name, which := range map[string]of{"everything": everything, "look": reads, "list": lists, "begin": begins,
		"copy": copies, "complete": completes} {
		for _, fault := range faults {
			t.Run(name+"/"+fault.name, func(t *testing.T) {
				f := &flaky{t, f.address, f.proxy, f.hasty, f.far, f.straight}
				k := f.put(text)
				f.proxy.set(fault.do(f.proxy, which))
				failed := f.fails("Seal", func(ctx context.Context) error {
					_,
						err := f.hasty.Seal(ctx, k)
					return err
				})
				f.proxy.set(nil)
				if got, err := f.read(f.straight, k); err == nil && got != text {
					t.Errorf("%d of %d bytes are sealed", len(got), len(text))
				} else if !failed && err != nil {
					t.Errorf("Seal succeeded, but then: %v", err)
				}
				if info, err := f.straight.Stat(ctx, k); err != nil || info.Size != int64(len(text)) {
					t.Errorf("Stat = %+v, %v", info, err)
				}
				if _, err := f.far.Seal(ctx, k); err != nil {
					t.Errorf("second Seal = %v, want nil", err)
				}
				f.is("sealed in the end", k, text)
				if name != "list" && name != "look" && !failed && fault.name != "done, and its answer cut off" &&
					name != "complete" {
					t.Errorf("the fault was not noticed")
				}
			})
		}
	}
}

// TestTriedAgain fails every other request of an operation once. Retries must
// succeed.
func TestTriedAgain(t *testing.T) {
	f := newFlaky(t)
	n := 0
	f.proxy.set(func(w http.ResponseWriter, r *http.Request) bool {
		f.proxy.mu.Lock()
		n++
		odd := n%2 == 1
		f.proxy.mu.Unlock()
		if odd {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return odd
	})
	k := f.put("hello")
	if _, err := f.far.Seal(ctx, k); err != nil {
		t.Fatal(err)
	}
	if err := f.far.PutPart(ctx, k, vitrine.PartPicture, strings.NewReader("picture")); err != nil {
		t.Error(err)
	}
	if got, err := f.read(f.far, k); err != nil || got != "hello" {
		t.Errorf("read %q, %v, want hello", got, err)
	}
	if err := f.far.Sweep(ctx, time.Now().Add(time.Hour),
		func(vitrine.UploadID) (bool, error) { return true, nil }); err != nil {
		t.Error(err)
	}
	if err := f.far.Delete(ctx, k); err != nil {
		t.Error(err)
	}
	f.is("deleted", k, "")
}

func TestReadFaults(t *testing.T) {
	f := newFlaky(t)
	text := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	k := f.sealed(text)
	for _, fault := range faults {
		f.proxy.set(fault.do(f.proxy, everything))
		if !f.fails("Open, "+fault.name, func(context.Context) error { _, err := f.read(f.hasty, k); return err }) {
			t.Errorf("read succeeds with fault %s, want an error", fault.name)
		}
		f.proxy.set(nil)
		if got, err := f.read(f.far, k); err != nil || got != text {
			t.Errorf("after fault %s: %d bytes, %v", fault.name, len(got), err)
		}
	}
	// A read continues where an answer has ended early or stalled.
	stalling := brief
	stalling.stall = time.Second
	some, err := open(ctx, f.address, time.Now, stalling)
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(*proxy, *http.Request){"cut": func(*proxy, *http.Request) {},
		"stalled": func(p *proxy, r *http.Request) { wait(p, r.Context()) }} {
		f.proxy.set(after(300_000, end)(f.proxy, everything))
		if got, err := f.read(some, k); err != nil || got != text {
			t.Errorf("answers with fault %s: %d bytes, %v", name, len(got), err)
		}
		if n := f.proxy.count("GET"); n < 4 {
			t.Errorf("%d requests, want at least 4", n)
		}
	}
	f.proxy.set(nil)
	// Another writer overwrites the object, which Vitrine never does.
	blob, err := f.far.Open(ctx, k)
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	if err := f.straight.putSmall(ctx, f.straight.path(k), []byte(strings.ToUpper(text))); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(blob)
	if err == nil || !strings.HasPrefix(text, string(got)) {
		t.Errorf("read of an object that was overwritten: %d bytes, %v", len(got), err)
	}
}

func TestReadsEndWithContext(t *testing.T) {
	f := newFlaky(t)
	k := f.sealed(strings.Repeat("x", 1<<20))
	within, cancel := context.WithCancel(ctx)
	blob, err := f.far.Open(within, k)
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	f.proxy.set(func(_ http.ResponseWriter, r *http.Request) bool {
		cancel()
		wait(f.proxy, r.Context())
		panic(http.ErrAbortHandler)
	})
	begun := time.Now()
	if n, err := blob.ReadAt(make([]byte, 100_000), 500_000); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadAt after the end of the context = %d, %v, want context.Canceled", n, err)
	}
	if took := time.Since(begun); took >= patience {
		t.Errorf("a read continues for %s after the end of its context", took)
	}
}

func TestPartFaults(t *testing.T) {
	f := newFlaky(t)
	k := f.sealed("hello")
	for _, size := range []int{100, chunkSize + 100} {
		old, young := bytes.Repeat([]byte("o"), size), bytes.Repeat([]byte("y"), size)
		for _, fault := range faults {
			if err := f.straight.PutPart(ctx, k, vitrine.PartPicture, bytes.NewReader(old)); err != nil {
				t.Fatal(err)
			}
			f.proxy.set(fault.do(f.proxy, writes))
			failed := f.fails("PutPart, "+fault.name, func(ctx context.Context) error {
				return f.hasty.PutPart(ctx, k, vitrine.PartPicture, bytes.NewReader(young))
			})
			f.proxy.set(nil)
			b, err := f.straight.OpenPart(ctx, k, vitrine.PartPicture)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(b)
			b.Close()
			if err != nil || !bytes.Equal(got, old) && !bytes.Equal(got, young) || !failed && !bytes.Equal(got, young) {
				t.Errorf("part of %d bytes with fault %q, failed = %t: %d bytes of %.1q, %v", size, fault.name, failed,
					len(got), got, err)
			}
		}
	}
}

func TestDeleteFaults(t *testing.T) {
	f := newFlaky(t)
	for name, which := range map[string]of{"word": writes, "delete": deletes, "list": lists} {
		for _, fault := range faults {
			k := f.sealed("hello")
			if err := f.straight.PutPart(ctx, k, vitrine.PartPicture, strings.NewReader("picture")); err != nil {
				t.Fatal(err)
			}
			f.proxy.set(fault.do(f.proxy, which))
			f.fails(name+", "+fault.name, func(ctx context.Context) error { return f.hasty.Delete(ctx, k) })
			f.proxy.set(nil)
			if err := f.far.Delete(ctx, k); err != nil {
				t.Errorf("second Delete after fault %s, %s = %v, want nil", name, fault.name, err)
			}
			f.is("deleted", k, "")
			if _, err := f.straight.OpenPart(ctx, k, vitrine.PartPicture); !errors.Is(err, vitrine.ErrNotFound) {
				t.Errorf("a part is left: %v", err)
			}
		}
	}
}

// TestServerThatOverwrites checks that nothing is sealed on a server that
// ignores If-None-Match.
func TestServerThatOverwrites(t *testing.T) {
	f := newFlaky(t)
	f.proxy.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if completes(r) { // removes the existing object first
			_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
			if err := f.straight.remove(ctx, key); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	k := f.put("hello")
	_, err := f.far.Seal(ctx, k)
	if err == nil || !errors.Is(err, errOverwrites) {
		t.Errorf("Seal = %v, want errOverwrites", err)
	}
	f.is("not sealed", k, "")
	if err := f.far.Check(ctx); err == nil || !strings.Contains(err.Error(), "overwrites objects") {
		t.Errorf("Check = %v", err)
	}
	f.proxy.set(nil)
	if _, err := f.far.Seal(ctx, k); err != nil {
		t.Errorf("Seal once the server supports it = %v, want nil", err)
	}
}
