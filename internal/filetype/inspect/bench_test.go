package inspect

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"vitrine/internal/filetype"
)

// benchFiles write about n bytes of a kind like typical uploads: media that is
// compressed already, text that is not.
var benchFiles = []struct {
	ext   string
	write func(w io.Writer, n int64)
}{
	{"zip", func(w io.Writer, n int64) { benchZIP(zip.NewWriter(w), n) }},
	{"docx", func(w io.Writer, n int64) {
		z := zip.NewWriter(w)
		from, _ := zip.NewReader(bytes.NewReader(ooxmlFile("docx", "")), int64(len(ooxmlFile("docx", ""))))
		for _, f := range from.File {
			z.Copy(f)
		}
		benchZIP(z, n)
	}},
	{"tar", benchTar},
	{"tgz", func(w io.Writer, n int64) {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		benchTar(z, n)
		z.Close()
	}},
	{"gz", func(w io.Writer, n int64) {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		fill(z, n, benchNoise)
		z.Close()
	}},
	{"7z", bench7z},
	{"rar", func(w io.Writer, n int64) { // members of 1 MiB between the blocks of an empty archive
		empty := rar5Of()
		end := len(empty) - 8
		w.Write(empty[:end])
		head := rar5Of(rarMember{name: "photo.jpg", data: string(benchNoise)})
		for ; n > 0; n -= filetype.MiB {
			w.Write(head[end : len(head)-8])
		}
		w.Write(empty[end:])
	}},
	{"pdf", func(w io.Writer, n int64) {
		io.WriteString(w, "%PDF-1.7\n1 0 obj\n"+pdfCatalog+"\nendobj\n2 0 obj\n<</Type/Pages/Count 1>>\nendobj\n")
		for i := 3; n > 0; n, i = n-filetype.MiB, i+1 {
			fmt.Fprintf(w, "%d 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", i, len(benchNoise), benchNoise)
		}
	}},
	{"doc", func(w io.Writer, n int64) {
		w.Write(oleFile(stream("WordDocument", fib(0)),
			stored{name: "Data", kind: 2, data: bytes.Repeat(benchNoise, int(n/filetype.MiB))}))
	}},
	{"png", func(w io.Writer, n int64) { w.Write(pngFile()); fill(w, n, benchNoise) }},
	{"jpg", func(w io.Writer, n int64) { w.Write(jpegFile()); fill(w, n, benchNoise) }},
	{"mp4", func(w io.Writer, n int64) {
		w.Write(slicesJoin(ftyp("isom"), (&buf{}).be(uint32(1)).str("mdat").be(uint64(n)+16).Bytes()))
		fill(w, n, benchNoise)
		w.Write(moov(600, 1500, "vide"))
	}},
	{"mp3", func(w io.Writer, n int64) { fill(w, n, mp3Frames(2500)) }},
	{"txt", func(w io.Writer, n int64) {
		fill(w, n, bytes.Repeat([]byte("Grüße aus Köln, line after line.\n"), 30_000))
	}},
	{"html", func(w io.Writer, n int64) {
		fill(w, n, bytes.Repeat([]byte("<p class=a>Text &#x41; of a paragraph, one after another.</p>\n"), 16_000))
	}},
	{"rtf", func(w io.Writer, n int64) {
		io.WriteString(w, `{\rtf1 `)
		fill(w, n, bytes.Repeat([]byte(`\pard text \par `), 60_000))
	}},
}

var benchNoise = []byte(noise(filetype.MiB))

func fill(w io.Writer, n int64, with []byte) {
	for ; n > 0; n -= int64(len(with)) {
		w.Write(with)
	}
}

func benchZIP(z *zip.Writer, n int64) {
	for i := 0; n > 0; n, i = n-64*filetype.KiB, i+1 {
		h := &zip.FileHeader{Name: fmt.Sprintf("folder%d/%d.dat", i/100, i),
			Method: []uint16{zip.Store, zip.Deflate}[i%2]}
		f, _ := z.CreateHeader(h)
		io.WriteString(f, "\xff\xd8\xff\xe0") // like the beginning of a photograph
		f.Write(benchNoise[:64*filetype.KiB])
	}
	z.Close()
}

func benchTar(w io.Writer, n int64) {
	t := tar.NewWriter(w)
	for i := 0; n > 0; n, i = n-filetype.MiB, i+1 {
		t.WriteHeader(&tar.Header{Name: fmt.Sprintf("folder/%d.dat", i), Mode: 0o644, Size: filetype.MiB})
		t.Write(benchNoise)
	}
	t.Close()
}

