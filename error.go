package vitrine

import (
	"errors"
	"fmt"
	"time"
)

// Code is the machine-readable name of a failure, as it is in the API's error
// body (contract, Errors).
type Code string

const (
	CodeInvalidJSON           Code = "invalid_json"
	CodeInvalidRequest        Code = "invalid_request"
	CodeInvalidName           Code = "invalid_name"
	CodeUnsupportedType       Code = "unsupported_type"
	CodeTypeMismatch          Code = "type_mismatch"
	CodeInvalidSize           Code = "invalid_size"
	CodeInvalidSlug           Code = "invalid_slug"
	CodeSlugTaken             Code = "slug_taken"
	CodeInvalidIdempotencyKey Code = "invalid_idempotency_key"
	CodeIdempotencyMismatch   Code = "idempotency_mismatch"
	CodeUploadNotFound        Code = "upload_not_found"
	CodeUploadIncomplete      Code = "upload_incomplete"
	CodeSizeMismatch          Code = "size_mismatch"
	CodeContentMismatch       Code = "content_mismatch"
	CodeUnsafeFile            Code = "unsafe_file"
	CodeMalware               Code = "malware"
	CodeBadRange              Code = "bad_range"
	CodeUnauthorized          Code = "unauthorized"
	CodeBanned                Code = "banned"
	CodeForbidden             Code = "forbidden"
	CodeProRequired           Code = "pro_required"
	CodeLinkLimit             Code = "link_limit"
	CodeFileTooLarge          Code = "file_too_large"
	CodeStorageLimit          Code = "storage_limit"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeRateLimited           Code = "rate_limited"
	CodeInvalidSignature      Code = "invalid_signature"
	CodeURLExpired            Code = "url_expired"
	CodeURLUsed               Code = "url_used"
	CodeCrossOrigin           Code = "cross_origin"
	CodeUploadInProgress      Code = "upload_in_progress"
	CodePreconditionFailed    Code = "precondition_failed"
	CodeNotAvailable          Code = "not_available"
	CodeDisabled              Code = "disabled"
	CodeInternal              Code = "internal"
	CodeUnavailable           Code = "unavailable"
)

// Error is a failure that its reader can act on. Everything else that goes
// wrong is an internal error whose text stays in the log.
type Error struct {
	Code    Code
	Message string // one sentence or two for the caller: what happened, what to do

	Field       string        `json:",omitempty"` // the request member at fault, where there is one
	Reason      string        `json:",omitempty"` // the reason code of a file that is refused (Reasons)
	Limit, Used *int64        `json:",omitempty"` // of a plan limit: links or bytes
	Held        *int64        `json:",omitempty"` // of Used, by other unfinished uploads
	HeldUntil   time.Time     `json:",omitzero"`  // when they have released enough of Held, or all of it
	Upgrade     bool          `json:",omitempty"` // a higher plan would lift it: the answer carries where to read about plans
	RetryAfter  time.Duration `json:"-"`          // with rate_limited, unavailable, and limits that unfinished uploads meet
	Err         error         `json:"-"`          // the cause; for the log only
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s (%v)", e.Code, e.Message, e.Err)
	}
	return string(e.Code) + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a code and a message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf tells the code of err: that of the Error in its chain, else
// CodeInternal; "" of nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// Unavailable says that a part the request needs is down or full: nothing is
// half done, and the same request may be sent again (contract, Errors). Only
// the component that knows this reports it. Every other error is an internal
// one.
func Unavailable(cause error) *Error {
	return &Error{Code: CodeUnavailable, Message: "A part of the service that this needs is not available right now. Try again shortly.",
		RetryAfter: 5 * time.Second, Err: cause}
}

// What a port answers when a row, blob or name is missing or already there.
// Services turn them into an Error.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	// ErrForgotten is about a day whose opens are no longer kept.
	ErrForgotten = errors.New("opens of that day are no longer kept")
)

func NotFoundIsNil(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
