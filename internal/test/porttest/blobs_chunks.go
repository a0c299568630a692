package porttest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing/iotest"
	"time"

	"vitrine"
	"vitrine/internal/app/publish"
	"vitrine/internal/test/vitrinetest"
)

// chunkedTest is a test of a publish.Resumer.
type chunkedTest struct {
	blobTest
	resumer publish.Resumer
	unit    int // the size of a piece of the test's text
}

// onChunks returns a test of blobs that take chunks.
func onChunks(run func(chunkedTest)) func(blobTest) {
	return func(t blobTest) {
		if r, ok := t.blobs.(publish.Resumer); ok {
			unit := 5 << 20 // the smallest part in a bucket
			if _, receives := t.blobs.(vitrine.Receiver); receives {
				unit = 300_000
			}
			run(chunkedTest{t, r, unit})
		}
	}
}

// text returns a text of n pieces.
func (t chunkedTest) text(n int) string {
	all := ""
	for i := range n {
		all += strings.Repeat(string(rune('a'+i)), t.unit)
	}
	return all
}

func (t chunkedTest) append(g vitrine.PutGrant, at int, text string) error {
	return t.send(g, at, strings.NewReader(text), nil)
}

func (t chunkedTest) send(g vitrine.PutGrant, at int, body io.Reader, verify func() error) error {
	_, err := t.resumer.Append(ctx, g, int64(at), body, verify)
	return err
}

// received checks how many bytes of a key have arrived.
func (t chunkedTest) received(when string, g vitrine.PutGrant, want int) {
	t.Helper()
	if n, err := t.resumer.Received(ctx, g); err != nil || n != int64(want) {
		t.Errorf("%s: Received = %d, %v, want %d", when, n, err, want)
	}
}

// refused checks that a chunk was refused with one of the codes.
func (t chunkedTest) refused(what string, err error, codes ...vitrine.Code) {
	t.Helper()
	if !slices.Contains(codes, vitrine.CodeOf(err)) {
		t.Errorf("%s: %v, want %v", what, err, codes)
	}
}

func (t chunkedTest) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// verified returns a function that refuses a chunk or not.
func verified(err error) func() error { return func() error { return err } }

// chunks sends a file in chunks, some of which break off.
func (t chunkedTest) chunks() {
	text := t.text(5)
	g := grant(text)
	t.received("before the first chunk", g, 0)
	t.must(t.append(g, 0, text[:t.unit]))
	t.received("after a chunk", g, t.unit)
	t.gone("after one chunk", g.Key)
	t.must(t.append(g, t.unit, ""))
	t.received("after an empty chunk", g, t.unit)
	cut := iotest.ErrReader(errors.New("connection reset"))
	err := t.send(g, t.unit, io.MultiReader(strings.NewReader(text[t.unit:3*t.unit]), cut), nil)
	t.refused("a chunk that breaks off", err, vitrine.CodeSizeMismatch)
	t.received("after a chunk that broke off", g, 3*t.unit)
	n, err := t.resumer.Append(ctx, g, int64(3*t.unit), strings.NewReader(text[3*t.unit:4*t.unit]), verified(nil))
	if err != nil || n != int64(4*t.unit) {
		t.Fatalf("Append of a chunk that is verified = %d, %v, want %d", n, err, 4*t.unit)
	}
	t.must(t.append(g, 4*t.unit, text[4*t.unit:]))
	t.received("after the last chunk", g, len(text))
	info := t.seal(g.Key)
	t.holds(g.Key, text)
	if sum := sha256.Sum256([]byte(text)); info.SHA256 != "" && info.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("SHA-256 = %s, want %x", info.SHA256, sum)
	}
	t.refused("a chunk of a sealed key", t.append(g, 0, text[:t.unit]), vitrine.CodeURLUsed)
	t.refused("a chunk behind a sealed key", t.append(g, len(text), ""), vitrine.CodeURLUsed)
	t.received("after that", g, len(text))
	t.leftNothing()

	whole := grant(text)
	t.must(t.append(whole, 0, text))
	t.seal(whole.Key)
	t.holds(whole.Key, text)
}

// leftNothing checks that no chunks are stored. A bucket keeps those of a key
// that a PUT has stored until it is swept.
func (t chunkedTest) leftNothing() {
	t.Helper()
	if s, ok := t.blobs.(vitrine.Bucket); ok {
		t.must(s.SweepRepeated(ctx))
	}
	t.must(t.resumer.Unfinished(ctx, func(k vitrine.UploadID, n int64, _ time.Time) error {
		t.Errorf("%d bytes in chunks of %s are left", n, k)
		return nil
	}))
}

