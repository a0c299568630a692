// Command chdbserver serves the HTTP interface of ClickHouse over the real
// engine, which libchdb.so is as a library, for tests: one statement at a time,
// without users and without replication.
//
//	chdbserver LIBCHDB.SO DIRECTORY ADDRESS
//
// It says "listening on HOST:PORT" on its standard output, and ends when its
// standard input does, so that it never outlives its parent. Then it
// removes the directory, unless its input says "keep".
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: chdbserver LIBCHDB.SO DIRECTORY ADDRESS")
	}
	go func() {
		if said, _ := io.ReadAll(os.Stdin); strings.TrimSpace(string(said)) != "keep" {
			for tries := 0; tries < 20 && os.RemoveAll(os.Args[2]) != nil; tries++ { // the engine may still be writing
			}
		}
		os.Exit(0)
	}()
	l, err := open(os.Args[1], filepath.Join(os.Args[2], "data"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	http.HandleFunc("/ping", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Ok.\n") })
	http.HandleFunc("/", l.serve)
	log.Fatal(http.Serve(listener, nil))
}

// ours are the parameters of a request that are no settings of a statement, or
// that change nothing here: an answer is always sent as a whole.
var ours = map[string]bool{"query": true, "database": true, "default_format": true, "query_id": true, "user": true,
	"password": true, "wait_end_of_query": true,
	"buffer_size": true}

func (l *library) serve(w http.ResponseWriter, r *http.Request) {
	answer, err := l.answer(r)
	if err != nil {
		code := "1000"
		if m := exceptionCode.FindStringSubmatch(err.Error()); m != nil {
			code = m[1]
		}
		w.Header().Set("X-ClickHouse-Exception-Code", code)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(answer)
}

var exceptionCode = regexp.MustCompile(`Code: (\d+)`)

func (l *library) answer(r *http.Request) ([]byte, error) {
	p := r.URL.Query()
	sql, drop, err := statement(p.Get("query"), r.Body)
	if err != nil {
		return nil, err
	}
	defer drop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err // the client has left
	}
	database := p.Get("database")
	if database == "" {
		database = "default"
	}
	if err := l.turn(database, settings(p)); err != nil {
		return nil, err
	}
	if drops.Match(sql) {
		defer func() { l.now.database = "" }()
	}
	format := p.Get("default_format")
	if format == "" {
		format = "TabSeparated"
	}
	return l.run(sql, format)
}

// insertOf is an insert whose rows come behind it.
var insertOf = regexp.MustCompile(`(?is)^\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*$`)

// statement puts a statement together with the body of its request; the rows of
// an insert go through a file. drop removes it.
func statement(query string, body io.Reader) (sql []byte, drop func(), err error) {
	drop = func() {}
	if m := insertOf.FindStringSubmatch(query); m != nil {
		rows, err := os.CreateTemp("", "rows")
		if err != nil {
			return nil, drop, err
		}
		drop = func() { _ = os.Remove(rows.Name()) }
		if _, err = io.Copy(rows, body); errors.Join(err, rows.Close()) != nil {
			drop()
			return nil, func() {}, err
		}
		return fmt.Appendf(nil, "%s FROM INFILE '%s' FORMAT %s", m[1], rows.Name(), m[2]), drop, nil
	}
	rest, err := io.ReadAll(body)
	return append([]byte(query), rest...), drop, err
}

// session is what the connection was told last.
type session struct {
	database string
	settings map[string]string
}

// drops matches statements after which the database may be gone.
var drops = regexp.MustCompile(`(?i)^\s*DROP\b`)

// turn prepares the connection for a request. Settings are one request's, not
// the next one's; requests that have the same ones are not told them again.
func (l *library) turn(database string, settings map[string]string) error {
	if database != l.now.database {
		l.now.database = ""
		if _, err := l.run([]byte("USE `"+strings.ReplaceAll(database, "`", "\\`")+"`"), "TabSeparated"); err != nil {
			return err
		}
		l.now.database = database
	}
	var changes []string
	for name := range l.now.settings {
		if _, ok := settings[name]; !ok {
			changes = append(changes, name+" = DEFAULT")
		}
	}
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for name, value := range settings {
		if old, ok := l.now.settings[name]; !ok || old != value {
			changes = append(changes, name+" = '"+quoted.Replace(value)+"'")
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if _, err := l.run([]byte("SET "+strings.Join(changes, ", ")), "TabSeparated"); err != nil {
		return err // nothing is set
	}
	l.now.settings = settings
	return nil
}

// settings returns the settings of a request.
func settings(p url.Values) map[string]string {
	all := map[string]string{}
	for name := range p {
		if !ours[name] {
			all[name] = p.Get(name)
		}
	}
	return all
}
