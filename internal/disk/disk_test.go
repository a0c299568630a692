package disk

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vitrine"

	"golang.org/x/sys/unix"
)

var ctx = context.Background()

func newBlobs(t testing.TB, dir string) *Blobs {
	t.Helper()
	b, err := New(dir, "http://127.0.0.1/storage/", vitrine.NewSigner([]byte("test")), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func grant(n int) vitrine.PutGrant {
	return vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: int64(n), Type: "text/plain", Expires: time.Now().Add(time.Minute)}
}

func TestReceive(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	for _, n := range []int{1, copySize - 1, copySize, copySize + 1, flushSize + 12345} {
		data := make([]byte, n)
		rand.Read(data)
		g := grant(n)
		etag, err := b.Receive(ctx, g, iotest.OneByteReader(bytes.NewReader(data[:1])))
		if n > 1 && vitrine.CodeOf(err) != vitrine.CodeSizeMismatch {
			t.Fatalf("%d bytes, one of them sent: %v", n, err)
		}
		if n > 1 {
			etag, err = b.Receive(ctx, g, bytes.NewReader(data))
		}
		sum := sha256.Sum256(data)
		want := hex.EncodeToString(sum[:])
		if err != nil || etag != `"`+want+`"` {
			t.Fatalf("%d bytes: etag %s, %v", n, etag, err)
		}
		if info, err := b.Stat(ctx, g.Key); err != nil || info.Size != int64(n) || info.SHA256 != want {
			t.Fatalf("%d bytes: %+v, %v", n, info, err)
		}
		f, err := b.Open(ctx, g.Key)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		f.Close()
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes come back as %d, %v", n, len(got), err)
		}
	}
}

// After every way a transfer can fail nothing counts as stored, and the next one succeeds.
func TestReceiveFails(t *testing.T) {
	dir := t.TempDir()
	b := newBlobs(t, dir)
	g := grant(100)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	bodies := map[string]struct {
		ctx  context.Context
		body io.Reader
		code vitrine.Code
	}{
		"nothing":      {ctx, strings.NewReader(""), vitrine.CodeSizeMismatch},
		"one too few":  {ctx, strings.NewReader(strings.Repeat("a", 99)), vitrine.CodeSizeMismatch},
		"one too many": {ctx, strings.NewReader(strings.Repeat("a", 101)), vitrine.CodeSizeMismatch},
		"broken":       {ctx, io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(errors.New("connection reset"))), vitrine.CodeSizeMismatch},
		"canceled":     {canceled, iotest.HalfReader(strings.NewReader(strings.Repeat("a", 100))), ""},
	}
	for name, c := range bodies {
		_, err := b.Receive(c.ctx, g, c.body)
		if name == "canceled" {
			continue // all of it may have been read in one go
		}
		if vitrine.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := b.Stat(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: something is stored: %v", name, err)
		}
	}
	if used := diskUse(t, dir); used > 200 {
		t.Errorf("%d bytes are left behind", used)
	}
}

func TestUsedUp(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	g := grant(3)
	put := func() vitrine.Code {
		_, err := b.Receive(ctx, g, strings.NewReader("abc"))
		return vitrine.CodeOf(err)
	}
	if code := put(); code != "" {
		t.Fatal(code)
	}
	if code := put(); code != vitrine.CodeURLUsed {
		t.Errorf("a second file: %q", code)
	}
	for range 2 {
		if err := b.Delete(ctx, g.Key); err != nil {
			t.Fatal(err)
		}
	}
	if code := put(); code != vitrine.CodeURLUsed {
		t.Errorf("after Delete: %q", code)
	}
	if _, err := b.Stat(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
		t.Errorf("after Delete: %v", err)
	}
}

