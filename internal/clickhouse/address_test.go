package clickhouse

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vitrine/internal/vitrinetest"
)

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		in   string
		want address
		url  string
	}{
		{"clickhouse://ada:p%40ss@db.example:9000/views",
			address{host: "db.example:9000", user: "ada", password: "p@ss", database: "views"},
			"http://db.example:9000/"},
		{"clickhouse://db/v_1", address{host: "db:8123", database: "v_1"}, "http://db:8123/"},
		{"clickhouse://[::1]/v?secure=true&cluster=main",
			address{secure: true, host: "[::1]:8443", database: "v", cluster: "main"}, "https://[::1]:8443/"},
		{"clickhouse://db/v?secure=false", address{host: "db:8123", database: "v"}, "http://db:8123/"},
	} {
		got, err := parseAddress(c.in)
		if err != nil || got != c.want || got.url() != c.url {
			t.Errorf("parse(%s) = %+v, %s, %v", c.in, got, got.url(), err)
		}
	}
	for in, want := range map[string]string{
		"http://db/v":                             "clickhouse://USER",
		"clickhouse:///v":                         "clickhouse://USER",
		"clickhouse://db":                         `database ""`,
		"clickhouse://db/a/b":                     `database "a/b"`,
		"clickhouse://db/a`b":                     "database",
		"clickhouse://db/v?sslmode=off":           `unknown parameter "sslmode"; use secure or cluster`,
		"clickhouse://db/v?secure=1":              `true or false, not "1"`,
		"clickhouse://db/v?cluster=a'b":           "cluster",
		"clickhouse://db/v?cluster=a&cluster=b":   "more than once",
		"clickhouse://ada:hunter2@db:port/v":      "clickhouse://USER",
		"clickhouse://ada:1/hunter2@db/v":         "%2F",
		"clickhouse://ada:1#hunter2@db/v":         "%23",
		"clickhouse://ada:1?hunter2@db/v":         "%3F",
		"clickhouse://ada:hunter2@db/v?secure=%f": "cannot be read",
	} {
		_, err := parseAddress(in)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

// TestCheck checks the errors for databases that cannot be used. The tests'
// engine has no users and only one version, so the answers of other servers are
// recorded ones.
func TestCheck(t *testing.T) {
	address := vitrinetest.ClickHouseDatabase(t)
	l := openTestLog(t, address)
	if err := l.Check(ctx); err != nil {
		t.Errorf("Check of a good database = %v, want nil", err)
	}
	if _, err := Open(ctx, address+"_other", Options{}); err == nil ||
		!strings.Contains(err.Error(), "has no database") || !strings.Contains(err.Error(), "CREATE DATABASE") {
		t.Errorf("Open of a missing database = %v", err)
	}
	if _, err := Open(ctx, "clickhouse://127.0.0.1:1/v", Options{}); err == nil ||
		!strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("Open of a missing server = %v", err)
	}
	played := func(play http.HandlerFunc) error {
		s := httptest.NewServer(play)
		defer s.Close()
		l := &ViewLog{c: newClient(mustParse(t, "clickhouse://ada:hunter2@"+strings.TrimPrefix(s.URL, "http://")+"/v"))}
		return l.Check(ctx)
	}
	refuse := func(status, code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if code != 0 {
				w.Header().Set("X-ClickHouse-Exception-Code", fmt.Sprint(code))
			}
			http.Error(w, text, status)
		}
	}
	tell := func(version string, at time.Time) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			b := append([]byte{byte(len(version))}, version...)
			_, _ = w.Write(binary.LittleEndian.AppendUint64(b, uint64(at.UnixMilli())))
		}
	}
	for _, c := range []struct {
		play http.HandlerFunc
		want string
	}{
		{refuse(403, 516, "Code: 516. DB::Exception: ada: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)"), "check the user and the password"},
		{refuse(403, 497, "Code: 497. DB::Exception: ada: Not enough privileges. (ACCESS_DENIED)"), "GRANT ALL ON v.*"},
		{refuse(404, 0, "404 page not found"), "does not answer like ClickHouse"},
		{refuse(400, 0, "Port 9000 is for clickhouse-client program"), "8123"},
		{tell("22.3.1.1", time.Now()), "upgrade the server"},
		{tell("26.5.1.1", time.Now().Add(time.Hour)), "clock"},
		{tell("26.5.1.1", time.Now().Add(-time.Hour)), "clock"},
	} {
		err := played(c.play)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Check = %v, want %q", err, c.want)
		}
	}
}

func mustParse(t *testing.T, s string) address {
	a, err := parseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
