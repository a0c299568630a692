package sqltest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/backend/sqldb"

	"github.com/jackc/pgx/v5"
)

// sorted are the queries that may sort their result, because it is short, or is
// for one account and read only from an index.
var sorted = map[string]bool{"Links bytes": true, "Links words": true, "Links title": true, "Links size": true,
	"OldSlugs": true}

// covered are the queries that read nothing but an index.
var covered = map[string]bool{"LinkTotals": true, "CountSpare": true, "Held": true, "CountUploads": true,
	"LinkFacts": true}

// SqlitePlan returns the steps of the plan of a query in SQLite.
func SqlitePlan(tx *sqldb.Tx, query string) (string, error) {
	args := make([]any, strings.Count(query, "$"))
	for i := range args {
		args[i] = 1
	}
	var plan []string
	err := tx.Each(func(s sqldb.Scanner) error {
		var id, parent, unused int64
		var step string
		err := s.Scan(&id, &parent, &unused, &step)
		plan = append(plan, step)
		return err
	}, "EXPLAIN QUERY PLAN "+query, args...)
	return strings.Join(plan, "; "), err
}

func CheckPlan(t *testing.T, tx *sqldb.Tx, name, query string) {
	all, err := SqlitePlan(tx, query)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	all = strings.TrimPrefix(all, "SCAN CONSTANT ROW; ") // a query of one value
	if strings.Contains(all, "SCAN") || strings.Contains(all, "TEMP B-TREE") && !sorted[name] {
		t.Errorf("%s scans whole tables: %s\n%s", name, all, query)
	}
	if covered[name] && !strings.Contains(all, "COVERING INDEX") {
		t.Errorf("%s reads rows instead of an index: %s", name, all)
	}
}

// PlanOf returns the plan of a query for any arguments.
func PlanOf(t *sqldb.Tx, query string) (plan string, err error) {
	n := 0
	for strings.Contains(query, fmt.Sprint("$", n+1)) {
		n++
	}
	execute := "EXPLAIN EXECUTE planned"
	if n > 0 {
		execute += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
	}
	for _, statement := range []string{"SET LOCAL plan_cache_mode = force_generic_plan",
		"PREPARE planned AS " + query} {
		if err := sqldb.PostgresCommand(t.Conn, statement); err != nil {
			return "", err
		}
	}
	rows, err := t.Conn.Postgres.Query(context.Background(), execute, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	return strings.Join(lines, "\n"), sqldb.PostgresCommand(t.Conn, "DEALLOCATE planned")
}
