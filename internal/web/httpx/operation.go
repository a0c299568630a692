package httpx

import (
	"net/http"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/report"
)

// CrossOrigin lets pages of any origin call an operation. They send no cookies.
func CrossOrigin(h HandlerFunc) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id")
		return h(w, r)
	}
}

// SentHeaders are headers that client libraries send by default.
const SentHeaders = "Content-Type, Accept, X-Requested-With"

// Preflight answers OPTIONS for an operation that other origins may call; other
// methods are not allowed.
func Preflight(w http.ResponseWriter, r *http.Request, method, header string) error {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodOptions {
		return MethodNotAllowed(w, method+", OPTIONS")
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", method)
	h.Set("Access-Control-Allow-Headers", header)
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// MethodNotAllowed returns the error of a method that a route does not have.
// allow is the value of the header Allow.
func MethodNotAllowed(w http.ResponseWriter, allow string) error {
	w.Header().Set("Allow", allow)
	return vitrine.Errorf(vitrine.CodeMethodNotAllowed, "Method not allowed. Use %s.", allow)
}

// JSON renders an operation of the API: its headers, and its failure as JSON.
func (s *Server) JSON(h HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		s.SetPolicy(w, r, Data)
		if err := h(w, r); err != nil {
			s.WriteError(w, r, err)
		}
	})
}

// Bearer returns the key of a request, or "" without exactly one Authorization
// header of that scheme.
func Bearer(r *http.Request) string {
	v := r.Header.Values("Authorization")
	if len(v) != 1 {
		return ""
	}
	scheme, key, _ := strings.Cut(v[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(key, " ")
}

// TimeFormat is RFC 3339 in UTC with milliseconds.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// ReportRange reads the range of a report. One that is repeated, unknown or in
// a query that cannot be read is bad_range.
func ReportRange(r *http.Request) (report.Range, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	v, ok := q["range"]
	switch {
	case err != nil: // a part that cannot be read may have been the range
	case !ok:
		return report.ParseRange("30d")
	case len(v) == 1 && v[0] != "":
		if rg, err := report.ParseRange(v[0]); err == nil {
			return rg, nil
		}
	}
	return "", &vitrine.Error{Code: vitrine.CodeBadRange, Field: "range",
		Message: "The range must be 7d, 14d, 30d, 90d or all."}
}

// Allowed answers each request with MethodNotAllowed.
func Allowed(methods string) HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) error { return MethodNotAllowed(w, methods) }
}
