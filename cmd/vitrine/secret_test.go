package main

import (
	"path/filepath"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
)

// TestSecretRotate checks what a new secret changes, and what it must not
// change.
func TestSecretRotate(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{
		"SQLite":     func(testing.TB) string { return "" },
		"PostgreSQL": func(t testing.TB) string { return vitrinetest.PostgresDatabase(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			places := instance.Places{Data: filepath.Join(t.TempDir(), "data"), Database: database(t)}
			run := func(args ...string) error {
				_, all, err := verb(placed(args, places)...)
				t.Log(all)
				return err
			}
			if err := run("admin", "account", "create", "owner@example.org"); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			var names, viewers, tokens [3]string
			for i := range names {
				if i > 0 {
					if run("admin", "rotate-secret") == nil {
						t.Error("it needs no confirmation")
					}
					if err := run("admin", "rotate-secret", "--yes", "--sign-out"); err != nil {
						t.Fatal(err)
					}
				}
				in, err := instance.Open(t.Context(), places)
				if err != nil {
					t.Fatal(err)
				}
				names[i], viewers[i] = in.Signer.LinkID(7), in.Signer.Viewer(7, 1)
				tokens[i] = in.Signer.ContentToken(signer.Content{Link: 7, Version: 1}, now.Add(time.Hour))
				if _, err := in.Signer.ParseContentToken(tokens[i], now); err != nil {
					t.Error(err)
				}
				if i > 0 {
					_, err = in.Signer.ParseContentToken(tokens[i-1], now)
					if vitrine.CodeOf(err) != vitrine.CodeInvalidSignature {
						t.Errorf("a token of the earlier secret: %v, want %s", err, vitrine.CodeInvalidSignature)
					}
				}
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if names[0] != names[1] || names[1] != names[2] || viewers[0] != viewers[1] || viewers[1] != viewers[2] {
				t.Errorf("names %v and viewers %v changed", names, viewers)
			}
		})
	}
}
