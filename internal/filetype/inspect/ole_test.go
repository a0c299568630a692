package inspect

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

func TestCompoundStreams(t *testing.T) {
	small, large := strings.Repeat("small ", 100), strings.Repeat("large ", 30_000)
	p := oleFile(stream("A", small), stream("Empty", ""), stream("B", large), storage("S"), stream("C", "c"))
	c, ok := archive.OpenCompound(filetype.NewSource(bytes.NewReader(p), int64(len(p))))
	if !ok {
		t.Fatal("cannot open the file")
	}
	for name, want := range map[string]string{"a": small, "empty": "", "b": large, "c": "c"} {
		e, ok := mainStream(c, name)
		got, err := io.ReadAll(c.Open(e))
		if !ok || err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	if _, ok := mainStream(c, "s"); ok {
		t.Error("a storage is accepted as a stream")
	}
}

// TestHostileCompounds checks that a broken compound file ends the walk without
// a loop, a panic or a read beyond its limits.
func TestHostileCompounds(t *testing.T) {
	good := oleFile(stream("WordDocument", fib(0)), stream("x", filler+filler))
	edit := func(f func(p []byte)) []byte {
		p := bytes.Clone(good)
		f(p)
		return p
	}
	fat := (int(filetype.LittleEndian.Uint32(good[76:])) + 1) * 512
	directory := (int(filetype.LittleEndian.Uint32(good[48:])) + 1) * 512
	for what, p := range map[string][]byte{
		"directory in a circle": edit(func(p []byte) {
			filetype.LittleEndian.PutUint32(p[fat+int(filetype.LittleEndian.Uint32(p[48:]))*4:],
				filetype.LittleEndian.Uint32(p[48:]))
		}),
		"directory outside":     edit(func(p []byte) { filetype.LittleEndian.PutUint32(p[48:], 0x00ffffff) }),
		"no directory":          edit(func(p []byte) { filetype.LittleEndian.PutUint32(p[48:], 0xfffffffe) }),
		"table outside":         edit(func(p []byte) { filetype.LittleEndian.PutUint32(p[76:], 0x00ffffff) }),
		"more tables than file": edit(func(p []byte) { filetype.LittleEndian.PutUint32(p[44:], 0xffffffff) }),
		"no tables":             edit(func(p []byte) { filetype.LittleEndian.PutUint32(p[44:], 0) }),
		"sector of two bytes":   edit(func(p []byte) { filetype.LittleEndian.PutUint16(p[30:], 1) }),
		"small table in a circle": edit(func(p []byte) {
			filetype.LittleEndian.PutUint32(p[60:], 0)
			filetype.LittleEndian.PutUint32(p[fat:], 0)
		}),
		"no root":     edit(func(p []byte) { p[directory+66] = 2 }),
		"header only": good[:512],
	} {
		if facts, err := inspectBytes(t, "doc", p); verdict(facts, err) != filetype.CodeContentMismatch {
			t.Errorf("%s: Inspect = %+v, %v, want content_mismatch", what, facts, err)
		}
	}
	circle := edit(func(p []byte) { filetype.LittleEndian.PutUint32(p[fat:], 0) }) // of the main stream
	c, ok := archive.OpenCompound(filetype.NewSource(bytes.NewReader(circle), int64(len(circle))))
	if !ok {
		t.Fatal("cannot open the file")
	}
	e, _ := mainStream(c, "worddocument")
	if n, err := io.Copy(io.Discard, c.Open(e)); err != nil || n > int64(len(circle)) {
		t.Errorf("circular stream: %d bytes, %v", n, err)
	}
}

// TestStoredDocumentCutOff checks that a document is held that is larger than
// what is read of it.
func TestStoredDocumentCutOff(t *testing.T) {
	p := pdfPages(1)
	for _, c := range []struct {
		p    []byte
		want string
	}{{p, ""},
		{append(p, bytes.Repeat([]byte("\n"), filetype.MaxNested-len(p))...), filetype.HoldEmbeddedObject}} {
		facts := new(filetype.Facts)
		problem := storedDocument(filetype.NewSource(bytes.NewReader(c.p), int64(len(c.p))), facts, c.p)
		if problem != nil || facts.Hold != c.want {
			t.Errorf("%d bytes: %v, held %q, want %q", len(c.p), problem, facts.Hold, c.want)
		}
	}
}