// bench7z stores one member, because compressing large samples would take
// longer than everything else.
func bench7z(w io.Writer, n int64) {
	small := sevenWith(sevenOptions{coder: "copy", claimed: uint64(n)}, sevenFile{name: "film.mp4", data: "x"})
	directory := bytes.Replace(small[33:], []byte("\x01\x09\x01\x00"),
		(&buf{}).str("\x01\x09").number(uint64(n)).str("\x00").Bytes(), 1)
	var start buf
	start.le(uint64(n), uint64(len(directory)), crc32.ChecksumIEEE(directory))
	w.Write((&buf{}).str("7z\xbc\xaf\x27\x1c\x00\x04").le(crc32.ChecksumIEEE(start.Bytes())).str(start.String()).Bytes())
	fill(w, n, benchNoise)
	w.Write(directory)
}

// BenchmarkInspect inspects files of every kind and size on disk, and reads the
// same bytes for comparison. It reports the throughput of both, the time of
// inspection as a multiple of the read's, and the peak of the heap above its
// size before. The files of 2 GB are made only with VITRINE_BENCH_LARGE=1.
func BenchmarkInspect(b *testing.B) {
	sizes := []struct {
		name string
		n    int64
	}{{"1MB", filetype.MiB}, {"100MB", 100 * filetype.MiB}, {"2GB", 2 * filetype.GiB}}
	if os.Getenv("VITRINE_BENCH_LARGE") != "1" {
		sizes = sizes[:2]
	}
	for _, f := range benchFiles {
		for _, size := range sizes {
			if f.ext == "doc" && size.n > filetype.MiB { // more than the sample's table has room for
				continue
			}
			b.Run(f.ext+"/"+size.name, func(b *testing.B) { benchmarkFile(b, f.ext, size.n, f.write) })
		}
	}
}

func benchmarkFile(b *testing.B, ext string, n int64, write func(io.Writer, int64)) {
	dir, err := os.MkdirTemp("", "vitrine-bench-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(filepath.Join(dir, "file."+ext))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	write(f, n)
	st, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	size, typ := st.Size(), filetype.TypesByExt[ext]
	peak := &peakAt{r: f}
	peak.start()
	if _, err := Inspect(peak, size, typ); err != nil { // gzip of 2 GB is held, because it contains more than is decompressed
		b.Fatal(err)
	}
	b.SetBytes(size)
	runs := 0
	for b.Loop() {
		Inspect(f, size, typ)
		runs++
	}
	inspected := b.Elapsed() / time.Duration(runs)
	begun := time.Now()
	for range runs {
		io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{io.NewSectionReader(f, 0, size)},
			make([]byte, filetype.ChunkBytes))
	}
	read := max(time.Since(begun)/time.Duration(runs), 1)
	b.ReportMetric(float64(size)/1e6/read.Seconds(), "read-MB/s")
	b.ReportMetric(float64(inspected)/float64(read), "x-read")
	b.ReportMetric(float64(peak.most-peak.before)/filetype.MiB, "peak-MiB")
}

// peakAt measures the heap whenever the file is read.
type peakAt struct {
	r            io.ReaderAt
	sample       []metrics.Sample
	before, most uint64
}

func (p *peakAt) start() {
	runtime.GC()
	p.sample = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	p.before = p.heap()
	p.most = p.before
}

func (p *peakAt) heap() uint64 {
	metrics.Read(p.sample)
	return p.sample[0].Value.Uint64()
}

func (p *peakAt) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.r.ReadAt(b, off)
	p.most = max(p.most, p.heap())
	return n, err
}

func benchmark(b *testing.B, ext string, data []byte) {
	typ, _ := filetype.ByExt("." + ext)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if facts, err := Inspect(bytes.NewReader(data), int64(len(data)), typ); verdict(facts, err) != "ok" {
			b.Fatal(facts, err)
		}
	}
}

// BenchmarkZIP inspects a ZIP of very many small files.
func BenchmarkZIP(b *testing.B) {
	content := string(bytes.Repeat([]byte("one line of a text file\n"), 100))
	var members []member
	for i := range 20_000 {
		members = append(members, member{name: fmt.Sprintf("folder%d/file%d.txt", i/100, i), data: content,
			store: i%2 == 0})
	}
	benchmark(b, "zip", zipFile(members...))
}

// BenchmarkNested inspects a ZIP with all formats that inspection opens.
func BenchmarkNested(b *testing.B) {
	for _, s := range goodArchives() {
		if s.what == "all sorts within" {
			benchmark(b, s.ext, s.data)
		}
	}
}

func BenchmarkPDF400Pages(b *testing.B) { benchmark(b, "pdf", pdfPages(400)) }
