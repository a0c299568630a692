package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the engine on the databases in a directory.
type library struct {
	free chan *connection // those that run no statement

	query   func(conn uintptr, sql *byte, n uintptr, format *byte, nf uintptr) uintptr
	destroy func(result uintptr)
	buffer  func(result uintptr) *byte
	length  func(result uintptr) uintptr
	failure func(result uintptr) *byte
}

// open loads libchdb.so and opens the databases in a directory. fast uses all
// processors.
func open(path, dir string, fast bool) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	l := new(library)
	var connect func(argc int32, argv **byte) *uintptr
	for _, f := range []struct {
		to   any
		name string
	}{
		{&connect, "chdb_connect"}, {&l.query, "chdb_query_n"}, {&l.destroy, "chdb_destroy_query_result"},
		{&l.buffer, "chdb_result_buffer"}, {&l.length, "chdb_result_length"}, {&l.failure, "chdb_result_error"},
	} {
		purego.RegisterLibFunc(f.to, handle, f.name)
	}
	count := 1
	set := "SET max_threads = 1, max_insert_threads = 1, max_final_threads = 1, compile_expressions = 0, " +
		"compile_aggregate_expressions = 0, compile_sort_description = 0, log_queries = 0"
	if fast { // tests store little data, so threads and compilers cost more than they save
		count = runtime.NumCPU()
		set = fmt.Sprintf("SET max_threads = %d, log_queries = 0", count)
	}
	l.free = make(chan *connection, count)
	name, where := []byte("clickhouse\x00"), []byte("--path="+dir+"\x00")
	argv := []*byte{&name[0], &where[0], nil}
	for range count {
		c := &connection{library: l, conn: connect(2, &argv[0])}
		if c.conn == nil {
			return nil, errors.New("the engine does not open " + dir)
		}
		if err := c.exec(set); err != nil {
			return nil, err
		}
		l.free <- c
	}
	runtime.KeepAlive(argv)
	return l, nil
}

// connection runs one statement at a time. Settings belong to it.
type connection struct {
	*library
	conn *uintptr
	now  session
}

// run executes one statement and writes its result, tab-separated unless the
// statement has another format.
func (c *connection) run(sql []byte, w io.Writer) error {
	q, f := append(bytes.Clone(sql), 0), []byte("TabSeparated\x00")
	r := c.query(*c.conn, &q[0], uintptr(len(q)-1), &f[0], uintptr(len(f)-1))
	if r == 0 {
		return errors.New("the engine gives no result")
	}
	defer c.destroy(r)
	if failed := text(c.failure(r)); failed != "" {
		return errors.New(failed)
	}
	n := c.length(r)
	if n == 0 {
		return nil
	}
	_, err := w.Write(unsafe.Slice(c.buffer(r), n))
	return err
}

// exec executes a statement that has no result.
func (c *connection) exec(sql string) error { return c.run([]byte(sql), io.Discard) }

// text returns a C string as a Go string.
func text(p *byte) string {
	n := 0
	for p != nil && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
