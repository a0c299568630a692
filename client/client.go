// Package client is the Go client of the Vitrine API. It publishes files, lists
// links and reads analytics.
//
//	c, err := client.New("https://share.example", os.Getenv("VITRINE_API_KEY"))
//	f, err := client.OpenFile("report.pdf")
//	link, err := c.Upload(ctx, f, client.Options{})
//	fmt.Println(link.URL)
//
// The client retries temporary failures with exponential backoff: network
// errors, a restarting instance and rate limits. All attempts of an upload have
// one idempotency key, so an upload creates at most one link. Cancelling the
// context stops it.
//
// It is a module of its own, with the standard library only and its own types
// of answers, so that programs get neither the other modules of the server nor
// types that change with its engine.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// apiRoot is the path of version 1 of the API.
const apiRoot = "/api/v1"

const (
	// maxAnswer is the maximum size of a response body.
	maxAnswer = 16 << 20
	// stallTime is the time after which an attempt is canceled if it sends no
	// byte and receives no response.
	stallTime = 2 * time.Minute
	// waitNotice is the time after which WithWaitNotice reports a slow request.
	waitNotice = 5 * time.Second
)

// Client is a client of one instance with one API key. It is safe for
// concurrent use.
type Client struct {
	base      *url.URL
	key       string
	http      *http.Client
	userAgent string
	attempts  int
	patience  time.Duration
	notify    func(Retry)
	waiting   func() // called once a request has waited for waitNotice; may be nil
	sleep     func(context.Context, time.Duration) error
	reached   atomic.Bool // the server has answered a request

	answerTime time.Duration // see WithAnswerTime; 0 means no limit
	waitNotice time.Duration // a field for tests
}

// Option configures a Client.
type Option func(*Client)

// WithHTTPClient sends requests with h. h should have no Timeout, because
// uploads may take long.
func WithHTTPClient(h *http.Client) Option {
	return func(c *Client) { copied := *h; c.http = &copied }
}

// WithUserAgent sets the User-Agent of requests.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// WithAttempts sets the maximum number of attempts per request. The default is
// 8, over about 40 seconds; to reach a server that never answered, 4. 1
// disables retries.
func WithAttempts(n int) Option { return func(c *Client) { c.attempts = max(n, 1) } }

// WithPatience sets the longest Retry-After that the client waits for. If the
// server requests a longer one, the call fails. The default is one minute.
func WithPatience(d time.Duration) Option { return func(c *Client) { c.patience = d } }

// WithRetryNotice calls f before each pause, for example to print the reason.
func WithRetryNotice(f func(Retry)) Option { return func(c *Client) { c.notify = f } }

// WithWaitNotice calls f, on another goroutine, when the instance has not
// answered a request within five seconds.
func WithWaitNotice(f func()) Option { return func(c *Client) { c.waiting = f } }

// WithAnswerTime limits how long the client waits for an answer after it has
// sent a request. A request that gets none in time fails, and is not tried
// again. Do not use it for uploads: the instance may check a file for minutes.
// The default is two minutes for an attempt.
func WithAnswerTime(d time.Duration) Option { return func(c *Client) { c.answerTime = d } }

// New returns a client of the instance at baseURL, with or without /api/v1.
// apiKey may be empty if only Status is called.
func New(baseURL, apiKey string, opts ...Option) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(baseURL))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not the address of an instance, such as https://share.example", baseURL)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the address of an instance must not have a user, query or fragment: %s", u.Redacted())
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), apiRoot) + apiRoot
	c := &Client{
		base:      u,
		key:       strings.TrimSpace(apiKey),
		http:      &http.Client{Transport: transport()},
		userAgent: "vitrine-client",
		attempts:  8,
		patience:  time.Minute,
		notify:    func(Retry) {},
		sleep:     sleep,

		waitNotice: waitNotice,
	}
	for _, o := range opts {
		o(c)
	}
	// Following a redirect would turn a POST into a GET and drop the key, so a
	// redirect is an error.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// transport returns a transport with the settings of http.DefaultTransport,
