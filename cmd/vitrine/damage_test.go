package main

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/cli/instance"
	"vitrine/internal/test/vitrinetest"
)

// damagesFound reports whether SQLite itself finds a database file damaged.
func damagesFound(t *testing.T, path string) bool {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var first string
	return db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&first) != nil || first != "ok"
}

// TestDamagedDatabase changes bytes of vitrine.db. Whenever SQLite can find the
// damage, audit names it, backup makes no backup and leaves nothing, and
// restore reports it. No command exits with 75, which means to try again.
func TestDamagedDatabase(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "data")
	in, err := instance.Create(t.Context(), instance.Places{Data: whole}, "http://127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		if _, _, err := in.Accounts.Create(t.Context(), fmt.Sprintf("person%d@example.org", i), vitrine.PlanFree); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(t.TempDir(), "good")
	if all, err := vitrineOn(whole, "admin", "backup", good); err != nil {
		t.Fatalf("%v: %s", err, all)
	}
	content, err := os.ReadFile(filepath.Join(whole, instance.StoreFile))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(vitrinetest.Seed(t), 0))
	found := 0
	for n := 0; found < 8 && n < 200; n++ {
		at := 4096 + r.IntN(len(content)-4096-8)
		damaged := []byte(string(content))
		for i := range 8 {
			damaged[at+i] ^= byte(1 + r.IntN(255))
		}
		data := copyOf(t, whole, damaged)
		if !damagesFound(t, filepath.Join(data, instance.StoreFile)) {
			continue
		}
		found++
		what := fmt.Sprintf("bytes at %d", at)
		wantFault := func(name, all string, err error) {
			t.Helper()
			if err == nil || strings.Contains(err.Error(), "75") || !strings.Contains(all, instance.StoreFile) {
				t.Errorf("%s: %s = %v: %s", what, name, err, all)
			}
		}
		all, err := vitrineOn(data, "admin", "audit")
		wantFault("audit", all, err)
		all, err = vitrineOn(data, "admin", "backup", data+"-copy")
		wantFault("backup", all, err)
		for _, left := range []string{data + "-copy", data + "-copy." + "vitrine-partial"} {
			if _, err := os.Stat(left); err == nil {
				t.Errorf("%s: backup left %s", what, left)
			}
		}
		// A backup of an earlier program has the damage, and a manifest that
		// agrees.
		backup := copyOf(t, good, damaged)
		m, err := instance.ReadManifest(backup)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Databases {
			if m.Databases[i], err = instance.HashFile(backup, m.Databases[i].Name); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(backup, instance.ManifestName)); err != nil {
			t.Fatal(err)
		}
		if err := m.Write(backup); err != nil {
			t.Fatal(err)
		}
		all, err = vitrineOn(data+"-restored", "admin", "restore", backup)
		wantFault("restore", all, err)
	}
	if found == 0 {
		t.Error("no damage was found")
	}
	if all, err := vitrineOn(whole, "admin", "audit"); err != nil {
		t.Errorf("audit of the whole instance = %v: %s", err, all)
	}
}

// copyOf copies a directory, with another store.
func copyOf(t *testing.T, dir string, store []byte) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, instance.StoreFile), store, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}
