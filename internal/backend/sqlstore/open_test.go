package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
)

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a dir with # and ? and %41", "store.db")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Update(t.Context(), func(tx vitrine.Tx) error {
			for before := range i {
				if v, err := tx.Secret(fmt.Sprint(before)); err != nil || string(v) != "v" {
					t.Errorf("secret %d after opening %d times = %q, %v", before, i, v, err)
				}
			}
			return tx.PutSecret(fmt.Sprint(i), []byte("v"))
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(t.Context(), func(vitrine.Tx) error { return nil }); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
			t.Errorf("Update of a closed store = %v, want unavailable", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("second Close = %v, want nil", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "store.db"), garbage} {
		if s, err := OpenWith(path, sqltest.Hasty); err == nil {
			t.Errorf("Open(%s) succeeds, want an error", path)
			_ = s.Close()
		}
	}
}

// TestOpenTogether opens a new file, or one of an old version, in several
// processes at once.
func TestOpenTogether(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "store.db")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				s, err := Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				err = s.Update(context.Background(),
					func(tx vitrine.Tx) error { return tx.PutSecret("s", []byte("v")) })
				if err := errors.Join(err, s.Close()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// migration returns a migration step.
func migration(statement string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("-- +goose Up\n" + statement + ";\n")}
}

// upgrade migrates a file with these steps, like another version of the
// program.
func upgrade(path string, steps fstest.MapFS) error {
	handle := sql.OpenDB(sqldb.SqliteFile(sqldb.SqliteName(path, sqldb.ReaderCache, "")))
	return errors.Join(sqldb.MigrateTo(sqldb.SqliteDialect, handle, path, steps, sqldb.UsualWaits()), handle.Close())
}

func TestNewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	known, err := sqldb.Migrations.ReadFile("migrations/sqlite3/store/0001_first.sql")
	if err != nil {
		t.Fatal(err)
	}
	steps := fstest.MapFS{"0001_first.sql": {Data: known}, "9001_next.sql": migration("CREATE TABLE next (n BIGINT)"),
		"9002_more.sql": migration("CREATE TABLE more (n BIGINT)")}
	if err := upgrade(path, steps); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	if err == nil {
		t.Fatal("Open of a database of a newer version succeeds")
	}
	for _, want := range []string{path, "version 9002", "up to ", "newer version"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("a refused database was changed (%v)", err)
	}
}

// TestUpgradeOutOfOrder checks that a step with a lower number than the last
// one is still applied.
func TestUpgradeOutOfOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	steps := fstest.MapFS{"0001_a.sql": migration("CREATE TABLE a (n BIGINT)"),
		"0003_c.sql": migration("CREATE TABLE c (n BIGINT)")}
	if err := upgrade(path, steps); err != nil {
		t.Fatal(err)
	}
	steps["0002_b.sql"] = migration("CREATE TABLE b (n BIGINT)")
	for range 2 {
		if err := upgrade(path, steps); err != nil {
			t.Fatal(err)
		}
	}
	steps["0004_d.sql"] = migration("INSERT INTO b VALUES (1)")
	if err := upgrade(path, steps); err != nil {
		t.Errorf("the step is not applied: %v", err)
	}
}

// TestUpgradeFails checks that a failed step leaves nothing, and is applied by
// a later version.
func TestUpgradeFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	steps := fstest.MapFS{"0001_a.sql": migration("CREATE TABLE a (n BIGINT)"),
		"0002_b.sql": migration("CREATE TABLE b (n BIGINT);\nINSERT INTO b VALUES (1);\nINSERT INTO nowhere VALUES (1)")}
	if err := upgrade(path, steps); err == nil {
		t.Fatal("a failing step is skipped")
	}
	steps["0002_b.sql"] = migration("CREATE TABLE b (n BIGINT)")
	if err := upgrade(path, steps); err != nil {
		t.Errorf("after a failed step: %v", err)
	}
	if err := upgrade(path, steps); err != nil {
		t.Errorf("second upgrade = %v, want nil", err)
	}
}

// TestCloseLeavesOneFile checks that a closed database is one file with all
// writes, so that a copy of it is a backup.
func TestCloseLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutSecret("a", []byte("b")) })
	err = errors.Join(err, s.Read(t.Context(), func(tx vitrine.Tx) error { _, err := tx.Secret("a"); return err }))
	if _, verr := s.Version(t.Context()); verr != nil {
		err = errors.Join(err, verr)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("files = %v, %v, want one", files, err)
	}
}
