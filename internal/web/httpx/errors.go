package httpx

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine"
)

// FieldErrors maps the fields of a form to what is wrong with them; "" is the
// whole form.
type FieldErrors map[string]string

// FieldErrorsOf returns what is wrong with a form, or nil if the person who
// filled it in cannot correct it.
func FieldErrorsOf(err error) FieldErrors {
	var e *vitrine.Error
	if !errors.As(err, &e) || StatusOf[e.Code] >= http.StatusInternalServerError {
		return nil
	}
	return FieldErrors{e.Field: e.Message}
}

// ErrNoPage is returned for an unknown address.
var ErrNoPage = vitrine.Errorf(vitrine.CodeNotFound, "There is no page at this address.")

// Headings state what happened, for each code.
var Headings = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Page not found",
	vitrine.CodeNotAvailable:     "Not available yet",
	vitrine.CodeDisabled:         "No longer available",
	vitrine.CodeURLExpired:       "This address has expired",
	vitrine.CodeAccessRequired:   "This link is protected",
	vitrine.CodeInvalidSignature: "This address is not valid",
	vitrine.CodeMethodNotAllowed: "This does not work here",
	vitrine.CodeRateLimited:      "Too many requests",
	vitrine.CodeUnavailable:      "Temporarily unavailable",
	vitrine.CodeInternal:         "Something went wrong",
	vitrine.CodeCrossOrigin:      "This is not allowed",
	vitrine.CodeProRequired:      "Not included in your plan",
}

// advice returns what to do, if the error message does not.
var advice = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Check the address for mistakes, or ask the person who sent it to you.",
	vitrine.CodeNotAvailable:     "If this does not change, ask the person who sent you the link.",
	vitrine.CodeDisabled:         "Ask the person who sent it to you for a new link.",
	vitrine.CodeURLExpired:       "Open the link’s page again.",
	vitrine.CodeInvalidSignature: "Open the link’s page again, or ask the person who sent it to you.",
	vitrine.CodeInternal:         "The error is on our side. Try again in a moment. If it happens again, give the administrator the request ID below.",
}

// Transient lists the codes of failures that may end soon. No page reloads by
// itself: a forgotten tab would create a view without a reader.
var Transient = map[vitrine.Code]bool{
	vitrine.CodeNotAvailable: true, vitrine.CodeRateLimited: true, vitrine.CodeUnavailable: true,
	vitrine.CodeInternal: true,
}

// AdviceOn returns what happened and what to do.
func AdviceOn(e *vitrine.Error) string {
	switch e.Code {
	case vitrine.CodeInternal:
		return advice[e.Code] // its own sentence is for programs
	case vitrine.CodeRateLimited:
		if e.RetryAfter > 0 {
			return e.Message + " Try again in " + Wait(e.RetryAfter) + "."
		}
	}
	return strings.TrimSpace(e.Message + " " + advice[e.Code])
}

// Wait returns a duration for people, rounded up so that waiting that long is
// enough.
func Wait(d time.Duration) string {
	n, unit := seconds(d), "second"
	switch {
	case n > 90*60:
		n, unit = (n+3599)/3600, "hour"
	case n > 90:
		n, unit = (n+59)/60, "minute"
	}
	if n != 1 {
		unit += "s"
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

// seconds returns a duration in whole seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// RetryAfter sets Retry-After if the error has a time.
func RetryAfter(w http.ResponseWriter, e *vitrine.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(e.RetryAfter), 10))
	}
}

// notEnabled returns who can enable a feature, where plans are not sold.
func notEnabled(e *vitrine.Error) string {
	what := "Analytics are"
	if e.Field == "slug" {
		what = "Custom addresses are"
	}
	return what + " not enabled for this account. Ask the administrator."
}

// ErrClientGone is the failure of a request whose client left before the
// answer, so that it is not counted. Nobody reads it.
var ErrClientGone = vitrine.Unavailable(nil)

