package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of a message (security, Surfaces). A large one carries a text of 1
// MiB, in which JSON may escape every character.
const (
	maxBody      = 64 << 10
	maxLargeBody = 4 << 20
	maxLarge     = 2 // messages that are read and answered at once

	turnTime = 20 * time.Second // how long a large message waits
	bodyTime = 10 * time.Second // how long it may take to arrive after that
)

const (
	versionHeader = "Mcp-Protocol-Version"
	// listsVersions is the version from which on the SDK answers an unknown
	// version with those that it knows, and an unknown method is 404.
	listsVersions = "2026-07-28"
)

// large are the tools that take a text.
var large = []string{"publish_text", "replace_file"}

// requestError is an answer instead of that of the protocol's server.
type requestError struct {
	status int
	*ProtocolError
}

func refuse(status int, id jsontext.Value, text string, args ...any) *requestError {
	return &requestError{status, &ProtocolError{ID: id, Code: jsonrpc.CodeInvalidRequest,
		Message: fmt.Sprintf(text, args...)}}
}

func (e *requestError) write(w http.ResponseWriter) {
	b, err := json.Marshal(e.ProtocolError)
	if err != nil {
		panic(err) // an id is JSON
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	if e.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(e.status)
	_, _ = w.Write(b) // the caller may have gone away
}

// message reads and checks the message of a request. The caller must call
// release when the message is answered.
func (h *Handler) message(w http.ResponseWriter, r *http.Request, c *auth.Caller) (body []byte, m Message,
	release func(), wrong *requestError) {
	release = func() {}
	if wrong = h.headers(r); wrong != nil {
		return body, m, release, wrong
	}
	var b bytes.Buffer
	b.Grow(int(min(max(r.ContentLength, 0), maxBody)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	if isLarge := b.Len() > maxBody; err == nil && isLarge {
		if c.Key.Scope == vitrine.ScopeRead {
			return nil, m, release, refuse(http.StatusRequestEntityTooLarge, nil,
				"Invalid request: a message to the tools of a read key is at most %d KiB.", maxBody>>10)
		}
		if release, wrong = h.turn(r.Context(), c.Account.ID); wrong != nil {
			return nil, m, release, wrong
		}
		err = readRest(w, r, &b)
	}
	if err != nil {
		return nil, m, release, refuse(http.StatusBadRequest, nil, "Invalid request: the body could not be read to its end.")
	}
	if b.Len() > maxLargeBody {
		return nil, m, release, refuse(http.StatusRequestEntityTooLarge, nil,
			"Invalid request: a message is at most %d MiB. Upload a larger text as a file, with begin_upload.",
			maxLargeBody>>20)
	}
	body = b.Bytes()
	m, invalid := ReadMessage(body)
	if invalid != nil {
		return nil, m, release, &requestError{status(r, invalid), invalid}
	}
	if len(body) > maxBody && !slices.Contains(large, m.Tool) {
		return nil, m, release, refuse(http.StatusRequestEntityTooLarge, m.ID,
			"Invalid request: a message is at most %d KiB, except calls of %s.", maxBody>>10,
			strings.Join(large, " and "))
	}
	return body, m, release, nil
}

// turn waits until an account may send a large message.
func (h *Handler) turn(ctx context.Context, of vitrine.AccountID) (release func(), wrong *requestError) {
	ctx, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	if h.large.Take(ctx, of) != nil {
		return func() {}, &requestError{http.StatusServiceUnavailable, &ProtocolError{
			Code: jsonrpc.CodeInternalError, Message: "Too many large messages at once. Repeat the call in 5 seconds."}}
	}
	return func() { h.large.Release(of) }, nil
}

// readRest reads the rest of a large message. A sender that is too slow loses
// its turn.
func readRest(w http.ResponseWriter, r *http.Request, b *bytes.Buffer) error {
	control := http.NewResponseController(w)
	late := time.AfterFunc(bodyTime, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	b.Grow(max(int(min(r.ContentLength, maxLargeBody))-b.Len(), 0) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r.Body, maxLargeBody+1-int64(b.Len())))
	return err
}

// status returns the HTTP status of an error of the protocol. A message that is
// one gets an answer of the protocol.
func status(r *http.Request, wrong *ProtocolError) int {
	switch {
	case wrong.Code == jsonrpc.CodeMethodNotFound && r.Header.Get(versionHeader) >= listsVersions:
		return http.StatusNotFound
	case wrong.Code == jsonrpc.CodeMethodNotFound, wrong.Code == jsonrpc.CodeInvalidParams && wrong.ID != nil:
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// headers checks the headers of a request. A page of another origin is refused,
// also one whose name was made to lead to this server.
func (h *Handler) headers(r *http.Request) *requestError {
	for _, origin := range r.Header.Values("Origin") {
		if origin != h.origin {
			return refuse(http.StatusForbidden, nil, "Invalid request: it comes from a page of another website.")
		}
	}
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, nil, "Invalid request: send the body as application/json.")
	}
	if coding := r.Header.Values("Content-Encoding"); len(coding) > 0 && !slices.Equal(coding, []string{"identity"}) {
		return refuse(http.StatusUnsupportedMediaType, nil, "Invalid request: send the body without a Content-Encoding.")
	}
	known := mcp.SupportedProtocolVersions()
	if v := r.Header.Get(versionHeader); v != "" && v < listsVersions && !slices.Contains(known, v) {
		return refuse(http.StatusBadRequest, nil,
			"Invalid request: Mcp-Protocol-Version is not one that this server knows: %s.", strings.Join(known, ", "))
	}
	return nil
}

// writer passes on what the protocol's server writes. It changes answers that
// are not JSON to errors of the protocol, and forbids to store any.
type writer struct {
	http.ResponseWriter
	id      jsontext.Value
	begun   bool
	dropped bool // what follows is not passed on
}

func (w *writer) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if t := h.Get("Content-Type"); status >= http.StatusBadRequest && t != "application/json" {
		w.dropped = true
		refuse(status, w.id, "Invalid request: %s.", badRequest(status)).write(w.ResponseWriter)
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func badRequest(status int) string {
	if status == http.StatusBadRequest {
		return "the headers must be those of the protocol, and Accept must name application/json and text/event-stream"
	}
	return strings.ToLower(http.StatusText(status))
}

func (w *writer) Write(b []byte) (int, error) {
	if w.WriteHeader(http.StatusOK); w.dropped {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// FlushError sends what was written, for events.
func (w *writer) FlushError() error {
	w.WriteHeader(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
