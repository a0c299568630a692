package filetype

import (
	"bytes"
	"errors"
	"io"
)

// inspectRTF holds a document that carries embedded objects (security, "OLE packages"): RTF hides their names too well for a check
// of what they are.
func inspectRTF(s *source, t Type, facts *Facts) *Problem {
	if !bytes.HasPrefix(s.head, []byte(`{\rtf`)) {
		return notThe(s, t)
	}
	found, err := contains(s.rest(0), []byte(`\objdata`))
	if err == nil && found {
		facts.hold(HoldEmbeddedObject)
	}
	return nil
}

// contains looks for any of the patterns in a stream, in constant memory.
func contains(r io.Reader, patterns ...[]byte) (bool, error) {
	longest := 0
	for _, p := range patterns {
		longest = max(longest, len(p))
	}
	buf := make([]byte, longest+chunkBytes)
	n := 0
	for {
		k, err := r.Read(buf[n : n+chunkBytes])
		n += k
		for _, p := range patterns {
			if bytes.Contains(buf[:n], p) {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		keep := min(n, longest)
		copy(buf, buf[n-keep:n])
		n = keep
	}
}
