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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/porttest"
)

var ctx = context.Background()

func newBlobs(t testing.TB, dir string) *Blobs {
	t.Helper()
	b, err := New(dir, "http://127.0.0.1/storage/", signer.New([]byte("test")), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func grant(n int) vitrine.PutGrant {
	return vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: int64(n), Type: "text/plain",
		Expires: time.Now().Add(time.Minute)}
}

func TestBlobs(t *testing.T) {
	porttest.Blobs(t, func(t *testing.T) vitrine.Blobs { return newBlobs(t, t.TempDir()) })
}

func TestReceive(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	for _, n := range []int{1, copySize - 1, copySize, copySize + 1, flushSize + 12345} {
		data := make([]byte, n)
		rand.Read(data)
		g := grant(n)
		etag, err := b.Receive(ctx, g, iotest.OneByteReader(bytes.NewReader(data[:1])))
		if n > 1 && vitrine.CodeOf(err) != vitrine.CodeSizeMismatch {
			t.Fatalf("Receive of 1 of %d bytes = %v, want size_mismatch", n, err)
		}
		if n > 1 {
			etag, err = b.Receive(ctx, g, bytes.NewReader(data))
		}
		sum := sha256.Sum256(data)
		want := hex.EncodeToString(sum[:])
		if err != nil || etag != `"`+want+`"` {
			t.Fatalf("Receive of %d bytes = %s, %v", n, etag, err)
		}
		if info, err := b.Stat(ctx, g.Key); err != nil || info.Size != int64(n) || info.SHA256 != want {
			t.Fatalf("Stat of %d bytes = %+v, %v", n, info, err)
		}
		f, err := b.Open(ctx, g.Key)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		f.Close()
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes read back as %d, %v", n, len(got), err)
		}
	}
}

// TestReceiveFails checks that after each kind of failed transfer nothing
// counts as stored, and that the next one succeeds.
func TestReceiveFails(t *testing.T) {
	dir := t.TempDir()
	b := newBlobs(t, dir)
	g := grant(100)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	whole := strings.Repeat("a", 100)
	reset := iotest.ErrReader(errors.New("connection reset"))
	for name, c := range map[string]struct {
		ctx  context.Context
		body io.Reader
		code vitrine.Code
	}{
		"nothing":           {ctx, strings.NewReader(""), vitrine.CodeSizeMismatch},
		"one too few":       {ctx, strings.NewReader(whole[1:]), vitrine.CodeSizeMismatch},
		"one too many":      {ctx, strings.NewReader(whole + "a"), vitrine.CodeSizeMismatch},
		"broken":            {ctx, io.MultiReader(strings.NewReader("abc"), reset), vitrine.CodeSizeMismatch},
		"broken at the end": {ctx, io.MultiReader(strings.NewReader(whole), reset), vitrine.CodeSizeMismatch},
		"canceled":          {canceled, strings.NewReader(whole), vitrine.CodeUnavailable},
	} {
		if _, err := b.Receive(c.ctx, g, c.body); vitrine.CodeOf(err) != c.code {
			t.Errorf("%s: Receive = %v, want %v", name, err, c.code)
		}
		if _, err := b.Stat(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: Stat = %v, want ErrNotFound", name, err)
		}
		if left := files(t, dir); left != nil {
			t.Errorf("%s: files left: %v", name, left)
		}
	}
	if _, err := b.Receive(ctx, g, strings.NewReader(whole)); err != nil {
		t.Errorf("complete transfer = %v, want nil", err)
	}
}

