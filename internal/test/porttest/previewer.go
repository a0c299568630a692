package porttest

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"reflect"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/test/vitrinetest"
)

// Previewer checks a previewer.
func Previewer(t *testing.T, open func(t *testing.T) vitrine.Previewer) {
	for name, run := range map[string]func(previewTest){
		"Parts": previewTest.parts, "Put": previewTest.put, "Unreadable": previewTest.unreadable,
		"AtOnce": previewTest.atOnce,
	} {
		t.Run(name, func(t *testing.T) { run(previewTest{t, open(t)}) })
	}
}

type previewTest struct {
	*testing.T
	vitrine.Previewer
}

// makes reports whether the previewer makes a part of the tests' file.
func (t previewTest) makes() bool { return t.Makes(vitrine.PartPicture, "png") }

// blob is a file in memory.
type blob struct{ *bytes.Reader }

func (blob) Close() error { return nil }

// unreadableBlob is a file whose reads fail.
type unreadableBlob struct{ vitrine.Blob }

func (b unreadableBlob) Read(p []byte) (int, error) { return 0, vitrinetest.ErrAbandoned }

func (b unreadableBlob) ReadAt(p []byte, off int64) (int, error) { return 0, vitrinetest.ErrAbandoned }

// file returns a picture.
func (t previewTest) file() vitrine.PreviewFile {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return vitrine.PreviewFile{Name: "wall.png", Kind: filetype.Image, Blob: blob{bytes.NewReader(b.Bytes())}}
}

// made returns the parts of a file. The previewer must announce each part and
// return it once.
func (t previewTest) made(f vitrine.PreviewFile) map[vitrine.Part]string {
	t.Helper()
	parts := map[vitrine.Part]string{}
	err := t.Preview(t.Context(), f, func(p vitrine.Part, r io.Reader) error {
		if _, twice := parts[p]; twice || !t.Makes(p, "png") {
			t.Errorf("part %s: made twice = %v, announced = %v", p, twice, t.Makes(p, "png"))
		}
		text, err := io.ReadAll(r)
		parts[p] = string(text)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return parts
}

func (t previewTest) parts() {
	parts := t.made(t.file())
	if _, ok := parts[vitrine.PartPicture]; ok != t.makes() {
		t.Errorf("picture = %v, announced = %v", ok, t.makes())
	}
}

// put checks that an error of put is returned and ends the preview, and that
// the file can be tried again.
func (t previewTest) put() {
	if !t.makes() {
		t.Skip("the previewer makes no parts")
	}
	before := t.made(t.file())
	calls := 0
	err := t.Preview(t.Context(), t.file(), func(vitrine.Part, io.Reader) error {
		calls++
		return vitrinetest.ErrAbandoned
	})
	if !errors.Is(err, vitrinetest.ErrAbandoned) || calls != 1 {
		t.Errorf("%d calls, %v, want 1 call and its error", calls, err)
	}
	if again := t.made(t.file()); !reflect.DeepEqual(again, before) {
		t.Error("the second run makes other parts")
	}
}

// unreadable checks that a file that cannot be read is an error, not a file
// without parts.
func (t previewTest) unreadable() {
	if !t.makes() {
		t.Skip("the previewer makes no parts")
	}
	f := t.file()
	f.Blob = unreadableBlob{f.Blob}
	err := t.Preview(t.Context(), f, func(p vitrine.Part,
		_ io.Reader) error {
		t.Errorf("part %s, want none", p)
		return nil
	})
	if !errors.Is(err, vitrinetest.ErrAbandoned) {
		t.Errorf("Preview = %v, want the error of the file", err)
	}
}

func (t previewTest) atOnce() {
	want := t.made(t.file())
	files := make([]vitrine.PreviewFile, 4)
	for i := range files {
		files[i] = t.file()
	}
	vitrinetest.Race(len(files), func(i int) {
		if got := t.made(files[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("a concurrent run makes %d other parts", len(got))
		}
	})
}
