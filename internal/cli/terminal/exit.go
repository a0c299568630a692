package terminal

import (
	"context"
	"errors"

	"vitrine"
	"vitrine/client"
)

// Exit codes of the program. Scripts depend on them.
const (
	ExitDone     = 0
	ExitFailed   = 1 // also if the answer to a question was no
	ExitUsage    = 2 // the arguments or flags are wrong
	ExitNotFound = 3 // the link, version, account or other object does not exist
	ExitAccess   = 4 // not signed in, or the API key was refused

	ExitTemporary   = 75  // later it may succeed, as in sysexits.h: EX_TEMPFAIL
	ExitInterrupted = 130 // by SIGINT, as shells number it
	ExitTerminated  = 143 // by SIGTERM
)

// ExitCodes explains the exit codes, for the help.
const ExitCodes = "Exit codes: 0 done, 1 failed or not confirmed, 2 wrong arguments or flags, 3 not found,\n" +
	"4 not signed in or API key refused, 75 try again later, 130 interrupted, 143 terminated."

// AccessError is the error of a command that has no API key to use.
type AccessError struct{ message string }

func (a *AccessError) Error() string { return a.message }

// NoAccess returns an [AccessError].
func NoAccess(message string) error { return &AccessError{message} }

// failures is the error of a command that failed for some of its arguments.
type failures struct {
	message string
	code    int
}

func (f *failures) Error() string { return f.message }

// Failures returns the error of a command that failed for some of its
// arguments. Its exit code is that of the errors if they all have the same.
func Failures(message string, errs []error) error {
	f := &failures{message, ExitCode(errs[0])}
	for _, err := range errs {
		if ExitCode(err) != f.code {
			f.code = ExitFailed
		}
	}
	return f
}

// ExitCode returns the exit code of a command that returned err. Among several
// joined errors, a refused key decides, then wrong arguments.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	var access *AccessError
	var usage *UsageError
	var several *failures
	code, field, answered := codeOf(err)
	switch {
	case errors.As(err, &several):
		return several.code
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &access):
		return ExitAccess
	case errors.As(err, &usage):
		return ExitUsage
	case errors.Is(err, vitrine.ErrDamaged):
		return ExitFailed
	}
	switch code {
	case vitrine.CodeUnauthorized, vitrine.CodeForbidden, vitrine.CodeBanned:
		if answered { // commands of the administrator need no access
			return ExitAccess
		}
	case vitrine.CodeNotFound:
		return ExitNotFound
	case vitrine.CodeInvalidSlug, vitrine.CodeInvalidName, vitrine.CodeTypeMismatch, vitrine.CodeBadRange,
		vitrine.CodeBadCursor:
		return ExitUsage
	case vitrine.CodeInvalidRequest: // without a field, the state of something is the reason
		if field != "" {
			return ExitUsage
		}
	case vitrine.CodeUnavailable, vitrine.CodeRateLimited:
		return ExitTemporary
	}
	if client.Temporary(err) {
		return ExitTemporary
	}
	return ExitFailed
}

// codeOf returns the code and the field of an error of the domain or of the
// API, and whether the API answered it.
func codeOf(err error) (code vitrine.Code, field string, answered bool) {
	var domain *vitrine.Error
	var answer *client.Error
	switch {
	case errors.As(err, &answer):
		return vitrine.Code(answer.Code), answer.Field, true
	case errors.As(err, &domain):
		return domain.Code, domain.Field, false
	}
	return "", "", false
}
