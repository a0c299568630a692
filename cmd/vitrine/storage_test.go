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
	does := func(code int, says string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(t.Context(), &terminal.Terminal{Out: &out, Err: &errs}, append(args, "--data", data))
		if said := out.String() + errs.String(); got != code || !strings.Contains(said, says) ||
			strings.Contains(said, server.Secret) {
			t.Errorf("%s: %d, %s\nwant %d, %q", args[:2], got, said, code, says)
		}
	}
	const public = "--public-url=https://share.example"
	does(exitFailure, "there is no Vitrine instance", "storage", "check")
	does(0, "", "account", "create", "owner@example.org", "--files", files)
	does(exitFailure, "in its data directory, not in a bucket", "storage", "check")
	does(0, "does all that is asked of it", "storage", "check", "--files", files)
	does(exitFailure, `"vitrine storage cors" sets the rule`, "storage", "check", "--files", files, public)
	does(exitUsage, "--public-url is missing", "storage", "cors", "--files", files)
	does(exitUsage, "--public-url", "storage", "cors", "--files", files, "--public-url=share.example")
	does(0, "Pages of https://share.example may put files into the bucket at "+server.Endpoint, "storage", "cors",
		"--files", files, public)
	does(0, "does all that is asked of it", "storage", "check", "--files", files, public)
	does(exitFailure, `There is no bucket "none-such"`, "storage", "check", "--files", server.Address("none-such", ""))
	does(exitFailure, `no parameter "speed"`, "storage", "check", "--files", files+"&speed=high")
}
