package porttest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing/iotest"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// chunkedTest is a test of a vitrine.Resumer.
type chunkedTest struct {
	blobTest
	resumer vitrine.Resumer
	unit    int // the size of a piece of the test's text
}

// resumes returns the test if the blobs take chunks.
func (t blobTest) resumes() (chunkedTest, bool) {
	r, ok := t.blobs.(vitrine.Resumer)
	return chunkedTest{t, r, 300_000}, ok
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
	_, err := t.resumer.Append(ctx, g, vitrine.Chunk{Offset: int64(at), Body: strings.NewReader(text)})
	return err
}

// received checks how many bytes of a key have arrived.
func (t chunkedTest) received(when string, g vitrine.PutGrant, want int) {
	t.Helper()
	if n, err := t.resumer.Received(ctx, g); err != nil || n != int64(want) {
		t.Errorf("%s: Received = %d, %v, want %d", when, n, err, want)
	}
}

func (t chunkedTest) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// verified returns a chunk that is refused or not.
func verified(at int, body io.Reader, err error) vitrine.Chunk {
	return vitrine.Chunk{Offset: int64(at), Body: body, Verify: func() error { return err }}
}

// chunks sends a file in chunks, some of which break off.
func (t blobTest) chunks() {
	c, ok := t.resumes()
	if !ok {
		return
	}
	text := c.text(5)
	g := grant(text)
	c.received("before the first chunk", g, 0)
	c.must(c.append(g, 0, text[:c.unit]))
	c.received("after a chunk", g, c.unit)
	c.gone("after one chunk", g.Key)
	c.must(c.append(g, c.unit, ""))
	c.received("after an empty chunk", g, c.unit)
	cut := iotest.ErrReader(errors.New("connection reset"))
	_, err := c.resumer.Append(ctx, g, vitrine.Chunk{Offset: int64(c.unit),
		Body: io.MultiReader(strings.NewReader(text[c.unit:3*c.unit]), cut)})
	c.refused("a chunk that breaks off", err, vitrine.CodeSizeMismatch)
	c.received("after a chunk that broke off", g, 3*c.unit)
	n, err := c.resumer.Append(ctx, g, verified(3*c.unit, strings.NewReader(text[3*c.unit:4*c.unit]), nil))
	if err != nil || n != int64(4*c.unit) {
		c.Fatalf("Append of a chunk that is verified = %d, %v, want %d", n, err, 4*c.unit)
	}
	c.must(c.append(g, 4*c.unit, text[4*c.unit:]))
	c.received("after the last chunk", g, len(text))
	info := c.seal(g.Key)
	c.holds(g.Key, text)
	if sum := sha256.Sum256([]byte(text)); info.SHA256 != "" && info.SHA256 != hex.EncodeToString(sum[:]) {
		c.Errorf("SHA-256 = %s, want %x", info.SHA256, sum)
	}
	c.refused("a chunk of a sealed key", c.append(g, 0, text[:c.unit]), vitrine.CodeURLUsed)
	c.refused("a chunk behind a sealed key", c.append(g, len(text), ""), vitrine.CodeURLUsed)
	c.received("after that", g, len(text))
	c.leftNothing()

	whole := grant(text)
	c.must(c.append(whole, 0, text))
	c.seal(whole.Key)
	c.holds(whole.Key, text)
}

// leftNothing checks that no chunks are stored.
func (t chunkedTest) leftNothing() {
	t.Helper()
	t.must(t.resumer.Unfinished(ctx, func(k vitrine.UploadID, n int64, _ time.Time) error {
		t.Errorf("%d bytes in chunks of %s are left", n, k)
		return nil
	}))
}

