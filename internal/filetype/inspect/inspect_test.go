package inspect

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"vitrine/internal/filetype"
)

// verdict returns the result of Inspect as one word: ok, a code, or "hold:" and
// a reason.
func verdict(f filetype.Facts, err error) string {
	var p *filetype.Problem
	switch {
	case errors.As(err, &p):
		return p.Code
	case err != nil:
		return err.Error()
	case f.Hold != "":
		return "hold:" + f.Hold
	}
	return "ok"
}

// ruling returns the result of Inspect as a moderator sees it: live, or held or
// refused and the reason.
func ruling(f filetype.Facts, err error) (word, about string) {
	var p *filetype.Problem
	switch {
	case errors.As(err, &p):
		return "refused " + p.Reason, p.Detail
	case err != nil:
		return "error " + err.Error(), ""
	case f.Hold != "":
		return "held " + f.Hold, f.Detail
	}
	return "live", ""
}

// inspected caches inspectBytes for tests that use all samples, because hostile
// samples take long.
func inspected(t testing.TB, s sample) (filetype.Facts, error) {
	key := fmt.Sprint(s.ext, s.what, len(s.data), crc32.ChecksumIEEE(s.data))
	a, ok := answers[key]
	if !ok {
		a.facts, a.err = inspectBytes(t, s.ext, s.data)
		answers[key] = a
	}
	return a.facts, a.err
}

var answers = map[string]struct {
	facts filetype.Facts
	err   error
}{}

// TestVerdicts prints every result with -v.
func TestVerdicts(t *testing.T) {
	var all []otherFile
	for _, s := range append(goodFiles(), goodArchives()...) {
		all = append(all, otherFile{s, "live"})
	}
	if n := len(all); n < 100 {
		t.Errorf("%d good files, want at least 100", n)
	}
	bad := append(append(heldFiles(), badFiles()...), judgedFiles()...)
	if n := len(bad); n < 250 {
		t.Errorf("%d bad files, want at least 250", n)
	}
	var table strings.Builder
	counts := map[string]int{}
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nfile\tkind\tverdict\treason\tin")
	for _, f := range append(all, bad...) {
		facts, err := inspected(t, f.sample)
		got, about := ruling(facts, err)
		if got != f.want && verdict(facts, err) != f.want {
			t.Errorf("%s (%s): %s (%v), want %s", f.what, f.ext, got, err, f.want)
		}
		word, reason, _ := strings.Cut(got, " ")
		counts[word]++
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", f.what, f.ext, word, reason, about)
	}
	w.Flush()
	fmt.Fprintf(&table, "total %d: %d live, %d held, %d refused\n", len(all)+len(bad), counts["live"], counts["held"],
		counts["refused"])
	t.Log(table.String())
}

// TestEveryTypeKnowsItsOwn checks that every good file is refused under the
// name of another format, except for what text and container formats share.
func TestEveryTypeKnowsItsOwn(t *testing.T) {
	sameFormat := func(a, b string) bool {
		for _, group := range []string{
			"mp4 m4v mov m4a", "ogg opus", "gz tgz", "txt md csv tsv json xml yaml log html svg", "docx zip", "xlsx zip",
			"pptx zip", "odt zip", "ods zip", "odp zip", "epub zip",
		} {
			if words := " " + group + " "; strings.Contains(words, " "+a+" ") && strings.Contains(words, " "+b+" ") {
				return true
			}
		}
		return a == b
	}
	for _, f := range goodFiles() {
		for _, ext := range filetype.Extensions() {
			as, _ := filetype.ByExt("." + ext)
			own, _ := filetype.ByExt("." + f.ext)
			if sameFormat(own.Ext, as.Ext) {
				continue
			}
			if facts, err := inspectBytes(t, ext, f.data); verdict(facts, err) == "ok" {
				t.Errorf("%s (%s) is accepted as %s", f.ext, f.what, ext)
			}
		}
	}
}

// smallArchives returns the good archives that a test can inspect many times.
func smallArchives() (out []sample) {
	for _, s := range goodArchives() {
		if len(s.data) < filetype.MiB {
			out = append(out, s)
		}
	}
	return out
}

