package inspect

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/filetype"
)

// rawZIP writes headers as given, which may be wrong.
type rawZIP struct {
	buf
	directory buf
	entries   int
}

// local writes a member's local header and bytes and returns their offset.
func (z *rawZIP) local(name string, method uint16, data string, unpacked uint32) (at uint32) {
	at = uint32(z.Len())
	z.str(filetype.ZipLocal).le(uint16(20), uint16(0), method, uint32(0), uint32(0), uint32(len(data)), unpacked,
		uint16(len(name)), uint16(0)).str(name + data)
	return at
}

// entry lists a member in the directory.
func (z *rawZIP) entry(name string, method uint16, packed, unpacked, at uint32, extra string) {
	z.entries++
	z.directory.str(filetype.ZipEntry).le(uint16(20), uint16(20), uint16(0), method, uint32(0), uint32(0), packed,
		unpacked,
		uint16(len(name)), uint16(len(extra)), uint16(0), uint16(0), uint16(0), uint32(0), at).str(name + extra)
}

func (z *rawZIP) bytes() []byte {
	start := z.Len()
	z.Write(z.directory.Bytes())
	z.str(filetype.ZipEnd).le(uint16(0), uint16(0), uint16(z.entries), uint16(z.entries), uint32(z.directory.Len()),
		uint32(start), uint16(0))
	return z.Bytes()
}

// bytes64 ends the archive with 64-bit records that have the directory's offset
// and count.
func (z *rawZIP) bytes64(offset, entries uint64) []byte {
	z.Write(z.directory.Bytes())
	end := uint64(z.Len())
	z.str(filetype.Zip64End).le(uint64(44), uint16(45), uint16(45), uint32(0), uint32(0), entries, entries,
		uint64(z.directory.Len()), offset)
	z.str(filetype.Zip64Finder).le(uint32(0), end, uint32(1))
	z.str(filetype.ZipEnd).le(uint16(0), uint16(0), uint16(0xffff), uint16(0xffff), uint32(0xffffffff),
		uint32(0xffffffff), uint16(0))
	return z.Bytes()
}

// bombs returns archives that fill a disk or keep a machine busy.
func bombs() []otherFile {
	var flat rawZIP
	flat.entry("zeros.txt", 8, 100_000, filetype.BombFloor+filetype.MiB,
		flat.local("zeros.txt", 8, strings.Repeat("x", 100_000), filetype.BombFloor+filetype.MiB), "")
	zeros := string(flat.bytes())
	var out []otherFile
	add := func(what, ext string, p []byte) {
		out = append(out, otherFile{sample{what, ext, p}, filetype.CodeUnsafeFile})
	}

	add("one file of zeros", "zip", []byte(zeros))
	add("nested, high ratio inside", "zip", zipFile(member{name: "a.zip", data: zeros, store: true}))
	add("nested and packed twice", "zip", zipFile(member{name: "a.zip",
		data: string(zipFile(member{name: "b.zip", data: zeros}))}))
	deep := named("a.txt")
	for range filetype.MaxDepth + 1 {
		deep = zipFile(member{name: "deeper.zip", data: string(deep)})
	}
	add("too deep", "zip", deep)

	var many rawZIP // little content, listed often
	at := many.local("f", 8, strings.Repeat("x", 1000), 100_000)
	for range 2000 {
		many.entry("f", 8, 1000, 100_000, at, "")
	}
	add("one file listed often", "zip", many.bytes())

	var quilt rawZIP // each member's bytes contain the next one's header
	for range 300 {
		quilt.local("f", 0, "", 0)
	}
	end := uint32(quilt.Len())
	for i := range uint32(300) {
		at, packed := i*31, end-i*31-31
		new(buf).le(uint16(8)).Read(quilt.Bytes()[at+8:])
		new(buf).le(packed, uint32(100_000)).Read(quilt.Bytes()[at+18:])
		quilt.entry("f", 8, packed, 100_000, at, "")
	}
	add("overlapping", "zip", quilt.bytes())

	var total rawZIP // plausible ratio, implausible total
	at = total.local("f", 8, strings.Repeat("x", 1000), 0xfffffffe)
	for range 20 {
		total.entry("f", 8, 1000, 0xfffffffe, at, "")
	}
	add("64 GiB", "zip", total.bytes())

	var wide rawZIP // 64-bit sizes
	var extra buf
	extra.le(uint16(1), uint16(8), uint64(1)<<62)
	at = wide.local("f", 8, extra.String()+"xx", 0xffffffff)
	new(buf).le(uint32(2)).Read(wide.Bytes()[at+18:])
	new(buf).le(uint16(extra.Len())).Read(wide.Bytes()[at+28:])
	wide.entry("f", 8, 2, 0xffffffff, at, extra.String())
	add("64-bit size", "zip", wide.bytes())

	var crowd rawZIP
	at = crowd.local("f", 0, "", 0)
	for range filetype.MaxEntries + 1 {
		crowd.entry("f", 0, 0, 0, at, "")
	}
	p := crowd.bytes()
	add("too many entries, understated", "zip", p)
	add("a directory over the bound", "zip", func() []byte {
		var z rawZIP
		at := z.local("f", 0, "", 0)
		long := strings.Repeat("x", 0xff00)
		for i := range filetype.MaxDirectory/len(long) + 2 {
			z.entry(long, 0, 0, uint32(i), at, "")
		}
		return z.bytes()
	}())

	add("sparse", "tar", sparseTar(1<<40))
	add("sparse, believable total", "tar", sparseTar(10*filetype.GiB))
	add("sparse, packed", "tgz", gzipFile("", sparseTar(1<<40)))
	add("many entries", "tgz", packed(func(w io.Writer) {
		tw := tar.NewWriter(w)
		for range filetype.MaxEntries + 1 {
			tw.WriteHeader(&tar.Header{Name: "f", Mode: 0o644})
		}
		tw.Close()
	}))
	tenth := gzipFile("", make([]byte, filetype.BombFloor/10)) // the following members are unpacked as one
	add("zeros", "gz", bytes.Repeat(tenth, 11))
	big := packed(func(w io.Writer) {
		tar.NewWriter(w).WriteHeader(&tar.Header{Name: "f", Mode: 0o644, Size: filetype.BombFloor - filetype.MiB})
	})
	add("zeros in a tar", "tgz", append(big, bytes.Repeat(tenth, 11)...))
	return out
}

