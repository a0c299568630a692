package metrics_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/vitrinetest"

	"github.com/prometheus/client_golang/prometheus"
)

// deployed returns a file below deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// labelsOf returns the labels of each metric of ours, by its name.
func labelsOf(t *testing.T) map[string][]string {
	t.Helper()
	w := newWatched(t)
	all := map[string][]string{}
	about := regexp.MustCompile(`fqName: "(\w+)".*variableLabels: \{([\w,]*)\}`)
	c := make(chan *prometheus.Desc)
	go func() { w.metrics.Describe(c); close(c) }()
	for d := range c {
		m := about.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("not understood: %s", d)
		}
		all[m[1]] = append(strings.Split(m[2], ","), "instance", "job", "le")
	}
	return all
}

// TestMetricsOfAlerts checks that the alert rules, their tests and the
// dashboard name only metrics, and labels of these, that the server has.
func TestMetricsOfAlerts(t *testing.T) {
	labels := labelsOf(t)
	named := regexp.MustCompile(`\b((?:vitrine|process|go)_\w+)(?:\{([^}]*)\})?`)
	label := regexp.MustCompile(`(\w+)(?:=|!=|=~|!~)"`)
	suffix := regexp.MustCompile(`_(bucket|count|sum)$`)
	for _, file := range []string{"alerts.yaml", "alerts_test.yaml", "grafana.json"} {
		n := 0
		for _, m := range named.FindAllStringSubmatch(strings.ReplaceAll(deployed(t, file), `\"`, `"`), -1) {
			has, ok := labels[m[1]]
			if !ok {
				has, ok = labels[suffix.ReplaceAllString(m[1], "")]
			}
			if n++; !ok {
				t.Errorf("%s: there is no metric %s", file, m[1])
			}
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(has, l[1]) {
					t.Errorf("%s: %s has no label %s", file, m[1], l[1])
				}
			}
		}
		if n < 20 {
			t.Errorf("%s names %d metrics, want at least 20", file, n)
		}
	}
}

// TestDashboard checks that the dashboard can be read, and that each panel has
// a title, a unit and a query.
func TestDashboard(t *testing.T) {
	var d struct {
		Title, UID string
		Panels     []struct {
			Title, Type string
			FieldConfig struct{ Defaults struct{ Unit string } }
			Targets     []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "grafana.json")), &d); err != nil || len(d.Panels) < 12 {
		t.Fatalf("%d panels, %v", len(d.Panels), err)
	}
	for _, p := range d.Panels {
		if p.Title == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("panel %q has no title, unit or query", p.Title)
		}
	}
}

// TestAlerts checks with promtool that each alert fires when it should, with
// its texts, and not when it should not: each has a case of both.
func TestAlerts(t *testing.T) {
	promtool := vitrinetest.Program(t, "promtool")
	cmd := exec.Command(promtool, "test", "rules", "alerts_test.yaml")
	cmd.Dir = filepath.Join("..", "..", "..", "deploy")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	cases := deployed(t, "alerts_test.yaml")
	names := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(deployed(t, "alerts.yaml"), -1)
	for _, name := range names {
		fires := regexp.MustCompile(`alertname: ` + name[1] + `\n\s+exp_alerts:\n\s+- exp_labels:`)
		quiet := regexp.MustCompile(`alertname: ` + name[1] + `, exp_alerts: \[\]`)
		if !fires.MatchString(cases) || !quiet.MatchString(cases) {
			t.Errorf("%s has no case in which it fires, or none in which it does not", name[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("%d alerts, want at least 20", len(names))
	}
}
