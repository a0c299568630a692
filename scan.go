package vitrine

import (
	"context"
	"io"
)

// Scanner looks for malware in the very bytes that will be served.
type Scanner interface {
	// Scan reads r to its end and says what it is. An error is never "clean": the link is held for a person (promise 6). Several
	// scans run at once.
	Scan(ctx context.Context, r io.Reader, size int64) (Verdict, error)

	// Name is for the log and the operator.
	Name() string
}

// Verdict is a scanner's explicit word on a file. The zero Verdict is not clean.
type Verdict struct {
	Clean     bool
	Signature string // what was found, when not clean
}

// NoScanner is the Scanner of an instance that has none configured: the inspection of the file's bytes, which comes before any
// scan, is then all there is. An instance that runs so says it at its start.
type NoScanner struct{}

func (NoScanner) Name() string { return "none" }

// Scan reads nothing: inspection has spoken already.
func (NoScanner) Scan(context.Context, io.Reader, int64) (Verdict, error) {
	return Verdict{Clean: true}, nil
}