func packed(f func(io.Writer)) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	f(w)
	w.Close()
	return b.Bytes()
}

// sparseTar returns a tar of a file with the given size and no bytes.
func sparseTar(size int64) []byte {
	p := tarFile(tar.Header{Name: "disk.img", Size: 512})
	h := p[:512]
	h[156] = 'S'
	copy(h[257:], "ustar  \x00")
	copy(h[386:], fmt.Sprintf("%011o\x00%011o\x00", 0, 512))
	h[483-1] = 0
	base256 := append([]byte{0x80, 0, 0, 0}, (&buf{}).be(uint64(size)).Bytes()...)
	copy(h[483:], base256)
	copy(h[148:], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return p
}

func TestBombs(t *testing.T) {
	for _, f := range bombs() {
		facts, err := inspectBytes(t, f.ext, f.data)
		if got := verdict(facts, err); got != f.want {
			t.Errorf("%s (%d bytes): %s (%v), want %s", f.what, len(f.data), got, err, f.want)
		}
	}
}

// TestTotalUnpacked checks that the total is bounded even if each ratio is
// plausible.
func TestTotalUnpacked(t *testing.T) {
	u := unpacking{facts: new(filetype.Facts)}
	for i := range 3 {
		if p := u.add("disk.img", false, filetype.GiB, filetype.MaxUnpacked/2); (p != nil) != (i == 2) {
			t.Errorf("entry %d: %v", i, p)
		}
	}
	for _, size := range []int64{-1, filetype.MaxUnpacked + 1} {
		if p := new(unpacking).add("disk.img", false, -1, size); p == nil {
			t.Errorf("an entry of %d bytes passes, want a problem", size)
		}
	}
}

// TestLargeArchives checks that large ordinary archives pass.
func TestLargeArchives(t *testing.T) {
	var logs bytes.Buffer
	for i := range 30_000 {
		fmt.Fprintf(&logs, "2024-01-01 00:00:%02d GET /p/%d 200 %d\n", i%60, i*7919%1000, i)
	}
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("folder/%d.txt", i))
	}
	for _, c := range []struct {
		what, ext string
		data      []byte
		entries   int
	}{
		{"log", "zip", zipFile(member{name: "access.log", data: logs.String()}), 1},
		{"log", "gz", gzipFile("access.log", logs.Bytes()), 0},
		{"zeros under the floor", "zip", zipFile(member{name: "zeros.dat",
			data: string(make([]byte, 10*filetype.MiB))}), 1},
		{"5000 files", "zip", named(names...), 5000},
	} {
		facts, err := inspectBytes(t, c.ext, c.data)
		if verdict(facts, err) != "ok" || facts.EntriesTotal != c.entries ||
			len(facts.Entries) != min(c.entries, filetype.MaxListed) {
			t.Errorf("%s: %v, %d entries, %d listed", c.what, err, facts.EntriesTotal, len(facts.Entries))
		}
	}
}