// An open file is read to its end though it is deleted meanwhile.
func TestDeleteWhileOpen(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	g := grant(3)
	if _, err := b.Receive(ctx, g, strings.NewReader("abc")); err != nil {
		t.Fatal(err)
	}
	f, err := b.Open(ctx, g.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := b.Delete(ctx, g.Key); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); string(got) != "abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Of many transfers of one key at once, through two processes' eyes, one is stored; every other is refused, and the stored bytes
// are those of one of them, whole.
func TestRacingTransfers(t *testing.T) {
	dir := t.TempDir()
	one, two := newBlobs(t, dir), newBlobs(t, dir)
	for range 20 {
		g := grant(100_000)
		type result struct {
			i    int
			code vitrine.Code
		}
		results := make(chan result)
		for i := range 16 {
			b := one
			if i%2 == 1 {
				b = two
			}
			go func() {
				_, err := b.Receive(ctx, g, iotest.HalfReader(bytes.NewReader(bytes.Repeat([]byte{byte('a' + i)}, 100_000))))
				results <- result{i, vitrine.CodeOf(err)}
			}()
		}
		winner := -1
		for range 16 {
			switch r := <-results; {
			case r.code == "" && winner < 0:
				winner = r.i
			case r.code != vitrine.CodeUploadInProgress && r.code != vitrine.CodeURLUsed:
				t.Errorf("transfer %d: %q", r.i, r.code)
			}
		}
		if winner < 0 {
			t.Fatal("none was stored")
		}
		f, err := one.Open(ctx, g.Key)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(f)
		f.Close()
		if !bytes.Equal(got, bytes.Repeat([]byte{byte('a' + winner)}, 100_000)) {
			t.Fatal("the stored bytes are not those of the transfer that was told so")
		}
	}
}

// What a crash may leave at each step is taken up by the next transfer, or swept.
func TestLeftovers(t *testing.T) {
	for name, leave := range map[string]func(b *Blobs, k vitrine.UploadID) error{
		"a part":             func(b *Blobs, k vitrine.UploadID) error { return os.WriteFile(b.part(k), []byte("half"), 0o600) },
		"a sum without file": func(b *Blobs, k vitrine.UploadID) error { return b.prepare(k, strings.Repeat("0", 64)) },
	} {
		b := newBlobs(t, t.TempDir())
		g := grant(3)
		if err := leave(b, g.Key); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Stat(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s counts as stored: %v", name, err)
		}
		if _, err := b.Receive(ctx, g, strings.NewReader("abc")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := b.Stat(ctx, g.Key); err != nil || info.SHA256[:8] != "ba7816bf" {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
}

func TestSweep(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	kept, stray, young := grant(3), grant(3), grant(3)
	for _, g := range []vitrine.PutGrant{kept, stray, young} {
		if _, err := b.Receive(ctx, g, strings.NewReader("abc")); err != nil {
			t.Fatal(err)
		}
	}
	broken := grant(3)
	_, _ = b.Receive(ctx, broken, strings.NewReader("a"))
	busy, err := lock(b.part(vitrine.NewUploadID()), os.O_CREATE|os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	old := time.Now().Add(-48 * time.Hour)
	for _, p := range []string{b.path(kept.Key), b.path(stray.Key), b.part(broken.Key), busy.Name()} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	err = b.Sweep(ctx, time.Now().Add(-24*time.Hour), func(k vitrine.UploadID) (bool, error) { return k == kept.Key, nil })
	if err != nil {
		t.Fatal(err)
	}
	left := map[vitrine.UploadID]bool{}
	if err := b.Each(ctx, func(k vitrine.UploadID, _ vitrine.BlobInfo) error { left[k] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if !left[kept.Key] || left[stray.Key] || !left[young.Key] {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(b.part(broken.Key)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the part of a broken transfer is left")
	}
	if _, err := os.Stat(busy.Name()); err != nil {
		t.Error("the part of a transfer under way was swept")
	}
}

// Nothing that is no key reaches the file system.
func TestHostileKeys(t *testing.T) {
	dir := t.TempDir()
	b := newBlobs(t, dir)
	for _, k := range []vitrine.UploadID{"", "a", "../../../../etc/passwd", vitrine.UploadID(strings.Repeat("/", 26)), vitrine.UploadID(strings.Repeat(".", 26))} {
		if _, err := b.Receive(ctx, vitrine.PutGrant{Key: k, Size: 1}, strings.NewReader("a")); err == nil {
			t.Errorf("%q is received", k)
		}
		if _, err := b.Stat(ctx, k); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("Stat %q: %v", k, err)
		}
		if _, err := b.Open(ctx, k); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("Open %q: %v", k, err)
		}
		if err := b.Delete(ctx, k); err != nil {
			t.Errorf("Delete %q: %v", k, err)
		}
	}
	if used := diskUse(t, dir); used > 0 {
		t.Errorf("%d bytes were written", used)
	}
}

// A full disk refuses with 503, keeps nothing, and heals by itself (promise 17).
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("a small file system cannot be mounted (%v): a full disk was not tried", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	b := newBlobs(t, dir)
	g := grant(4 << 20)
	big := bytes.Repeat([]byte("a"), 4<<20)
	_, err := b.Receive(ctx, g, bytes.NewReader(big))
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("on a full disk: %v", err)
	}
	if used := diskUse(t, dir); used > 0 {
		t.Errorf("%d bytes are left behind", used)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Receive(ctx, g, bytes.NewReader(big)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func diskUse(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			n += st.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// BenchmarkReceive stores 256 MiB and, in turn, copies the same with io.Copy and one fsync at the end.
func BenchmarkReceive(b *testing.B) {
	const n = 256 << 20
	dir := b.TempDir()
	blobs := newBlobs(b, dir)
	block := make([]byte, 1<<20)
	rand.Read(block)
	body := func() io.Reader {
		return io.LimitReader(endless{block}, n)
	}
	var ours, plain time.Duration
	for b.Loop() {
		g := grant(n)
		from := time.Now()
		if _, err := blobs.Receive(ctx, g, body()); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(from)
		_ = os.Remove(blobs.path(g.Key))
		from = time.Now()
		f, err := os.Create(filepath.Join(dir, "plain"))
		if err == nil {
			_, err = io.Copy(struct{ io.Writer }{f}, body())
		}
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			b.Fatal(err)
		}
		plain += time.Since(from)
	}
	b.ReportMetric(float64(n)*float64(b.N)/1e6/ours.Seconds(), "MB/s")
	b.ReportMetric(float64(n)*float64(b.N)/1e6/plain.Seconds(), "copy+fsync-MB/s")
	b.ReportMetric(plain.Seconds()/ours.Seconds(), "ratio")
}

type endless struct{ block []byte }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.block), nil }
