package porttest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// Scanner tests a scanner. open returns a scanner and bytes for which it
// returns a result. The bytes are nil if it never returns that result.
func Scanner(t *testing.T, open func(t *testing.T, says vitrine.ScanResult) (vitrine.Scanner, []byte)) {
	for _, says := range []vitrine.ScanResult{vitrine.ScanClean, vitrine.ScanSuspicious, vitrine.ScanMalware} {
		t.Run("Result/"+string(says), func(t *testing.T) {
			s, content := open(t, says)
			if content == nil {
				t.Skip("the scanner never returns this result")
			}
			scanResults(t, s, content, says)
		})
	}
	for name, run := range map[string]func(*testing.T, vitrine.Scanner){
		"Names": scanNames, "Broken": scanBroken, "Ended": scanEnded, "AtOnce": scanAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := open(t, vitrine.ScanClean)
			run(t, s)
		})
	}
}

// CleanFile returns bytes in which nothing is found. They depend only on the
// size.
func CleanFile(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(b)
	return b
}

// scanSeeks reports whether a scanner searches for anything.
func scanSeeks(t *testing.T, s vitrine.Scanner) bool {
	t.Helper()
	signatures, err := s.Signatures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return signatures != ""
}

// counted counts the bytes that are read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (n int, err error) {
	n, err = c.Reader.Read(p)
	c.n += n
	return n, err
}

// scanResults checks that a verdict is explicit, names the finding, and is
// based on all bytes.
func scanResults(t *testing.T, s vitrine.Scanner, content []byte, says vitrine.ScanResult) {
	for _, r := range []io.Reader{bytes.NewReader(content), iotest.OneByteReader(bytes.NewReader(content))} {
		c := &counted{Reader: r}
		v, err := s.Scan(t.Context(), c, int64(len(content)))
		if err != nil || v.Result != says || (v.Signature != "") != (says != vitrine.ScanClean) {
			t.Errorf("Scan = %+v, %v, want %s", v, err, says)
		}
		if c.n != len(content) && scanSeeks(t, s) {
			t.Errorf("%d of %d bytes were read", c.n, len(content))
		}
	}
}

// scanNames checks that a scanner has a name, and that its signatures do not
// change between two calls.
func scanNames(t *testing.T, s vitrine.Scanner) {
	if s.Name() == "" {
		t.Error("the scanner has no name")
	}
	one, err1 := s.Signatures(t.Context())
	other, err2 := s.Signatures(t.Context())
	if err := errors.Join(err1, err2); err != nil || one != other {
		t.Errorf("Signatures = %q, then %q, %v", one, other, err)
	}
}

// scanUnanswered checks that a scan is an error without a verdict.
func scanUnanswered(t *testing.T, what string, v vitrine.Verdict, err error) {
	t.Helper()
	if err == nil || v != (vitrine.Verdict{}) {
		t.Errorf("%s: %+v, %v, want an error and no verdict", what, v, err)
	}
}

// scanBroken checks that bytes that cannot be read, or whose number is wrong,
// are not clean.
func scanBroken(t *testing.T, s vitrine.Scanner) {
	if !scanSeeks(t, s) {
		t.Skip("the scanner searches for nothing")
	}
	const size = 1000
	for what, r := range map[string]io.Reader{
		"unreadable": iotest.ErrReader(vitrinetest.ErrAbandoned),
		"torn":       io.MultiReader(bytes.NewReader(CleanFile(size-1)), iotest.ErrReader(vitrinetest.ErrAbandoned)),
		"too few":    bytes.NewReader(CleanFile(size - 1)),
		"too many":   bytes.NewReader(CleanFile(size + 1)),
	} {
		v, err := s.Scan(t.Context(), r, size)
		scanUnanswered(t, what, v, err)
	}
	v, err := s.Scan(t.Context(), bytes.NewReader(CleanFile(size)), size)
	if err != nil || v.Result != vitrine.ScanClean {
		t.Errorf("Scan afterwards = %+v, %v, want clean", v, err)
	}
}

// scanEnded checks that a scan ends with its context, without a verdict.
func scanEnded(t *testing.T, s vitrine.Scanner) {
	if !scanSeeks(t, s) {
		t.Skip("the scanner searches for nothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := io.MultiReader(bytes.NewReader(CleanFile(1000)),
		readerFunc(func([]byte) (int, error) { cancel(); return 0, ctx.Err() }))
	v, err := s.Scan(ctx, r, 2000)
	scanUnanswered(t, "ended in the middle", v, err)
	v, err = s.Scan(ctx, bytes.NewReader(CleanFile(1000)), 1000)
	scanUnanswered(t, "ended before", v, err)
}

func scanAtOnce(t *testing.T, s vitrine.Scanner) {
	vitrinetest.Race(8, func(i int) {
		content := CleanFile(10_000 + i)
		if v, err := s.Scan(t.Context(), bytes.NewReader(content), int64(len(content))); err != nil ||
			v.Result != vitrine.ScanClean {
			t.Errorf("Scan = %+v, %v, want clean", v, err)
		}
	})
}