func TestUsedUp(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	g := grant(3)
	put := func(text string) vitrine.Code {
		_, err := b.Receive(ctx, g, strings.NewReader(text))
		return vitrine.CodeOf(err)
	}
	if code := put("abc"); code != "" {
		t.Fatal(code)
	}
	if code := put("abd"); code != vitrine.CodeURLUsed {
		t.Errorf("second file: code %q, want url_used", code)
	}
	for range 2 {
		if err := b.Delete(ctx, g.Key); err != nil {
			t.Fatal(err)
		}
	}
	if code := put("abc"); code != vitrine.CodeURLUsed {
		t.Errorf("put after Delete: code %q, want url_used", code)
	}
	if _, err := b.Stat(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
		t.Errorf("Stat after Delete = %v, want ErrNotFound", err)
	}
}

// TestAgain checks that a repeated transfer writes nothing, and that other
// bytes are refused before all of them have arrived.
func TestAgain(t *testing.T) {
	dir := t.TempDir()
	b, g := newBlobs(t, dir), grant(8<<20)
	content := bytes.Repeat([]byte("vitrine "), 1<<20)
	first, err := b.Receive(ctx, g, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	if again, err := b.Receive(ctx, g, bytes.NewReader(content)); err != nil || again != first {
		t.Errorf("same bytes: ETag %s, %v, want %s", again, err, first)
	}
	content[0] = 'V'
	other := bytes.NewReader(content)
	if _, err := b.Receive(ctx, g, other); vitrine.CodeOf(err) != vitrine.CodeURLUsed ||
		!strings.Contains(err.Error(), "step 3") {
		t.Errorf("other bytes: %v, want url_used", err)
	}
	if read := len(content) - other.Len(); read > copySize {
		t.Errorf("%d bytes were read of a body whose first byte differs", read)
	}
	if after := files(t, dir); !slices.Equal(after, before) {
		t.Errorf("files = %v, want %v", after, before)
	}
	// The key is deleted while its bytes are compared.
	content[0] = 'v'
	body := io.MultiReader(bytes.NewReader(content[:5<<20]), deleter{b, g.Key}, bytes.NewReader(content[5<<20:]))
	if _, err := b.Receive(ctx, g, body); vitrine.CodeOf(err) != vitrine.CodeURLUsed {
		t.Errorf("same bytes of a key that is deleted during the transfer: %v, want url_used", err)
	}
}

// TestDeleteWhileOpen checks that an open blob can be read to its end after it
// was deleted.
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
		t.Errorf("read %q, %v, want abc", got, err)
	}
}

// TestRacingTransfers checks that of concurrent transfers of one key, from two
// processes, exactly one is stored completely and all others are refused.
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
				_, err := b.Receive(ctx, g, iotest.HalfReader(bytes.NewReader(bytes.Repeat([]byte{byte('a' + i)},
					100_000))))
				results <- result{i, vitrine.CodeOf(err)}
			}()
		}
		winner := -1
		for range 16 {
			switch r := <-results; {
			case r.code == "" && winner < 0:
				winner = r.i
			case r.code != vitrine.CodeUploadInProgress && r.code != vitrine.CodeURLUsed:
				t.Errorf("transfer %d: code %q", r.i, r.code)
			}
		}
		if winner < 0 {
			t.Fatal("no transfer was stored")
		}
		f, err := one.Open(ctx, g.Key)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(f)
		f.Close()
		if !bytes.Equal(got, bytes.Repeat([]byte{byte('a' + winner)}, 100_000)) {
			t.Fatal("the stored bytes are not those of the successful transfer")
		}
	}
}

