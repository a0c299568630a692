package terminal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// failure is the output for a command with --json that failed. It is the last
// line of standard error.
type failure struct {
	Error  string   `json:"error"`
	Code   string   `json:"code"`
	Advice []string `json:"advice,omitempty"`
}

// Fail prints an error and lines of advice, with asJSON as one object. code is
// for programs.
func (t *Terminal) Fail(message, code string, advice []string, asJSON bool) {
	if asJSON {
		if line, err := jsonLine(failure{message, code, advice}); err == nil {
			_, _ = io.WriteString(t.Err, line) // there is nothing else to write to
			return
		}
	}
	t.Tell("vitrine: %s", Plain(message))
	for _, line := range advice {
		t.Tell("%s", Plain(line))
	}
}

// Unprinted returns the error of a command that did something, but could not
// print its result. what says what was done, and the lines what to do about it.
// It returns nil if err is nil.
func Unprinted(err error, what string, lines ...string) error {
	if err == nil {
		return nil
	}
	return &AdvisedError{Err: fmt.Errorf("%s could not be printed: %w", what, Bare(err)), Lines: lines}
}

// Bare returns the error of a file without the name of the file and of the
// system call.
func Bare(err error) error {
	if p := new(fs.PathError); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ErrNotTried is the error of an argument after one that stopped the command.
var ErrNotTried = errors.New("not tried")

// UsageCode is the code of a wrong command line.
const UsageCode = "usage"

// codes are the codes of errors that are not answers of an instance, by exit
// code.
var codes = map[int]string{ExitUsage: UsageCode, ExitNotFound: "not_found", ExitAccess: "unauthorized",
	ExitTemporary: "unreachable", ExitInterrupted: "interrupted"}

// Code returns the code of an error for programs: that of the API if it has
// one, otherwise one that says as much as the exit code.
func Code(err error) string {
	code, _, _ := codeOf(err)
	exit := ExitCode(err)
	switch {
	case code != "":
		return string(code)
	case codes[exit] != "":
		return codes[exit]
	case errors.Is(err, fs.ErrNotExist):
		return "file_not_found"
	case errors.Is(err, ErrDeclined):
		return "declined"
	case errors.Is(err, ErrNotTried):
		return "not_tried"
	}
	return "failed"
}