// chunksRefused sends chunks of which nothing must be kept.
func (t blobTest) chunksRefused() {
	c, ok := t.resumes()
	if !ok {
		return
	}
	text := c.text(3)
	g := grant(text)
	c.refused("a chunk that begins too late", c.append(g, c.unit, text[c.unit:]), vitrine.CodeOffsetMismatch)
	c.leftNothing()
	c.refused("too many bytes", c.append(g, 0, text+"x"), vitrine.CodeTooManyBytes)
	c.received("after too many bytes", g, 0)
	c.must(c.append(g, 0, text[:c.unit]))
	c.refused("a chunk that begins too early", c.append(g, c.unit-1, text[c.unit-1:]), vitrine.CodeOffsetMismatch)
	c.refused("a chunk of too many bytes", c.append(g, c.unit, text[c.unit:]+"x"), vitrine.CodeTooManyBytes)
	c.received("after a chunk of too many bytes", g, c.unit)
	wrong := vitrine.Errorf(vitrine.CodeChecksumMismatch, "Wrong.")
	for _, rest := range []string{text[c.unit : 2*c.unit], text[c.unit:]} {
		_, err := c.resumer.Append(ctx, g, verified(c.unit, strings.NewReader(rest), wrong))
		c.refused("a chunk with a wrong checksum", err, vitrine.CodeChecksumMismatch)
		c.received("after that", g, c.unit)
	}
	cut := iotest.ErrReader(errors.New("connection reset"))
	for _, rest := range []string{text[c.unit : 2*c.unit], text[c.unit:]} {
		_, err := c.resumer.Append(ctx, g, verified(c.unit, io.MultiReader(strings.NewReader(rest), cut), nil))
		c.refused("a chunk to be verified that breaks off", err, vitrine.CodeSizeMismatch)
		c.received("after that", g, c.unit)
	}
	ended := vitrine.Errorf(vitrine.CodeBanned, "Ended.")
	for _, n := range []int{0, c.unit} {
		_, err := c.resumer.Append(ctx, g, vitrine.Chunk{Offset: int64(c.unit),
			Body: io.MultiReader(strings.NewReader(text[c.unit:c.unit+n]), iotest.ErrReader(ended))})
		c.refused("a chunk whose upload ends", err, vitrine.CodeBanned)
		if n, err := c.resumer.Received(ctx, g); err != nil || n < int64(c.unit) {
			c.Fatalf("Received = %d, %v, want %d or more", n, err, c.unit)
		}
	}
	n, err := c.resumer.Received(ctx, g)
	c.must(err)
	c.must(c.append(g, int(n), text[n:]))
	c.seal(g.Key)
	c.holds(g.Key, text)
}

// chunksRace sends 100 chunks at one offset. One must succeed, and its bytes
// must be stored.
func (t blobTest) chunksRace() {
	c, ok := t.resumes()
	if !ok {
		return
	}
	for _, first := range []int{0, c.unit} {
		g := grant(c.text(2))
		if first > 0 {
			c.must(c.append(g, 0, strings.Repeat("A", first)))
		}
		body := func(i int) string { return strings.Repeat(string(rune('!'+i%90)), c.unit) }
		var winner, winners atomic.Int64
		vitrinetest.Race(100, func(i int) {
			_, err := c.resumer.Append(ctx, g, vitrine.Chunk{Offset: int64(first),
				Body: iotest.HalfReader(strings.NewReader(body(i)))})
			if err == nil {
				winner.Store(int64(i))
				winners.Add(1)
				return
			}
			c.refused("a chunk among others", err, vitrine.CodeOffsetMismatch, vitrine.CodeUploadInProgress,
				vitrine.CodeURLUsed)
		})
		vitrinetest.Equal(c, "chunks that succeeded", winners.Load(), 1)
		want := body(int(winner.Load()))
		if first == 0 {
			c.received("after the race", g, c.unit)
			c.must(c.append(g, c.unit, want))
			want += want
		} else {
			want = strings.Repeat("A", first) + want
		}
		c.seal(g.Key)
		c.holds(g.Key, want)
	}
	c.leftNothing()
}

