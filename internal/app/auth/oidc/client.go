package oidc

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/time/rate"
)

const (
	connectTime    = 5 * time.Second
	requestTime    = 10 * time.Second
	maxDocument    = 1 << 20 // bytes of an answer
	maxHeaderBytes = 64 << 10
)

var (
	errTooLarge = errors.New("the answer has more than 1 MiB")
	errTooOften = errors.New("the provider was asked too often")
)

// newClient returns what sends requests to a provider. It follows no redirects.
// The address of the provider is the administrator's choice, so it may be
// private.
func newClient() *http.Client {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTime}).DialContext,
		TLSHandshakeTimeout: connectTime, MaxResponseHeaderBytes: maxHeaderBytes, MaxIdleConnsPerHost: 4,
		IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	keys := rate.NewLimiter(rate.Every(10*time.Second), 5)
	return &http.Client{Timeout: requestTime, Transport: &bounded{next: t, keys: keys},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bounded bounds what a provider answers, and how often it is asked for its
// keys: a token with an unknown key makes the library fetch them.
type bounded struct {
	next http.RoundTripper
	keys *rate.Limiter
}

// RoundTrip implements [http.RoundTripper].
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	// The library fetches keys so, and nothing else.
	if r.Header.Get("Cache-Control") == "no-cache" && !b.keys.Allow() {
		return nil, errTooOften
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "Vitrine")
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/json")
	}
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = &boundedBody{res.Body, maxDocument}
	}
	return res, err
}

// boundedBody fails once more bytes were read than are left.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// cause returns an error without the address that it is about, which may have a
// code or a token in it.
func cause(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}
