package vitrinetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"vitrine"
)

var blobsCtx = context.Background()

// Blobs checks a vitrine.Blobs. open makes an empty one, and closes it with the test. What a vitrine.Receiver is told in terms
// of codes is checked of those alone; others are sent bytes by their signed URLs.
func Blobs(t *testing.T, open func(t *testing.T) vitrine.Blobs) {
	for _, test := range []struct {
		name string
		run  func(blobTest)
	}{
		{"Life", blobTest.life},
		{"Absent", blobTest.absent},
		{"Sizes", blobTest.sizes},
		{"URLs", blobTest.urls},
		{"UsedUp", blobTest.usedUp},
		{"Again", blobTest.again},
		{"Swap", blobTest.swap},
		{"WrongSize", blobTest.wrongSize},
		{"Broken", blobTest.broken},
		{"UnderWay", blobTest.underWay},
		{"Race", blobTest.race},
		{"SealRace", blobTest.sealRace},
		{"Reading", blobTest.reading},
		{"DeleteOpen", blobTest.deleteOpen},
		{"Sweep", blobTest.sweep},
		{"SweepFails", blobTest.sweepFails},
		{"Each", blobTest.each},
		{"Keys", blobTest.keys},
		{"Import", blobTest.imported},
		{"Parts", blobTest.parts},
		{"PartsRace", blobTest.partsRace},
		{"Mark", blobTest.mark},
		{"MarkRace", blobTest.markRace},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(blobTest{t, open(t)}) })
	}
}

type blobTest struct {
	*testing.T
	blobs vitrine.Blobs
}

// grant permits the bytes of a text under a new key.
func grant(text string) vitrine.PutGrant {
	return vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: int64(len(text)), Type: "text/plain", Expires: time.Now().Add(time.Hour)}
}

// put sends a body as a client would.
func (t blobTest) put(g vitrine.PutGrant, body io.Reader) error {
	t.Helper()
	if r, ok := t.blobs.(vitrine.Receiver); ok {
		etag, err := r.Receive(blobsCtx, g, body)
		if err == nil && (len(etag) < 3 || etag[0] != '"' || etag[len(etag)-1] != '"') {
			t.Errorf("ETag %s", etag)
		}
		return err
	}
	url, err := t.blobs.SignPut(blobsCtx, g)
	if err != nil {
		t.Fatalf("SignPut: %v", err)
	}
	req, err := http.NewRequest(http.MethodPut, url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = g.Size
	req.Header.Set("Content-Type", g.Type)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("PUT answers %s", res.Status)
	}
	return nil
}

func (t blobTest) store(text string) vitrine.PutGrant {
	t.Helper()
	g := grant(text)
	if err := t.put(g, strings.NewReader(text)); err != nil {
		t.Fatalf("put: %v", err)
	}
	return g
}

func (t blobTest) seal(key vitrine.UploadID) vitrine.BlobInfo {
	t.Helper()
	info, err := t.blobs.Seal(blobsCtx, key)
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return info
}

// refused fails the test unless a put was refused, with one of the codes where codes are told.
func (t blobTest) refused(what string, err error, codes ...vitrine.Code) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: accepted", what)
		return
	}
	if _, ok := t.blobs.(vitrine.Receiver); ok && !slices.Contains(codes, vitrine.CodeOf(err)) {
		t.Errorf("%s: %v, want %v", what, err, codes)
	}
}

// holds checks the bytes of a sealed blob, and what is told of them.
func (t blobTest) holds(key vitrine.UploadID, text string) {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	info, err := t.blobs.Stat(blobsCtx, key)
	if err != nil || info.Size != int64(len(text)) || info.SHA256 != "" && info.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("Stat of %d bytes: %+v, %v", len(text), info, err)
	}
	b, err := t.blobs.Open(blobsCtx, key)
	if err != nil {
		t.Errorf("Open: %v", err)
		return
	}
	defer b.Close()
	got, err := io.ReadAll(b)
	if err != nil || string(got) != text || b.Size() != int64(len(text)) {
		t.Errorf("%d bytes come back as %d (%.20q…), their size as %d, %v", len(text), len(got), got, b.Size(), err)
	}
}

// gone checks that nothing is stored of a key.
func (t blobTest) gone(when string, key vitrine.UploadID) {
	t.Helper()
	_, err1 := t.blobs.Stat(blobsCtx, key)
	_, err2 := t.blobs.Seal(blobsCtx, key)
	b, err3 := t.blobs.Open(blobsCtx, key)
	if err3 == nil {
		_ = b.Close()
	}
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s, Stat, Seal and Open say %v, %v, %v, want ErrNotFound", when, err1, err2, err3)
			return
		}
	}
}