// chunksAndPut sends a file in both ways. The first to end wins.
func (t blobTest) chunksAndPut() {
	c, ok := t.resumes()
	if _, receives := t.blobs.(vitrine.Receiver); !ok || !receives {
		return
	}
	text := c.text(2)
	other := strings.ToUpper(text)

	g := grant(text) // the PUT wins
	c.must(c.append(g, 0, text[:c.unit]))
	c.must(c.put(g, strings.NewReader(other)))
	c.refused("a chunk after the PUT", c.append(g, c.unit, text[c.unit:]), vitrine.CodeURLUsed)
	c.seal(g.Key)
	c.holds(g.Key, other)
	c.received("after the PUT", g, len(text))

	g = grant(text) // the chunks win, while the PUT is waiting for its last bytes
	last := readerFunc(func([]byte) (int, error) {
		c.must(c.append(g, 0, text[:c.unit]))
		c.must(c.append(g, c.unit, text[c.unit:]))
		return 0, io.EOF
	})
	err := c.put(g, io.MultiReader(strings.NewReader(other[:c.unit]), last, strings.NewReader(other[c.unit:])))
	c.refused("the PUT after the last chunk", err, vitrine.CodeURLUsed)
	c.seal(g.Key)
	c.holds(g.Key, text)

	for range 20 {
		g := grant(text)
		c.must(c.append(g, 0, text[:c.unit]))
		var won [2]bool
		vitrinetest.Race(2, func(i int) {
			err := error(nil)
			if i == 0 {
				err = c.put(g, strings.NewReader(other))
			} else {
				err = c.append(g, c.unit, text[c.unit:])
			}
			if won[i] = err == nil; !won[i] {
				c.refused("the loser", err, vitrine.CodeURLUsed)
			}
		})
		if won[0] == won[1] {
			c.Fatalf("PUT and last chunk at the same time: %v, want one to succeed", won)
		}
		c.seal(g.Key)
		c.holds(g.Key, map[bool]string{true: other, false: text}[won[0]])
	}
	c.leftNothing()
}

// chunksEnd deletes and sweeps unfinished uploads.
func (t blobTest) chunksEnd() {
	c, ok := t.resumes()
	if !ok {
		return
	}
	text := c.text(2)
	begin := func() vitrine.PutGrant {
		g := grant(text)
		c.must(c.append(g, 0, text[:c.unit]))
		return g
	}
	deleted := begin()
	c.must(c.blobs.Delete(ctx, deleted.Key))
	c.leftNothing()
	if _, err := c.resumer.Received(ctx, deleted); vitrine.CodeOf(err) != vitrine.CodeURLUsed {
		c.Errorf("Received of a deleted key = %v, want url_used", err)
	}
	c.refused("a chunk of a deleted key", c.append(deleted, c.unit, text[c.unit:]), vitrine.CodeURLUsed)

	during := begin() // deleted while a chunk arrives
	last := readerFunc(func([]byte) (int, error) {
		c.must(c.blobs.Delete(ctx, during.Key))
		return 0, io.EOF
	})
	_, err := c.resumer.Append(ctx, during, vitrine.Chunk{Offset: int64(c.unit),
		Body: io.MultiReader(strings.NewReader(text[c.unit:]), last)})
	c.refused("a chunk of a key that is deleted", err, vitrine.CodeURLUsed)
	c.gone("after that", during.Key)
	c.leftNothing()

	kept, swept := begin(), begin()
	sizes := map[vitrine.UploadID]int64{}
	c.must(c.resumer.Unfinished(ctx, func(k vitrine.UploadID, n int64, at time.Time) error {
		if age := time.Since(at); age < -time.Minute || age > time.Minute {
			c.Errorf("chunks of %s changed %v ago, want just now", k, age)
		}
		sizes[k] = n
		return nil
	}))
	vitrinetest.Equal(c, "unfinished uploads", sizes,
		map[vitrine.UploadID]int64{kept.Key: int64(c.unit), swept.Key: int64(c.unit)})
	keep := func(k vitrine.UploadID) (bool, error) { return k == kept.Key, nil }
	c.must(c.blobs.Sweep(ctx, time.Now().Add(-time.Hour), keep))
	c.received("after a sweep of older ones", swept, c.unit)
	c.must(c.blobs.Sweep(ctx, farAhead, keep))
	c.received("after its sweep", swept, 0)
	c.received("after the sweep of another one", kept, c.unit)
	c.must(c.append(kept, c.unit, text[c.unit:]))
	c.seal(kept.Key)
	c.holds(kept.Key, text)
	c.leftNothing()
}
