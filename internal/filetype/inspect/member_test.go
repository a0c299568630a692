package inspect

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

// tgzOf packs files, each a name and a content, after a header like git's.
func tgzOf(files ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "a commit"}})
	for i := 0; i < len(files); i += 2 {
		w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1]))})
		io.WriteString(w, files[i+1])
	}
	w.Close()
	return gzipFile("", b.Bytes())
}

// TestMember checks that every member that the list does not call sealed can be
// read completely, and that sealed ones cannot.
func TestMember(t *testing.T) {
	large := strings.Repeat("All work and no play.\n", 560_000) // 12 MB
	three := []sevenFile{{name: "kit", dir: true}, {name: "kit/a.txt", data: "first"},
		{name: "kit/b.txt", data: "second"}}
	readable := map[string]string{"kit/a.txt": "first", "kit/b.txt": "second"}
	for _, c := range []struct {
		name, ext string
		file      []byte
		want      map[string]string // the members that can be read
		sealed    string            // the names of the others
	}{
		{"tgz", "tgz", tgzOf("kit/a.txt", "first", "kit/b.txt", "second"), readable, ""},
		{"gz", "gz", tgzOf("kit/a.txt", "first", "kit/b.txt", "second"), readable, ""},
		{"a large one", "tgz", tgzOf("large.txt", large, "kit/b.txt", "second"),
			map[string]string{"kit/b.txt": "second"},
			"large.txt"},
		{"far inside", "tgz", tgzOf("1.txt", large, "2.txt", large, "3.txt", large, "4.txt", large, "5.txt", large,
			"near.txt", "near", "far.txt", strings.Repeat("x", 7<<20)),
			map[string]string{"near.txt": "near"}, "1.txt 2.txt 3.txt 4.txt 5.txt far.txt"},
		{"7z, copied", "7z", sevenOf(three...), readable, ""},
		{"7z, LZMA", "7z", sevenWith(sevenOptions{coder: "lzma", pack: true}, three...), readable, ""},
		{"7z, LZMA2", "7z", sevenWith(sevenOptions{coder: "lzma2"}, three...), readable, ""},
		{"7z, PPMd", "7z", sevenWith(sevenOptions{coder: sevenStatesPPMd}, three...), nil, "kit/a.txt kit/b.txt"},
		{"7z, solid", "7z", sevenWith(sevenOptions{coder: "lzma"}, sevenFile{name: "1.txt", data: large},
			sevenFile{name: "2.txt", data: large}, sevenFile{name: "near.txt", data: "near"},
			sevenFile{name: "3.txt", data: large}, sevenFile{name: "far.txt", data: "far"}),
			map[string]string{"near.txt": "near"}, "1.txt 2.txt 3.txt far.txt"},
		{"RAR 5", "rar", rar5Of(rarMember{name: "kit/a.txt", data: "first"},
			rarMember{name: "packed.txt", data: "?", packed: true, size: 7},
			rarMember{name: "kit/b.txt", data: "second"}),
			readable, "packed.txt"},
		{"RAR 4", "rar", rar4Of(3, 0o100644, 0, "kit/a.txt", "first"), map[string]string{"kit/a.txt": "first"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			typ := filetype.TypesByExt[c.ext]
			facts, err := inspectFile(bytes.NewReader(c.file), int64(len(c.file)), typ)
			if err != nil {
				t.Fatal(err)
			}
			read, sealed := map[string]string{}, []string{}
			for i, e := range facts.Entries {
				name, content, err := Member(bytes.NewReader(c.file), int64(len(c.file)), typ, i)
				if e.Dir {
					continue
				}
				if e.Sealed {
					sealed = append(sealed, e.Name)
				}
				if errors.Is(err, ErrNotReadable) != e.Sealed || err == nil && name != e.Name {
					t.Fatalf("member %d, %+v: %q, %v", i, e, name, err)
				}
				if err == nil {
					p, err := io.ReadAll(content)
					if err != nil || int64(len(p)) != e.Size {
						t.Errorf("%s has %d bytes, %v, want %d", e.Name, len(p), err, e.Size)
					}
					read[name] = string(p)
				}
			}
			for name, want := range c.want {
				if read[name] != want {
					t.Errorf("%s = %.40q, want %q", name, read[name], want)
				}
			}
			if len(read) != len(c.want) || strings.Join(sealed, " ") != c.sealed {
				t.Errorf("%d members can be read, sealed are %v", len(read), sealed)
			}
			for _, i := range []int{-1, len(facts.Entries), 1 << 40} {
				if _, _, err := Member(bytes.NewReader(c.file), int64(len(c.file)), typ, i); !errors.Is(err,
					ErrNotReadable) {
					t.Errorf("member %d: %v", i, err)
				}
			}
			// A truncated file must be an error or have the same bytes.
			for n := 1; n < min(len(c.file), 400); n += 7 {
				for i := range min(len(facts.Entries), 3) {
					if _, content, err := Member(bytes.NewReader(c.file[:n]), int64(n), typ, i); err == nil {
						io.Copy(io.Discard, content)
					}
				}
			}
		})
	}
}
