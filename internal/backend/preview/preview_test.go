package preview

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/test/porttest"
	"vitrine/internal/test/tier"
)

// The test binary is its own child.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == Verb {
		if err := Child(os.Args[2]); err != nil {
			fmt.Println(err)
			os.Exit(exitMachineError)
		}
		os.Exit(0)
	}
	if len(os.Args) == 7 && os.Args[1] == outbreakVerb {
		outbreak(os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// testCache returns the directory in which the compiled PDFium is kept between
// runs, because compiling it takes longer than all tests that use it. The files
// are named after their source.
var testCache = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "vitrine", "preview-test")
		err = os.MkdirAll(cache, 0o700)
	}
	return cache, err
})

// newMaker returns a Maker and collects its warnings for the administrator.
func newMaker(t testing.TB, o Options) (*Maker, *warnings) {
	t.Helper()
	if o.Cache == "" {
		var err error
		if o.Cache, err = testCache(); err != nil {
			t.Fatal(err)
		}
	}
	if tier.Current() == tier.Check { // in Go only
		o.Office, o.FFmpeg, o.Heif = cmp.Or(o.Office, Off), cmp.Or(o.FFmpeg, Off), cmp.Or(o.Heif, Off)
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w := new(warnings)
	m.Warn = w.add
	return m, w
}

type warnings struct {
	mu  sync.Mutex
	all []string
}

func (w *warnings) add(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, s)
}

func (w *warnings) list() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// memory is a blob that is not a file.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// onDisk is a blob that is a file.
type onDisk struct {
	*os.File
	size int64
}

func (f onDisk) Size() int64 { return f.size }

func blobFile(t testing.TB, content []byte) vitrine.Blob {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return openBlob(t, path)
}

func openBlob(t testing.TB, path string) vitrine.Blob {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return onDisk{f, st.Size()}
}

// made has the parts of one file.
type made map[vitrine.Part][]byte

func preview(t testing.TB, m *Maker, name string, b vitrine.Blob) (made, error) {
	t.Helper()
	parts := made{}
	typ, ok := filetype.ByExt(name)
	if !ok {
		t.Fatalf("no type of %s", name)
	}
	err := m.Preview(context.Background(), vitrine.PreviewFile{Name: name, Kind: typ.Kind, Blob: b},
		func(p vitrine.Part, r io.Reader) error {
			if _, twice := parts[p]; twice {
				t.Errorf("%s: part %s was made twice", name, p)
			}
			if !m.Makes(p, typ.Ext) {
				t.Errorf("%s: part %s was not announced by Makes", name, p)
			}
			var err error
			parts[p], err = io.ReadAll(r)
			return err
		})
	return parts, err
}

func mustPreview(t testing.TB, m *Maker, name string, content []byte) made {
	t.Helper()
	parts, err := preview(t, m, name, blobFile(t, content))
	for errors.Is(err, errBusy) { // as the server does, later
		parts, err = preview(t, m, name, blobFile(t, content))
	}
	if err != nil {
		t.Fatalf("Preview(%s) = %v, want nil", name, err)
	}
	return parts
}

// picture decodes a part and checks its size against the port's.
func (p made) picture(t testing.TB) image.Image {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(p[vitrine.PartPicture]))
	if err != nil {
		t.Fatalf("picture: %v", err)
	}
	if size := img.Bounds().Size(); size != image.Pt(vitrine.PictureWidth, vitrine.PictureHeight) {
		t.Fatalf("size of the picture = %v", size)
	}
	return img
}

// thumb decodes the first thumbnail.
func (p made) thumb(t testing.TB) image.Image {
	t.Helper()
	b := p[vitrine.PartThumbs]
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatalf("thumbnails: %v", err)
	}
	f, err := z.Open("1.jpg")
	if err != nil {
		t.Fatalf("thumbnails: %v", err)
	}
	defer f.Close()
	img, err := jpeg.Decode(f)
	if err != nil {
		t.Fatalf("thumbnail: %v", err)
	}
	return img
}

func (p made) json(t testing.TB, part vitrine.Part, v any) {
	t.Helper()
	if err := json.Unmarshal(p[part], v); err != nil {
		t.Fatalf("part %s: %v in %q", part, err, p[part])
	}
}

func TestPreviewer(t *testing.T) {
	porttest.Previewer(t, func(t *testing.T) vitrine.Previewer { m, _ := newMaker(t, Options{Office: Off}); return m })
}

// near returns an error if a pixel does not have a colour, within JPEG's
// precision.
func near(img image.Image, x, y int, r, g, b uint8) error {
	cr, cg, cb, _ := img.At(x, y).RGBA()
	off := func(a uint32, b uint8) int { return max(int(a>>8)-int(b), int(b)-int(a>>8)) }
	if max(off(cr, r), off(cg, g), off(cb, b)) > 12 {
		return fmt.Errorf("pixel %d,%d is #%02x%02x%02x, want #%02x%02x%02x", x, y, cr>>8, cg>>8, cb>>8, r, g, b)
	}
	return nil
}
