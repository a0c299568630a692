package filetype

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// inspectGzip decompresses up to maxInflated bytes without keeping them. A tar inside is walked, an archive or document opened;
// anything else is taken for one file, which must not be a program. tgz must hold a tar.
func inspectGzip(s *source, t Type, facts *Facts) *Problem {
	return newInspection(s, facts).gzip(s, t, 0)
}

func (z *inspection) gzip(s *source, t Type, depth int) *Problem {
	if !bytes.HasPrefix(s.head, []byte("\x1f\x8b\x08")) {
		return notThe(s, t)
	}
	packed := &countingReader{r: s.rest(0)}
	r, err := gzip.NewReader(packed)
	if err != nil {
		return damaged(t)
	}
	if p := memberName(r.Name, false); r.Name != "" && p != nil {
		return p
	}
	return z.stream(r, packed, r.Name, t, depth)
}

// stream looks into what is compressed as one file under a name, and reads it to its end for the sake of its size.
func (z *inspection) stream(r io.Reader, packed *countingReader, name string, t Type, depth int) *Problem {
	if depth > maxDepth {
		return tooDeep()
	}
	unpacked := &ratioReader{r: z.streamed.reader(r, openPrice), packed: packed, all: &z.tally}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(unpacked, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		if errors.Is(err, errAllowance) || errors.Is(err, errRatio) {
			return spent(err, z.facts)
		}
		return damaged(t)
	}
	head = head[:n]
	all := io.MultiReader(bytes.NewReader(head), unpacked)
	if p := z.streamContent(all, head, name, t, depth); p != nil {
		return p
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		if errors.Is(err, errAllowance) || errors.Is(err, errRatio) {
			return spent(err, z.facts)
		}
		return damaged(t)
	}
	return nil
}

func (z *inspection) streamContent(all io.Reader, head []byte, name string, t Type, depth int) *Problem {
	switch what := formOf(name, head); {
	case tarHeader(head):
		return z.tar(all, nil, t, depth)
	case t.Ext == "tgz":
		return mismatch(ReasonOtherContent, "The name says a gzipped tar archive, but there is no tar inside. Name it .gz.")
	case surelyProgram(head) != "":
		return unsafeFile(ReasonHiddenProgram, "The archive contains %s. Executables and scripts are not accepted under any name.", surelyProgram(head)).about(name)
	case suspect(name, head) != nil:
		return suspect(name, head)
	case what == formSealed:
		z.facts.holdAbout(HoldNotFullyInspected, name)
	case what != formOther:
		inner, ok := z.memory(all)
		if ok {
			return z.enter(nameOr(name), what, inner, depth+1)
		}
		if what.carries() {
			z.facts.holdAbout(HoldNotFullyInspected, name)
		}
	}
	return nil
}

// nameOr names content that its archive does not.
func nameOr(name string) string {
	if name == "" {
		return "content"
	}
	return name
}

// spent judges why decompression was stopped: for a ratio that honest data does not reach, or because enough was seen.
func spent(err error, facts *Facts) *Problem {
	if errors.Is(err, errRatio) {
		return bomb()
	}
	facts.hold(HoldNotFullyInspected)
	return nil
}

var errRatio = errors.New("decompresses to far more than its size")

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ratioReader fails once more comes out than what went in explains, into it or into the whole file.
type ratioReader struct {
	r        io.Reader
	packed   *countingReader
	all      *tally
	unpacked int64
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.unpacked += int64(n)
	r.all.unpacked += int64(n)
	if inflated(r.packed.n, r.unpacked) || inflated(r.all.size, r.all.unpacked) {
		return n, errRatio
	}
	return n, err
}
