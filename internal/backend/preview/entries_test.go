package preview

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
)

func tarOf(t testing.TB, names ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, n := range names {
		must(t, w.WriteHeader(&tar.Header{Name: n, Size: 5, Mode: 0o600}))
		_, err := io.WriteString(w, "hello")
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, p []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(p)
	must(t, err, w.Close())
	return b.Bytes()
}

// block returns a RAR 5 header: its type, its fields, and the number of data
// bytes that follow.
func block(kind byte, data int, fields string) string {
	body := string([]byte{kind, 0}) + fields
	if data > 0 {
		body = string([]byte{kind, 2, byte(data)}) + fields
	}
	body = string([]byte{byte(len(body))}) + body
	return le(crc([]byte(body))) + body
}

// rarOf returns a RAR 5 archive of stored files with five bytes each.
func rarOf(names ...string) []byte {
	s := "Rar!\x1a\x07\x01\x00" + block(1, 0, "\x00")
	for _, n := range names {
		s += block(2, 5, "\x04\x05\x20"+le(crc([]byte("hello")))+"\x00\x00"+string([]byte{byte(len(n))})+n) + "hello"
	}
	return []byte(s + block(5, 0, "\x00"))
}

// sevenOf returns a 7z archive of one stored file with five bytes.
func sevenOf(name string) []byte {
	var utf16 string
	for _, r := range name + "\x00" {
		utf16 += le(uint16(r))
	}
	names := "\x00" + utf16
	header := "\x01" + "\x04" + // header, streams
		"\x06\x00\x01\x09\x05\x00" + // one packed stream at 0 of 5 bytes
		"\x07\x0b\x01\x00\x01\x01\x00\x0c\x05\x00" + // one folder of one coder, copy; unpacked to 5 bytes
		"\x00" +
		"\x05\x01\x11" + string([]byte{byte(len(names))}) + names + "\x00\x00"
	start := le(uint64(5), uint64(len(header)), crc([]byte(header)))
	return []byte("7z\xbc\xaf\x27\x1c\x00\x04" + le(crc([]byte(start))) + start + "hello" + header)
}

func TestEntries(t *testing.T) {
	m, _ := newMaker(t, Options{})
	for name, content := range map[string][]byte{
		"a.zip": zipped(t, "a.txt", "hello"), "a.tar": tarOf(t, "a.txt"), "a.tgz": gzipped(t, tarOf(t, "a.txt")),
		"a.rar": rarOf("a.txt"), "a.7z": sevenOf("a.txt"),
	} {
		var got filetype.Listing
		parts := mustPreview(t, m, name, content)
		if parts[vitrine.PartEntries] == nil {
			t.Errorf("%s: no entries", name)
			continue
		}
		parts.json(t, vitrine.PartEntries, &got)
		if want := (filetype.Listing{Entries: []filetype.Entry{{Name: "a.txt", Size: 5}},
			Total: 1}); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: entries = %v, want %v", name, got, want)
		}
	}
}

// TestManyEntries checks that the first of many entries are listed and all are
// counted.
func TestManyEntries(t *testing.T) {
	var names []string
	for i := range filetype.MaxListed + 5 {
		names = append(names, fmt.Sprint(i))
	}
	m, _ := newMaker(t, Options{})
	var list filetype.Listing
	mustPreview(t, m, "many.rar", rarOf(names...)).json(t, vitrine.PartEntries, &list)
	if len(list.Entries) != filetype.MaxListed || list.Total != len(names) {
		t.Errorf("%d entries listed of %d", len(list.Entries), list.Total)
	}
}
