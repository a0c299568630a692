package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/backend/sqldb"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/test/vitrinetest"
)

// TestWrongPlaces checks that commands with an unreachable address fail with
// one sentence that does not contain the password.
func TestWrongPlaces(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	check := func(code int, want string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, append(args, "--data", data))
		if output := out.String() + errs.String(); got != code || !strings.Contains(output, want) ||
			strings.Contains(output, "s3cr") || strings.Contains(output, "rest") {
			t.Errorf("%s = %d, %s\nwant %d, %q", args, got, output, code, want)
		}
	}
	check(0, "", "admin", "account", "create", "owner@example.org")
	check(terminal.ExitTemporary, "127.0.0.1:1", "admin", "account", "list", "--views", "postgres://u:s3cr%40rest@127.0.0.1:1/views")
	check(terminal.ExitTemporary, "127.0.0.1:1", "admin", "account", "list", "--database", "postgres://u:s3cr%40rest@127.0.0.1:1/vitrine")
	for _, password := range []string{"s3cr@rest", "s3cr/@rest", "s3cr/rest", "s3cr?rest", "s3cr#rest", "s3cr%rest",
		"s3cr@rest/@rest"} {
		check(terminal.ExitUsage, "write @ as %40", "admin", "account", "list", "--database",
			"postgres://u:"+password+"@127.0.0.1:1/vitrine")
		check(terminal.ExitUsage, "write @ as %40", "admin", "account", "list", "--views",
			"postgres://u:"+password+"@127.0.0.1:1/vitrine")
	}
	check(terminal.ExitUsage, "begins with postgres://", "admin", "account", "list", "--database", "mysql://u:s3cr@127.0.0.1:1/vitrine")
}

// TestEmptyDatabase checks that commands which read a database without an
// instance do not create one: a migration may be about to put one there.
func TestEmptyDatabase(t *testing.T) {
	t.Parallel()
	database, data := vitrinetest.PostgresDatabase(t), filepath.Join(t.TempDir(), "data")
	server := vitrinetest.SharedS3(t)
	check := func(code int, want string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, args); got != code ||
			!strings.Contains(out.String()+errs.String(), want) {
			t.Errorf("%s = %d, %s%s\nwant %d, %q", args, got, out.String(), errs.String(), code, want)
		}
	}
	places := []string{"--data", data, "--database", database, "--files", server.Address(server.Bucket(t), "")}
	for _, verb := range [][]string{{"admin", "account", "list"}, {"admin", "audit"}, {"admin", "link", "list"}, {"admin", "setup"}} {
		check(terminal.ExitFailed, "there is no Vitrine instance in postgres", append(verb, places...)...)
	}
	for _, schema := range []string{sqldb.StoreSchema, sqldb.ViewLogSchema} {
		if l, err := sqldb.LookAt(t.Context(), database, schema); err != nil || l.There {
			t.Errorf("LookAt(%s) = %+v, %v, want no instance", schema, l, err)
		}
	}
	check(0, "", "admin", "account", "create", "owner@example.org", "--data", data)
	check(terminal.ExitFailed, "there is no bucket", "admin", "migrate", data, "database="+database,
		"files="+server.Address("none-such", ""))
	check(0, "From now on serve only the new one", "admin", "migrate", data, "database="+database, "files="+places[5])
	check(0, "owner@example.org", append([]string{"admin", "account", "list"}, places...)...)
}
