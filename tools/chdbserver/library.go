package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the engine with one connection to the databases in a directory.
type library struct {
	mu   sync.Mutex // allows one statement at a time, because settings belong to the connection
	conn *uintptr
	now  session

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
	name, where := []byte("clickhouse\x00"), []byte("--path="+dir+"\x00")
	argv := []*byte{&name[0], &where[0], nil}
	l.conn = connect(2, &argv[0])
	runtime.KeepAlive(argv)
	if l.conn == nil {
		return nil, errors.New("the engine does not open " + dir)
	}
	set := fmt.Sprintf("SET max_threads = %d, log_queries = 0", runtime.NumCPU())
	if !fast { // tests store little data, so threads and compilers cost more than they save
		set = "SET max_threads = 1, max_insert_threads = 1, max_final_threads = 1, compile_expressions = 0, " +
			"compile_aggregate_expressions = 0, compile_sort_description = 0, log_queries = 0"
	}
	return l, l.exec(set)
}

// run executes one statement and returns its result in a format. The caller
// holds l.mu, and calls done when it no longer needs the result.
func (l *library) run(sql []byte, format string) (result []byte, done func(), err error) {
	q, f := append(bytes.Clone(sql), 0), append([]byte(format), 0)
	r := l.query(*l.conn, &q[0], uintptr(len(q)-1), &f[0], uintptr(len(f)-1))
	if r == 0 {
		return nil, nil, errors.New("the engine gives no result")
	}
	done = func() { l.destroy(r) }
	if s := text(l.failure(r)); s != "" {
		done()
		return nil, nil, errors.New(s)
	}
	if n := l.length(r); n > 0 {
		result = unsafe.Slice(l.buffer(r), n)
	}
	return result, done, nil
}

// exec executes a statement that has no result. The caller holds l.mu.
func (l *library) exec(sql string) error {
	_, done, err := l.run([]byte(sql), "TabSeparated")
	if err == nil {
		done()
	}
	return err
}

// text returns a C string as a Go string.
func text(p *byte) string {
	n := 0
	for p != nil && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
