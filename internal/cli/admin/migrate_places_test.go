package admin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/cli/instance"
)

// settingsFile returns a file with the settings of an instance.
func settingsFile(t *testing.T, p instance.Places) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vitrine.env")
	text := fmt.Sprintf("# where it is\nVITRINE_DATA=%q\nexport VITRINE_DATABASE='%s'\nVITRINE_VIEWS=%s\nVITRINE_FILES=%s\nVITRINE_LISTEN=:80\n", p.Data, p.Database, p.Views, p.Files)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// settingsWith returns a file with lines.
func settingsWith(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lines.env")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMigratePlaces checks what the arguments of migrate mean.
func TestMigratePlaces(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for name, c := range map[string]struct {
		cmd      migrateCmd
		from, to instance.Places
		err      string
	}{
		"addresses": {cmd: migrateCmd{From: one, To: []string{"postgres://h/d", "s3://bucket/p"}},
			from: instance.Places{Data: one},
			to:   instance.Places{Data: one, Database: "postgres://h/d", Files: "s3://bucket/p"}},
		"a directory, and a bucket": {cmd: migrateCmd{From: one, To: []string{two, "s3://bucket"}},
			from: instance.Places{Data: one}, to: instance.Places{Data: two, Files: "s3://bucket"}},
		"settings": {cmd: migrateCmd{From: settingsFile(t,
			instance.Places{Data: one, Database: "postgres://h/d", Files: "s3://bucket"}), To: []string{two}},
			from: instance.Places{Data: one, Database: "postgres://h/d", Files: "s3://bucket"}, to: instance.Places{Data: two}},
		"the bucket alone back": {cmd: migrateCmd{From: settingsFile(t,
			instance.Places{Data: one, Database: "postgres://h/d", Files: "s3://bucket"}),
			To: []string{settingsFile(t, instance.Places{Data: one, Database: "postgres://h/d"})}},
			from: instance.Places{Data: one, Database: "postgres://h/d", Files: "s3://bucket"},
			to:   instance.Places{Data: one, Database: "postgres://h/d"}},
		"a secret in a file": {cmd: migrateCmd{From: settingsWith(t, "VITRINE_DATA="+one, "VITRINE_DATABASE_FILE="+
			settingsWith(t, "postgres://h/d")), To: []string{two}},
			from: instance.Places{Data: one, Database: "postgres://h/d"}, to: instance.Places{Data: two}},
		"a secret twice": {cmd: migrateCmd{From: settingsWith(t, "VITRINE_VIEWS=postgres://h/d",
			"VITRINE_VIEWS_FILE=x"), To: []string{two}}, err: "VITRINE_VIEWS_FILE: VITRINE_VIEWS is also set"},
		"named": {cmd: migrateCmd{From: "data=" + one + " database=postgres://h/d",
			To: []string{"data=" + two + " database=postgres://i/d", "files=s3://bucket"}},
			from: instance.Places{Data: one, Database: "postgres://h/d"},
			to:   instance.Places{Data: two, Database: "postgres://i/d", Files: "s3://bucket"}},
		"from an address": {cmd: migrateCmd{From: "postgres://u:secret@h/d", To: []string{two}},
			err: "postgres://u:xxxxx@h/d: give the current location of the instance"},
		"unknown": {cmd: migrateCmd{From: one, To: []string{"mysql://u:secret@h"}},
			err: "mysql://u:xxxxx@h: an address begins with"},
	} {
		from, to, err := c.cmd.places()
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
			continue
		}
		if err != nil || from != c.from || to != c.to {
			t.Errorf("%s: from %+v to %+v, %v", name, from, to, err)
		}
	}
}
