package filetype

import (
	"bytes"
	"fmt"
	"testing"
)

func benchmark(b *testing.B, ext string, data []byte) {
	typ, _ := ByExt("." + ext)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if facts, err := Inspect(bytes.NewReader(data), int64(len(data)), typ); verdict(facts, err) != "ok" {
			b.Fatal(facts, err)
		}
	}
}

func BenchmarkZIP(b *testing.B) {
	content := string(bytes.Repeat([]byte("one line of a text file\n"), 100))
	var members []member
	for i := range 20_000 {
		members = append(members, member{name: fmt.Sprintf("folder%d/file%d.txt", i/100, i), data: content, store: i%2 == 0})
	}
	benchmark(b, "zip", zipFile(members...))
}

func BenchmarkPDF400Pages(b *testing.B) { benchmark(b, "pdf", pdfPages(400)) }

// BenchmarkPDFImages is a PDF whose bulk is compressed streams, as scans are.
func BenchmarkPDFImages(b *testing.B) {
	noise := make([]byte, 20*mib)
	x := uint32(1)
	for i := range noise {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	benchmark(b, "pdf", pdfWith(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(noise), noise)))
}

func BenchmarkText(b *testing.B) {
	benchmark(b, "txt", bytes.Repeat([]byte("Grüße aus Köln, line after line.\n"), 300_000))
}

func BenchmarkHTML(b *testing.B) {
	benchmark(b, "html", bytes.Repeat([]byte("<p class=a>Text &#x41; of a paragraph, one after another.</p>\n"), 100_000))
}

func BenchmarkJPEG(b *testing.B) { benchmark(b, "jpg", exifJPEG()) }
