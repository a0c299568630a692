package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a request's body (contract, Errors).
const (
	maxBody  = 16 << 10
	maxLarge = 256 << 10 // of lists that people type or paste
	maxDepth = 8
)

// Object is a JSON object with undecoded values.
type Object map[string]jsontext.Value

func InvalidJSON(message string) error { return vitrine.Errorf(vitrine.CodeInvalidJSON, "%s", message) }

// ReadObject reads a request's body: one JSON object in valid UTF-8 without
// duplicate names, within the bounds.
func ReadObject(w http.ResponseWriter, r *http.Request) (Object, error) {
	o, err := readJSON(w, r, maxBody)
	return o.withoutNulls(), err
}

// ReadLarge is ReadObject for bodies with a long list.
func ReadLarge(w http.ResponseWriter, r *http.Request) (Object, error) {
	o, err := readJSON(w, r, maxLarge)
	return o.withoutNulls(), err
}

// withoutNulls removes members that are null: serializers of many languages
// write null for a missing value.
func (o Object) withoutNulls() Object {
	maps.DeleteFunc(o, func(_ string, v jsontext.Value) bool { return v.Kind() == 'n' })
	return o
}

// ReadFilled reads a request's body like ReadObject, but members that are null
// or "" are errors. It is for requests in which a member that is left out means
// more rights: the empty variable of a template must not give them.
func ReadFilled(w http.ResponseWriter, r *http.Request) (Object, error) {
	o, err := readJSON(w, r, maxBody)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if v := o[name]; err == nil && (v.Kind() == 'n' || string(v) == `""`) {
			err = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: name,
				Message: "The field \"" + name + "\" is empty. Give it a value, or leave it out."}
		}
	}
	return o, err
}

// readJSON reads a request's body, of the right type and within the bounds.
func readJSON(w http.ResponseWriter, r *http.Request, limit int64) (Object, error) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return nil, InvalidJSON("Send the body as application/json.")
	}
	return ReadBounded(w, r, limit)
}

// ReadBounded reads a body of at most limit bytes as a JSON object.
func ReadBounded(w http.ResponseWriter, r *http.Request, limit int64) (Object, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, InvalidJSON(fmt.Sprintf("The body is larger than %d KiB.", limit>>10))
	} else if err != nil {
		return nil, InvalidJSON("The body could not be read to its end.")
	}
	return parseObject(body)
}

func parseObject(body []byte) (Object, error) {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if d.PeekKind() != '{' {
		return nil, InvalidJSON("The body is not a JSON object.")
	}
	// The decoder refuses duplicate names, invalid UTF-8 and invalid JSON;
	// depth is counted here.
	for {
		if _, err := d.ReadToken(); err != nil {
			return nil, InvalidJSON("The body is not valid JSON: duplicate names, invalid UTF-8 or a syntax error.")
		}
		if d.StackDepth() > maxDepth {
			return nil, InvalidJSON("The body is nested more than 8 deep.")
		}
		if d.StackDepth() == 0 {
			break
		}
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, InvalidJSON("The body continues after the JSON object.")
	}
	o := Object{}
	return o, jsonv2.Unmarshal(body, &o)
}

// Fields reads fields of an object and records the first error.
type Fields struct {
	Object
	At  string // before the names of fields in errors, such as recipients[3].
	Err error
}

// Wrong records an error of a field unless there is one already.
func (f *Fields) Wrong(name, message string) {
	if f.Err == nil {
		f.Err = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: f.At + name, Message: message}
	}
}

// Text reads a string that must be there.
func (f *Fields) Text(name string) string {
	if s := f.OptionalText(name); s != nil {
		return *s
	}
	f.Wrong(name, "Missing field \""+name+"\" (string).")
	return ""
}

// OptionalText reads a string, or returns nil if the field is absent. Any other
// value is wrong.
func (f *Fields) OptionalText(name string) *string {
	v, ok := f.Object[name]
	if !ok {
		return nil
	}
	if v.Kind() != '"' {
		f.Wrong(name, "The field \""+name+"\" must be a string.")
		return nil
	}
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		f.Wrong(name, "The field \""+name+"\" must be a string.")
	}
	s := string(b)
	return &s
}

// Objects reads a list of objects that must be there, of which at most most are
// needed: it returns one more of a longer list. Null members of the objects are
// missing.
func (f *Fields) Objects(name string, most int) (list []Object) {
	if v := f.Object[name]; v.Kind() != '[' || jsonv2.Unmarshal(v, &list) != nil ||
		slices.ContainsFunc(list, func(o Object) bool { return o == nil }) {
		f.Wrong(name, "The field \""+name+"\" must be a list of objects.")
		return nil
	}
	list = list[:min(len(list), most+1)]
	for _, o := range list {
		o.withoutNulls()
	}
	return list
}

