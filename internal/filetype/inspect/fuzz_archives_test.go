package inspect

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// seedArchives adds the samples of a type that are small enough to mutate.
func seedArchives(f *testing.F, exts string, add func(data []byte)) {
	fits := func(s sample) bool {
		return strings.Contains(" "+exts+" ", " "+s.ext+" ") && len(s.data) < 20*filetype.KiB
	}
	for _, s := range append(goodFiles(), goodArchives()...) {
		if fits(s) {
			add(s.data)
		}
	}
	for _, list := range [][]otherFile{badNames(), hiddenPrograms(), nestedFiles(), contradictions(), unreadable(),
		polyglots()} {
		for _, s := range list {
			if fits(s.sample) {
				add(s.data)
			}
		}
	}
}

func FuzzZIP(f *testing.F) {
	seedArchives(f, "zip docx odt epub", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) { inspectAny(t, "zip", data) })
}

// FuzzTar corrects the checksums, because otherwise nearly every input would be
// refused at the first header.
func FuzzTar(f *testing.F) {
	seedArchives(f, "tar", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		for h := range slices.Chunk(data, filetype.TarBlock) {
			if len(h) < filetype.TarBlock || string(h[257:262]) != "ustar" {
				continue
			}
			copy(h[148:], "        ")
			sum := 0
			for _, c := range h {
				sum += int(c)
			}
			copy(h[148:], padOctal(sum))
		}
		inspectAny(t, "tar", data)
	})
}

// FuzzGzip compresses any bytes, and also takes them as compressed.
func FuzzGzip(f *testing.F) {
	seedArchives(f, "gz tgz tar zip 7z rar pdf", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		inspectAny(t, "gz", gzipFile("", data))
		inspectAny(t, "tgz", gzipFile("", data))
		inspectAny(t, "gz", data)
	})
}

// Fuzz7z corrects the checksums, so that the directory behind them is read.
func Fuzz7z(f *testing.F) {
	seedArchives(f, "7z", func(data []byte) {
		if off := int(filetype.LittleEndian.Uint64(data[12:])); len(data) > 32 && off >= 0 && off < len(data)-32 {
			f.Add(data[32:32+off], data[32+off:])
		}
	})
	f.Fuzz(func(t *testing.T, packed, directory []byte) { inspectAny(t, "7z", sevenFileOf(packed, directory)) })
}

func FuzzRAR(f *testing.F) {
	seedArchives(f, "rar", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) { inspectAny(t, "rar", data) })
}

// FuzzPolyglot appends any bytes to a picture and to a document.
func FuzzPolyglot(f *testing.F) {
	seedArchives(f, "zip rar 7z", func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		inspectAny(t, "gif", behind(gifFile(), data))
		inspectAny(t, "pdf", behind(pdfPages(1), data))
	})
}

// FuzzMemberName checks that an accepted name stays in its folder, on every
// system, and is not a program's.
func FuzzMemberName(f *testing.F) {
	for _, name := range []string{"../a", "a/../../b", "CON", "a:b", "a.exe ", "é/x.txt", "\xff\xfe", "...", "a//b",
		"./a", `a\..\..\b`, `a\b.txt`} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if filetype.MemberName(name, false) != nil {
			return
		}
		name = strings.ReplaceAll(name, `\`, "/")
		clean := path.Clean("/root/" + name)
		if !strings.HasPrefix(clean, "/root") || strings.Contains(name, "\x00") ||
			strings.HasSuffix(strings.ToLower(name), ".exe") || filetype.Devices[strings.ToLower(path.Base(name))] {
			t.Fatalf("%q is accepted", name)
		}
	})
}

// FuzzRAR4Name checks that a name that is stored in Unicode is valid UTF-8, of
// a length that its bytes explain.
func FuzzRAR4Name(f *testing.F) {
	f.Add([]byte("a.txt\x00\x00\x00a.ex\x00e"))
	f.Add([]byte("a?.txt\x00\x04\x40a\x3a\xc2.txt"))
	f.Fuzz(func(t *testing.T, p []byte) {
		name := archive.Rar4Name(p, true)
		if bytes.IndexByte(p, 0) >= 0 && !utf8.ValidString(name) && utf8.Valid(p) || len(name) > 8*len(p)*(len(p)+1) {
			t.Fatalf("name = %q for %q", name, p)
		}
	})
}
