package inspect

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// ErrNotReadable is for a member whose bytes are not unpacked here: it is too
// large or too far inside, encrypted, or packed by a method that is not known.
var ErrNotReadable = errors.New("the member of the archive is not unpacked")

// Member reads a member of an archive of one of the types tgz, gz, 7z and rar,
// by its index in Facts.Entries. The archive was inspected before. What must be
// unpacked first, and the member itself, are bounded: see
// filetype.Entry.Sealed.
func Member(r io.ReaderAt, size int64, t filetype.Type, i int) (name string, content io.ReadSeeker, err error) {
	s := filetype.NewSource(r, size)
	switch t.Ext {
	case "gz", "tgz":
		name, content, err = gzipMember(s, i)
	case "7z":
		name, content, err = sevenMember(s, i)
	case "rar":
		name, content, err = rarMemberAt(s, i)
	default:
		err = ErrNotReadable
	}
	if s.Err != nil {
		err = s.Err
	}
	return archive.ShownName(name), content, err
}

// inMemory reads a member of at most filetype.MaxMember bytes into memory.
func inMemory(r io.Reader, size int64) (io.ReadSeeker, error) {
	if size < 0 || size > filetype.MaxMember {
		return nil, ErrNotReadable
	}
	p := make([]byte, size)
	if _, err := io.ReadFull(r, p); err != nil {
		return nil, ErrNotReadable
	}
	return bytes.NewReader(p), nil
}

func gzipMember(s *filetype.Source, i int) (string, io.ReadSeeker, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(s.Rest(0), filetype.ChunkBytes))
	if err != nil {
		return "", nil, ErrNotReadable
	}
	t := tar.NewReader(io.LimitReader(z, filetype.MaxReach))
	for n := 0; ; {
		h, err := t.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return "", nil, ErrNotReadable
		}
		if h.Typeflag == tar.TypeXGlobalHeader { // it is not listed
			continue
		}
		if n == i {
			if h.Typeflag != tar.TypeReg || sparse(h) {
				return h.Name, nil, ErrNotReadable
			}
			content, err := inMemory(t, h.Size)
			return h.Name, content, err
		}
		n++
	}
}

func sevenMember(s *filetype.Source, i int) (string, io.ReadSeeker, error) {
	z := newInspection(s, new(filetype.Facts))
	header, p := sevenHeaderOf(s, filetype.Type{})
	if p != nil || header == nil {
		return "", nil, ErrNotReadable
	}
	for level := 0; level <= 2; level++ {
		a, ok := archive.ReadSeven(header)
		if !ok || a.Encrypted() || a.Crowded {
			return "", nil, ErrNotReadable
		}
		if !a.PackedHeader {
			return z.sevenMemberOf(s, a, i)
		}
		if header, ok = z.sevenUnpacked(s, a); !ok {
			return "", nil, ErrNotReadable
		}
	}
	return "", nil, ErrNotReadable
}

func (z *inspection) sevenMemberOf(s *filetype.Source, a *archive.SevenArchive, i int) (string, io.ReadSeeker, error) {
	for n, m := range placed(a) {
		if n != i {
			continue
		}
		if !m.readable {
			return m.Name, nil, ErrNotReadable
		}
		r, ok := z.sevenFolder(s, a, m.folder)
		if !ok {
			return m.Name, nil, ErrNotReadable
		}
		if _, err := io.CopyN(io.Discard, r, m.at); err != nil {
			return m.Name, nil, ErrNotReadable
		}
		content, err := inMemory(r, m.Size)
		return m.Name, content, err
	}
	return "", nil, ErrNotReadable
}

// placedMember is a member of a 7z archive, and where it lies in its folder.
type placedMember struct {
	archive.SevenMember
	folder   int
	at       int64
	readable bool
}

// placed returns the positions of the members and whether each is unpacked
// separately. Members behind filters for program code are not, because these
// filters change the bytes.
func placed(a *archive.SevenArchive) []placedMember {
	all := make([]placedMember, 0, len(a.Members))
	folder, left, at := -1, 0, int64(0)
	for _, m := range a.Members {
		p := placedMember{SevenMember: m}
		if !m.Empty {
			for left == 0 && folder+1 < len(a.Folders) {
				folder, at = folder+1, 0
				left = a.Folders[folder].Members
			}
			if left > 0 {
				coders := a.Folders[folder].Coders
				p.folder, p.at = folder, at
				p.readable = !a.EncryptedFolder(folder) && len(coders) == 1 && sevenCoders[coders[0].ID] &&
					m.Size <= filetype.MaxMember && at+m.Size <= filetype.MaxSolid
				left--
				at += m.Size
			}
		}
		all = append(all, p)
	}
	return all
}

// sevenCoders are those that open undoes.
var sevenCoders = map[string]bool{archive.SevenCopy: true, archive.SevenLZMA: true, archive.SevenLZMA2: true,
	archive.SevenDeflate: true, archive.SevenBzip2: true}

// rarMemberAt finds a member that is stored without compression.
func rarMemberAt(s *filetype.Source, i int) (string, io.ReadSeeker, error) {
	w := &rarWalk{z: newInspection(s, new(filetype.Facts)), s: s}
	read, off := w.rar4, int64(len(filetype.Rar4Magic))
	if bytes.HasPrefix(s.Head, []byte(filetype.Rar5Magic)) {
		read, off = w.rar5, int64(len(filetype.Rar5Magic))
	}
	for n := 0; off < s.Size && s.Step(); {
		b, ok := read(off)
		if !ok || b.kind == rarEnd || b.kind == rarEncryption || b.next <= off {
			break
		}
		off = b.next
		if b.kind != rarFileBlock {
			continue
		}
		if n == i {
			if !b.readable() {
				return b.file.Name, nil, ErrNotReadable
			}
			return b.file.Name, s.Section(b.file.Data, b.file.Packed), nil
		}
		n++
	}
	return "", nil, ErrNotReadable
}

// readable reports whether a member is stored uncompressed, unencrypted and in
// one volume.
func (b rarBlock) readable() bool {
	f := b.file
	return f.Stored && !b.encrypted && !b.volume && !f.Dir && f.Packed == f.Unpacked
}
