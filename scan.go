package vitrine

import (
	"context"
	"errors"
	"io"
)

// Scanner looks for malware in the very bytes that will be served.
//
// Every implementation passes the suite scannertest.Run.
type Scanner interface {
	// Scan reads r to its end, size bytes, and says what they are. An error is
	// never "clean": the link is held for a person (promise 6). ErrScanLimit is
	// in the chain of an error that the same bytes will meet again, until the
	// scanner is set up otherwise, with the name of the limit behind it and a
	// colon. It ends soon after ctx does. Several scans run at once. A scanner
	// that looks for nothing reads nothing.
	Scan(ctx context.Context, r io.Reader, size int64) (Verdict, error)

	// Signatures names what Scan looks for: another text whenever that has
	// changed, so that what was clean must be looked at again. What is scanned
	// after this was asked is scanned by these or newer ones. "" is the answer
	// of a scanner that looks for nothing. It is asked before every scan, so it
	// answers within seconds, however busy the scanner is.
	Signatures(ctx context.Context) (string, error)

	// Name is for the log and the operator.
	Name() string
}

// Verdict is a scanner's explicit word on a file. The zero Verdict is none, and
// not clean.
type Verdict struct {
	Result    ScanResult
	Signature string // what was found, when not clean
}

// ScanResult is what a scanner found.
type ScanResult string

const (
	ScanClean      ScanResult = "clean"
	ScanSuspicious ScanResult = "suspicious" // a rule of thumb met: a person must look
	ScanMalware    ScanResult = "malware"
)

// ErrScanLimit says that a file is beyond what a scanner looks at: too large,
// nested too deep, too slow to read.
var ErrScanLimit = errors.New("beyond the scanner's limits")

// NoScanner is the Scanner of an instance that has none configured: the
// inspection of the file's bytes, which comes before any scan, is then all
// there is. An instance that runs so says it at its start.
type NoScanner struct{}

func (NoScanner) Name() string { return "none" }

func (NoScanner) Signatures(context.Context) (string, error) { return "", nil }

// Scan reads nothing: inspection has spoken already.
func (NoScanner) Scan(context.Context, io.Reader, int64) (Verdict, error) {
	return Verdict{Result: ScanClean}, nil
}
