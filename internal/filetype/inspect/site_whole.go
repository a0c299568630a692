package inspect

import (
	"bufio"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// unpackAll unpacks every served file and compares it with the directory.
// Packed files are served as they are. Browsers unpack them with their own
// decoders, which may stop at another offset than inspection and scanner. Files
// that are left out are inspected like the members of any ZIP. When the
// allowance is used up, the site is held.
func (z *inspection) unpackAll(s *filetype.Source, v *siteReading) *filetype.Problem {
	kept := make(map[*archive.ZipMember]bool, len(v.kept))
	files := make([]*archive.ZipMember, 0, len(v.kept))
	for _, e := range v.kept {
		kept[e.member] = true
		files = append(files, e.member)
	}
	if p := z.verify(s, slices.DeleteFunc(slices.Clone(v.extents),
		func(e zipExtent) bool { return kept[e.member] })); p != nil {
		return p
	}
	// Files with the lowest ratio come first, so that one large file does not
	// keep many others from being checked.
	slices.SortStableFunc(files, func(a, b *archive.ZipMember) int {
		return cmp.Compare(a.Unpacked-a.Packed, b.Unpacked-b.Packed)
	})
	packed := bufio.NewReaderSize(nil, filetype.ChunkBytes)
	for _, m := range files {
		p, err := z.unpackFile(s, m, packed)
		switch {
		case p != nil:
			return p
		case err != nil:
			z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
			return nil
		}
	}
	return nil
}

// unpackFile unpacks one file. It must end by itself, with its last packed
// byte, and have the size and checksum of the directory. err is the error of a
// used-up allowance; stored files cost nothing, because they are no larger than
// the ZIP.
func (z *inspection) unpackFile(s *filetype.Source, m *archive.ZipMember,
	packed *bufio.Reader) (_ *filetype.Problem, err error) {
	packed.Reset(s.Section(m.Data, m.Packed))
	var r io.Reader = packed
	if deflatedBody(m) {
		r = z.files.Reader(z.inflate(packed), filetype.KiB) // a ByteReader: inflate reads no byte beyond the stream
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, io.LimitReader(r, m.Unpacked+1))
	switch {
	case errors.Is(err, filetype.ErrAllowance):
		return nil, err
	case err != nil:
		return archive.Contradiction(m.Name, "has a file that cannot be unpacked to its end"), nil
	case n != m.Unpacked:
		return archive.Contradiction(m.Name, "has a file that unpacks to another size than it says"), nil
	case sum.Sum32() != m.Crc:
		return archive.Contradiction(m.Name, "has a file with another checksum than it says"), nil
	}
	if _, err := packed.ReadByte(); err == nil {
		return archive.Contradiction(m.Name, "has bytes behind the end of a file"), nil
	}
	return nil, nil
}

// deflatedBody reports whether a file must be unpacked. Some programs mark
// empty files as deflated without any data.
func deflatedBody(m *archive.ZipMember) bool { return m.Method == 8 && m.Packed+m.Unpacked > 0 }