// chunksRefused sends chunks of which nothing must be kept.
func (t chunkedTest) chunksRefused() {
	text := t.text(3)
	g := grant(text)
	t.refused("a chunk that begins too late", t.append(g, t.unit, text[t.unit:]), vitrine.CodeOffsetMismatch)
	t.leftNothing()
	if _, receives := t.blobs.(vitrine.Receiver); receives {
		t.refused("too many bytes", t.append(g, 0, text+"x"), vitrine.CodeTooManyBytes)
		t.received("after too many bytes", g, 0)
	}
	t.must(t.append(g, 0, text[:t.unit]))
	t.refused("a chunk that begins too early", t.append(g, t.unit-1, text[t.unit-1:]), vitrine.CodeOffsetMismatch)
	checked := []string{text[t.unit : 2*t.unit]}
	if _, receives := t.blobs.(vitrine.Receiver); receives { // a bucket keeps whole parts, and checks one at a time
		t.refused("a chunk of too many bytes", t.append(g, t.unit, text[t.unit:]+"x"), vitrine.CodeTooManyBytes)
		t.received("after a chunk of too many bytes", g, t.unit)
		checked = append(checked, text[t.unit:])
	}
	wrong := vitrine.Errorf(vitrine.CodeChecksumMismatch, "Wrong.")
	for _, rest := range checked {
		err := t.send(g, t.unit, strings.NewReader(rest), verified(wrong))
		t.refused("a chunk with a wrong checksum", err, vitrine.CodeChecksumMismatch)
		t.received("after that", g, t.unit)
	}
	cut := iotest.ErrReader(errors.New("connection reset"))
	for _, rest := range checked {
		err := t.send(g, t.unit, io.MultiReader(strings.NewReader(rest), cut), verified(nil))
		t.refused("a chunk to be verified that breaks off", err, vitrine.CodeSizeMismatch)
		t.received("after that", g, t.unit)
	}
	ended := vitrine.Errorf(vitrine.CodeBanned, "Ended.")
	for _, n := range []int{0, t.unit} {
		err := t.send(g, t.unit, io.MultiReader(strings.NewReader(text[t.unit:t.unit+n]), iotest.ErrReader(ended)), nil)
		t.refused("a chunk whose upload ends", err, vitrine.CodeBanned)
		if n, err := t.resumer.Received(ctx, g); err != nil || n < int64(t.unit) {
			t.Fatalf("Received = %d, %v, want %d or more", n, err, t.unit)
		}
	}
	n, err := t.resumer.Received(ctx, g)
	t.must(err)
	t.must(t.append(g, int(n), text[n:]))
	if n, err = t.resumer.Received(ctx, g); n < int64(len(text)) { // of parts that were there already
		t.Errorf("Received = %d, %v, want all", n, err)
	}
	t.seal(g.Key)
	t.holds(g.Key, text)
}

// same is a reader of one letter without an end.
type same byte

