package client

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is an error response of the instance (contract, Errors).
type Error struct {
	Status  int    // HTTP status
	Code    string // machine-readable, as "file_too_large"; "" when the answer is not the API's
	Message string // one or two sentences for people
	Field   string // the member of the request at fault, or ""
	Reason  string // why the file was refused, for people, or "": only "malware" is promised
	Limit   int64  // plan limit in links or bytes, or 0 if the response has none
	Used    int64  // used part of Limit
	Held    int64  // part of Used that belongs to other unfinished uploads
	// HeldUntil is the time when other uploads have released enough of Held, or
	// all of it.
	HeldUntil  time.Time
	UpgradeURL string // where a higher plan is described, or ""
	RequestID  string // for the administrator of the instance
	RetryAfter time.Duration
	Current    *LinkDetail // the present link, with precondition_failed
}

// StorageError is a failure to reach the address, other than the instance's,
// that the instance names for the bytes of uploads.
type StorageError struct {
	Address string // scheme and host
	Err     error
}

func (s *StorageError) Error() string { return s.Address + ": " + s.Err.Error() }

func (s *StorageError) Unwrap() error { return s.Err }

func (e *Error) Error() string {
	var details []string
	if e.Code != "" {
		details = append(details, e.Code)
	}
	if e.Limit > 0 {
		details = append(details, e.limit())
	}
	if e.Held > 0 {
		details = append(details, "held "+grouped(e.Held))
	}
	if e.RetryAfter > 0 {
		details = append(details, "try again in "+short(e.RetryAfter))
	}
	if e.UpgradeURL != "" {
		details = append(details, "see "+e.UpgradeURL)
	}
	if e.RequestID != "" && e.Status >= http.StatusInternalServerError {
		details = append(details, "request "+e.RequestID)
	}
	if len(details) == 0 {
		return e.Message
	}
	return e.Message + " (" + strings.Join(details, "; ") + ")"
}

// limit describes the limit that was reached.
func (e *Error) limit() string {
	limit, used := grouped(e.Limit), grouped(e.Used)
	switch e.Code {
	case "rate_limited":
		return "limit " + limit + " an hour"
	case "file_too_large":
		return "limit " + limit + " bytes, file " + used + " bytes"
	case "storage_limit":
		return "limit " + limit + " bytes, used " + used + " bytes"
	}
	return "limit " + limit + ", used " + used
}

// grouped returns a number with commas between groups of three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short formats a duration without units that are zero at its end.
func short(d time.Duration) string {
	s := d.String()
	for _, unit := range []string{"m", "h"} {
		if strings.HasSuffix(s, unit+"0s") || strings.HasSuffix(s, unit+"0m") {
			s = s[:len(s)-2]
		}
	}
	return s
}

// refusal returns the error of an unsuccessful response.
func refusal(res *http.Response, body []byte) *Error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
	var b struct {
		Error      string `json:"error"`
		Code       string `json:"code"`
		Field      string `json:"field"`
		Reason     string `json:"reason"`
		Limit      int64  `json:"limit"`
		Used       int64  `json:"used"`
		Held       int64  `json:"held"`
		HeldUntil  string `json:"heldUntil"`
		UpgradeURL string `json:"upgradeUrl"`

		Current *LinkDetail `json:"current"`
	}
	if json.Unmarshal(body, &b) == nil && b.Error != "" {
		e.Message, e.Code, e.Field, e.Reason, e.Limit, e.Used, e.UpgradeURL = b.Error, b.Code, b.Field, b.Reason,
			b.Limit, b.Used, b.UpgradeURL
		e.Held, e.Current = b.Held, b.Current
		if e.Current != nil {
			e.Current.head(res.Header)
		}
		e.HeldUntil, _ = time.Parse(time.RFC3339, b.HeldUntil)
		return e
	}
	if refusedByBucket(e, body) {
		return e
	}
	e.Message = "The server answered " + strings.TrimSpace(strconv.Itoa(res.StatusCode)+" "+
		http.StatusText(res.StatusCode)) + "."
	if to := res.Header.Get("Location"); to != "" && res.StatusCode < 400 {
		e.Message = "The address redirects to " + to + ". Use that one."
	}
	return e
}

// refusedByBucket parses the error response of a bucket, which may receive the
// bytes directly. Buckets use XML and their own error codes. It reports whether
// the response comes from a bucket. A refused signed URL is treated as expired,
// so step 1 is repeated.
func refusedByBucket(e *Error, body []byte) bool {
	var b struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}
	if xml.Unmarshal(body, &b) != nil || b.Code == "" {
		return false
	}
	e.Message = "Storage refuses the file: " + b.Code + ". " + b.Message
	switch {
	case e.Status == http.StatusForbidden:
		e.Code = "url_expired"
	case e.Status == http.StatusInternalServerError, b.Code == "RequestTimeout", b.Code == "IncompleteBody":
		e.Status = http.StatusServiceUnavailable // buckets use other codes for "try again"
	}
	return true
}

// retryAfter parses both formats of Retry-After. It returns 0 if the header is
// missing or malformed.
func retryAfter(s string) time.Duration {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(max(n, 0)) * time.Second
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(time.Until(t), 0).Round(time.Second)
	}
	return 0
}
