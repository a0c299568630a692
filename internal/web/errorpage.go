package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine"
)

// What is shown when a page cannot be: what happened, what to do, when to try
// again, and the number by which the operator finds it. It is one page for
// everybody; anyone who is signed in gets back to their own things.

var errorTemplate = parse("layout.html", "icons.html", "error.html")

// errNoPage is the failure of an address that nothing is at.
var errNoPage = vitrine.Errorf(vitrine.CodeNotFound, "There is no page at this address.")

// noPage answers for an address that nothing is at.
func noPage(http.ResponseWriter, *http.Request) error { return errNoPage }

type errorPage struct {
	chrome
	Heading, Advice string
	Request         string // the request's id
	Again           string // address to try again; "" where that is of no use
	Way             way    // where one can go on
	Framed          bool   // the page is in a frame of another
}

// way is an address and what to call it.
type way struct{ Address, Name string }

// headings say what happened, in the words of a display case.
var headings = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "There is nothing here",
	vitrine.CodeNotAvailable:     "Not available yet",
	vitrine.CodeDisabled:         "No longer available",
	vitrine.CodeURLExpired:       "This address has expired",
	vitrine.CodeInvalidSignature: "This address is incomplete",
	vitrine.CodeMethodNotAllowed: "Nothing to do here",
	vitrine.CodeRateLimited:      "Too many at once",
	vitrine.CodeUnavailable:      "Closed for a moment",
	vitrine.CodeInternal:         "Something went wrong",
	vitrine.CodeCrossOrigin:      "This is not allowed",
	vitrine.CodeProRequired:      "Not part of this plan",
}

// advice says what to do, where the failure's own sentence does not.
var advice = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Check the address for a typing mistake, or ask the person who sent it to you.",
	vitrine.CodeNotAvailable:     "If that does not help, ask the person who sent it to you.",
	vitrine.CodeDisabled:         "Ask the person who sent it to you for a new one.",
	vitrine.CodeURLExpired:       "Open the link’s page again.",
	vitrine.CodeInvalidSignature: "Open the link’s page again, or ask the person who sent it to you.",
	vitrine.CodeInternal:         "The fault is on our side. Try again in a moment; if it stays, tell the administrator of this site the number below.",
}

// transient are the failures that the same address may not have a moment later.
// No page asks again by itself: a tab that was left open would make an open of
// a link by nobody, as soon as there is something to see.
var transient = map[vitrine.Code]bool{
	vitrine.CodeNotAvailable: true, vitrine.CodeRateLimited: true, vitrine.CodeUnavailable: true, vitrine.CodeInternal: true,
}

// errorPage answers a failure. It is also shown inside the frame of a public
// page, whose content has gone meanwhile, and in an embed.
func (s *uiH) errorPage(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.known(w, r, err)
	h := w.Header()
	// What the handler had said of the content that it then could not send.
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "Content-Length", "ETag", "Last-Modified"} {
		h.Del(name)
	}
	framers := s.framers(r)
	p := errorPage{chrome: s.newChrome(cmp.Or(headings[e.Code], "This is not allowed")), Advice: adviceOn(e), Framed: framers != "'none'",
		Way: way{s.PublicURL.String() + "/", "Go to the start page"}}
	if !p.Framed {
		sameOriginOnly(h)
		if s.whoever(r) != nil {
			p.Way = way{"/dashboard", "Go to the dashboard"}
		}
	}
	s.writeErrorPage(w, r, e, status, &p, s.policy(p.Nonce, framers))
}

// appFailure answers a failure of the pages that someone signs in for.
func (s *uiH) appFailure(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.known(w, r, err)
	heading, advice := headings[e.Code], inSiteWords(e.Message)
	switch e.Code {
	case vitrine.CodeNotFound:
		heading = "Nothing here"
	case vitrine.CodeInternal, vitrine.CodeRateLimited:
		advice = adviceOn(e)
	}
	p := errorPage{chrome: s.newChrome(cmp.Or(heading, "That did not work")), Advice: advice, Way: way{"/", "Go to the start page"}}
	switch {
	case s.whoever(r) == nil:
	case strings.HasPrefix(r.URL.Path, moderationRoot):
		p.Way = way{moderationRoot, "Go to the queue"}
	default:
		p.Way = way{"/dashboard", "Go to the dashboard"}
	}
	s.writeErrorPage(w, r, e, status, &p, s.appPolicy(p.Nonce))
}

func (s *uiH) writeErrorPage(w http.ResponseWriter, r *http.Request, e *vitrine.Error, status int, p *errorPage, policy string) {
	h := w.Header()
	retryAfter(w, e)
	p.Heading, p.Request = p.Title, h.Get("X-Request-Id")
	if transient[e.Code] && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		p.Again = r.URL.RequestURI()
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	if err := render(w, r, status, errorTemplate, p); err != nil {
		s.Log.Error("error page", "request", p.Request, "error", err)
		http.Error(w, fmt.Sprintf("%s (request %s)", p.Heading, p.Request), status)
	}
}

// adviceOn is what happened and what to do about it.
func adviceOn(e *vitrine.Error) string {
	switch e.Code {
	case vitrine.CodeInternal:
		return advice[e.Code] // its own sentence is for programs
	case vitrine.CodeRateLimited:
		if e.RetryAfter > 0 {
			return e.Message + " Try again in " + wait(e.RetryAfter) + "."
		}
	}
	return strings.TrimSpace(e.Message + " " + advice[e.Code])
}

// wait is a time for people, rounded up: anyone who waits so long has waited
// long enough.
func wait(d time.Duration) string {
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

// seconds is a time in whole seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// retryAfter says when to ask again, where a failure tells.
func retryAfter(w http.ResponseWriter, e *vitrine.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(e.RetryAfter), 10))
	}
}
