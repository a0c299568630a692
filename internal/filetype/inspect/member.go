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
// filetype.Entry.Sealed. A member of a 7z archive is in memory. One of a gzip
// file is unpacked while it is read, and is read forward only; then content is
// no io.ReaderAt.
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

// unpacked reads a member that is unpacked while it is read. It can seek, but
// not back behind what was read.
type unpacked struct {
	r        io.Reader
	size     int64
	at, next int64 // what was read of r, and where the next read is
}

// Seek implements [io.Seeker].
func (s *unpacked) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.next
	case io.SeekEnd:
		offset += s.size
	}
	if offset < 0 {
		return 0, ErrNotReadable
	}
	s.next = offset
	return offset, nil
}

// Read implements [io.Reader].
func (s *unpacked) Read(p []byte) (int, error) {
	switch {
	case s.next >= s.size:
		return 0, io.EOF
	case s.next < s.at:
		return 0, ErrNotReadable
	}
	skipped, err := io.CopyN(io.Discard, s.r, s.next-s.at)
	s.at += skipped
	if err == nil {
		var n int
		n, err = s.r.Read(p[:min(int64(len(p)), s.size-s.at)])
		s.at += int64(n)
		s.next = s.at
		if n > 0 {
			return n, nil
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

func gzipMember(s *filetype.Source, i int) (string, io.ReadSeeker, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(s.Rest(0), filetype.ChunkBytes))
	if err != nil {
		return "", nil, ErrNotReadable
	}
	reach := &io.LimitedReader{R: z, N: filetype.MaxReach}
	t := tar.NewReader(reach)
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
			if h.Size > min(filetype.MaxMember, reach.N) {
				return h.Name, nil, ErrNotReadable
			}
			return h.Name, &unpacked{r: t, size: h.Size}, nil
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
