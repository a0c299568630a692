package inspect

import (
	"bytes"
	"errors"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/media"
	"vitrine/internal/filetype/pdf"
)

// FuzzInspect inspects any bytes as any type. Inspect without its recover must
// not panic, must return a Problem or facts within their limits, and must read
// no more than a small multiple of the file.
func FuzzInspect(f *testing.F) {
	exts := filetype.Extensions()
	seed := func(s sample) {
		if len(s.data) < 200*filetype.KiB {
			f.Add(byte(slices.Index(exts, s.ext)), s.data)
		}
	}
	for _, s := range goodFiles() {
		seed(s)
	}
	for _, s := range append(heldFiles(), badFiles()...) {
		seed(s.sample)
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) { inspectAny(t, exts[int(which)%len(exts)], data) })
}

// inspectAny checks the claims of FuzzInspect for any bytes.
func inspectAny(t *testing.T, ext string, data []byte) {
	typ := filetype.TypesByExt[ext]
	r := &countingAt{r: bytes.NewReader(data)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	facts, err := inspectFile(r, int64(len(data)), typ)
	runtime.ReadMemStats(&after)
	var p *filetype.Problem
	if err != nil && (!errors.As(err, &p) || p.Code != filetype.CodeContentMismatch &&
		p.Code != filetype.CodeUnsafeFile || p.Message == "" || !utf8.ValidString(p.Message)) {
		t.Fatalf("%s: Inspect = %v", ext, err)
	}
	got, about := ruling(facts, err)
	word, code, _ := strings.Cut(got, " ")
	if reason, ok := filetype.ReasonOf(code); got != "live" && (!ok || reason.Holds != (word == "held")) ||
		len(about) > filetype.MaxDetail || !utf8.ValidString(about) {
		t.Fatalf("%s: reason %s, detail %q", ext, got, about)
	}
	if facts.Pages < 0 || facts.Pages > filetype.MaxPages || facts.Width < 0 || facts.Height < 0 ||
		facts.Width*facts.Height > filetype.MaxPixels ||
		facts.DurationMs < 0 || facts.DurationMs > media.MaxDurationMs || len(facts.Entries) > filetype.MaxListed ||
		facts.EntriesTotal < len(facts.Entries) {
		t.Fatalf("%s: facts = %+v", ext, facts)
	}
	for i := range min(len(facts.Entries), 3) {
		if _, content, err := Member(bytes.NewReader(data), int64(len(data)), typ, i); err == nil {
			_, _ = io.Copy(io.Discard, content)
		}
	}
	for _, e := range facts.Entries {
		if e.Size < 0 || !utf8.ValidString(e.Name) {
			t.Fatalf("%s: entry = %+v", ext, e)
		}
	}
	if limit := 64*int64(len(data)) + 4*filetype.MiB; r.n > limit {
		t.Fatalf("%s: %d of %d bytes read", ext, r.n, len(data))
	}
	// This counts everything that is allocated. Only a part of it is in use at
	// once.
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(128*filetype.MiB+
		8*filetype.KiB*len(data)); got > limit {
		t.Fatalf("%s: %d bytes allocated for %d", ext, got, len(data))
	}
}

// FuzzByName checks that an accepted name is valid, ends with its type's
// extension, and is not a program's by any rule.
func FuzzByName(f *testing.F) {
	for _, name := range []string{"a.pdf", "report.exe.pdf", "a\u202epdf.exe", "..", "a.b.c", "é.TXT", "a. ",
		"\xff.pdf", "x.tar.gz"} {
		f.Add(name, "application/octet-stream")
		f.Add(name, "text/plain; charset=utf-8")
	}
	f.Fuzz(func(t *testing.T, name, declared string) {
		typ, err := filetype.ByName(name, declared)
		if err != nil {
			var p *filetype.Problem
			if !errors.As(err, &p) {
				t.Fatalf("ByName(%q) = %v", name, err)
			}
			return
		}
		lower := strings.ToLower(name)
		if !slices.Contains(typ.Spellings(), strings.TrimPrefix(path.Ext(lower), ".")) ||
			len(name) > filetype.MaxNameBytes || !utf8.ValidString(name) ||
			strings.ContainsAny(name, "/\\\x00\n\u202e") || strings.HasSuffix(lower, ".exe.gz") {
			t.Fatalf("%q is accepted as %s", name, typ.Ext)
		}
		if !strings.Contains(strings.ToLower(declared), filetype.Unknown) && !strings.ContainsRune(declared, '/') {
			t.Fatalf("%q is accepted as %q", name, declared)
		}
	})
}

// FuzzPDFDict checks that the lexer ends within its data.
func FuzzPDFDict(f *testing.F) {
	f.Add([]byte("<</Type/Pages/Count 3/Kids[1 0 R]/A(b\\)c)/H<414>/N 1>>"))
	f.Add([]byte(cryptVectors[5].dict))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := pdf.Lexer{P: data}
		l.Dict()
		if l.I > len(data) {
			t.Fatalf("read to %d of %d bytes", l.I, len(data))
		}
		l = pdf.Lexer{P: data}
		for range len(data) + 1 {
			if l.Next().Kind == pdf.PdfEnd {
				return
			}
		}
		t.Fatal("the lexer does not end")
	})
}