// FilledText reads a string that may be left out; an empty one is left out.
func (f *Fields) FilledText(name string) *string {
	if s := f.OptionalText(name); s != nil && *s != "" {
		return s
	}
	return nil
}

// OptionalBool reads true or false, or returns nil if the field is absent. Any
// other value is wrong.
func (f *Fields) OptionalBool(name string) *bool {
	v, ok := f.Object[name]
	if !ok {
		return nil
	}
	b := v.Kind() == 't'
	if !b && v.Kind() != 'f' {
		f.Wrong(name, "The field \""+name+"\" must be true or false.")
	}
	return &b
}

// Integer reads a number that must be there; one that is no 64-bit integer is
// 0. 3.0 and 3e2 are integers, as JSON Schema has it.
func (f *Fields) Integer(name string) int64 {
	v, ok := f.Object[name]
	if !ok || v.Kind() != '0' {
		f.Wrong(name, "The field \""+name+"\" must be a number.")
		return 0
	}
	n, exact := parseInteger(string(v))
	if !exact {
		return 0
	}
	return n
}

// parseInteger returns a JSON number without its fraction, and whether that is
// all of it. Numbers beyond 64 bits are the largest or smallest integer. It
// does not round, as floats do: 5.00…01 is not 5.
func parseInteger(text string) (n int64, exact bool) {
	text, negative := strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	if strings.Trim(digits, "0") == "" {
		return 0, true
	}
	shift := 0
	if exponent != "" {
		const most = 1 << 20                       // more than the bytes of a body
		e, _ := strconv.ParseInt(exponent, 10, 64) // beyond 64 bits it is the largest or smallest
		shift = int(min(max(e, -most), most))
	}
	// The decimal point is after so many digits.
	point := len(whole) + shift
	exact = point >= len(digits)
	switch {
	case point <= 0:
		return 0, false
	case point < len(digits):
		digits = digits[:point]
	case point-len(digits) > 19:
		digits += "0000000000000000000"
	default:
		digits += strings.Repeat("0", point-len(digits))
	}
	if negative {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, exact && err == nil
}

// WriteJSON answers 200 with v.
func WriteJSON(w http.ResponseWriter, v any) error {
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

// errorBody is the body of every error outside pages (contract, Errors).
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
	Current    any          `json:"current,omitempty"`
}

// withCurrent is an error with the current state of what was to be changed.
type withCurrent struct {
	error
	current any
}

func (e withCurrent) Unwrap() error { return e.error }

// WithCurrent adds the current state to the body of an error.
func WithCurrent(err error, current any) error { return withCurrent{err, current} }

// WriteError answers an error as JSON.
func (s *Server) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.Known(w, r, err)
	body := errorBody{Error: e.Message, Code: e.Code, Field: e.Field, Reason: e.Reason, Limit: e.Limit, Used: e.Used,
		Held: e.Held}
	if e.Held != nil {
		body.HeldUntil = e.HeldUntil.UTC().Format(TimeFormat)
	}
	if c := (withCurrent{}); errors.As(err, &c) {
		body.Current = c.current
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
		h.Set("WWW-Authenticate", s.challenge(r))
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append(b, '\n'))
	}
}

// maxAmount is about thirty years in milliseconds: more than any true claim,
// and small enough to be multiplied.
const maxAmount = 1_000_000_000_000

// Amount reads a number that may be missing, and cuts off its fraction.
func (f *Fields) Amount(name string) int64 {
	v, ok := f.Object[name]
	if !ok {
		return 0
	}
	return f.number(name, v)
}

func (f *Fields) number(name string, v jsontext.Value) int64 {
	if v.Kind() != '0' {
		f.Wrong(name, "The field \""+name+"\" must be a number.")
		return 0
	}
	n, _ := parseInteger(string(v))
	return min(max(n, -maxAmount), maxAmount)
}

// Amounts reads an object of numbers by number that may be missing.
func (f *Fields) Amounts(name string) map[int]int64 {
	named := f.Counts(name)
	if named == nil {
		return nil
	}
	m := make(map[int]int64, len(named))
	for key, amount := range named {
		n, err := strconv.ParseInt(key, 10, 32)
		if err != nil || strconv.FormatInt(n, 10) != key {
			f.Wrong(name, "A name in \""+name+"\" is not a page number.")
			continue
		}
		m[int(n)] = amount
	}
	return m
}

// Counts returns an optional object of amounts by any name.
func (f *Fields) Counts(name string) map[string]int64 {
	o := f.member(name)
	if o == nil {
		return nil
	}
	m := make(map[string]int64, len(o))
	for key, v := range o {
		m[key] = f.number(name, v)
	}
	return m
}

// Flag reads true or false; absent means false.
func (f *Fields) Flag(name string) bool {
	b := f.OptionalBool(name)
	return b != nil && *b
}
