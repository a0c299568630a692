package web_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"vitrine/internal/web"
)

// liveHandler serves with the current fields of a server, which a test may
// change after the start.
type liveHandler struct {
	server *web.Server

	mu      sync.Mutex
	of      string // the fields from which handler was made
	handler http.Handler
}

func (l *liveHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.now().ServeHTTP(w, r)
}

func (l *liveHandler) now() http.Handler {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := fieldsOf(l.server); l.handler == nil || of != l.of {
		l.of, l.handler = of, l.server.Handler()
	}
	return l.handler
}

// fieldsOf returns a text that changes when a field changes.
func fieldsOf(s *web.Server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%p", s.Uploads.Scanner)
	for _, f := range reflect.ValueOf(s).Elem().Fields() {
		if f.Kind() == reflect.Interface && !f.IsNil() {
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.Pointer, reflect.Func:
			fmt.Fprintf(&b, " %x", f.Pointer())
		default:
			fmt.Fprintf(&b, " %v", f)
		}
	}
	return b.String()
}
