package ui

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"runtime/debug"
	"strings"

	"vitrine"
)

// permissions denies what no page of ours uses. A published page that is opened
// by itself could otherwise ask for it in the name of this site.
const permissions = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"

// Around gives every request an ID and every answer the common headers, and
// catches panics.
func (s *Pages) Around(next http.Handler) http.Handler {
	unrouted := s.Server.UnroutedMeter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b [8]byte
		rand.Read(b[:])
		id := hex.EncodeToString(b[:])
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Permissions-Policy", permissions)
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		if s.Server.PublicURL.Scheme == "https" {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		paced := s.Server.Pace(w)
		defer paced.Count(r, unrouted)
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					paced.CutOff()
					panic(p)
				}
				s.Log.Error("panic", "request", id, "panic", p, "stack", string(debug.Stack()))
				err := vitrine.Errorf(vitrine.CodeInternal, "Something went wrong on our side. Request id: %s.", id)
				if strings.Contains(r.Header.Get("Accept"), "text/html") { // a person looks at it
					s.errorPage(paced, r, err)
				} else {
					s.Server.WriteError(paced, r, err)
				}
			}
		}()
		if b := s.Server.TimeBody(w, r); b != nil {
			defer b.End()
		}
		next.ServeHTTP(paced, r)
		paced.Move() // buffered bytes are sent after this, however long the request took
	})
}