// TestContradictingZIPs checks that a ZIP that programs could read in two ways
// is refused, unless both are harmless.
func TestContradictingZIPs(t *testing.T) {
	type build func(z *rawZIP) []byte
	for _, c := range []struct {
		what, want string
		build      build
	}{
		{"local name is a program", filetype.CodeUnsafeFile, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.exe", 0, "x", 1), "")
			return z.bytes()
		}},
		{"local name escapes", filetype.CodeUnsafeFile, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("../../.bashrc", 0, "x", 1), "")
			return z.bytes()
		}},
		{"other harmless name", "ok", func(z *rawZIP) []byte {
			z.entry("caf\x82.txt", 0, 1, 1, z.local("café.txt", 0, "x", 1), "")
			return z.bytes()
		}},
		{"Unicode name is a program", filetype.CodeUnsafeFile, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "\x75\x70\x0a\x00\x01\x00\x00\x00\x00a.exe")
			return z.bytes()
		}},
		{"member behind the directory", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 500, 500, z.local("a.txt", 0, "x", 1), "")
			return z.bytes()
		}},
		{"no local header", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.local("a.txt", 0, "x", 1)
			z.entry("a.txt", 0, 1, 1, 7, "")
			return z.bytes()
		}},
		{"fewer entries than said", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			z.entries = 2
			return z.bytes()
		}},
		{"two directories", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			hidden := z.bytes()
			var second rawZIP
			second.Write(hidden)
			second.entry("a.txt", 0, 1, 1, 0, "")
			p := second.bytes()
			filetype.LittleEndian.PutUint32(p[len(p)-6:], uint32(len(hidden)-6)) // points to the first one
			return p
		}},
		{"end record in the comment", filetype.CodeUnsafeFile, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			p := z.bytes()
			comment := filetype.ZipEnd + strings.Repeat("\x00", 16) + "\x09\x00short"
			p[len(p)-2] = byte(len(comment))
			return append(p, comment...)
		}},
		{"64-bit records", "ok", func(z *rawZIP) []byte {
			at := z.local("a.txt", 0, "x", 1)
			extra := new(buf).le(uint16(1), uint16(24), uint64(1), uint64(1), uint64(at)).String()
			z.entry("a.txt", 0, 0xffffffff, 0xffffffff, 0xffffffff, extra)
			return z.bytes64(uint64(z.Len()), 1)
		}},
		{"64-bit offset astray", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			return z.bytes64(1<<63, 1)
		}},
		{"64-bit count beyond the bound", filetype.CodeUnsafeFile, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			return z.bytes64(uint64(z.Len()), 1<<40)
		}},
		{"64-bit record missing", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			p := z.bytes64(uint64(z.Len()), 1)
			p[bytes.Index(p, []byte(filetype.Zip64End))] = 'x'
			return p
		}},
		{"sizes stay 32 bits", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 0xffffffff, 1, z.local("a.txt", 0, "x", 1), "\x01\x00\x04\x00abcd")
			return z.bytes()
		}},
		{"extra field cut short", "ok", func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "\x75\x70\xff\xff\x01")
			return z.bytes()
		}},
		{"rubbish in the directory", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			z.directory.str("rubbish that is as long as an entry of the directory is at least")
			return z.bytes()
		}},
		{"name beyond the directory", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			filetype.LittleEndian.PutUint16(z.directory.Bytes()[28:], 500)
			return z.bytes()
		}},
		{"other data first", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.str("#data first, as in archives that unpack themselves")
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			return z.bytes()
		}},
		{"part of a set", filetype.CodeContentMismatch, func(z *rawZIP) []byte {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			p := z.bytes()
			p[len(p)-18] = 3
			return p
		}},
	} {
		p := c.build(new(rawZIP))
		facts, err := inspectBytes(t, "zip", p)
		if got := verdict(facts, err); got != c.want {
			t.Errorf("%s: %s (%v), want %s", c.what, got, err, c.want)
		}
	}
}

// TestMoreThanInspected checks that a file beyond the limit of decompression is
// held, not refused.
func TestMoreThanInspected(t *testing.T) {
	var f filetype.Facts
	z := newInspection(&filetype.Source{Size: 50 * filetype.KiB}, &f)
	budget := filetype.Allowance(10 * filetype.KiB)
	r := budget.Reader(bytes.NewReader(tarFile(tar.Header{Name: "a", Size: 20 * filetype.KiB},
		tar.Header{Name: "b", Size: 20 * filetype.KiB})), 0)
	if p := z.tar(r, nil, filetype.Type{}, 0); p != nil || f.Hold != filetype.HoldNotFullyInspected ||
		f.EntriesTotal != 1 {
		t.Errorf("problem %v, facts %+v, want it held", p, f)
	}
}