func (t blobTest) life() {
	g := grant("hello")
	t.gone("before the bytes", g.Key)
	if err := t.put(g, strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	info, err := t.blobs.Stat(blobsCtx, g.Key)
	if err != nil || info.Size != 5 {
		t.Fatalf("Stat before Seal: %+v, %v", info, err)
	}
	first := t.seal(g.Key)
	equal(t, "Stat and Seal", first, info)
	equal(t, "Seal again", t.seal(g.Key), first)
	t.holds(g.Key, "hello")
	for range 2 {
		if err := t.blobs.Delete(blobsCtx, g.Key); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		t.gone("after Delete", g.Key)
	}
	unsealed := t.store("never sealed")
	if err := t.blobs.Delete(blobsCtx, unsealed.Key); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	t.gone("after Delete before Seal", unsealed.Key)
}

func (t blobTest) absent() {
	key := vitrine.NewUploadID()
	t.gone("of a key that never was", key)
	if err := t.blobs.Delete(blobsCtx, key); err != nil {
		t.Errorf("Delete of a key that never was: %v", err)
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
			t.Fatalf("put of %d bytes: %v", n, err)
		}
		t.seal(g.Key)
		t.holds(g.Key, string(b))
	}
}

func (t blobTest) urls() {
	g := grant("hello")
	one, err1 := t.blobs.SignPut(blobsCtx, g)
	g.Expires = g.Expires.Add(time.Minute)
	two, err2 := t.blobs.SignPut(blobsCtx, g)
	if err1 != nil || err2 != nil || !strings.Contains(one, "://") || one == two {
		t.Errorf("URLs %q, %v, and signed again later %q, %v", one, err1, two, err2)
	}
	if !strings.Contains(one, string(g.Key)) {
		t.Errorf("the URL %q does not lead to its key", one)
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
				} // else it is for the server to accept it, and for storage to take no heed of it
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
	equal(t, "Seal again", t.seal(g.Key), first)
	t.holds(g.Key, "hello")
	if err := t.blobs.Delete(blobsCtx, g.Key); err != nil {
		t.Fatal(err)
	}
	again("after Delete", g, "hello", "other")
	t.gone("after Delete", g.Key)
}

// again has a transfer repeated whose answer was lost: the same bytes succeed and leave the key as it was, before Seal and after it.
func (t blobTest) again() {
	text := strings.Repeat("0123456789", 100_000)
	g := t.store(text)
	repeat := func(when string) {
		t.Helper()
		for _, body := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
			if err := t.put(g, body); err != nil {
				t.Errorf("the same bytes %s: %v", when, err)
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
		race(20, func(int) {
			if err := t.put(g, strings.NewReader(text)); err != nil {
				t.Errorf("the same bytes among others: %v", err)
			}
		})
	}
	equal(t, "Seal again", t.seal(g.Key), first)
	t.holds(g.Key, text)
}

// swap has bytes put while the key is being sealed by several at once: anyone who was told that it is sealed reads the same bytes as all others, then
// and later.
func (t blobTest) swap() {
	const size = 100_000
	body := func(i int) string { return strings.Repeat(string(rune('A'+i)), size) }
	for range 10 {
		g := grant(body(0))
		if err := t.put(g, strings.NewReader(body(0))); err != nil {
			t.Fatal(err)
		}
		var read sync.Map // the first byte of what was read
		race(8, func(i int) {
			if i%2 == 0 {
				_ = t.put(g, strings.NewReader(body(i)))
				return
			}
			for range 3 {
				if _, err := t.blobs.Seal(blobsCtx, g.Key); err != nil {
					t.Errorf("Seal while bytes are put: %v", err)
					return
				}
				b, err := t.blobs.Open(blobsCtx, g.Key)
				if err != nil {
					t.Errorf("Open after Seal: %v", err)
					return
				}
				got, err := io.ReadAll(b)
				_ = b.Close()
				if err != nil || len(got) != size || string(got) != body(int(got[0]-'A')) {
					t.Errorf("%d bytes of more than one body, %v", len(got), err)
					return
				}
				read.Store(got[0], true)
			}
		})
		n := 0
		read.Range(func(any, any) bool { n++; return true })
		equal(t, "bodies that were read of one sealed key", n, 1)
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
		t.Errorf("the right size after wrong ones: %v", err)
	}
	t.seal(g.Key)
	t.holds(g.Key, "hello")
}

// broken has transfers break off, and tried again.
func (t blobTest) broken() {
	text := strings.Repeat("0123456789", 100_000)
	g := grant(text)
	for _, n := range []int{0, 1, 300_000, len(text) - 1} {
		err := t.put(g, io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(errors.New("connection reset"))))
		if err == nil {
			t.Errorf("a transfer that breaks off after %d bytes succeeds", n)
		}
		t.gone("after a transfer that broke off", g.Key)
	}
	if err := t.put(g, strings.NewReader(text)); err != nil {
		t.Fatalf("tried again: %v", err)
	}
	t.seal(g.Key)
	t.holds(g.Key, text)
}

