package filetype

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

func inspectTar(s *source, t Type, facts *Facts) *Problem {
	if !tarHeader(s.head) {
		return notThe(s, t)
	}
	return walkTar(s.rest(0), s.size, t, facts)
}

const tarBlock = 512

// tarHeader tells a tar by the checksum of its first header, which the oldest form has too; or an empty tar, two blocks of zeros.
func tarHeader(head []byte) bool {
	if len(head) < tarBlock {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(head[:tarBlock])).Next()
	empty := len(head) >= 2*tarBlock && len(bytes.Trim(head[:2*tarBlock], "\x00")) == 0
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF) || empty
}

// walkTar reads from header to header. The ratio is that of all entries to packed, the size of the whole file, compressed or not:
// sparse files state any size without taking it.
func walkTar(r io.Reader, packed int64, t Type, facts *Facts) *Problem {
	u := &unpacking{facts: facts, list: true}
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errAllowance), errors.Is(err, errRatio):
			return spent(err, facts)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // memberName judges that
			return damaged(t)
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeGNUSparse, tar.TypeCont:
		case tar.TypeXGlobalHeader: // as git writes it: a comment
			continue
		default:
			return linkProblem()
		}
		if p := u.add(h.Name, h.Typeflag == tar.TypeDir, -1, h.Size); p != nil {
			return p
		}
		if inflated(packed, u.unpacked) {
			return bomb()
		}
		head := make([]byte, peekBytes)
		n, err := io.ReadFull(tr, head)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			continue // Next meets the same failure and judges it
		}
		if what := surelyProgram(head[:n]); what != "" {
			return unsafeFile("The archive contains %s under another name. Remove it and pack again.", what)
		}
	}
}

// inspectGzip decompresses up to maxInflated bytes without keeping them. A tar inside is walked; anything else is taken for one
// file, which must not be a program. tgz must hold a tar.
func inspectGzip(s *source, t Type, facts *Facts) *Problem {
	if !bytes.HasPrefix(s.head, []byte("\x1f\x8b\x08")) {
		return notThe(s, t)
	}
	packed := &countingReader{r: s.rest(0)}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return damaged(t)
	}
	if p := memberName(z.Name, false); z.Name != "" && p != nil {
		return p
	}
	budget := allowance(maxInflated)
	unpacked := &ratioReader{r: budget.reader(z, 0), packed: packed}
	head := make([]byte, 2*tarBlock)
	n, err := io.ReadFull(unpacked, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(t)
	}
	head = head[:n]
	all := io.MultiReader(bytes.NewReader(head), unpacked)
	if tarHeader(head) {
		if p := walkTar(all, s.size, t, facts); p != nil || facts.Hold != "" {
			return p
		}
	} else if t.Ext == "tgz" {
		return mismatch("The name says a gzipped tar archive, but there is no tar inside. Name it .gz.")
	} else if what := surelyProgram(head); what != "" {
		return unsafeFile("The archive contains %s. Executables and scripts are not accepted under any name.", what)
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		if errors.Is(err, errAllowance) || errors.Is(err, errRatio) {
			return spent(err, facts)
		}
		return damaged(t)
	}
	return nil
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

// ratioReader fails once more comes out than what went in explains.
type ratioReader struct {
	r        io.Reader
	packed   *countingReader
	unpacked int64
}

func (r *ratioReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.unpacked += int64(n)
	if inflated(r.packed.n, r.unpacked) {
		return n, errRatio
	}
	return n, err
}