// TestTruncated checks that truncating a file causes no panic, no read outside
// it, and no internal error.
func TestTruncated(t *testing.T) {
	for _, f := range append(goodFiles(), smallArchives()...) {
		step := max(1, len(f.data)/50)
		for n := 0; n < len(f.data); n += step {
			facts, err := inspectBytes(t, f.ext, f.data[:n])
			if got := verdict(facts, err); n == 0 && got != filetype.CodeContentMismatch {
				t.Errorf("empty %s: %s, want content_mismatch", f.ext, got)
			} else if err != nil && !strings.Contains(got, "_") {
				t.Errorf("%s (%s) cut off at %d: %v", f.ext, f.what, n, err)
			}
		}
	}
}

// TestReadFailure checks that a failed read is always an error and never a
// verdict.
func TestReadFailure(t *testing.T) {
	for _, f := range append(append(goodFiles(), smallArchives()...), heldFiles()[0].sample) {
		typ, _ := filetype.ByExt("." + f.ext)
		for fail := range 40 {
			r := &failingAt{r: bytes.NewReader(f.data), left: fail}
			facts, err := Inspect(r, int64(len(f.data)), typ)
			if r.left >= 0 {
				break // everything was read
			}
			var p *filetype.Problem
			if !errors.Is(err, errDisk) || errors.As(err, &p) || !reflect.DeepEqual(facts, filetype.Facts{}) {
				t.Fatalf("%s (%s), failing read %d: %+v, %v", f.ext, f.what, fail, facts, err)
			}
		}
		if _, err := Inspect(bytes.NewReader(f.data), int64(len(f.data))+1, typ); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s (%s), shorter than stated: %v", f.ext, f.what, err)
		}
	}
}

var errDisk = errors.New("disk failed")

type failingAt struct {
	r    io.ReaderAt
	left int
}

func (f *failingAt) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errDisk
	}
	return f.r.ReadAt(p, off)
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		ext  string
		data []byte
		want filetype.Facts
	}{
		{"pdf", pdfPages(37), filetype.Facts{Pages: 37}},
		{"png", pngFile(), filetype.Facts{Width: 7, Height: 5}},
		{"jpg", exifJPEG(), filetype.Facts{Width: 7, Height: 5}},
		{"gif", gifFile(), filetype.Facts{Width: 7, Height: 5}},
		{"webp", webpLossy, filetype.Facts{Width: 320, Height: 240}},
		{"webp", webpLossless, filetype.Facts{Width: 320, Height: 241}},
		{"webp", webpExtended, filetype.Facts{Width: 320, Height: 240}},
		{"bmp", bmpFile(320, -200), filetype.Facts{Width: 320, Height: 200}},
		{"bmp", bmpOS2(), filetype.Facts{Width: 4, Height: 3}},
		{"tiff", tiffFile(binary.BigEndian, 320, 90), filetype.Facts{Pages: 2, Width: 320, Height: 319}},
		{"tiff", bigTIFF(), filetype.Facts{Width: 9, Height: 8}},
		{"heic", stillFile("heic", 4032, 3024), filetype.Facts{Width: 4032, Height: 3024}},
		{"mp4", mp4File("isom", "vide"), filetype.Facts{DurationMs: 2500}},
		{"mp4", mp4File("isom", "soun"), filetype.Facts{DurationMs: 2500, SoundOnly: true}},
		{"mov", mp4File("qt  ", "soun"), filetype.Facts{DurationMs: 2500, SoundOnly: true}},
		{"m4a", mp4File("isom", "soun"), filetype.Facts{DurationMs: 2500}},
		{"webm", webmFile("webm"), filetype.Facts{DurationMs: 2500}},
		{"ogg", oggFile(vorbisHead), filetype.Facts{DurationMs: 2183}},
		{"opus", oggFile(opusHead), filetype.Facts{DurationMs: 2000}},
		{"mp3", xingMP3(), filetype.Facts{DurationMs: 26122}},
		{"mp3", mp3Frames(100), filetype.Facts{DurationMs: 2606}},
		{"wav", wavFile("RIFF"), filetype.Facts{DurationMs: 1000}},
		{"flac", flacFile(), filetype.Facts{DurationMs: 2000}},
		{"doc", oleFile(stream("WordDocument", fib(0x100))), filetype.Facts{Encrypted: true}},
		{"zip", zipFile(member{name: "a/"}, member{name: "a/Gr\xfc\xdfe.txt", data: "abc"}),
			filetype.Facts{EntriesTotal: 2, Entries: []filetype.Entry{{Name: "a/", Dir: true},
				{Name: "a/Grüße.txt", Size: 3}}}},
		{"tgz", gzipFile("", tarFile(tar.Header{Name: "a.txt", Size: 3})),
			filetype.Facts{EntriesTotal: 1, Entries: []filetype.Entry{{Name: "a.txt", Size: 3}}}},
		{"7z", sevenOf(sevenFile{name: "d", dir: true}, sevenFile{name: "d/a.txt", data: "abc"}),
			filetype.Facts{EntriesTotal: 2, Entries: []filetype.Entry{{Name: "d", Dir: true},
				{Name: "d/a.txt", Size: 3}}}},
		{"7z", sevenFileOf(nil, []byte("x")), filetype.Facts{Hold: filetype.HoldNotFullyInspected,
			Detail: "the directory"}},
		{"rar", rar5Of(rarMember{name: "a.txt", data: "x", size: 3, packed: true}),
			filetype.Facts{EntriesTotal: 1, Entries: []filetype.Entry{{Name: "a.txt", Size: 3, Sealed: true}}}},
		{"rar", rar5(true, false), filetype.Facts{Encrypted: true, Hold: filetype.HoldEncryptedArchive}},
		{"zip", zipOf("a/b.zip", string(zipOf("login.html", `<input type=password>`))),
			filetype.Facts{EntriesTotal: 1, Entries: []filetype.Entry{{Name: "a/b.zip", Size: 161}},
				Hold: filetype.HoldPasswordForm, Detail: "a/b.zip > login.html"}},
	} {
		if got, err := inspectBytes(t, c.ext, c.data); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.ext, got, err, c.want)
		}
	}
}

