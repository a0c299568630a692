package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/cli/terminal"
	"vitrine/internal/test/vitrinetest"
)

// TestBucket checks what the doctor says about a bucket, and the command that
// lets browsers upload to it.
func TestBucket(t *testing.T) {
	t.Parallel()
	server := vitrinetest.SharedS3(t)
	data, files := filepath.Join(t.TempDir(), "data"), server.Address(server.Bucket(t), "")
	check := func(code int, want string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, append(args, "--data", data))
		if output := out.String() + errs.String(); got != code || !strings.Contains(output, want) ||
			strings.Contains(output, server.Secret) {
			t.Errorf("%s = %d, %s\nwant %d, %q", args, got, output, code, want)
		}
	}
	const public = "--public-url=https://share.example"
	doctor := []string{"doctor", "--listen", "127.0.0.1:0", "--files"}
	check(0, "", "admin", "account", "create", "owner@example.org", "--files", files)
	check(terminal.ExitFailed, "in its data directory, not in a bucket", "admin", "repair", "cors", public)
	check(0, "passes all checks", append(doctor, files)...)
	check(terminal.ExitFailed, `"vitrine admin repair cors" sets the rule`, append(doctor, files, public)...)
	check(terminal.ExitUsage, "--public-url is missing", "admin", "repair", "cors", "--files", files)
	check(terminal.ExitUsage, "--public-url", "admin", "repair", "cors", "--files", files, "--public-url=share.example")
	check(0, "Pages of https://share.example can upload files to the bucket at "+server.Endpoint, "admin", "repair",
		"cors", "--files", files, public)
	check(terminal.ExitFailed, "Browsers may upload to it from https://share.example", append(doctor, files, public)...)
	check(terminal.ExitFailed, `There is no bucket "none-such"`, append(doctor, server.Address("none-such", ""))...)
	check(terminal.ExitUsage, `unknown parameter "speed"`, append(doctor, files+"&speed=high")...)
}
