package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/sqldb"
	"vitrine/internal/terminal"
	"vitrine/internal/vitrinetest"
)

// Addresses that lead nowhere end a verb with a sentence, which has nothing of
// their passwords.
func TestWrongPlaces(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	does := func(code int, says string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, append(args, "--data", data))
		if said := out.String() + errs.String(); got != code || !strings.Contains(said, says) ||
			strings.Contains(said, "s3cr") || strings.Contains(said, "rest") {
			t.Errorf("%s: %d, %s\nwant %d, %q", args, got, said, code, says)
		}
	}
	does(0, "", "account", "create", "owner@example.org")
	does(exitFailure, "127.0.0.1:1", "account", "list", "--views", "clickhouse://u:s3cr%40rest@127.0.0.1:1/views")
	does(exitFailure, "127.0.0.1:1", "account", "list", "--views", "postgres://u:s3cr%40rest@127.0.0.1:1/views")
	does(exitFailure, "127.0.0.1:1", "account", "list", "--database", "postgres://u:s3cr%40rest@127.0.0.1:1/vitrine")
	for _, password := range []string{"s3cr@rest", "s3cr/@rest", "s3cr/rest", "s3cr?rest", "s3cr#rest", "s3cr%rest",
		"s3cr@rest/@rest"} {
		does(exitUsage, "@ is written %40", "account", "list", "--database",
			"postgres://u:"+password+"@127.0.0.1:1/vitrine")
		does(exitUsage, "@ is written %40", "account", "list", "--views",
			"clickhouse://u:"+password+"@127.0.0.1:1/vitrine")
	}
	does(exitUsage, "begins with postgres://", "account", "list", "--database", "mysql://u:s3cr@127.0.0.1:1/vitrine")
}

// What looks at a database in which there is no instance makes none: one may be
// about to be brought there.
func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	database, data := vitrinetest.PostgresDatabase(t), filepath.Join(t.TempDir(), "data")
	server := vitrinetest.SharedS3(t)
	does := func(code int, says string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, args); got != code ||
			!strings.Contains(out.String()+errs.String(), says) {
			t.Errorf("%s: %d, %s%s\nwant %d, %q", args, got, out.String(), errs.String(), code, says)
		}
	}
	places := []string{"--data", data, "--database", database, "--files", server.Address(server.Bucket(t), "")}
	for _, verb := range [][]string{{"account", "list"}, {"audit"}, {"link", "queue"}, {"setup"}} {
		does(exitFailure, "there is no Vitrine instance in postgres", append(verb, places...)...)
	}
	for _, schema := range []string{sqldb.StoreSchema, sqldb.ViewLogSchema} {
		if l, err := sqldb.LookAt(t.Context(), database, schema); err != nil || l.There {
			t.Errorf("%s: %+v, %v", schema, l, err)
		}
	}
	does(0, "", "account", "create", "owner@example.org", "--data", data)
	does(exitFailure, "There is no bucket", "migrate", data, "database="+database,
		"files="+server.Address("none-such", ""))
	does(0, "From now on serve the new one", "migrate", data, "database="+database, "files="+places[5])
	does(0, "owner@example.org", append([]string{"account", "list"}, places...)...)
}