// TestLeftovers checks that whatever a crash leaves does not count as stored,
// and is replaced by the next transfer or swept.
func TestLeftovers(t *testing.T) {
	write := func(path, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
	}
	sum := strings.Repeat("0", 64) + "  x\n"
	for name, leave := range map[string]func(b *Blobs, k vitrine.UploadID) error{
		"an empty part": func(b *Blobs, k vitrine.UploadID) error { return write(b.part(k), "") },
		"a part": func(b *Blobs, k vitrine.UploadID) error {
			return write(b.part(k),
				"half of something longer")
		},
		"a whole part": func(b *Blobs, k vitrine.UploadID) error { return write(b.part(k), "abc") },
		"a sum":        func(b *Blobs, k vitrine.UploadID) error { return write(b.path(k)+sumSuffix, sum) },
		"half a sum":   func(b *Blobs, k vitrine.UploadID) error { return write(b.path(k)+sumSuffix, sum[:9]) },
		"a whole part and a sum": func(b *Blobs, k vitrine.UploadID) error {
			return errors.Join(write(b.part(k), "abc"), write(b.path(k)+sumSuffix, sum))
		},
	} {
		dir := t.TempDir()
		b := newBlobs(t, dir)
		g, forgotten := grant(3), grant(3)
		if err := errors.Join(leave(b, g.Key), leave(b, forgotten.Key)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Stat(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: Stat = %v, want ErrNotFound", name, err)
		}
		if _, err := b.Seal(ctx, g.Key); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("%s: Seal = %v, want ErrNotFound", name, err)
		}
		if _, err := b.Receive(ctx, g, strings.NewReader("abc")); err != nil {
			t.Errorf("%s: Receive = %v, want nil", name, err)
		}
		if info, err := b.Stat(ctx, g.Key); err != nil || info.SHA256[:8] != "ba7816bf" {
			t.Errorf("%s: Stat = %+v, %v", name, info, err)
		}
		tomorrow := time.Now().Add(24 * time.Hour)
		if err := b.Sweep(ctx, tomorrow, func(k vitrine.UploadID) (bool, error) {
			return k == g.Key,
				nil
		}); err != nil {
			t.Errorf("%s: Sweep = %v", name, err)
		}
		if left := files(t, dir); len(left) != 2 { // the blob and its checksum
			t.Errorf("%s: files after the sweep = %v", name, left)
		}
	}
	// An interrupted deletion leaves bytes with or without a checksum. Another
	// Delete completes it.
	for name, cut := range map[string]func(b *Blobs, k vitrine.UploadID) error{
		"the word alone": func(b *Blobs, k vitrine.UploadID) error { return write(b.used(k), "") },
		"no sum": func(b *Blobs, k vitrine.UploadID) error {
			return errors.Join(write(b.used(k), ""), os.Remove(b.path(k)+sumSuffix))
		},
	} {
		dir := t.TempDir()
		b, g := newBlobs(t, dir), grant(3)
		_, err := b.Receive(ctx, g, strings.NewReader("abc"))
		if err := errors.Join(err, cut(b, g.Key)); err != nil {
			t.Fatal(err)
		}
		if info, err := b.Stat(ctx, g.Key); err != nil || info.Size != 3 {
			t.Errorf("%s: Stat = %+v, %v", name, info, err)
		}
		if err := b.Delete(ctx, g.Key); err != nil {
			t.Errorf("%s: Delete = %v, want nil", name, err)
		}
		if left := files(t, dir); len(left) != 1 {
			t.Errorf("%s: files after Delete = %v", name, left)
		}
	}
}

