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

// client speaks ClickHouse's HTTP interface. It may be used by several
// goroutines at once.
type client struct {
	address
	http     *http.Client
	settings map[string]string // of every request

	// insideFrom is how many opens are counted inside the database, and not
	// read; negative: any number is read.
	insideFrom int
}

// How long a request may take altogether: an ordinary one, and one of
// background work.
const (
	requestTime    = 2 * time.Minute
	backgroundTime = time.Hour
)

func newClient(a address) *client {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConns:        64, MaxIdleConnsPerHost: 64, IdleConnTimeout: 2 * time.Second,
		// the server's own patience may be as little as three
		DisableCompression: true,
	}
	settings := map[string]string{
		// An answer comes when all of it is there: one that fails has no
		// beginning that could be taken for a short answer.
		"wait_end_of_query": "1",
		// Each key of a table has one partition.
		"do_not_merge_across_partitions_select_final": "1",
		// What a request has written is there when it is answered, and once.
		"async_insert": "0", "insert_deduplicate": "1", "mutations_sync": "2", "lightweight_deletes_sync": "2",
		"max_partitions_per_insert_block": "0",
		"max_query_size":                  "33554432", // lists of keys
		"max_ast_elements":                "5000000", "max_expanded_ast_elements": "5000000",
		// Types and rounding are not left to a user's profile.
		"join_use_nulls": "0", "transform_null_in": "0", "aggregate_functions_null_for_empty": "0",
		"prefer_column_name_to_alias": "0",
	}
	if a.cluster != "" {
		maps.Copy(settings, map[string]string{
			"insert_quorum": "auto", "insert_quorum_parallel": "0", "select_sequential_consistency": "1",
			"distributed_foreground_insert": "1", "distributed_ddl_task_timeout": "600",
			"distributed_product_mode": "global",
			"load_balancing":           "in_order", // one replica after another, not any
		})
	}
	return &client{address: a, http: &http.Client{Transport: transport}, settings: settings, insideFrom: defaultInside}
}

// exception is what the server says of a statement that failed.
type exception struct {
	status int // HTTP
	code   int // ClickHouse's
	text   string
}

func (e *exception) Error() string { return fmt.Sprintf("ClickHouse: %s (HTTP %d)", e.text, e.status) }

// Codes of exceptions.
const (
	codeUnknownDatabase   = 81
	codeAuthentication    = 516
	codeNotEnoughRights   = 497
	codeUnknownUser       = 192
	codeWrongPassword     = 193
	codeRequiredPassword  = 194
	codeReadonly          = 164
	codeUnknownSetting    = 115
	longestExceptionBytes = 4096
)

// request sends a statement and gives the body of the answer, which is to be
// closed. sql is in the body, unless data is.
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
		return nil, fmt.Errorf("ClickHouse at %s: %w", c.host, unwrapURL(err)) // the address of a request may be long
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
	text, _ := io.ReadAll(io.LimitReader(answer.Body, longestExceptionBytes))
	e := &exception{status: answer.StatusCode, text: string(bytes.TrimSpace(text))}
	if e.code, err = strconv.Atoi(code); err != nil {
		if m := exceptionCode.FindSubmatch(text); m != nil {
			e.code, _ = strconv.Atoi(string(m[1]))
		}
	}
	return nil, e
}

// isNetwork reports whether a request found nobody.
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

// exec runs a statement that has no answer.
func (c *client) exec(ctx context.Context, sql string, settings map[string]string) error {
	return c.send(ctx, requestTime, sql, nil, settings)
}

// work is exec for background work.
func (c *client) work(ctx context.Context, sql string) error {
	return c.send(ctx, backgroundTime, sql, nil, nil)
}

// insert inserts rows, in RowBinary, into a table with its columns. Of inserts
// with one token into one table the first counts.
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
		said, err = io.ReadAll(io.LimitReader(body, longestExceptionBytes))
		_ = body.Close()
		if err == nil && exceptionCode.Match(said) {
			err = &exception{status: http.StatusOK, text: string(said)}
		}
	}
	return failure(ctx, err)
}

// query runs a query and calls each for each row of its answer, which each
// reads, and nothing beyond.
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
			return err // the caller's own
		}
	}
	if r.err != nil {
		return failure(ctx, fmt.Errorf("ClickHouse at %s: read an answer: %w", c.host, r.err))
	}
	return nil
}

// one is query for an answer of one row at most; found tells whether there is
// one.
func (c *client) one(ctx context.Context, sql string, row func(r *reader)) (found bool, err error) {
	err = c.query(ctx, sql, func(r *reader) error {
		row(r)
		found = true
		return nil
	})
	return found, err
}

// failure is err as it is told: vitrine.Unavailable, or why ctx has ended.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return vitrine.Unavailable(err)
}
