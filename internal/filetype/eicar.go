package filetype

import (
	"bytes"
	"strings"
)

// Eicar is the EICAR test file, with which people test malware scanners. It is
// refused even without a scanner. It is split in the source, because scanners
// also find it in programs, and joined when the process starts.
var Eicar = []byte(strings.Join([]string{`X5O!P%@AP[4\PZX54(P^)`, `7CC)7}$EICAR-STAND`, `ARD-ANTIVIRUS-TEST-`,
	`FILE!$H+H*`}, ""))

// maxEICAR is the longest form of the test file, including white space.
const maxEICAR = 128

// isEICAR reports whether a file is the test file. head is its beginning: all
// of it, or more than maxEICAR bytes.
func isEICAR(head []byte) bool {
	return len(head) <= maxEICAR && bytes.HasPrefix(head, Eicar) &&
		len(bytes.TrimRight(head, " \t\r\n\x1a")) == len(Eicar)
}

// MalwareAt returns a problem if data is the test file. name is its name within
// the file, or "".
func MalwareAt(name string, head []byte) *Problem {
	if !isEICAR(head) {
		return nil
	}
	return (&Problem{Code: CodeMalware, Reason: ReasonMalware,
		Message: "The safety scan found malware in this file: EICAR-Test-File."}).SetContext(name)
}

// MalwareBehind returns a problem if the test file follows the end of a
// document.
func MalwareBehind(s *Source) *Problem {
	tail := s.Bytes(max(0, s.Size-maxEICAR), int(min(s.Size, maxEICAR)))
	if at := bytes.LastIndex(tail, Eicar); at >= 0 {
		return MalwareAt("", tail[at:])
	}
	return nil
}
