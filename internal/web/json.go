package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"strconv"

	"vitrine"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a request's body (contract, invalid_json).
const (
	maxBody  = 16 << 10
	maxDepth = 8
)

// object is a JSON object as it was sent: each member's value still undecoded.
type object map[string]jsontext.Value

func invalidJSON(message string) error { return vitrine.Errorf(vitrine.CodeInvalidJSON, "%s", message) }

// readObject reads a request's body: one JSON object in valid UTF-8 without
// duplicate names, within the bounds.
func readObject(w http.ResponseWriter, r *http.Request) (object, error) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return nil, invalidJSON("Send the body as application/json.")
	}
	o, err := readBounded(w, r, maxBody)
	// Serializers of many languages write null for what is not given.
	maps.DeleteFunc(o, func(_ string, v jsontext.Value) bool { return v.Kind() == 'n' })
	return o, err
}

// readBounded reads a body of at most limit bytes as a JSON object.
func readBounded(w http.ResponseWriter, r *http.Request, limit int64) (object, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, invalidJSON(fmt.Sprintf("The body is larger than %d KiB.", limit>>10))
	} else if err != nil {
		return nil, invalidJSON("The body could not be read to its end.")
	}
	return parseObject(body)
}

func parseObject(body []byte) (object, error) {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if d.PeekKind() != '{' {
		return nil, invalidJSON("The body is not a JSON object.")
	}
	// The decoder refuses duplicate names, invalid UTF-8 and what is not JSON;
	// depth is counted here.
	for {
		if _, err := d.ReadToken(); err != nil {
			return nil, invalidJSON("The body is not valid JSON: duplicate names, invalid UTF-8 or a syntax error.")
		}
		if d.StackDepth() > maxDepth {
			return nil, invalidJSON("The body is nested more than 8 deep.")
		}
		if d.StackDepth() == 0 {
			break
		}
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, invalidJSON("There is something after the JSON object.")
	}
	return members(body)
}

func members(body []byte) (object, error) {
	o := object{}
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		v, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		o[key] = v.Clone()
	}
	return o, nil
}

// fields reads members of an object and keeps the first thing that is wrong.
type fields struct {
	object
	err error
}

func (f *fields) wrong(name, message string) {
	if f.err == nil {
		f.err = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: name, Message: message}
	}
}

// text reads a string that must be there.
func (f *fields) text(name string) string {
	if s := f.optionalText(name); s != nil {
		return *s
	}
	f.wrong(name, "The member \""+name+"\" is missing. It is a string.")
	return ""
}

func (f *fields) optionalText(name string) *string {
	v, ok := f.object[name]
	if !ok {
		return nil
	}
	if v.Kind() != '"' {
		f.wrong(name, "The member \""+name+"\" is not a string.")
		return nil
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		f.wrong(name, "The member \""+name+"\" is not a string.")
	}
	s := string(b)
	return &s
}

// filledText reads a string that may be left out; an empty one is left out.
func (f *fields) filledText(name string) *string {
	if s := f.optionalText(name); s != nil && *s != "" {
		return s
	}
	return nil
}

func (f *fields) optionalBool(name string) *bool {
	v, ok := f.object[name]
	if !ok {
		return nil
	}
	b := v.Kind() == 't'
	if !b && v.Kind() != 'f' {
		f.wrong(name, "The member \""+name+"\" is not true or false.")
	}
	return &b
}

// integer reads a number that must be there; one that is no 64-bit integer is
// 0. 3.0 and 3e2 are integers, as JSON Schema has it.
func (f *fields) integer(name string) int64 {
	v, ok := f.object[name]
	if !ok || v.Kind() != '0' {
		f.wrong(name, "The member \""+name+"\" is missing or not a number.")
		return 0
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	// Up to here every integer is a float of its own.
	const exact = 1 << 53
	if n, err := strconv.ParseFloat(string(v), 64); err == nil && n == math.Trunc(n) && math.Abs(n) <= exact {
		return int64(n)
	}
	return 0
}

// writeJSON answers 200 with v.
func writeJSON(w http.ResponseWriter, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = w.Write(b.Bytes()) // the caller may have gone away
	return nil
}

// errorBody is the body of every failure outside pages (contract, Errors).
type errorBody struct {
	Error      string       `json:"error"`
	Code       vitrine.Code `json:"code"`
	Field      string       `json:"field,omitempty"`
	Reason     string       `json:"reason,omitempty"`
	Limit      *int64       `json:"limit,omitempty"`
	Used       *int64       `json:"used,omitempty"`
	Held       *int64       `json:"held,omitempty"`
	HeldUntil  string       `json:"heldUntil,omitempty"`
	UpgradeURL string       `json:"upgradeUrl,omitempty"`
}

// writeError answers a failure as JSON.
func (s *httpxH) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.known(w, r, err)
	body := errorBody{Error: e.Message, Code: e.Code, Field: e.Field, Reason: e.Reason, Limit: e.Limit, Used: e.Used, Held: e.Held}
	if e.Held != nil {
		body.HeldUntil = e.HeldUntil.UTC().Format(timeFormat)
	}
	if e.Upgrade {
		body.UpgradeURL = s.plansURL()
	}
	b, _ := json.Marshal(body)
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	if e.RetryAfter > 0 {
		seconds := strconv.FormatInt(int64(e.RetryAfter.Seconds()+0.999), 10)
		h.Set("Retry-After", seconds)
		if e.Code == vitrine.CodeRateLimited && e.Limit != nil {
			h.Set("RateLimit-Policy", `"uploads";q=`+strconv.FormatInt(*e.Limit, 10)+`;w=3600`)
			h.Set("RateLimit", `"uploads";r=0;t=`+seconds)
		}
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(b, '\n'))
	}
}
