package client

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is a refusal by the instance (contract, Errors).
type Error struct {
	Status  int    // of the HTTP answer
	Code    string // machine-readable, as "file_too_large"; "" when the answer is not the API's
	Message string // one sentence or two for a person
	Field   string // the member of the request at fault, or ""
	Reason  string // why the file was refused: a reason code, or ""
	Limit   int64  // of a plan limit: links or bytes; 0 when the answer names none
	Used    int64  // of that limit
	Held    int64  // of Used, by other unfinished uploads
	// HeldUntil is when the other uploads have released enough of Held, or all
	// of it.
	HeldUntil  time.Time
	UpgradeURL string // where a higher plan is described, or ""
	RequestID  string // for the operator of the instance
	RetryAfter time.Duration
	Current    *LinkDetail // with precondition_failed: the link as it is

	location string // of a redirect
}

func (e *Error) Error() string {
	var details []string
	if e.Code != "" {
		details = append(details, e.Code)
	}
	if e.Limit > 0 {
		details = append(details, fmt.Sprintf("limit %d, used %d", e.Limit, e.Used))
	}
	if e.Held > 0 {
		details = append(details, fmt.Sprintf("held %d", e.Held))
	}
	if e.RetryAfter > 0 {
		details = append(details, fmt.Sprintf("try again in %s", e.RetryAfter))
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

// refusal returns the error in an answer that is not a success.
func refusal(res *http.Response, body []byte) *Error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id"),
		RetryAfter: retryAfter(res.Header.Get("Retry-After"))}
	if to, err := res.Location(); err == nil {
		e.location = to.String()
	}
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

// refusedByBucket reads the error of a bucket, which may receive bytes
// directly. Buckets answer in XML and have codes of their own. It reports
// whether the answer is one of a bucket. A refused signed URL is treated as
// expired: step 1 makes another.
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
		e.Status = http.StatusServiceUnavailable // what the bucket means: try again
	}
	return true
}

// retryAfter parses both forms of the header. It returns 0 if the header is
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
