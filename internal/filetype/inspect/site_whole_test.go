package inspect

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// rawMember is a file of a ZIP whose compressed bytes and numbers may
// contradict each other.
type rawMember struct {
	name   string
	method uint16
	packed string
	size   int
	crc    uint32
}

func rawZip(members ...rawMember) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.CreateRaw(&zip.FileHeader{Name: m.name, Method: m.method, CRC32: m.crc,
			CompressedSize64: uint64(len(m.packed)), UncompressedSize64: uint64(m.size)})
		if err != nil {
			panic(err)
		}
		_, _ = f.Write([]byte(m.packed))
	}
	w.Close()
	return b.Bytes()
}

// squeezed compresses a text, with the end of the stream or only flushed.
func squeezed(text string, ends bool) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = w.Write([]byte(text))
	if ends {
		w.Close()
	} else {
		w.Flush()
	}
	return b.String()
}

// TestSiteFilesAreWhole checks that a served file is exactly what the directory
// says about it, so that all programs read the same bytes.
func TestSiteFilesAreWhole(t *testing.T) {
	const page = `<!doctype html><input type="password">`
	sum := crc32.ChecksumIEEE([]byte(page))
	tail := string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, sum), uint32(len(page))))
	for _, c := range []struct {
		want, what string
		m          rawMember
	}{
		{"", "as it is said", rawMember{"a.txt", 8, squeezed("text", true), 4, crc32.ChecksumIEEE([]byte("text"))}},
		{"", "empty", rawMember{"a.txt", 8, squeezed("", true), 0, 0}},
		{"", "empty, and not packed at all", rawMember{"a.txt", 8, "", 0, 0}},
		{filetype.ReasonContradiction, "longer than is read into memory",
			rawMember{"a.html", 8, squeezed(page+strings.Repeat(" ", filetype.MaxNested+filetype.MiB), true), len(page),
				sum}},
		{filetype.ReasonContradiction, "longer", rawMember{"a.html", 8, squeezed(page+" ", true), len(page), sum}},
		{filetype.ReasonContradiction, "shorter", rawMember{"a.html", 8, squeezed(page, true), len(page) + 1, sum}},
		{filetype.ReasonContradiction, "without end", rawMember{"a.html", 8, squeezed(page, false), len(page), sum}},
		{filetype.ReasonContradiction, "broken off", rawMember{"a.html", 8, squeezed(page, true)[:20], len(page), sum}},
		{filetype.ReasonContradiction, "nothing, of something", rawMember{"a.html", 8, "", len(page), sum}},
		{filetype.ReasonContradiction, "no deflate", rawMember{"a.png", 8, "\xff\xff\xff", 3, 0}},
		{filetype.ReasonContradiction, "with something behind it",
			rawMember{"a.html", 8, squeezed(page, true) + tail + "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" +
				squeezed(page, true), len(page), sum}},
		{filetype.ReasonContradiction, "with another checksum", rawMember{"a.txt", 8, squeezed("text", true), 4, 7}},
		{filetype.ReasonContradiction, "stored with another checksum", rawMember{"a.png", 0, "text", 4, 7}},
	} {
		_, facts, err := inspectedSite(t, rawZip(rawMember{"index.html", 0, "x", 1, crc32.ChecksumIEEE([]byte("x"))},
			c.m))
		var p *filetype.Problem
		got := ""
		if errors.As(err, &p) {
			got = p.Reason
		}
		if got != c.want || facts.Hold != "" {
			t.Errorf("%s: %v, held for %q, want %q", c.what, err, facts.Hold, c.want)
		}
	}
}

// TestSiteMoreThanIsUnpacked checks that a website beyond the limit of
// decompression is held.
func TestSiteMoreThanIsUnpacked(t *testing.T) {
	data := siteOf(member{name: "a.txt", data: strings.Repeat("text ", 100_000)},
		member{name: "b.png", data: strings.Repeat("x", filetype.MiB), store: true})
	for left, want := range map[filetype.Allowance]string{filetype.MiB: "",
		filetype.MiB / 4: filetype.HoldNotFullyInspected} {
		s, err := siteSource(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var facts filetype.Facts
		z := newInspection(s, &facts)
		z.files = left
		v, p := readSite(s, z)
		if p == nil {
			p = z.site(s, v)
		}
		if p != nil || facts.Hold != want || want != "" && facts.Detail != "a.txt" {
			t.Errorf("with %d bytes left: %v, held for %q (%s), want %q", left, p, facts.Hold, facts.Detail, want)
		}
	}
}

// TestSiteDoctype checks that an XML page is held if its document type declares
// content that its text does not show, but not for namespaces.
func TestSiteDoctype(t *testing.T) {
	const root = `<html xmlns="http://www.w3.org/1999/xhtml"><body>&p;<input type="&p;"/></body></html>`
	wide := func(s string) string {
		b := []byte("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return string(b)
	}
	const entity = `<!DOCTYPE html [<!ENTITY p "password">]>`
	for _, c := range []struct {
		held       bool
		name, data string
	}{
		{true, "entity.xhtml", `<?xml version="1.0"?>` + entity + root},
		{true, "entity.xml", entity + root},
		{true, "entity.xsl", entity + root},
		{true, "entity.svg", entity + root},
		{true, "entity.atom", entity + root},
		{true, "element.xhtml", `<!DOCTYPE html [<!ENTITY p '<input type="&#112;assword"/>'>]>` + root},
		{true, "attribute.xhtml", `<!DOCTYPE html [<!ATTLIST input type CDATA "password">]>` + root},
		{true, "parameter.xhtml", `<!DOCTYPE html [<!ENTITY % p "x">%p;]>` + root},
		{true, "second.xhtml", `<!DOCTYPE html PUBLIC "-//x//[]>" "x.dtd" [<!ENTITY a "http://x/"><!-- ] --> <!ENTITY p "password">]>` + root},
		{true, "comment.xhtml", `<!-- <html> --> ` + entity + root},
		{true, "wide.xhtml", wide(entity + root)},
		{true, "far.xhtml", `<!--` + strings.Repeat(" ", filetype.MaxProlog) + `-->` + entity + root},
		{true, "escape.xhtml", `<?xml version="1.0" encoding="iso-2022-jp"?><!DOCTYPE html [<!ENT` + "\x1b(B" +
			`ITY p "password">]>` + root},
		{false, "plain.xhtml", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html/>`},
		{false, "empty.xml", ""},
		{false, "cdata.xml", `<a><![CDATA[` + entity + `]]></a>`},
		{false, "drawing.svg", `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
	<!ENTITY ns_svg "http://www.w3.org/2000/svg">
	<!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">
]><svg xmlns="&ns_svg;"/>`},
		{false, "page.html", entity},
	} {
		want := ""
		if c.held {
			want = filetype.HoldNotFullyInspected
		}
		_, facts, err := inspectedSite(t, siteOf(member{name: c.name, data: c.data}))
		if err != nil || facts.Hold != want || c.held && facts.Detail != c.name+" > DOCTYPE" {
			t.Errorf("%s: %v, held for %q (%s), want %q", c.name, err, facts.Hold, facts.Detail, want)
		}
	}
}
