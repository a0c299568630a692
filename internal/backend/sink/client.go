package sink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"vitrine/internal/base/durable"
)

// client sends statements to ClickHouse by its HTTP interface.
type client struct {
	url            string
	user, password string
	database       string
	http           *http.Client
}

// requestTime limits a statement.
const requestTime = 2 * time.Minute

// identifier matches names that need no quotes.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// parse parses clickhouse://USER:PASSWORD@HOST:PORT/DATABASE?secure=true. Its
// errors never contain the password.
func parse(address string) (*client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "clickhouse" || u.Host == "" || u.Fragment != "" ||
		strings.Contains(u.Path+u.RawQuery, "@") {
		return nil, errors.New("the address is clickhouse://USER:PASSWORD@HOST:8123/DATABASE. In the password, write @ as %40, : %3A, / %2F, ? %3F, # %23 and % %25")
	}
	c := &client{user: u.User.Username(), database: strings.TrimPrefix(u.Path, "/")}
	c.password, _ = u.User.Password()
	if !identifier.MatchString(c.database) {
		return nil, fmt.Errorf("the address names the database %q: a name has letters, digits and _", c.database)
	}
	scheme, port := "http", "8123"
	switch u.RawQuery {
	case "", "secure=false":
	case "secure=true":
		scheme, port = "https", "8443"
	default:
		return nil, errors.New("the only parameter of the address is secure=true, for TLS")
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), port)
	}
	c.url = scheme + "://" + host + "/"
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second, IdleConnTimeout: 2 * time.Second}
	c.http = &http.Client{Transport: transport, // the headers with the password must not follow a redirect
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// awayError says that ClickHouse did not do what it was asked.
type awayError struct{ err error }

func (e *awayError) Error() string { return e.err.Error() }
func (e *awayError) Unwrap() error { return e.err }

// do sends a statement, with rows if it is an INSERT, and calls read with the
// complete answer.
func (c *client) do(ctx context.Context, statement string, rows io.Reader, read func(io.Reader) error) error {
	limited, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	// With wait_end_of_query, a statement that fails at its end has no status
	// 200. The rows of one INSERT may be of many months.
	p := url.Values{"database": {c.database}, "wait_end_of_query": {"1"}, "async_insert": {"0"},
		"date_time_input_format": {"best_effort"}, "max_partitions_per_insert_block": {"0"}}
	body := io.Reader(strings.NewReader(statement))
	if rows != nil {
		p.Set("query", statement)
		body = rows
	}
	r, err := http.NewRequestWithContext(limited, http.MethodPost, c.url+"?"+p.Encode(), body)
	if err != nil {
		return err
	}
	if c.user != "" {
		r.Header.Set("X-ClickHouse-User", c.user)
		r.Header.Set("X-ClickHouse-Key", c.password)
	}
	durable.Step("send a statement to ClickHouse")
	answer, err := c.http.Do(r)
	durable.Step("sent a statement to ClickHouse")
	if err != nil {
		if u := new(url.Error); errors.As(err, &u) {
			err = u.Err // without the address, which has the whole statement
		}
		return &awayError{err}
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK && read != nil {
		if err := read(answer.Body); err != nil {
			return &awayError{err}
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if answer.StatusCode != http.StatusOK {
		return &awayError{fmt.Errorf("%s: %s", answer.Status, strings.TrimSpace(string(text)))}
	}
	if err != nil {
		return &awayError{err}
	}
	return nil
}

// text returns the answer to a query of one short row.
func (c *client) text(ctx context.Context, query string) (answer string, err error) {
	err = c.do(ctx, query, nil, func(r io.Reader) error {
		b, err := io.ReadAll(io.LimitReader(r, 4096))
		answer = strings.TrimSuffix(string(b), "\n")
		return err
	})
	return answer, err
}
