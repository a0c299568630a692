package filetype

import (
	"bytes"
	"strings"
)

// eicar is the test file of EICAR, by which people try out a malware scanner. It is known here so that a server without a scanner
// refuses it as one with a scanner does. It is in pieces, because scanners find it in programs too, and joined when the process starts.
var eicar = []byte(strings.Join([]string{`X5O!P%@AP[4\PZX54(P^)`, `7CC)7}$EICAR-STAND`, `ARD-ANTIVIRUS-TEST-`, `FILE!$H+H*`}, ""))

// maxEICAR is how long the test file may be with the white space behind it, by its definition.
const maxEICAR = 128

// isEICAR reports whether a file that begins with head, and is longer than maxEICAR if head is, is the test file.
func isEICAR(head []byte) bool {
	return len(head) <= maxEICAR && bytes.HasPrefix(head, eicar) && len(bytes.TrimRight(head, " \t\r\n\x1a")) == len(eicar)
}

// malwareAt refuses data that is the test file, under the name that it has within the file, if any.
func malwareAt(name string, head []byte) *Problem {
	if !isEICAR(head) {
		return nil
	}
	return (&Problem{Code: CodeMalware, Reason: ReasonMalware, Message: "The safety scan found malware in this file: EICAR-Test-File."}).about(name)
}

// malwareBehind refuses a document with the test file behind its end.
func malwareBehind(s *source) *Problem {
	tail := s.bytes(max(0, s.size-maxEICAR), int(min(s.size, maxEICAR)))
	if at := bytes.LastIndex(tail, eicar); at >= 0 {
		return malwareAt("", tail[at:])
	}
	return nil
}
