package inspect

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// inspectGzip unpacks up to filetype.MaxInflated bytes without storing them. It
// walks a tar and opens an archive or document inside. Anything else counts as
// one file, which must not be a program. A tgz must contain a tar.
func inspectGzip(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	return newInspection(s, facts).gzip(s, t, 0)
}

func (z *inspection) gzip(s *filetype.Source, t filetype.Type, depth int) *filetype.Problem {
	if !bytes.HasPrefix(s.Head, []byte("\x1f\x8b\x08")) {
		return filetype.NotThe(s, t)
	}
	packed := &filetype.CountingReader{R: s.Rest(0)}
	r, err := newGzipMembers(packed)
	if err != nil {
		return filetype.Damaged(t)
	}
	name := r.z.Name
	if p := filetype.MemberName(name, false); name != "" && p != nil {
		return p
	}
	return z.stream(r, packed, name, t, depth)
}

// gzipMembers reads the members of a gzip file one after the other. Padding may
// follow the last one, as gzip itself allows.
type gzipMembers struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func newGzipMembers(r io.Reader) (*gzipMembers, error) {
	in := bufio.NewReaderSize(r, filetype.ChunkBytes)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipMembers{in, z}, nil
}

func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			if n > 0 && errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
		if more, err := g.next(); err != nil || !more {
			return 0, cmp.Or(err, io.EOF)
		}
	}
}

// next begins the next member and reports whether there is one.
func (g *gzipMembers) next() (more bool, err error) {
	for {
		p, err := g.in.Peek(1)
		if err != nil {
			return false, err
		}
		if p[0] == 0x1f {
			if err := g.z.Reset(g.in); err != nil {
				return false, err
			}
			g.z.Multistream(false)
			return true, nil
		}
		if !archive.IsPadding(p) {
			return false, gzip.ErrHeader
		}
		g.in.Discard(1)
	}
}

// stream inspects the content of a compressed stream under a name, and reads it
// to the end to measure it.
func (z *inspection) stream(r io.Reader, packed *filetype.CountingReader, name string, t filetype.Type,
	depth int) *filetype.Problem {
	if depth > filetype.MaxDepth {
		return tooDeep()
	}
	unpacked := &ratioReader{r: z.streamed.Reader(r, filetype.OpenPrice), packed: packed, all: &z.tally}
	head := make([]byte, filetype.HeadBytes)
	n, err := io.ReadFull(unpacked, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		if errors.Is(err, filetype.ErrAllowance) || errors.Is(err, errRatio) {
			return inflateProblem(err, z.facts)
		}
		return filetype.Damaged(t)
	}
	head = head[:n]
	all := io.MultiReader(bytes.NewReader(head), unpacked)
	if p := z.streamContent(all, head, name, t, depth); p != nil {
		return p
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		if errors.Is(err, filetype.ErrAllowance) || errors.Is(err, errRatio) {
			return inflateProblem(err, z.facts)
		}
		return filetype.Damaged(t)
	}
	return nil
}

func (z *inspection) streamContent(all io.Reader, head []byte, name string, t filetype.Type,
	depth int) *filetype.Problem {
	switch what := filetype.FormOf(name, head); {
	case filetype.TarHeader(head):
		return z.tar(all, nil, t, depth)
	case t.Ext == "tgz":
		return filetype.Mismatch(filetype.ReasonOtherContent,
			"The name says a gzipped tar archive, but there is no tar inside. Name it .gz.")
	case filetype.SurelyProgram(head) != "":
		return filetype.UnsafeFile(filetype.ReasonHiddenProgram,
			"The archive contains %s. Programs and scripts are not accepted.",
			filetype.SurelyProgram(head)).SetContext(name)
	case refuseHidden(name, head) != nil:
		return refuseHidden(name, head)
	case what == filetype.FormSealed:
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, name)
	case what != filetype.FormOther:
		inner, ok := z.memory(all)
		if ok {
			return z.enter(nameOr(name), what, inner, depth+1)
		}
		if mayCarryPrograms(what) {
			z.facts.HoldAbout(filetype.HoldNotFullyInspected, name)
		}
	}
	return nil
}

// nameOr returns a name for content without a stored name.
func nameOr(name string) string {
	if name == "" {
		return "content"
	}
	return name
}

// inflateProblem decides why decompression stopped: the ratio is too high for
// honest data, or the limit was reached.
func inflateProblem(err error, facts *filetype.Facts) *filetype.Problem {
	if errors.Is(err, errRatio) {
		return bomb()
	}
	facts.HoldFor(filetype.HoldNotFullyInspected)
	return nil
}

var errRatio = errors.New("decompresses to far more than its size")

// ratioReader fails when more comes out than the packed bytes explain, for the
// stream or the whole file.
type ratioReader struct {
	r        io.Reader
	packed   *filetype.CountingReader
	all      *tally
	unpacked int64
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.unpacked += int64(n)
	r.all.unpacked += int64(n)
	if ratioTooHigh(r.packed.N, r.unpacked) || ratioTooHigh(r.all.size, r.all.unpacked) {
		return n, errRatio
	}
	return n, err
}