// which a program may have replaced. It waits longer for "100 Continue", so
// that the body of a refused upload is not sent.
func transport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: 3 * time.Second,
		IdleConnTimeout:       90 * time.Second,
	}
}

// Status is the status of an instance.
type Status struct {
	Status  string `json:"status"` // "ok"
	Version string `json:"version"`
}

// Status returns the status of the instance. It needs no key.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	err := c.get(ctx, "/status", nil, &s)
	return s, err
}

// get reads a resource of the API into answer. It retries temporary failures.
func (c *Client) get(ctx context.Context, path string, query url.Values, answer any) error {
	return c.call(ctx, http.MethodGet, path, query, payload{}, answer)
}

// post sends an object to the API and reads the response into answer.
func (c *Client) post(ctx context.Context, path string, body, answer any) error {
	return c.postIf(ctx, "", path, body, answer)
}

// postIf posts a change of a link. It sends etag in If-Match unless etag is
// empty.
func (c *Client) postIf(ctx context.Context, etag, path string, body, answer any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, path, nil, payload{contentType: "application/json", bytes: b, ifMatch: etag},
		answer)
}

// payload is the body of a request. The zero value means no body.
type payload struct {
	contentType string
	bytes       []byte
	ifMatch     string // expected ETag; "" means any
}

func (c *Client) call(ctx context.Context, method, path string, query url.Values, body payload, answer any) error {
	// path is already escaped, so a slug with a slash stays one segment.
	u := c.base.String() + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	return c.retry(ctx, func(ctx context.Context) error { return c.once(ctx, method, u, body, answer) })
}

// once makes one attempt of a request to the API.
func (c *Client) once(ctx context.Context, method, address string, body payload, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, stallTime)
	defer cancel()
	if c.waiting != nil {
		defer time.AfterFunc(c.waitNotice, c.waiting).Stop()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body.bytes))
	if err != nil {
		return permanent(err)
	}
	req.Header.Set("Accept", "application/json")
	if body.contentType != "" {
		req.Header.Set("Content-Type", body.contentType)
	}
	if body.ifMatch != "" {
		req.Header.Set("If-Match", body.ifMatch)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	return c.send(req, answer)
}

// send makes one attempt. It decodes a successful response into answer unless
// answer is nil. If the instance refuses the request, the error is an *Error.
// Other errors are network failures.
func (c *Client) send(req *http.Request, answer any) error {
	req.Header.Set("User-Agent", c.userAgent)
	res, err := c.answer(req)
	if err != nil {
		return err
	}
	c.reached.Store(true)
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return refusal(res, body) // also if the body is truncated
	case err != nil:
		return networkError{fmt.Errorf("the response ended too early: %w", err)}
	case len(body) > maxAnswer:
		return permanent(errors.New("the answer is larger than 16 MiB"))
	case answer == nil:
		return nil
	}
	if h, ok := answer.(*receivedBytes); ok { // an answer without a body
		h.head(res.Header)
		return nil
	}
	if res.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return permanent(fmt.Errorf("%s does not respond like a Vitrine instance; check the address (%w)",
			req.URL.Host, err))
	}
	if h, ok := answer.(headed); ok {
		h.head(res.Header)
	}
	return nil
}

// errNoAnswer is the cause of a request that got no answer in time.
var errNoAnswer = fmt.Errorf("no answer in time: %w", os.ErrDeadlineExceeded)

// answer sends a request and waits for the beginning of the answer.
func (c *Client) answer(req *http.Request) (*http.Response, error) {
	if c.answerTime == 0 {
		res, err := c.http.Do(req)
		return res, withoutURL(err)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	late := time.AfterFunc(c.answerTime, func() { cancel(errNoAnswer) })
	res, err := c.http.Do(req.WithContext(ctx))
	if late.Stop() { // ctx lives on for the body, until that of the request ends
		return res, withoutURL(err)
	}
	if err == nil {
		res.Body.Close()
	}
	return nil, permanent(networkError{errNoAnswer})
}

// withoutURL removes the URL from the text of a network error, because a signed
// URL is a secret.
func withoutURL(err error) error {
	if u := new(url.Error); errors.As(err, &u) {
		return networkError{u.Err}
	}
	return err
}
