package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/terminal"
	"vitrine/internal/vitrinetest"
)

func TestStorage(t *testing.T) {
	t.Parallel()
	server := vitrinetest.SharedS3(t)
	data, files := filepath.Join(t.TempDir(), "data"), server.Address(server.Bucket(t), "")
	check := func(code int, want string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, append(args, "--data", data))
		if output := out.String() + errs.String(); got != code || !strings.Contains(output, want) ||
			strings.Contains(output, server.Secret) {
			t.Errorf("%s = %d, %s\nwant %d, %q", args[:2], got, output, code, want)
		}
	}
	const public = "--public-url=https://share.example"
	check(terminal.ExitFailed, "there is no Vitrine instance", "storage", "check")
	check(0, "", "account", "create", "owner@example.org", "--files", files)
	check(terminal.ExitFailed, "in its data directory, not in a bucket", "storage", "check")
	check(0, "passes all checks", "storage", "check", "--files", files)
	check(terminal.ExitFailed, `"vitrine storage cors" sets the rule`, "storage", "check", "--files", files, public)
	check(terminal.ExitUsage, "--public-url is missing", "storage", "cors", "--files", files)
	check(terminal.ExitUsage, "--public-url", "storage", "cors", "--files", files, "--public-url=share.example")
	check(0, "Pages of https://share.example can upload files to the bucket at "+server.Endpoint, "storage", "cors",
		"--files", files, public)
	check(0, "passes all checks", "storage", "check", "--files", files, public)
	check(terminal.ExitFailed, `there is no bucket "none-such"`, "storage", "check", "--files", server.Address("none-such", ""))
	check(terminal.ExitUsage, `unknown parameter "speed"`, "storage", "check", "--files", files+"&speed=high")
}
