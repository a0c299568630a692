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

// whole unpacks every file that is served, to see that all there is to be read
// of it is what the directory says: what is packed goes out as it is packed,
// and is unpacked by readers whose programs may stop elsewhere than inspection
// and scanner do. What is left out is looked at as the members of any ZIP.
// Where the allowance ends, a person looks.
func (z *inspection) whole(s *filetype.Source, v *siteReading) *filetype.Problem {
	kept := make(map[*archive.ZipMember]bool, len(v.kept))
	files := make([]*archive.ZipMember, 0, len(v.kept))
	for _, e := range v.kept {
		kept[e.m] = true
		files = append(files, e.m)
	}
	if p := z.verify(s, slices.DeleteFunc(slices.Clone(v.extents),
		func(e zipExtent) bool { return kept[e.m] })); p != nil {
		return p
	}
	// Those that grow least come first, so that one large file keeps few from
	// being looked at.
	slices.SortStableFunc(files, func(a, b *archive.ZipMember) int {
		return cmp.Compare(a.Unpacked-a.Packed, b.Unpacked-b.Packed)
	})
	packed := bufio.NewReaderSize(nil, filetype.ChunkBytes)
	for _, m := range files {
		p, err := z.entire(s, m, packed)
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

// entire unpacks one file: it ends by itself, with the last of its packed
// bytes, has as many bytes as the directory says, and their checksum. err is
// that of an allowance that is used up; what is stored costs none, for it is no
// larger than the ZIP.
func (z *inspection) entire(s *filetype.Source, m *archive.ZipMember,
	packed *bufio.Reader) (_ *filetype.Problem, err error) {
	packed.Reset(s.Section(m.Data, m.Packed))
	var r io.Reader = packed
	if deflatedBody(m) {
		r = z.files.Reader(z.inflate(packed), filetype.KiB) // a ByteReader, of which no byte more is taken than the stream has
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

// deflatedBody tells a file that is to be unpacked. Some programs say so of
// empty ones, of which there is nothing.
func deflatedBody(m *archive.ZipMember) bool { return m.Method == 8 && m.Packed+m.Unpacked > 0 }
