package inspect

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"

	"vitrine/internal/filetype"
)

func inspectTar(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if !filetype.TarHeader(s.Head) {
		return filetype.NotThe(s, t)
	}
	return newInspection(s, facts).tar(s.Rest(0), s, t, 0)
}

// tar reads all headers. s is set if the tar is not compressed; t is the type
// of the file. The ratio compares all entries with the whole file, compressed
// or not, because sparse files state any size without occupying it.
func (z *inspection) tar(r io.Reader, s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	if depth > filetype.MaxDepth {
		return tooDeep()
	}
	tap := &tarTap{r: r}
	w := &tarWalk{z: z, u: &unpacking{facts: z.facts, list: depth == 0}, s: s, tap: tap, depth: depth}
	if s != nil { // a stream is counted while it is decompressed
		w.u.all = &z.tally
		w.tr = tar.NewReader(seekingTap{tap})
	} else {
		w.tr = tar.NewReader(tap)
	}
	for {
		h, err := w.tr.Next()
		switch {
		case errors.Is(err, io.EOF):
			return w.end()
		case errors.Is(err, filetype.ErrAllowance), errors.Is(err, errRatio):
			return inflateProblem(err, z.facts)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // filetype.MemberName checks that
			return filetype.Damaged(t)
		}
		if p := w.member(h); p != nil {
			return p
		}
	}
}

type tarWalk struct {
	z     *inspection
	u     *unpacking
	tr    *tar.Reader
	tap   *tarTap
	s     *filetype.Source
	depth int
}

func (w *tarWalk) member(h *tar.Header) *filetype.Problem {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir, tar.TypeGNUSparse, tar.TypeCont:
	case tar.TypeXGlobalHeader: // written by git: a comment
		return nil
	default:
		return linkProblem(h.Name)
	}
	dir := h.Typeflag == tar.TypeDir
	if p := w.u.add(h.Name, dir, -1, h.Size); p != nil {
		return p
	}
	if p := w.otherName(h, dir); p != nil {
		return p
	}
	if ratioTooHigh(w.z.tally.size, w.u.unpacked) {
		return bomb().SetContext(h.Name)
	}
	data := w.tap.at
	w.u.seal(w.u.entries-1, sparse(h) || w.s == nil && (h.Size > filetype.MaxMember || data+h.Size > filetype.MaxReach))
	head := make([]byte, filetype.PeekBytes)
	n, err := io.ReadFull(w.tr, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil // Next meets the same failure and handles it
	}
	if p := refuseHidden(h.Name, head[:n]); p != nil {
		return p
	}
	return w.open(h, head[:n], data)
}

// otherName checks the name in the header itself. Programs that do not support
// the longer name use it. It may be truncated, which changes the extension.
func (w *tarWalk) otherName(h *tar.Header, dir bool) *filetype.Problem {
	if h.PAXRecords["path"] == "" || sparse(h) {
		return nil
	}
	name, _, _ := strings.Cut(string(w.tap.last[:100]), "\x00")
	if filetype.EscapesFolder(name) || len(name) < 100 {
		return filetype.MemberName(name, dir)
	}
	return nil
}

// sparse reports whether the bytes of a member are stored in several pieces.
func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// open inspects a member that can contain others, in place or in memory.
// Documents in a compressed tar that are too large for memory are skipped,
// because otherwise nobody could publish their scans in one; archives and
// Office files are held.
func (w *tarWalk) open(h *tar.Header, head []byte, data int64) *filetype.Problem {
	what := filetype.FormOf(h.Name, head)
	if what == filetype.FormOther {
		return nil
	}
	var inner *filetype.Source
	switch {
	case what == filetype.FormSealed:
		inner = &filetype.Source{}
	case w.s != nil && h.Typeflag == tar.TypeReg && !sparse(h) && data+h.Size <= w.s.Size:
		inner = filetype.NewSource(w.s.Section(data, h.Size), h.Size)
	default:
		var ok bool
		if inner, ok = w.z.memory(io.MultiReader(bytes.NewReader(head), w.tr)); !ok {
			if mayCarryPrograms(what) {
				w.z.facts.HoldAbout(filetype.HoldNotFullyInspected, h.Name)
			}
			return nil
		}
	}
	return w.z.enter(h.Name, what, inner, w.depth+1)
}

// end checks that only zeros follow the last member. Some programs continue
// reading there.
func (w *tarWalk) end() *filetype.Problem {
	if !onlyZeros(w.tap) {
		w.z.facts.HoldAbout(filetype.HoldHiddenData, "behind the last member")
	}
	return nil
}

// onlyZeros reports whether r has only zeros and ends within filetype.MaxGap
// bytes. A read error counts as the end, because the caller's next read returns
// it again.
func onlyZeros(r io.Reader) bool {
	buf := make([]byte, filetype.ChunkBytes)
	for left := int64(filetype.MaxGap); left > 0; {
		n, err := r.Read(buf)
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return false
		}
		if left -= int64(n); err != nil {
			return true
		}
	}
	return false
}

// tarTap records the position in a tar and the last block that was read, which
// is the header after Next.
type tarTap struct {
	r    io.Reader
	at   int64
	last [filetype.TarBlock]byte
}

func (t *tarTap) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if n >= filetype.TarBlock {
		copy(t.last[:], p[n-filetype.TarBlock:n])
	} else {
		copy(t.last[:], t.last[n:])
		copy(t.last[filetype.TarBlock-n:], p[:n])
	}
	t.at += int64(n)
	return n, err
}

// seekingTap skips the bytes of members.
type seekingTap struct{ *tarTap }

func (t seekingTap) Seek(offset int64, whence int) (int64, error) {
	at, err := t.r.(io.Seeker).Seek(offset, whence)
	t.at = at
	return at, err
}
