package porttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing/iotest"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t blobTest) life() {
	g := grant("hello")
	t.gone("before the bytes", g.Key)
	if err := t.put(g, strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	info, err := t.blobs.Stat(ctx, g.Key)
	if err != nil || info.Size != 5 {
		t.Fatalf("Stat before Seal = %+v, %v", info, err)
	}
	first := t.seal(g.Key)
	vitrinetest.Equal(t, "Stat and Seal", first, info)
	vitrinetest.Equal(t, "Seal again", t.seal(g.Key), first)
	t.holds(g.Key, "hello")
	for range 2 {
		if err := t.blobs.Delete(ctx, g.Key); err != nil {
			t.Fatalf("Delete = %v, want nil", err)
		}
		t.gone("after Delete", g.Key)
	}
	unsealed := t.store("never sealed")
	if err := t.blobs.Delete(ctx, unsealed.Key); err != nil {
		t.Fatalf("Delete = %v, want nil", err)
	}
	t.gone("after Delete before Seal", unsealed.Key)
}

func (t blobTest) absent() {
	key := vitrine.NewUploadID()
	t.gone("of a key that never was", key)
	if err := t.blobs.Delete(ctx, key); err != nil {
		t.Errorf("Delete of an unknown key = %v, want nil", err)
	}
}

func (t blobTest) sizes() {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 4095, 256<<10 - 1, 256 << 10, 256<<10 + 1, 5<<20 + 123} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		g := grant(string(b))
		if err := t.put(g, iotest.HalfReader(bytes.NewReader(b))); err != nil {
			t.Fatalf("put of %d bytes = %v, want nil", n, err)
		}
		t.seal(g.Key)
		t.holds(g.Key, string(b))
	}
}

func (t blobTest) urls() {
	g := grant("hello")
	one, err1 := t.blobs.SignPut(ctx, g)
	g.Expires = g.Expires.Add(time.Minute)
	two, err2 := t.blobs.SignPut(ctx, g)
	if err1 != nil || err2 != nil || !strings.Contains(one, "://") || one == two {
		t.Errorf("SignPut = %q, %v, and later %q, %v, want different URLs", one, err1, two, err2)
	}
	if !strings.Contains(one, string(g.Key)) {
		t.Errorf("URL %q does not contain its key", one)
	}
}

func (t blobTest) usedUp() {
	_, receives := t.blobs.(vitrine.Receiver)
	again := func(when string, g vitrine.PutGrant, texts ...string) {
		t.Helper()
		later := g
		later.Expires = g.Expires.Add(time.Hour)
		for _, text := range texts {
			for _, g := range []vitrine.PutGrant{g, later} {
				if err := t.put(g, strings.NewReader(text)); receives {
					t.refused(when, err, vitrine.CodeURLUsed)
				} // other servers may accept it, but storage must ignore it
			}
		}
	}
	g := t.store("hello")
	if receives {
		again("before Seal", g, "other")
	}
	first := t.seal(g.Key)
	again("after Seal", g, "other")
	t.holds(g.Key, "hello")
	vitrinetest.Equal(t, "Seal again", t.seal(g.Key), first)
	t.holds(g.Key, "hello")
	if err := t.blobs.Delete(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	again("after Delete", g, "hello", "other")
	t.gone("after Delete", g.Key)
}

// again repeats a transfer whose response was lost. The same bytes must succeed
// and must not change the key, before and after Seal.
func (t blobTest) again() {
	text := strings.Repeat("0123456789", 100_000)
	g := t.store(text)
	repeat := func(when string) {
		t.Helper()
		for _, body := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
			if err := t.put(g, body); err != nil {
				t.Errorf("put of the same bytes %s = %v, want nil", when, err)
			}
		}
	}
	repeat("before Seal")
	first := t.seal(g.Key)
	if _, ok := t.blobs.(vitrine.Receiver); ok {
		repeat("after Seal")
		t.refused("fewer bytes", t.put(g, strings.NewReader(text[1:])), vitrine.CodeURLUsed)
		t.refused("a part of the bytes", t.put(g, strings.NewReader(text[:len(text)-1])), vitrine.CodeSizeMismatch)
		t.refused("no bytes", t.put(g, strings.NewReader("")), vitrine.CodeSizeMismatch)
		t.refused("more bytes", t.put(g, strings.NewReader(text+"0")), vitrine.CodeSizeMismatch)
		t.refused("another last byte", t.put(g, strings.NewReader(text[:len(text)-1]+"x")), vitrine.CodeURLUsed)
		broken := io.MultiReader(strings.NewReader(text[:300_000]), iotest.ErrReader(errors.New("connection reset")))
		t.refused("a transfer that breaks off", t.put(g, broken), vitrine.CodeSizeMismatch)
		vitrinetest.Race(20, func(int) {
			if err := t.put(g, strings.NewReader(text)); err != nil {
				t.Errorf("put of the same bytes after broken transfers = %v, want nil", err)
			}
		})
	}
	vitrinetest.Equal(t, "Seal again", t.seal(g.Key), first)
	t.holds(g.Key, text)
}

