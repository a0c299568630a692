package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/vitrinetest"
)

// TestUpgradeWithRows upgrades an instance with rows from each earlier schema.
// The rows are unchanged, without values for newer columns, and can get them.
func TestUpgradeWithRows(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		upgradeWithRows(t, "sqlite3", func(place string) (*sqldb.Dialect, *sql.DB) {
			return sqldb.SqliteDialect, sql.OpenDB(sqldb.SqliteFile(sqldb.SqliteName(place, sqldb.ReaderCache, "")))
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		sqltest.InPostgres(t)
		sqltest.NewPlace = vitrinetest.PostgresDatabase // each with its own schema
		upgradeWithRows(t, "postgres", func(place string) (*sqldb.Dialect, *sql.DB) {
			place = sqltest.WithParameter(t, place, "search_path", "vitrine")
			handle, err := sql.Open("pgx", place)
			if err == nil {
				_, err = handle.Exec("CREATE SCHEMA IF NOT EXISTS vitrine")
			}
			if err != nil {
				t.Fatal(err)
			}
			return sqldb.PostgresStore, handle
		})
	})
}

func upgradeWithRows(t *testing.T, backend string, open func(place string) (*sqldb.Dialect, *sql.DB)) {
	dir := "migrations/" + backend + "/store"
	files, err := fs.ReadDir(sqldb.Migrations, dir)
	if err != nil {
		t.Fatal(err)
	}
	steps := fstest.MapFS{}
	for _, file := range files {
		t.Run("until "+strings.TrimSuffix(file.Name(), ".sql"), func(t *testing.T) {
			text, err := sqldb.Migrations.ReadFile(path.Join(dir, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			steps[file.Name()] = &fstest.MapFile{Data: text}
			place := sqltest.NewPlace(t)
			d, handle := open(place)
			if err := sqldb.MigrateTo(d, handle, place, steps); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				_, err := handle.Exec(fmt.Sprintf(`INSERT INTO accounts (email, password, plan, role, banned, created_at, closing)
					VALUES ('%d@example.org', '', 'pro', '', %t, %d, false)`, i, i == 1, vitrinetest.Epoch.UnixMilli()))
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := handle.Close(); err != nil {
				t.Fatal(err)
			}
			for range 2 { // and again with the newest schema
				checkUpgraded(t, place)
			}
		})
	}
}

// checkUpgraded opens a store with accounts of an earlier schema, and uses what
// later schemas have added.
func checkUpgraded(t *testing.T, place string) {
	t.Helper()
	s := openTestStore(t, place)
	err := s.Update(t.Context(), func(tx vitrine.Tx) error {
		all, err := tx.Accounts(vitrine.AccountQuery{})
		if err != nil {
			return err
		}
		for i, a := range all {
			want := &vitrine.Account{ID: vitrine.AccountID(i + 1), Email: fmt.Sprintf("%d@example.org", i),
				Plan: vitrine.PlanPro, Banned: i == 1, CreatedAt: vitrinetest.Epoch}
			vitrinetest.Equal(t, "account", a, want)
		}
		vitrinetest.Equal(t, "accounts", len(all), 3)
		// Added in version 8.
		shared := &vitrine.SharedReport{Account: 1, Hash: [32]byte{7}, Label: "a", CreatedAt: vitrinetest.Epoch,
			ExpiresAt: vitrinetest.Epoch.Add(time.Hour)}
		if err := tx.AddSharedReport(shared); err != nil {
			return err
		}
		reports, err1 := tx.SharedReports(1, 0)
		found, err2 := tx.SharedReportByHash(shared.Hash)
		vitrinetest.Equal(t, "shared reports", reports, []*vitrine.SharedReport{shared})
		vitrinetest.Equal(t, "shared report", found, shared)
		err3 := tx.DeleteSharedReport(1, 0)
		// Added in versions 12 and 13.
		a := *all[2]
		a.TimeZone, a.CountOwn, a.OwnChangedAt = "Asia/Kolkata", true, vitrinetest.Epoch
		err4 := tx.PutAccount(&a)
		changed, err5 := tx.Accounts(vitrine.AccountQuery{OwnChanged: true})
		vitrinetest.Equal(t, "account that was changed", changed, []*vitrine.Account{&a})
		return errors.Join(err1, err2, err3, err4, err5, tx.PutAccount(all[2]))
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}