func (s same) Read(p []byte) (int, error) {
	p = p[:(len(p)+1)/2]
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

// chunksRace sends 100 chunks at one offset. One must succeed, and its bytes
// must be stored.
func (t chunkedTest) chunksRace() {
	for _, first := range []int{0, t.unit} {
		g := grant(t.text(2))
		if first > 0 {
			t.must(t.append(g, 0, strings.Repeat("A", first)))
		}
		letter := func(i int) byte { return byte('!' + i%90) }
		var winner, winners atomic.Int64
		vitrinetest.Race(100, func(i int) {
			err := t.send(g, first, io.LimitReader(same(letter(i)), int64(t.unit)), nil)
			if err == nil {
				winner.Store(int64(i))
				winners.Add(1)
				return
			}
			t.refused("a chunk among others", err, vitrine.CodeOffsetMismatch, vitrine.CodeUploadInProgress,
				vitrine.CodeURLUsed)
		})
		vitrinetest.Equal(t, "chunks that succeeded", winners.Load(), 1)
		want := strings.Repeat(string(letter(int(winner.Load()))), t.unit)
		if first == 0 {
			t.received("after the race", g, t.unit)
			t.must(t.append(g, t.unit, want))
			want += want
		} else {
			want = strings.Repeat("A", first) + want
		}
		t.seal(g.Key)
		t.holds(g.Key, want)
	}
	t.leftNothing()
}

// chunksAndPut sends a file in both ways. The first to end wins. A bucket
// refuses no PUT, but one that ends behind the last chunk has no effect.
func (t chunkedTest) chunksAndPut() {
	_, receives := t.blobs.(vitrine.Receiver)
	text := t.text(2)
	other := strings.ToUpper(text)

	g := grant(text) // the PUT wins
	t.must(t.append(g, 0, text[:t.unit]))
	t.must(t.put(g, strings.NewReader(other)))
	t.refused("a chunk after the PUT", t.append(g, t.unit, text[t.unit:]), vitrine.CodeURLUsed)
	t.seal(g.Key)
	t.holds(g.Key, other)
	t.received("after the PUT", g, len(text))

	g = grant(text) // the chunks win, while the PUT is waiting for its last bytes
	last := readerFunc(func([]byte) (int, error) {
		t.must(t.append(g, 0, text[:t.unit]))
		t.must(t.append(g, t.unit, text[t.unit:]))
		return 0, io.EOF
	})
	err := t.put(g, io.MultiReader(strings.NewReader(other[:t.unit]), last, strings.NewReader(other[t.unit:])))
	if receives {
		t.refused("the PUT after the last chunk", err, vitrine.CodeURLUsed)
	}
	t.seal(g.Key)
	t.holds(g.Key, text)

	for range 20 {
		g := grant(text)
		t.must(t.append(g, 0, text[:t.unit]))
		var won [2]bool
		vitrinetest.Race(2, func(i int) {
			err := error(nil)
			if i == 0 {
				err = t.put(g, strings.NewReader(other))
			} else {
				err = t.append(g, t.unit, text[t.unit:])
			}
			if won[i] = err == nil; !won[i] {
				t.refused("the loser", err, vitrine.CodeURLUsed)
			}
		})
		if won[0] == won[1] && (receives || !won[0]) {
			t.Fatalf("PUT and last chunk at the same time: %v, want one to succeed", won)
		}
		t.seal(g.Key)
		if receives || !won[1] {
			t.holds(g.Key, map[bool]string{true: other, false: text}[won[0]])
		} else if got := t.read(g.Key); got != text && got != other {
			t.Errorf("PUT and last chunk at the same time: the key has other bytes")
		}
	}
	t.leftNothing()
}

// chunksOfAnySize sends chunks of many sizes. Some break off, some have a
// checksum. What was acknowledged must stay, and little may be sent again.
func (t chunkedTest) chunksOfAnySize() {
	const lost = 64 << 10 // at most, of a chunk that breaks off or ends within a part
	cut := iotest.ErrReader(errors.New("connection reset"))
	text := t.text(4)
	g := grant(text)
	at, random := 0, rand.New(rand.NewPCG(1, 2))
	for n := 0; at < len(text); n++ {
		piece := text[at:min(len(text), at+lost+random.IntN(t.unit-lost))]
		var body io.Reader = strings.NewReader(piece)
		var verify func() error
		breaks := n%3 == 1
		switch {
		case breaks:
			body = io.MultiReader(strings.NewReader(piece[:len(piece)-1]), cut)
		case n%3 == 2:
			verify = verified(nil)
		}
		arrived, err := t.resumer.Append(ctx, g, int64(at), body, verify)
		if breaks {
			t.refused("a chunk that breaks off", err, vitrine.CodeSizeMismatch)
			arrived, err = t.resumer.Received(ctx, g)
		}
		t.must(err)
		if end := at + len(piece); arrived < int64(at) || arrived > int64(end) || arrived < int64(end-lost) {
			t.Fatalf("chunk %d from %d to %d: %d bytes have arrived", n, at, end, arrived)
		}
		at = int(arrived)
		t.received("after that", g, at)
	}
	t.seal(g.Key)
	t.holds(g.Key, text)
	t.leftNothing()
}

// chunksEnd deletes and sweeps unfinished uploads.
func (t chunkedTest) chunksEnd() {
	text := t.text(2)
	begin := func() vitrine.PutGrant {
		g := grant(text)
		t.must(t.append(g, 0, text[:t.unit]))
		return g
	}
	deleted := begin()
	t.must(t.blobs.Delete(ctx, deleted.Key))
	t.leftNothing()
	if _, err := t.resumer.Received(ctx, deleted); vitrine.CodeOf(err) != vitrine.CodeURLUsed {
		t.Errorf("Received of a deleted key = %v, want url_used", err)
	}
	t.refused("a chunk of a deleted key", t.append(deleted, t.unit, text[t.unit:]), vitrine.CodeURLUsed)

	during := begin() // deleted while a chunk arrives
	last := readerFunc(func([]byte) (int, error) {
		t.must(t.blobs.Delete(ctx, during.Key))
		return 0, io.EOF
	})
	err := t.send(during, t.unit, io.MultiReader(strings.NewReader(text[t.unit:]), last), nil)
	t.refused("a chunk of a key that is deleted", err, vitrine.CodeURLUsed)
	t.gone("after that", during.Key)
	t.leftNothing()

	kept, swept := begin(), begin()
	sizes := map[vitrine.UploadID]int64{}
	t.must(t.resumer.Unfinished(ctx, func(k vitrine.UploadID, n int64, at time.Time) error {
		if age := time.Since(at); age < -time.Minute || age > time.Minute {
			t.Errorf("chunks of %s changed %v ago, want just now", k, age)
		}
		sizes[k] = n
		return nil
	}))
	vitrinetest.Equal(t, "unfinished uploads", sizes,
		map[vitrine.UploadID]int64{kept.Key: int64(t.unit), swept.Key: int64(t.unit)})
	keep := func(k vitrine.UploadID) (bool, error) { return k == kept.Key, nil }
	t.must(t.blobs.Sweep(ctx, time.Now().Add(-time.Hour), keep))
	t.received("after a sweep of older ones", swept, t.unit)
	t.must(t.blobs.Sweep(ctx, farAhead, keep))
	t.received("after its sweep", swept, 0)
	t.received("after the sweep of another one", kept, t.unit)
	t.must(t.append(kept, t.unit, text[t.unit:]))
	t.seal(kept.Key)
	t.holds(kept.Key, text)
	t.leftNothing()
}
