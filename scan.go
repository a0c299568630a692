package vitrine

import (
	"context"
	"errors"
	"io"
)

// Scanner searches the bytes that will be served for malware.
//
// Every implementation passes the suite scannertest.Run.
type Scanner interface {
	// Scan reads size bytes from r and returns a verdict. An error never means
	// clean: the link is held for a person (promise 6). ErrScanLimit, followed
	// by a colon and the name of the limit, is in the chain if the same bytes
	// would fail again. Scan returns soon after ctx ends. Several scans may run
	// at once. A scanner that checks nothing need not read r.
	Scan(ctx context.Context, r io.Reader, size int64) (Verdict, error)

	// Signatures returns a text that changes when the scanner's signatures
	// change, so that clean files must be scanned again. Later scans use these
	// signatures or newer ones. It is "" for a scanner that checks nothing. It
	// is called before every scan, so it answers within seconds even when the
	// scanner is busy.
	Signatures(ctx context.Context) (string, error)

	// Name returns the name for the log and the operator.
	Name() string
}

// Verdict is a scanner's result for a file. The zero Verdict is not clean.
type Verdict struct {
	Result    ScanResult
	Signature string // finding, unless clean
}

// ScanResult is the result of a scan.
type ScanResult string

const (
	ScanClean      ScanResult = "clean"
	ScanSuspicious ScanResult = "suspicious" // a heuristic matched: a person must decide
	ScanMalware    ScanResult = "malware"
)

// ErrScanLimit means that a file exceeds the limits of the scanner: too large,
// too deeply nested, or too slow to read.
var ErrScanLimit = errors.New("beyond the scanner's limits")

// NoScanner is the Scanner of an instance without one. The inspection of the
// bytes, which precedes any scan, is then the only check. The program logs this
// when it starts.
type NoScanner struct{}

func (NoScanner) Name() string { return "none" }

func (NoScanner) Signatures(context.Context) (string, error) { return "", nil }

// Scan returns clean without reading: inspection has checked the file.
func (NoScanner) Scan(context.Context, io.Reader, int64) (Verdict, error) {
	return Verdict{Result: ScanClean}, nil
}
