package web

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"vitrine"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/public"
)

// router registers routes with the guard of their surface. A pattern is a
// method and a path as in [http.ServeMux].
type router struct {
	mux *http.ServeMux
	h   *handlers
	// others answers the methods that a path does not support.
	others map[string]*otherMethods
}

// otherMethods answers the methods that a path does not support.
type otherMethods struct {
	taken  []string
	answer func(taken []string) http.Handler
}

func newRouter(mux *http.ServeMux, h *handlers) *router {
	return &router{mux: mux, h: h, others: map[string]*otherMethods{}}
}

// done registers the answers to unsupported methods.
func (r *router) done() {
	for path, o := range r.others {
		r.handle(path, o.answer(o.taken))
	}
}

// only answers every other method of a pattern's path with answer.
func (r *router) only(pattern string, answer func(taken []string) http.Handler) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		return
	}
	if r.others[path] == nil {
		r.others[path] = &otherMethods{answer: answer}
	}
	if taken := &r.others[path].taken; !slices.Contains(*taken, method) {
		*taken = append(*taken, method)
	}
}

// handle registers a handler, whose answers are counted.
func (r *router) handle(pattern string, h http.Handler) {
	r.mux.Handle(pattern, r.h.server.Metered(pattern, h))
}

// plain registers a handler that answers its own errors.
func (r *router) plain(pattern string, h http.HandlerFunc) { r.handle(pattern, h) }

// json serves an operation for programs. Its failures are JSON.
func (r *router) json(pattern string, h httpx.HandlerFunc) {
	r.handle(pattern, r.h.server.JSON(h))
	r.only(pattern, func(taken []string) http.Handler {
		return r.h.server.JSON(httpx.Allowed(strings.Join(taken, ", ")))
	})
}

// key serves an operation of the API for the bearer of a key with a scope.
func (r *router) key(scope vitrine.KeyScope, pattern string, h api.KeyHandler) {
	r.json(pattern, r.h.api.WithKey(scope, h))
}

// anyOrigin serves an operation that pages of any origin may call. headers are
// those that they may send. described, unless nil, adds headers to the answer
// to OPTIONS.
func (r *router) anyOrigin(pattern, headers string, h httpx.HandlerFunc, described func(http.ResponseWriter)) {
	r.handle(pattern, r.h.server.JSON(httpx.CrossOrigin(h)))
	r.only(pattern, func(taken []string) http.Handler {
		return r.h.server.JSON(func(w http.ResponseWriter, req *http.Request) error {
			if described != nil {
				described(w)
			}
			return httpx.Preflight(w, req, strings.Join(taken, ", "), headers)
		})
	})
}

// pro serves an operation for keys with a scope whose plan has analytics, from
// any origin.
func (r *router) pro(scope vitrine.KeyScope, pattern string, h api.KeyHandler) {
	r.anyOrigin(pattern, "Authorization, "+httpx.SentHeaders, r.h.api.WithPro(scope, h), nil)
}

// upload takes the bytes of a file at a signed address, from any origin.
func (r *router) upload(pattern string, h httpx.HandlerFunc) {
	r.anyOrigin(pattern, httpx.SentHeaders+", "+api.ChunkHeaders, h, r.h.api.StorageOptions)
}

// page serves a page for people. Its failures are pages.
func (r *router) page(pattern string, h httpx.HandlerFunc) {
	r.handle(pattern, r.h.pages.Page(h))
}

// form serves a form of a public page, only from pages of this origin.
func (r *router) form(pattern string, h httpx.HandlerFunc) {
	r.page(pattern, r.h.server.SameOrigin(h))
}

// link serves a page of a public link.
func (r *router) link(pattern string, h public.LinkHandler) { r.page(pattern, r.h.public.OnLink(h)) }

// reported serves the form that reports a link, and takes it.
func (r *router) reported(pattern string, h public.LinkHandler) {
	r.page(pattern, r.h.server.SameOrigin(r.h.public.OnReported(h)))
}

// front serves a page about Vitrine, for anyone.
func (r *router) front(pattern string, h httpx.HandlerFunc) { r.page(pattern, r.h.front.Personal(h)) }

// app serves a page of the app, or takes a form from pages of this origin.
func (r *router) app(pattern string, h httpx.HandlerFunc) {
	r.handle(pattern, r.h.pages.App(r.h.server.SameOrigin(h)))
	r.only(pattern, func(taken []string) http.Handler {
		if i := slices.Index(taken, "GET"); i >= 0 {
			taken = slices.Insert(taken, i+1, "HEAD")
		}
		return r.h.pages.App(func(w http.ResponseWriter, req *http.Request) error {
			reads := req.Method == http.MethodGet || req.Method == http.MethodHead
			if page := r.pageAbove(req.URL.Path); page != "" && reads {
				return httpx.Redirect(w, req, page)
			}
			return httpx.Allowed(strings.Join(taken, ", "))(w, req)
		})
	})
}

// pageAbove returns the page that the form at an address belongs to: the
// nearest address above it that can be opened, or "". The answer to a form
// stays in the address bar, where people load it again.
func (r *router) pageAbove(address string) string {
	for p := path.Dir(address); p != "/" && p != "."; p = path.Dir(p) {
		u := &url.URL{Path: p}
		_, pattern := r.mux.Handler(&http.Request{Method: http.MethodGet, URL: u})
		if strings.HasPrefix(pattern, "GET ") {
			return u.EscapedPath()
		}
	}
	return ""
}

// entry serves a page for signing in. Until there is an account, it explains
// how to create one.
func (r *router) entry(pattern string, h httpx.HandlerFunc) { r.app(pattern, r.h.entry.AfterSetup(h)) }

// member serves a page for a signed-in person.
func (r *router) member(pattern string, h app.MemberHandler) { r.app(pattern, r.h.shell.AsMember(h)) }

// owner serves a page for the owners of the instance.
func (r *router) owner(pattern string, h app.MemberHandler) { r.app(pattern, r.h.shell.AsOwner(h)) }

// moderator serves a page for moderators.
func (r *router) moderator(pattern string, h app.MemberHandler) {
	r.app(pattern, r.h.shell.AsModerator(h))
}

// data serves an operation of the app's own scripts: JSON, for anyone who is
// signed in.
func (r *router) data(pattern string, h app.MemberHandler) {
	r.handle(pattern, r.h.server.JSON(r.h.server.SameOrigin(r.h.shell.WithSession(h))))
}

// look serves what an open page polls, as JSON. It does not extend the session.
func (r *router) look(pattern string, h app.MemberHandler) {
	r.handle(pattern, r.h.server.JSON(r.h.server.SameOrigin(r.h.shell.AsPollingMember(h))))
}

// lookPage registers a page that does not extend the session.
func (r *router) lookPage(pattern string, h app.MemberHandler) {
	r.app(pattern, r.h.shell.AsPollingMember(h))
}
