package agent

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/throttle"
	"vitrine/internal/web/httpx"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler serves the address of the protocol. Its tools ask the API of the same
// process with the key of their caller, without a connection.
type Handler struct {
	whole   http.Handler                            // answers with one JSON object
	stream  http.Handler                            // answers with events; the last one is the answer
	servers map[vitrine.KeyScope]func() *mcp.Server // created when the first agent connects
	origin  string                                  // of the instance's pages
	large   *throttle.Turns[vitrine.AccountID]      // for large messages
}

// scopes maps the scope of a key to that of its tools.
var scopes = map[vitrine.KeyScope]Scope{vitrine.ScopeRead: Read, vitrine.ScopePublish: Publish,
	vitrine.ScopeFull: Full}

type scopeOf struct{}

// New returns a handler. root returns the handler for requests to public and
// content, the addresses of the instance.
func New(public, content *url.URL, root func() http.Handler, version string, now func() time.Time) *Handler {
	inside := &http.Client{Transport: &loop{hosts: []string{public.Host, content.Host}, root: root,
		outside: http.DefaultTransport}}
	h := &Handler{servers: map[vitrine.KeyScope]func() *mcp.Server{}, origin: httpx.Origin(public),
		large: throttle.NewTurns[vitrine.AccountID](maxLarge)}
	for scope, tools := range scopes {
		s := &Server{Version: version, Scope: tools, Now: now,
			Client: func(req *mcp.CallToolRequest) (*client.Client, error) {
				_, key, _ := strings.Cut(req.Extra.Header.Get("Authorization"), " ")
				return client.New(public.String(), key, client.WithHTTPClient(inside), client.WithAttempts(1),
					client.WithUserAgent(Label(req)))
			}}
		h.servers[scope] = sync.OnceValue(s.MCP)
	}
	h.whole, h.stream = h.answering(true), h.answering(false)
	return h
}

// answering returns a handler that answers with one JSON object or with events.
func (h *Handler) answering(whole bool) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		scope, _ := r.Context().Value(scopeOf{}).(vitrine.KeyScope)
		if server := h.servers[scope]; server != nil {
			return server()
		}
		return nil
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: whole, MaxRequestBodyBytes: maxLargeBody,
		// A proxy on the same machine passes the public name on. Serve checks
		// the origin.
		DisableLocalhostProtection: true})
}

// Serve answers a request with a key. A caller that asks for progress gets a
// stream, any other caller one object.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	body, message, release, wrong := h.message(w, r, c)
	defer release()
	switch {
	case wrong != nil:
		wrong.write(w)
		return nil
	case message.Ignored:
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	r = r.WithContext(context.WithValue(r.Context(), scopeOf{}, c.Key.Scope))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	handler := h.whole
	if message.Progress {
		handler = h.stream
	}
	handler.ServeHTTP(&writer{ResponseWriter: w, id: message.ID}, r)
	return nil
}
