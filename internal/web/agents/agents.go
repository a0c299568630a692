// Package agents serves the tools for AI agents over HTTP. A tool asks the API
// of the same process with the key of its caller, without a connection.
package agents

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/agent"
	"vitrine/internal/auth"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody limits a request: a text of 1 MiB in which JSON may escape each byte.
const maxBody = 8 << 20

// Handler serves the address of the protocol.
type Handler struct {
	whole   http.Handler                            // answers with one JSON object
	stream  http.Handler                            // answers with events; the last one is the answer
	servers map[vitrine.KeyScope]func() *mcp.Server // created when the first agent connects
}

// scopes maps the scope of a key to that of its tools.
var scopes = map[vitrine.KeyScope]agent.Scope{vitrine.ScopeRead: agent.Read, vitrine.ScopePublish: agent.Publish,
	vitrine.ScopeFull: agent.Full}

type scopeOf struct{}

// New returns a handler. root returns the handler for requests to public and
// content, the addresses of the instance.
func New(public, content *url.URL, root func() http.Handler, version string, now func() time.Time) *Handler {
	inside := &http.Client{Transport: &loop{hosts: []string{public.Host, content.Host}, root: root,
		outside: http.DefaultTransport}}
	h := &Handler{servers: map[vitrine.KeyScope]func() *mcp.Server{}}
	for scope, tools := range scopes {
		s := &agent.Server{Version: version, Scope: tools, Now: now,
			Client: func(req *mcp.CallToolRequest) (*client.Client, error) {
				_, key, _ := strings.Cut(req.Extra.Header.Get("Authorization"), " ")
				return client.New(public.String(), key, client.WithHTTPClient(inside), client.WithAttempts(1),
					client.WithUserAgent(agent.Label(req)))
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
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: whole, MaxRequestBodyBytes: maxBody,
		// A proxy on the same machine passes the public name on. What protects
		// is the key, which no page of another origin has.
		DisableLocalhostProtection: true})
}

// Serve answers a request with a key. A caller that asks for progress gets a
// stream, any other caller one object.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, c *auth.Caller) error {
	r = r.WithContext(context.WithValue(r.Context(), scopeOf{}, c.Key.Scope))
	if asksProgress(r) {
		h.stream.ServeHTTP(w, r)
	} else {
		h.whole.ServeHTTP(w, r)
	}
	return nil
}

// asksProgress reports whether a caller asks for progress, without consuming
// the body. A body that only contains the word gets a stream too, if its caller
// reads streams.
func asksProgress(r *http.Request) bool {
	if !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream") {
		return false
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody+1)) // who reads on gets the error
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return bytes.Contains(body, []byte(`"progressToken"`))
}

// loop is a transport that passes requests for this instance to its handler.
type loop struct {
	hosts   []string
	root    func() http.Handler
	outside http.RoundTripper // for a bucket
}

// RoundTrip returns once the handler has sent the header; the body follows.
func (l *loop) RoundTrip(req *http.Request) (*http.Response, error) {
	own := false
	for _, host := range l.hosts {
		own = own || host == req.URL.Host
	}
	if !own {
		return l.outside.RoundTrip(req)
	}
	in := req.Clone(req.Context())
	in.Host, in.RequestURI, in.RemoteAddr = req.URL.Host, req.URL.RequestURI(), "127.0.0.1:0"
	if in.Body == nil {
		in.Body = http.NoBody
	}
	r, w := io.Pipe()
	a := &answer{header: http.Header{}, body: w, said: make(chan struct{})}
	go func() {
		defer in.Body.Close()
		defer func() {
			err := io.EOF
			if recover() != nil { // the handler has logged it
				err = errors.New("the answer was cut off")
			}
			a.WriteHeader(http.StatusOK)
			_ = w.CloseWithError(err)
		}()
		l.root().ServeHTTP(a, in)
	}()
	select {
	case <-a.said:
	case <-req.Context().Done():
		r.Close()
		return nil, req.Context().Err()
	}
	return &http.Response{StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     a.sent, Body: r, ContentLength: -1, Request: req}, nil
}

// answer passes what a handler writes to a reader in the same process.
type answer struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	said   chan struct{}
	status int
	sent   http.Header // copy of header when the answer began
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		return
	}
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.said)
	})
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