// underWay begins a second transfer in the middle of the first.
func (t blobTest) underWay() {
	if _, ok := t.blobs.(vitrine.Receiver); !ok {
		return // who of two comes first is then not for the project to decide
	}
	g := grant("hello")
	tried := false
	second := readerFunc(func([]byte) (int, error) {
		tried = true
		t.refused("a second transfer", t.put(g, strings.NewReader("other")), vitrine.CodeUploadInProgress)
		t.gone("during a transfer", g.Key)
		return 0, io.EOF
	})
	if err := t.put(g, io.MultiReader(strings.NewReader("hel"), second, strings.NewReader("lo"))); err != nil || !tried {
		t.Fatalf("a transfer that another comes into: %v", err)
	}
	t.seal(g.Key)
	t.holds(g.Key, "hello")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// race has many transfers of one key: one succeeds, and its bytes are there.
func (t blobTest) race() {
	if _, ok := t.blobs.(vitrine.Receiver); !ok {
		return
	}
	const size = 300_000
	body := func(i int) string { return strings.Repeat(string(rune('A'+i)), size) }
	for range 5 {
		g := grant(body(0))
		var winner, winners atomic.Int64
		race(20, func(i int) {
			err := t.put(g, iotest.HalfReader(strings.NewReader(body(i))))
			if err == nil {
				winner.Store(int64(i))
				winners.Add(1)
				return
			}
			t.refused("a transfer among others", err, vitrine.CodeURLUsed, vitrine.CodeUploadInProgress)
		})
		equal(t, "transfers that succeeded", winners.Load(), 1)
		t.seal(g.Key)
		t.holds(g.Key, body(int(winner.Load())))
	}
	// Of the same bytes, any number succeeds.
	for range 5 {
		g := grant(body(0))
		var succeeded atomic.Int64
		race(20, func(int) {
			if err := t.put(g, iotest.HalfReader(strings.NewReader(body(0)))); err == nil {
				succeeded.Add(1)
			} else {
				t.refused("a transfer among others of the same bytes", err, vitrine.CodeUploadInProgress)
			}
		})
		if succeeded.Load() < 1 {
			t.Errorf("no transfer of the same bytes succeeded")
		}
		t.seal(g.Key)
		t.holds(g.Key, body(0))
	}
}

func (t blobTest) sealRace() {
	g := t.store("hello")
	race(20, func(i int) {
		info, err := t.blobs.Seal(blobsCtx, g.Key)
		if err != nil || info.Size != 5 {
			t.Errorf("Seal: %+v, %v", info, err)
		}
		if _, err := t.blobs.Stat(blobsCtx, g.Key); err != nil {
			t.Errorf("Stat: %v", err)
		}
	})
	t.holds(g.Key, "hello")
}

func (t blobTest) reading() {
	text := strings.Repeat("0123456789", 10_000)
	g := t.store(text)
	t.seal(g.Key)
	b, err := t.blobs.Open(blobsCtx, g.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := iotest.TestReader(b, []byte(text)); err != nil {
		t.Error(err)
	}
	race(10, func(i int) {
		p := make([]byte, 5000)
		at := i * 9999
		n, err := b.ReadAt(p, int64(at))
		if n != len(p) || err != nil || string(p) != text[at:at+len(p)] {
			t.Errorf("ReadAt %d: %d bytes, %v", at, n, err)
		}
	})
	if n, err := b.ReadAt(make([]byte, 10), int64(len(text))-4); n != 4 || err != io.EOF {
		t.Errorf("ReadAt beyond the end: %d, %v", n, err)
	}
}

func (t blobTest) deleteOpen() {
	g := t.store("hello")
	t.seal(g.Key)
	b, err := t.blobs.Open(blobsCtx, g.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := t.blobs.Delete(blobsCtx, g.Key); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(b)
	if err != nil || string(got) != "hello" {
		t.Errorf("an open blob after Delete: %q, %v", got, err)
	}
	long := strings.Repeat("0123456789", 200_000)
	g = t.store(long)
	t.seal(g.Key)
	if b, err = t.blobs.Open(blobsCtx, g.Key); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := t.blobs.Delete(blobsCtx, g.Key); err != nil {
		t.Fatal(err)
	}
	got, err = io.ReadAll(b)
	if _, here := t.blobs.(vitrine.Receiver); here && err != nil || err == nil && len(got) != len(long) || !strings.HasPrefix(long, string(got)) {
		t.Errorf("an open blob after Delete: %d of %d bytes, %v", len(got), len(long), err)
	}
}

// Times before and after all that a test does, whatever clock a backend goes by.
var (
	longAgo  = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
	farAhead = time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)
)

func (t blobTest) sweep() {
	kept, unknown, deleted := t.store("kept"), t.store("unknown"), t.store("deleted")
	waiting := t.store("waiting for its completion")
	t.seal(kept.Key)
	t.seal(unknown.Key)
	failed := grant("failed")
	_ = t.put(failed, strings.NewReader("fail"))
	if err := t.blobs.Delete(blobsCtx, deleted.Key); err != nil {
		t.Fatal(err)
	}
	sweep := func(before time.Time, known ...vitrine.UploadID) {
		t.Helper()
		err := t.blobs.Sweep(blobsCtx, before, func(k vitrine.UploadID) (bool, error) { return slices.Contains(known, k), nil })
		if err != nil {
			t.Fatalf("Sweep: %v", err)
		}
	}
	_, receives := t.blobs.(vitrine.Receiver)
	// Nothing is that old.
	sweep(longAgo)
	t.holds(kept.Key, "kept")
	t.holds(unknown.Key, "unknown")
	if receives {
		t.refused("a deleted key after a sweep of older ones", t.put(deleted, strings.NewReader("deleted")), vitrine.CodeURLUsed)
	}
	// What is known stays as it is.
	sweep(farAhead, kept.Key, unknown.Key, deleted.Key, waiting.Key, failed.Key)
	t.holds(kept.Key, "kept")
	t.holds(unknown.Key, "unknown")
	if receives {
		t.refused("a deleted key that is known, after a sweep", t.put(deleted, strings.NewReader("deleted")), vitrine.CodeURLUsed)
	}
	t.seal(waiting.Key)
	t.holds(waiting.Key, "waiting for its completion")
	// What is not known may go, and what is known stays.
	sweep(farAhead, kept.Key)
	t.holds(kept.Key, "kept")
	if err := t.put(failed, strings.NewReader("failed")); err != nil {
		t.Errorf("a transfer after the sweep of a failed one: %v", err)
	}
}

func (t blobTest) sweepFails() {
	g := t.store("deleted")
	if err := t.blobs.Delete(blobsCtx, g.Key); err != nil {
		t.Fatal(err)
	}
	asked := false
	err := t.blobs.Sweep(blobsCtx, farAhead, func(vitrine.UploadID) (bool, error) { asked = true; return false, errAbandoned })
	if asked && !errors.Is(err, errAbandoned) {
		t.Errorf("Sweep, when nobody knows what to keep: %v", err)
	}
	if _, ok := t.blobs.(vitrine.Receiver); ok && asked {
		t.refused("a deleted key that nobody could say was unknown", t.put(g, strings.NewReader("deleted")), vitrine.CodeURLUsed)
	}
}

func (t blobTest) each() {
	want := map[vitrine.UploadID]vitrine.BlobInfo{}
	for i := range 50 {
		g := t.store(strings.Repeat("x", i+1))
		if i%5 == 0 {
			if err := t.blobs.Delete(blobsCtx, g.Key); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want[g.Key] = t.seal(g.Key)
	}
	got := map[vitrine.UploadID]vitrine.BlobInfo{}
	err := t.blobs.Each(blobsCtx, func(k vitrine.UploadID, info vitrine.BlobInfo) error {
		if _, again := got[k]; again {
			t.Errorf("%s is listed twice", k)
		}
		got[k] = info
		return nil
	})
	if err != nil {
		t.Fatalf("Each: %v", err)
	}
	equal(t, "sealed blobs", got, want)
	calls := 0
	err = t.blobs.Each(blobsCtx, func(vitrine.UploadID, vitrine.BlobInfo) error { calls++; return errAbandoned })
	if !errors.Is(err, errAbandoned) || calls != 1 {
		t.Errorf("Each whose function fails: %v after %d calls", err, calls)
	}
}

// keys has what is no key: nothing is stored of it and nothing found.
func (t blobTest) keys() {
	for _, key := range []vitrine.UploadID{"", "a", "../../../../../../etc/passwd", vitrine.UploadID(strings.Repeat("/", 26)),
		vitrine.UploadID(strings.Repeat(".", 26)), vitrine.UploadID(strings.Repeat("A", 26)), vitrine.NewUploadID() + "/x", "aaaaaaaaaaaaaaaaaaaaaaaaa\x00"} {
		t.gone(fmt.Sprintf("of the key %q", key), key)
		if r, ok := t.blobs.(vitrine.Receiver); ok {
			if _, err := r.Receive(blobsCtx, vitrine.PutGrant{Key: key, Size: 1, Expires: farAhead}, strings.NewReader("x")); err == nil {
				t.Errorf("bytes are stored under the key %q", key)
			}
		}
		if err := t.blobs.Delete(blobsCtx, key); err != nil {
			t.Errorf("Delete of the key %q: %v", key, err)
		}
	}
}
