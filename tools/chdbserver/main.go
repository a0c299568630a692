// Command chdbserver serves the HTTP interface of ClickHouse for tests and
// benchmarks. It uses the real engine in libchdb.so, without users and without
// replication.
//
//	chdbserver LIBCHDB.SO DIRECTORY ADDRESS [fast]
//
// One statement runs at a time, on one thread. With "fast", as benchmarks need,
// there is a statement for each processor, and each uses all of them.
//
// It prints "listening on HOST:PORT" to standard output and exits when standard
// input ends, so that it never outlives its parent. Then it deletes the
// directory, unless the input was "keep".
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
	if len(os.Args) < 4 || len(os.Args) > 5 {
		log.Fatal("usage: chdbserver LIBCHDB.SO DIRECTORY ADDRESS [fast]")
	}
	go func() {
		if said, _ := io.ReadAll(os.Stdin); strings.TrimSpace(string(said)) != "keep" {
			for tries := 0; tries < 20 && os.RemoveAll(os.Args[2]) != nil; tries++ { // the engine may still write
			}
		}
		os.Exit(0)
	}()
	l, err := open(os.Args[1], filepath.Join(os.Args[2], "data"), len(os.Args) == 5)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	http.HandleFunc("/", l.serve)
	log.Fatal(http.Serve(listener, nil))
}

// ours are the request parameters that are not settings of a statement, or have
// no effect here: an answer is sent once the statement has ended.
var ours = map[string]bool{"query": true, "database": true, "wait_end_of_query": true}

func (l *library) serve(w http.ResponseWriter, r *http.Request) {
	if err := l.answer(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (l *library) answer(w io.Writer, r *http.Request) error {
	p := r.URL.Query()
	sql, drop, err := statement(p.Get("query"), r.Body)
	if err != nil {
		return err
	}
	defer drop()
	c := <-l.free
	defer func() { l.free <- c }()
	if err := r.Context().Err(); err != nil {
		return err // the client has disconnected
	}
	database := p.Get("database")
	if database == "" {
		database = "default"
	}
	if err := c.turn(database, settings(p)); err != nil {
		return err
	}
	if drops.Match(sql) {
		defer func() { c.now.database = "" }()
	}
	return c.run(sql, w)
}

// insertOf matches an INSERT whose rows follow in the body.
var insertOf = regexp.MustCompile(`(?is)^\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*$`)

// statement joins a statement with the request body. The rows of an INSERT are
// passed in a file. drop deletes it.
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

// session is the state of a connection after its last request.
type session struct {
	database string
	settings map[string]string
}

// drops matches statements that may drop the current database.
var drops = regexp.MustCompile(`(?i)^\s*DROP\b`)

// turn prepares the connection for a request. Settings apply to one request
// only. If they are the same as before, they are not set again.
func (c *connection) turn(database string, settings map[string]string) error {
	if database != c.now.database {
		c.now.database = ""
		if err := c.exec("USE `" + strings.ReplaceAll(database, "`", "\\`") + "`"); err != nil {
			return err
		}
		c.now.database = database
	}
	var changes []string
	for name := range c.now.settings {
		if _, ok := settings[name]; !ok {
			changes = append(changes, name+" = DEFAULT")
		}
	}
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for name, value := range settings {
		if old, ok := c.now.settings[name]; !ok || old != value {
			changes = append(changes, name+" = '"+quoted.Replace(value)+"'")
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if err := c.exec("SET " + strings.Join(changes, ", ")); err != nil {
		return err // no settings
	}
	c.now.settings = settings
	return nil
}

// settings returns the settings in the parameters of a request.
func settings(p url.Values) map[string]string {
	all := map[string]string{}
	for name := range p {
		if !ours[name] {
			all[name] = p.Get(name)
		}
	}
	return all
}