func TestSweep(t *testing.T) {
	b := newBlobs(t, t.TempDir())
	kept, stray, young, gone, keptGone, failed, busy := grant(3), grant(3), grant(3), grant(3), grant(3), grant(3),
		grant(3)
	for _, g := range []vitrine.PutGrant{kept, stray, young, gone, keptGone} {
		if _, err := b.Receive(ctx, g, strings.NewReader("abc")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(b.Delete(ctx, gone.Key), b.Delete(ctx, keptGone.Key),
		os.WriteFile(b.part(failed.Key), []byte("a"), 0o600)); err != nil {
		t.Fatal(err)
	}
	transfer, err := lock(b.part(busy.Key), os.O_CREATE|os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer transfer.Close()
	old := time.Now().Add(-48 * time.Hour)
	for _, p := range []string{b.path(kept.Key), b.path(stray.Key), b.used(gone.Key), b.used(keptGone.Key),
		b.part(failed.Key), b.part(busy.Key)} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	known := func(k vitrine.UploadID) (bool, error) { return k == kept.Key || k == keptGone.Key, nil }
	if err := b.Sweep(ctx, time.Now().Add(-24*time.Hour), known); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, path string
		there      bool
	}{
		{"a known blob", b.path(kept.Key), true},
		{"an unknown blob", b.path(stray.Key), false},
		{"its sum", b.path(stray.Key) + sumSuffix, false},
		{"a young blob", b.path(young.Key), true},
		{"the word of a deleted blob", b.used(gone.Key), false},
		{"the word of a deleted blob that is known", b.used(keptGone.Key), true},
		{"the part of a transfer that failed", b.part(failed.Key), false},
		{"the part of a transfer under way", b.part(busy.Key), true},
	} {
		if exists(c.path) != c.there {
			t.Errorf("after the sweep %s exists = %v", c.what, !c.there)
		}
	}
}

// TestDeleteWhileReceiving checks that a Delete during a transfer leaves
// nothing of it.
func TestDeleteWhileReceiving(t *testing.T) {
	dir := t.TempDir()
	b, g := newBlobs(t, dir), grant(3)
	body := io.MultiReader(strings.NewReader("ab"), deleter{b, g.Key}, strings.NewReader("c"))
	if _, err := b.Receive(ctx, g, body); vitrine.CodeOf(err) != vitrine.CodeURLUsed {
		t.Errorf("transfer of a key that is deleted during it = %v, want url_used", err)
	}
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}

type deleter struct {
	b *Blobs
	k vitrine.UploadID
}

func (d deleter) Read([]byte) (int, error) {
	if err := d.b.Delete(ctx, d.k); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

// TestSignedURL checks that signed URLs lead to this process and contain the
// whole grant.
func TestSignedURL(t *testing.T) {
	signer := signer.New([]byte("test"))
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	b, err := New(t.TempDir(), "http://127.0.0.1/storage/", signer, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 12, Type: "text/html; charset=utf-8",
		Expires: now.Add(time.Minute)}
	signed, err := b.SignPut(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(signed)
	if err != nil {
		t.Fatal(err)
	}
	if want := "/storage/" + string(g.Key); u.Path != want || u.Host != "127.0.0.1" {
		t.Errorf("the URL leads to %s on %s, want %s", u.Path, u.Host, want)
	}
	if got, err := signer.VerifyPut(string(g.Key), u.Query(), now); err != nil || got != g {
		t.Errorf("VerifyPut = %+v, %v, want %+v", got, err, g)
	}
}

// TestHostileKeys checks that invalid keys do not reach the file system.
func TestHostileKeys(t *testing.T) {
	dir := t.TempDir()
	b := newBlobs(t, dir)
	for _, k := range []vitrine.UploadID{"", "a", "../../../../etc/passwd", vitrine.UploadID(strings.Repeat("/", 26)),
		vitrine.UploadID(strings.Repeat(".", 26))} {
		if _, err := b.Receive(ctx, vitrine.PutGrant{Key: k, Size: 1}, strings.NewReader("a")); err == nil {
			t.Errorf("Receive with the key %q succeeds, want an error", k)
		}
		if _, err := b.Stat(ctx, k); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("Stat(%q) = %v, want ErrNotFound", k, err)
		}
		if _, err := b.Open(ctx, k); !errors.Is(err, vitrine.ErrNotFound) {
			t.Errorf("Open(%q) = %v, want ErrNotFound", k, err)
		}
		if err := b.Delete(ctx, k); err != nil {
			t.Errorf("Delete(%q) = %v, want nil", k, err)
		}
	}
	if written := files(t, dir); written != nil {
		t.Errorf("files written: %v", written)
	}
}

// files lists the files below a directory, with their content.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// BenchmarkReceive stores 256 MiB and, for comparison, copies the same with
// io.Copy and one fsync at the end.
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
