package sqltest

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/backend/sqldb"
)

// Statements are the texts of statements that databases have run.
type Statements struct {
	mu    sync.Mutex
	texts map[string]bool
}

// Watch adds what a database runs from now on.
func (s *Statements) Watch(d *sqldb.DB) {
	d.Hook = func(query string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.texts == nil {
			s.texts = map[string]bool{}
		}
		s.texts[query] = true
		return nil
	}
}

var changes = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

// CheckScans checks that no statement reads a whole table of a database, or a
// whole index. excused has the reason for each statement or plan that may: its
// key is part of the text. Each excuse must be needed.
func (s *Statements) CheckScans(t *testing.T, d *sqldb.DB, excused map[string]string) {
	t.Helper()
	used := map[string]bool{}
	explained := 0
	for _, query := range slices.Sorted(maps.Keys(s.texts)) {
		if !changes.MatchString(query) {
			if !strings.Contains(query, " FROM ") {
				continue
			}
			query = "SELECT " + query // of a visit
		}
		err := d.Read(t.Context(), func(tx *sqldb.Tx) error {
			scans, err := scansOf(tx, query)
			if err != nil {
				t.Errorf("%v: %s", err, query)
			}
			explained++
			for _, scan := range scans {
				excuse := false
				for part := range excused {
					if strings.Contains(query, part) || strings.Contains(scan, part) {
						excuse, used[part] = true, true
					}
				}
				if !excuse {
					t.Errorf("a statement reads a whole table: %s\n%s", scan, query)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%v: %s", err, query)
		}
	}
	if explained < 20 {
		t.Errorf("%d statements, want at least 20", explained)
	}
	for part := range excused {
		if !used[part] {
			t.Errorf("no statement needs the excuse %q", part)
		}
	}
	t.Logf("%d statements", explained)
}

// scansOf returns the steps of a statement's plan that read a whole table or
// index. In PostgreSQL they are those for which there is no index.
func scansOf(tx *sqldb.Tx, query string) (scans []string, err error) {
	if tx.Conn.Postgres == nil {
		plan, err := SqlitePlan(tx, query)
		for step := range strings.SplitSeq(plan, "; ") {
			if strings.HasPrefix(step, "SCAN ") && !strings.HasPrefix(step, "SCAN CONSTANT ROW") {
				scans = append(scans, step)
			}
		}
		return scans, err
	}
	// Otherwise it reads small tables whole, although there is an index.
	if err := sqldb.PostgresCommand(tx.Conn, "SET LOCAL enable_seqscan = off"); err != nil {
		return nil, err
	}
	plan, err := PlanOf(tx, query)
	for line := range strings.SplitSeq(plan, "\n") {
		if strings.Contains(line, "Seq Scan on ") {
			scans = append(scans, strings.TrimSpace(line))
		}
	}
	return scans, err
}