// HandlerFunc is a handler that returns its error. The renderer of its surface
// answers it.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// StatusOf is the only table of codes and statuses (contract, Errors).
var StatusOf = map[vitrine.Code]int{
	vitrine.CodeInvalidJSON:           http.StatusBadRequest,
	vitrine.CodeInvalidRequest:        http.StatusBadRequest,
	vitrine.CodeInvalidName:           http.StatusBadRequest,
	vitrine.CodeUnsupportedType:       http.StatusBadRequest,
	vitrine.CodeTypeMismatch:          http.StatusBadRequest,
	vitrine.CodeInvalidSize:           http.StatusBadRequest,
	vitrine.CodeInvalidSlug:           http.StatusBadRequest,
	vitrine.CodeSlugTaken:             http.StatusBadRequest,
	vitrine.CodeInvalidIdempotencyKey: http.StatusBadRequest,
	vitrine.CodeIdempotencyMismatch:   http.StatusBadRequest,
	vitrine.CodeUploadNotFound:        http.StatusBadRequest,
	vitrine.CodeUploadIncomplete:      http.StatusBadRequest,
	vitrine.CodeSizeMismatch:          http.StatusBadRequest,
	vitrine.CodeContentMismatch:       http.StatusBadRequest,
	vitrine.CodeUnsafeFile:            http.StatusBadRequest,
	vitrine.CodeMalware:               http.StatusBadRequest,
	vitrine.CodeBadRange:              http.StatusBadRequest,
	vitrine.CodeBadCursor:             http.StatusBadRequest,
	vitrine.CodeUnauthorized:          http.StatusUnauthorized,
	vitrine.CodeBanned:                http.StatusForbidden,
	vitrine.CodeForbidden:             http.StatusForbidden,
	vitrine.CodeAccessRequired:        http.StatusForbidden,
	vitrine.CodeProRequired:           http.StatusForbidden,
	vitrine.CodeLinkLimit:             http.StatusForbidden,
	vitrine.CodeFileTooLarge:          http.StatusForbidden,
	vitrine.CodeStorageLimit:          http.StatusForbidden,
	vitrine.CodeRecipientLimit:        http.StatusForbidden,
	vitrine.CodeInvalidSignature:      http.StatusForbidden,
	vitrine.CodeURLExpired:            http.StatusForbidden,
	vitrine.CodeCrossOrigin:           http.StatusForbidden,
	vitrine.CodeNotFound:              http.StatusNotFound,
	vitrine.CodeNotAvailable:          http.StatusNotFound,
	vitrine.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	vitrine.CodeURLUsed:               http.StatusConflict,
	vitrine.CodeUploadInProgress:      http.StatusConflict,
	vitrine.CodeOffsetMismatch:        http.StatusConflict,
	vitrine.CodeDisabled:              http.StatusGone,
	vitrine.CodePreconditionFailed:    http.StatusPreconditionFailed,
	vitrine.CodeUnsupportedVersion:    http.StatusPreconditionFailed,
	vitrine.CodeTooManyBytes:          http.StatusRequestEntityTooLarge,
	vitrine.CodeUnsupportedMedia:      http.StatusUnsupportedMediaType,
	vitrine.CodeChecksumMismatch:      460, // of the tus protocol
	vitrine.CodeRateLimited:           http.StatusTooManyRequests,
	vitrine.CodeInternal:              http.StatusInternalServerError,
	vitrine.CodeUnavailable:           http.StatusServiceUnavailable,
}

// Known turns any failure into an Error and its status. It logs an error that
// is not an Error with the request's ID, and does not show its text; the same
// applies to the cause of an Error.
func (s *Server) Known(w http.ResponseWriter, r *http.Request, err error) (*vitrine.Error, int) {
	id := w.Header().Get("X-Request-Id")
	var e *vitrine.Error
	switch {
	case !errors.As(err, &e):
		if r.Context().Err() != nil {
			e = vitrine.Unavailable(err) // the client left; nobody reads this
			break
		}
		s.Log.Error("internal error", "request", id, "route", r.Pattern, "error", WithoutAddress(err))
		e = vitrine.Errorf(vitrine.CodeInternal, "Something went wrong on our side. Request id: %s.", id)
	case errors.Is(e.Err, vitrine.ErrNotSpooled): // of every page, so not of each
		if n := s.seldom.add("views", s.Now()); n > 0 {
			s.Log.Warn("views cannot be written, so requests are refused", "refused", n, "request", id, "route",
				r.Pattern, "error", WithoutAddress(e.Err))
		}
	case e.Err != nil:
		s.Log.Warn(string(e.Code), "request", id, "route", r.Pattern, "error", WithoutAddress(e.Err))
	}
	if e.Code == vitrine.CodeProRequired && !s.Sold() {
		told := *e
		told.Message = notEnabled(e)
		e = &told
	}
	status, ok := StatusOf[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	return e, status
}

// WithoutAddress removes the caller's address from a connection error, so that
// it can be logged (promise 10).
func WithoutAddress(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return fmt.Errorf("%s %s: %w", op.Op, op.Net, op.Err)
	}
	return err
}