// TestReasons checks that a reason is a sentence for the uploader that names
// what the bytes are.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		ext, want string
		data      []byte
	}{
		{"jpg", "The name says a JPEG image, but the content is a PNG image.", pngFile()},
		{"docx", "The name says a Word document (docx), but the content is a PDF document.", pdfPages(1)},
		{"mp4", "The name says an MP4 video, but the content is a HEIC image.", stillFile("heicmif1", 3, 3)},
		{"txt", "The name says plain text, but the content is a ZIP archive.", named("a.txt")},
		{"wav", "The name says a WAV audio file, but the content is something else (video/x-msvideo).",
			pad([]byte("RIFF\x10\x00\x00\x00AVI LIST"), 64)},
		{"pdf", "The file is a script. Programs and scripts are not accepted.",
			[]byte("#!/bin/sh\n")},
	} {
		_, err := inspectBytes(t, c.ext, c.data)
		var p *filetype.Problem
		if !errors.As(err, &p) || p.Message != c.want {
			t.Errorf("%s: %v, want %s", c.ext, err, c.want)
		}
	}
	for _, f := range append(badFiles(), judgedFiles()...) {
		_, err := inspected(t, f.sample)
		var p *filetype.Problem
		if errors.As(err, &p) && (!strings.HasSuffix(p.Message, ".") || strings.Contains(p.Message, "%!") ||
			len(p.Message) > 160) {
			t.Errorf("%s (%s): message %s", f.ext, f.what, p.Message)
		}
	}
}

// TestPanicIsAnError checks that a bug in a parser is an error, neither a
// verdict nor the end of the process.
func TestPanicIsAnError(t *testing.T) {
	typ, _ := filetype.ByExt(".txt")
	_, err := Inspect(panicking{}, 10, typ)
	var p *filetype.Problem
	if err == nil || errors.As(err, &p) {
		t.Errorf("Inspect = %v, want an error that is not a Problem", err)
	}
}

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("defect") }
