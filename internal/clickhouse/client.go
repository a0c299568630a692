package clickhouse

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/durable"
)

// client uses ClickHouse's HTTP interface. It is safe for concurrent use.
type client struct {
	address
	http     *http.Client
	settings map[string]string // sent with every request

	// insideFrom is the number of views from which the database counts them;
	// fewer are read and counted here. Negative: views are always read.
	insideFrom int
}

// The time limits of a request and of one for background work.
const (
	requestTime    = 2 * time.Minute
	backgroundTime = time.Hour
)

func newClient(a address) *client {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConns:        64, MaxIdleConnsPerHost: 64,
		// The server's own keep-alive may be as short as three seconds.
		IdleConnTimeout:    2 * time.Second,
		DisableCompression: true,
	}
	settings := map[string]string{
		// The server sends an answer only when it is complete, so a failed one
		// cannot be mistaken for a short one.
		"wait_end_of_query": "1",
		// Rows with the same key are in the same partition.
		"do_not_merge_across_partitions_select_final": "1",
		// When a request is answered, its rows are written, and only once.
		"async_insert": "0", "insert_deduplicate": "1", "mutations_sync": "2", "lightweight_deletes_sync": "2",
		"max_partitions_per_insert_block": "0",
		"max_query_size":                  "33554432", // statements contain lists of keys
		"max_ast_elements":                "5000000", "max_expanded_ast_elements": "5000000",
		// Types and rounding must not depend on a user's profile.
		"join_use_nulls": "0", "transform_null_in": "0", "aggregate_functions_null_for_empty": "0",
		"prefer_column_name_to_alias": "0",
	}
	if a.cluster != "" {
		maps.Copy(settings, map[string]string{
			"insert_quorum": "auto", "insert_quorum_parallel": "0", "select_sequential_consistency": "1",
			"distributed_foreground_insert": "1", "distributed_ddl_task_timeout": "600",
			"distributed_product_mode": "global",
			"load_balancing":           "in_order", // use the first replica that works
		})
	}
	return &client{address: a, http: &http.Client{Transport: transport}, settings: settings, insideFrom: defaultInside}
}

// exception is the server's report about a failed statement.
type exception struct {
	status int // of the HTTP response
	code   int // of ClickHouse
	text   string
}

func (e *exception) Error() string { return fmt.Sprintf("ClickHouse: %s (HTTP %d)", e.text, e.status) }

// maxExceptionBytes is how much of the text of an exception is read.
const maxExceptionBytes = 4096

// The codes of exceptions.
const (
	codeUnknownDatabase  = 81
	codeAuthentication   = 516
	codeNotEnoughRights  = 497
	codeUnknownUser      = 192
	codeWrongPassword    = 193
	codeRequiredPassword = 194
	codeReadonly         = 164
	codeUnknownSetting   = 115
)

// request sends a statement and returns the body of the answer, which the
// caller must close. The request body is data, or sql if data is nil.
func (c *client) request(ctx context.Context, sql string, data []byte,
	settings map[string]string) (io.ReadCloser, error) {
	p := url.Values{"database": {c.database}}
	for name, value := range c.settings {
		p.Set(name, value)
	}
	for name, value := range settings {
		p.Set(name, value)
	}
	body := []byte(sql)
	if data != nil {
		p.Set("query", sql)
		body = data
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url()+"?"+p.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.user != "" {
		r.Header.Set("X-ClickHouse-User", c.user)
		r.Header.Set("X-ClickHouse-Key", c.password)
	}
	durable.Step("send a statement to " + c.host)
	answer, err := c.http.Do(r)
	durable.Step("sent a statement to " + c.host)
	if err != nil {
		return nil, fmt.Errorf("ClickHouse at %s: %w", c.host, unwrapURL(err)) // the URL of a request may be long
	}
	code := answer.Header.Get("X-ClickHouse-Exception-Code")
	if answer.StatusCode == http.StatusOK && code == "" {
		if answer.ProtoMajor == 1 && answer.ContentLength < 0 && len(answer.TransferEncoding) == 0 {
			_ = answer.Body.Close()
			return nil, fmt.Errorf("ClickHouse at %s: %w: whether it ended is unknown", c.host, errAnswer)
		}
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, maxExceptionBytes))
	e := &exception{status: answer.StatusCode, text: string(bytes.TrimSpace(text))}
	if e.code, err = strconv.Atoi(code); err != nil {
		if m := exceptionCode.FindSubmatch(text); m != nil {
			e.code, _ = strconv.Atoi(string(m[1]))
		}
	}
	return nil, e
}

// isNetwork reports whether a request reached no server.
func isNetwork(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

var exceptionCode = regexp.MustCompile(`Code: (\d+)`)

func unwrapURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// exec runs a statement that returns no rows.
func (c *client) exec(ctx context.Context, sql string, settings map[string]string) error {
	return c.send(ctx, requestTime, sql, nil, settings)
}

// work executes a statement with the time limit of background work.
func (c *client) work(ctx context.Context, sql string) error {
	return c.send(ctx, backgroundTime, sql, nil, nil)
}

// insert inserts rows in RowBinary format into a table and columns. If several
// inserts into a table have the same token, only the first one takes effect.
func (c *client) insert(ctx context.Context, into string, rows []byte, token string) error {
	if rows == nil {
		rows = []byte{}
	}
	return c.send(ctx, requestTime, "INSERT INTO "+into+" FORMAT RowBinary", rows,
		map[string]string{"insert_deduplication_token": token})
}

func (c *client) send(ctx context.Context, most time.Duration, sql string, data []byte,
	settings map[string]string) error {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	body, err := c.request(limited, sql, data, settings)
	if err == nil {
		var said []byte
		said, err = io.ReadAll(io.LimitReader(body, maxExceptionBytes))
		_ = body.Close()
		if err == nil && exceptionCode.Match(said) {
			err = &exception{status: http.StatusOK, text: string(said)}
		}
	}
	return failure(ctx, err)
}

// query runs a query and calls each once for each row. each must read exactly
// that row.
func (c *client) query(ctx context.Context, sql string, each func(r *reader) error) error {
	return c.read(ctx, requestTime, sql, each)
}

func (c *client) read(ctx context.Context, most time.Duration, sql string, each func(r *reader) error) error {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	body, err := c.request(limited, sql+" FORMAT RowBinary", nil, nil)
	if err != nil {
		return failure(ctx, err)
	}
	defer body.Close()
	r := &reader{r: bufio.NewReaderSize(body, 1<<16)}
	for r.more() {
		if err := each(r); err != nil && r.err == nil {
			return err // an error of the caller
		}
	}
	if r.err != nil {
		return failure(ctx, fmt.Errorf("ClickHouse at %s: read an answer: %w", c.host, r.err))
	}
	return nil
}

// one runs a query that returns at most one row. It reports whether there was
// one.
func (c *client) one(ctx context.Context, sql string, row func(r *reader)) (found bool, err error) {
	err = c.query(ctx, sql, func(r *reader) error {
		row(r)
		found = true
		return nil
	})
	return found, err
}

// failure converts err to vitrine.Unavailable, or to the reason why ctx ended.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return vitrine.Unavailable(err)
}
