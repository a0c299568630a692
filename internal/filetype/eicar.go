package filetype

import (
	"bytes"
	"strings"
)

// Eicar is the test file of EICAR, by which people try out a malware scanner.
// It is known here so that a server without a scanner refuses it as one with a
// scanner does. It is in pieces, because scanners find it in programs too, and
// joined when the process starts.
var Eicar = []byte(strings.Join([]string{`X5O!P%@AP[4\PZX54(P^)`, `7CC)7}$EICAR-STAND`, `ARD-ANTIVIRUS-TEST-`,
	`FILE!$H+H*`}, ""))

// maxEICAR is how long the test file may be with the white space behind it, by
// its definition.
const maxEICAR = 128

// isEICAR reports whether a file that begins with head, and is longer than
// maxEICAR if head is, is the test file.
func isEICAR(head []byte) bool {
	return len(head) <= maxEICAR && bytes.HasPrefix(head, Eicar) &&
		len(bytes.TrimRight(head, " \t\r\n\x1a")) == len(Eicar)
}

// MalwareAt refuses data that is the test file, under the name that it has
// within the file, if any.
func MalwareAt(name string, head []byte) *Problem {
	if !isEICAR(head) {
		return nil
	}
	return (&Problem{Code: CodeMalware, Reason: ReasonMalware,
		Message: "The safety scan found malware in this file: EICAR-Test-File."}).About(name)
}

// MalwareBehind refuses a document with the test file behind its end.
func MalwareBehind(s *Source) *Problem {
	tail := s.Bytes(max(0, s.Size-maxEICAR), int(min(s.Size, maxEICAR)))
	if at := bytes.LastIndex(tail, Eicar); at >= 0 {
		return MalwareAt("", tail[at:])
	}
	return nil
}
