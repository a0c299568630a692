package httpx

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/visitor"
)

// SameOrigin refuses requests that pages of other sites send.
func (s *Server) SameOrigin(h HandlerFunc) HandlerFunc {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(Origin(s.PublicURL)); err != nil { // a proxy may have changed Host
		panic(err) // PublicURL has scheme and host
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		if protection.Check(r) != nil {
			return vitrine.Errorf(vitrine.CodeCrossOrigin,
				"This request came from another website. Open this page again and resend it.")
		}
		return h(w, r)
	}
}

// MaxEntry bounds the forms of these pages, in bytes: a password of 200
// characters, each up to 12 bytes of the form's encoding.
const MaxEntry = 8 << 10

// Client describes the sender of a request by its browser and address.
func (s *Server) Client(r *http.Request) auth.Client {
	v := visitor.Classify(visitor.Request{UserAgent: r.UserAgent(), SecCHUA: r.Header.Get("Sec-CH-UA")})
	label := v.Browser
	switch {
	case label == "" && v.OS == "":
		label = "Unknown browser"
	case label == "":
		label = v.OS
	case v.OS != "":
		label += " on " + v.OS
	}
	return auth.Client{Addr: s.LimitedAddr(r), Devices: s.Devices(r), Label: label}
}

// MaxDevices bounds the accounts for which a browser is recognized.
const MaxDevices = 5

// DeviceMark separates devices in their cookie.
const DeviceMark = "~"

// DeviceCookie returns the name of the cookie that identifies a browser after a
// sign-in.
func (s *Server) DeviceCookie() string {
	if s.Secure() {
		return "__Host-vitrine-device"
	}
	return "vitrine-device"
}

// Devices returns by what a browser is recognized: a text for each account that
// has signed in with it.
func (s *Server) Devices(r *http.Request) []string {
	c, err := r.Cookie(s.DeviceCookie())
	if err != nil || c.Value == "" {
		return nil
	}
	list := strings.SplitN(c.Value, DeviceMark, MaxDevices+1)
	return list[:min(len(list), MaxDevices)]
}

// SignedInAccount returns the signed-in account of a request, or nil if there
// is none or it cannot be determined.
func (s *Server) SignedInAccount(r *http.Request) *vitrine.Account {
	text := s.Session(r)
	if text == "" || s.Sessions == nil {
		return nil
	}
	me, err := s.Sessions.Authenticate(r.Context(), text)
	if err != nil {
		return nil
	}
	return me
}

// SignedInAs reports whether the sender of a request is signed in to an
// account.
func (s *Server) SignedInAs(r *http.Request, a vitrine.AccountID) bool {
	me := s.SignedInAccount(r)
	return me != nil && me.ID == a
}

// ClientAddr returns the client's address; the zero Addr: unknown.
func (s *Server) ClientAddr(r *http.Request) netip.Addr {
	remote, _ := netip.ParseAddrPort(r.RemoteAddr)
	forwarded := r.Header.Values("X-Forwarded-For")
	if visitor.UntrustedProxy(remote, forwarded, s.TrustedProxies) && s.proxied.Swap(s.Now().Unix()) == 0 {
		s.Log.Warn("requests come through a reverse proxy that is not trusted, so that everybody has one address: limits by network are off, and viewers are not distinguished; set --trusted-proxy")
	}
	return visitor.ClientAddr(remote, forwarded, s.TrustedProxies)
}

// LimitedAddr returns the address whose network a limit counts. It is zero
// behind a proxy that is not trusted: there, everybody has one address, and a
// stranger could use up the attempts of all.
func (s *Server) LimitedAddr(r *http.Request) netip.Addr {
	addr := s.ClientAddr(r)
	remote, _ := netip.ParseAddrPort(r.RemoteAddr)
	if visitor.UntrustedProxy(remote, r.Header.Values("X-Forwarded-For"), s.TrustedProxies) {
		return netip.Addr{}
	}
	return addr
}

// BehindUntrustedProxy reports whether a request of the last hour came through
// a proxy that is not trusted.
func (s *Server) BehindUntrustedProxy() bool {
	last := s.proxied.Load()
	return last != 0 && s.Now().Sub(time.Unix(last, 0)) < time.Hour
}

// Secure reports whether the site is reached by TLS.
func (s *Server) Secure() bool { return s.PublicURL.Scheme == "https" }

// sessionCookie returns the name of the session's cookie. Its prefix makes
// browsers accept it only from this host over TLS; without TLS there is no
// prefix.
func (s *Server) sessionCookie() string {
	if s.Secure() {
		return "__Host-vitrine"
	}
	return "vitrine"
}

// SetSession sets the cookie with the secret of a session. A negative number of
// seconds deletes it.
func (s *Server) SetSession(w http.ResponseWriter, text string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: s.sessionCookie(), Value: text, Path: "/", MaxAge: seconds, Secure: s.Secure(),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

// Session returns the session secret of a request, or "".
func (s *Server) Session(r *http.Request) string {
	c, err := r.Cookie(s.sessionCookie())
	if err != nil {
		return ""
	}
	return c.Value
}

// flowTime is how long a browser keeps a sign-in at a provider.
const flowTime = 15 * time.Minute

func (s *Server) flowCookie() string { return s.sessionCookie() + "-provider" }

// SetProviderFlow sets the cookie of a sign-in that continues at a provider, or
// deletes it with "".
func (s *Server) SetProviderFlow(w http.ResponseWriter, flow string) {
	c := &http.Cookie{Name: s.flowCookie(), Value: flow, Path: "/", MaxAge: int(flowTime / time.Second),
		Secure: s.Secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if flow == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// ProviderFlow returns the sign-in at a provider that this browser has begun,
// or "".
func (s *Server) ProviderFlow(r *http.Request) string {
	c, err := r.Cookie(s.flowCookie())
	if err != nil {
		return ""
	}
	return c.Value
}

// ReadForm reads the form of a request, of at most limit bytes.
func ReadForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	err := r.ParseForm()
	_, rest := io.Copy(io.Discard, r.Body)
	if errors.Join(err, rest) != nil {
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"The form is incomplete or too long. Go back, shorten it, and try again.")
	}
	return nil
}