// swap puts bytes while several callers seal the key. All successful callers
// must read the same bytes, then and later.
func (t blobTest) swap() {
	const size = 100_000
	body := func(i int) string { return strings.Repeat(string(rune('A'+i)), size) }
	for range 10 {
		g := grant(body(0))
		if err := t.put(g, strings.NewReader(body(0))); err != nil {
			t.Fatal(err)
		}
		var read sync.Map // first byte of each read
		vitrinetest.Race(8, func(i int) {
			if i%2 == 0 {
				_ = t.put(g, strings.NewReader(body(i)))
				return
			}
			for range 3 {
				if _, err := t.blobs.Seal(ctx, g.Key); err != nil {
					t.Errorf("Seal during puts = %v, want nil", err)
					return
				}
				b, err := t.blobs.Open(ctx, g.Key)
				if err != nil {
					t.Errorf("Open after Seal = %v, want nil", err)
					return
				}
				got, err := io.ReadAll(b)
				_ = b.Close()
				if err != nil || len(got) != size || string(got) != body(int(got[0]-'A')) {
					t.Errorf("%d bytes, want those of one body, %v", len(got), err)
					return
				}
				read.Store(got[0], true)
			}
		})
		n := 0
		read.Range(func(any, any) bool { n++; return true })
		vitrinetest.Equal(t, "bodies that were read of one sealed key", n, 1)
		read.Range(func(first, _ any) bool { t.holds(g.Key, body(int(first.(byte)-'A'))); return true })
	}
}

func (t blobTest) wrongSize() {
	g := grant("hello")
	for _, text := range []string{"", "h", "hell", "hello!", strings.Repeat("hello", 100_000)} {
		t.refused(fmt.Sprintf("%d bytes for 5", len(text)), t.put(g, strings.NewReader(text)), vitrine.CodeSizeMismatch)
		t.gone("after a wrong size", g.Key)
	}
	if err := t.put(g, strings.NewReader("hello")); err != nil {
		t.Errorf("put of the right size after wrong ones = %v, want nil", err)
	}
	t.seal(g.Key)
	t.holds(g.Key, "hello")
}

// broken interrupts transfers and retries them.
func (t blobTest) broken() {
	text := strings.Repeat("0123456789", 100_000)
	g := grant(text)
	for _, n := range []int{0, 1, 300_000, len(text) - 1} {
		err := t.put(g, io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(errors.New("connection reset"))))
		if err == nil {
			t.Errorf("put of a body that ends after %d bytes succeeds, want an error", n)
		}
		t.gone("after a transfer that broke off", g.Key)
	}
	if err := t.put(g, strings.NewReader(text)); err != nil {
		t.Fatalf("repeated put = %v, want nil", err)
	}
	t.seal(g.Key)
	t.holds(g.Key, text)
}

// duringTransfer starts a second transfer during the first.
func (t blobTest) duringTransfer() {
	if _, ok := t.blobs.(vitrine.Receiver); !ok {
		return // the server decides which of two uploads wins
	}
	g := grant("hello")
	tried := false
	second := readerFunc(func([]byte) (int, error) {
		tried = true
		t.refused("a second transfer", t.put(g, strings.NewReader("other")), vitrine.CodeUploadInProgress)
		t.gone("during a transfer", g.Key)
		return 0, io.EOF
	})
	if err := t.put(g, io.MultiReader(strings.NewReader("hel"), second, strings.NewReader("lo"))); err != nil ||
		!tried {
		t.Fatalf("put during which another one starts = %v", err)
	}
	t.seal(g.Key)
	t.holds(g.Key, "hello")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// race starts many transfers of one key. One must succeed, and its bytes must
// be stored.
func (t blobTest) race() {
	if _, ok := t.blobs.(vitrine.Receiver); !ok {
		return
	}
	const size = 300_000
	body := func(i int) string { return strings.Repeat(string(rune('A'+i)), size) }
	for range 5 {
		g := grant(body(0))
		var winner, winners atomic.Int64
		vitrinetest.Race(20, func(i int) {
			err := t.put(g, iotest.HalfReader(strings.NewReader(body(i))))
			if err == nil {
				winner.Store(int64(i))
				winners.Add(1)
				return
			}
			t.refused("a transfer among others", err, vitrine.CodeURLUsed, vitrine.CodeUploadInProgress)
		})
		vitrinetest.Equal(t, "transfers that succeeded", winners.Load(), 1)
		t.seal(g.Key)
		t.holds(g.Key, body(int(winner.Load())))
	}
	// Any number of transfers of the same bytes succeeds.
	for range 5 {
		g := grant(body(0))
		var succeeded atomic.Int64
		vitrinetest.Race(20, func(int) {
			if err := t.put(g, iotest.HalfReader(strings.NewReader(body(0)))); err == nil {
				succeeded.Add(1)
			} else {
				t.refused("a transfer among others of the same bytes", err, vitrine.CodeUploadInProgress)
			}
		})
		if succeeded.Load() < 1 {
			t.Errorf("no put of the same bytes succeeded")
		}
		t.seal(g.Key)
		t.holds(g.Key, body(0))
	}
}

func (t blobTest) sealRace() {
	g := t.store("hello")
	vitrinetest.Race(20, func(i int) {
		info, err := t.blobs.Seal(ctx, g.Key)
		if err != nil || info.Size != 5 {
			t.Errorf("Seal = %+v, %v", info, err)
		}
		if _, err := t.blobs.Stat(ctx, g.Key); err != nil {
			t.Errorf("Stat = %v, want nil", err)
		}
	})
	t.holds(g.Key, "hello")
}
