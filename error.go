package vitrine

import (
	"errors"
	"fmt"
	"time"
)

// Code identifies a failure in the body of an API error (contract, Errors).
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
	CodeBadCursor             Code = "bad_cursor"
	CodeUnauthorized          Code = "unauthorized"
	CodeBanned                Code = "banned"
	CodeForbidden             Code = "forbidden"
	CodeAccessRequired        Code = "access_required"
	CodeProRequired           Code = "pro_required"
	CodeLinkLimit             Code = "link_limit"
	CodeFileTooLarge          Code = "file_too_large"
	CodeStorageLimit          Code = "storage_limit"
	CodeRecipientLimit        Code = "recipient_limit"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeRateLimited           Code = "rate_limited"
	CodeInvalidSignature      Code = "invalid_signature"
	CodeURLExpired            Code = "url_expired"
	CodeURLUsed               Code = "url_used"
	CodeCrossOrigin           Code = "cross_origin"
	CodeUploadInProgress      Code = "upload_in_progress"
	CodeOffsetMismatch        Code = "offset_mismatch"
	CodeTooManyBytes          Code = "too_many_bytes"
	CodeChecksumMismatch      Code = "checksum_mismatch"
	CodeUnsupportedMedia      Code = "unsupported_media_type"
	CodeUnsupportedVersion    Code = "unsupported_version"
	CodePreconditionFailed    Code = "precondition_failed"
	CodeNotAvailable          Code = "not_available"
	CodeDisabled              Code = "disabled"
	CodeInternal              Code = "internal"
	CodeUnavailable           Code = "unavailable"
)

// Error is a failure that the caller can act on. Any other error is an internal
// error, and its text appears only in the log.
type Error struct {
	Code    Code
	Message string // for the caller, one or two sentences: what happened, what to do

	Field       string        `json:",omitempty"` // the invalid field of the request, if there is one
	Reason      string        `json:",omitempty"` // the reason code of a refused file (Reasons)
	Limit, Used *int64        `json:",omitempty"` // of a plan limit, in links or bytes
	Held        *int64        `json:",omitempty"` // the part of Used that unfinished uploads hold
	HeldUntil   time.Time     `json:",omitzero"`  // when enough of Held is released, or all of it
	Upgrade     bool          `json:",omitempty"` // a larger plan has a higher limit
	RetryAfter  time.Duration `json:"-"`          // for rate_limited, unavailable, and limits that unfinished uploads reach
	Err         error         `json:"-"`          // the cause, only for the log
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s (%v)", e.Code, e.Message, e.Err)
	}
	return string(e.Code) + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error with a code and a message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the Error in err's chain, CodeInternal if there is
// none, and "" for nil.
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

// Unavailable returns the error for a required component that is down or full.
// Nothing was changed, and the caller may repeat the request
// (contract, Errors). Only the component that knows this returns it; any other
// error is internal.
func Unavailable(cause error) *Error {
	return &Error{Code: CodeUnavailable, Message: "Vitrine is temporarily unavailable. Try again shortly.",
		RetryAfter: 5 * time.Second, Err: cause}
}

// UnavailableAfter returns err, with another message if it is CodeUnavailable:
// something may have been changed before the component failed.
func UnavailableAfter(err error) error {
	if CodeOf(err) != CodeUnavailable {
		return err
	}
	e := Unavailable(err)
	e.Message = "Vitrine became unavailable during the change. Check whether it was saved before you try again."
	return e
}

// Ports return these errors when a row, blob or name is missing or exists
// already. Services turn them into an Error.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrDamaged  = errors.New("stored data is damaged") // repeating does not help
	// ErrDayExpired is returned for a day whose views have expired.
	ErrDayExpired = errors.New("views of that day are no longer kept")
)

// NotFoundIsNil returns nil for ErrNotFound, and other errors unchanged.
func NotFoundIsNil(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
