// Command clickhouse serves ClickHouse's SQL over HTTP with libchdb, the engine
// as a library. The body of a POST is a statement, the response is
// tab-separated. It listens on a free loopback port, prints the address, and
// exits when its standard input ends.
//
//	clickhouse LIBCHDB.SO DIRECTORY
package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

typedef void *(*connect_fn)(int, char **);
typedef void *(*query_fn)(void *, const char *, size_t, const char *, size_t);
typedef void (*destroy_fn)(void *);
typedef char *(*buffer_fn)(void *);
typedef size_t (*length_fn)(void *);
typedef const char *(*error_fn)(void *);

static connect_fn ch_connect;
static query_fn ch_query;
static destroy_fn ch_destroy;
static buffer_fn ch_buffer;
static length_fn ch_length;
static error_fn ch_error;

// ch_load returns an error message, or NULL on success.
static const char *ch_load(const char *path) {
	void *lib = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!lib) return dlerror();
	ch_connect = (connect_fn)dlsym(lib, "chdb_connect");
	ch_query = (query_fn)dlsym(lib, "chdb_query_n");
	ch_destroy = (destroy_fn)dlsym(lib, "chdb_destroy_query_result");
	ch_buffer = (buffer_fn)dlsym(lib, "chdb_result_buffer");
	ch_length = (length_fn)dlsym(lib, "chdb_result_length");
	ch_error = (error_fn)dlsym(lib, "chdb_result_error");
	return ch_connect && ch_query && ch_destroy && ch_buffer && ch_length && ch_error ? NULL : "a function is missing";
}

// ch_open returns a pointer to the connection, as the library does.
static void *ch_open(char *path_flag) {
	char *args[] = {"clickhouse", path_flag, NULL};
	return ch_connect(2, args);
}

static void *ch_run(void *conn, const char *text, size_t n, const char *format, size_t m) { return ch_query(*(void **)conn, text, n, format, m); }
static void ch_free(void *r) { ch_destroy(r); }
static char *ch_bytes(void *r) { return ch_buffer(r); }
static size_t ch_size(void *r) { return ch_length(r); }
static const char *ch_failure(void *r) { return ch_error(r); }
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"unsafe"
)

// engine runs statements one at a time.
type engine struct {
	mu   sync.Mutex
	conn unsafe.Pointer
}

func open(lib, dir string) (*engine, error) {
	path := C.CString(lib)
	defer C.free(unsafe.Pointer(path))
	if failure := C.ch_load(path); failure != nil {
		return nil, errors.New(C.GoString(failure))
	}
	flag := C.CString("--path=" + dir) // owned by the engine
	conn := C.ch_open(flag)
	if conn == nil {
		return nil, errors.New("no connection to " + dir)
	}
	return &engine{conn: conn}, nil
}

func (e *engine) run(text string) ([]byte, error) {
	const format = "TabSeparated"
	q, f := C.CString(text), C.CString(format)
	defer C.free(unsafe.Pointer(q))
	defer C.free(unsafe.Pointer(f))
	e.mu.Lock()
	defer e.mu.Unlock()
	r := C.ch_run(e.conn, q, C.size_t(len(text)), f, C.size_t(len(format)))
	if r == nil {
		return nil, errors.New("no result")
	}
	defer C.ch_free(r)
	if failure := C.ch_failure(r); failure != nil && *failure != 0 {
		return nil, errors.New(C.GoString(failure))
	}
	return C.GoBytes(unsafe.Pointer(C.ch_bytes(r)), C.int(C.ch_size(r))), nil
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var answer []byte
	if err == nil {
		answer, err = e.run(string(text))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(answer)
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: clickhouse LIBCHDB.SO DIRECTORY")
	}
	e, err := open(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(l, e))
}
