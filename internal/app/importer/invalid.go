package importer

import (
	"errors"

	"vitrine"
)

// maxInvalid is the number of invalid lines of a file that are named.
const maxInvalid = 10

// InvalidLinesError is the error of a file of which nothing was added, because
// lines are invalid.
type InvalidLinesError struct {
	Lines []*vitrine.Error // each names its line
	Cut   bool             // the file was not checked after the last of them
}

func (e *InvalidLinesError) Error() string { return e.Lines[0].Error() }

// Unwrap returns the error of the first line.
func (e *InvalidLinesError) Unwrap() error { return e.Lines[0] }

// errEnough ends the check of a file.
var errEnough = errors.New("there are enough invalid lines")

// invalidLines are the errors of the lines of a file.
type invalidLines []*vitrine.Error

// add keeps the error of a line. It returns nil if the next line is to be
// checked.
func (l *invalidLines) add(line int64, err error) error {
	if vitrine.CodeOf(err) == vitrine.CodeUnavailable {
		return err // which says nothing about the line
	}
	if *l = append(*l, lineError(line, err)); len(*l) == maxInvalid {
		return errEnough
	}
	return nil
}

// result returns the error of a file. err ended its check.
func (l invalidLines) result(err error) error {
	var last *vitrine.Error
	switch {
	case errors.As(err, &last) && last.Code == vitrine.CodeInvalidRequest: // of a line after which none can be read
		return &InvalidLinesError{append(l, last), true}
	case err == nil && len(l) > 0 || errors.Is(err, errEnough):
		return &InvalidLinesError{l, err != nil}
	}
	return err
}
