package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestMetrics checks that a server has its metrics at an address of their own
// and nowhere else, and that each kind is there from the start.
func TestMetrics(t *testing.T) {
	t.Parallel()
	cmd, log := serveProcess(t, []string{"VITRINE_DATA=" + t.TempDir()}, "--metrics-listen", "127.0.0.1:0")
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	own, ok := log.wait(`serving metrics\W+address\W+127\.0\.0\.1:(\d+)`)
	port, ok2 := log.wait(serving)
	if !ok || !ok2 {
		t.Fatal(own)
	}
	get := func(port, path string) (int, string) {
		t.Helper()
		res, err := http.Get("http://127.0.0.1:" + port + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(b)
	}
	if status, _ := get(port, "/metrics"); status != http.StatusNotFound {
		t.Errorf("/metrics on the public address: %d, want 404", status)
	}
	if status, _ := get(own, "/readyz"); status != http.StatusNotFound {
		t.Errorf("/readyz on the address of the metrics: %d, want 404", status)
	}
	status, text := get(own, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("%d\n%s", status, text)
	}
	for _, line := range []string{`vitrine_build_info\{version="[^"]+"\} 1`, `vitrine_http_requests_total\{method="read",route="/",status="404"\} 1`,
		`vitrine_database_up\{database="store"\} 1`, `vitrine_database_up\{database="views"\} 1`,
		`vitrine_database_transaction_duration_seconds_count\{access="read",database="store"\} [1-9]`,
		`vitrine_queue_length\{queue="uploads"\} 0`, `vitrine_spool_bytes\{spool="views"\} 0`,
		`vitrine_spool_limit_bytes\{spool="views"\} 1.073741824e\+09`, `vitrine_data_free_bytes [1-9]`,
		`vitrine_background_work_failures\{work="purge"\} 0`,
		`vitrine_connections [1-9]`, `vitrine_uploads_total\{result="begun"\} 0`, `vitrine_mails_total\{result="failed"\} 0`,
		`vitrine_rollup_backlog_accounts 0`, `go_goroutines [1-9]`, `process_start_time_seconds [1-9]`} {
		if !regexp.MustCompile(`(?m)^` + line).MatchString(text) {
			t.Errorf("no line matches %s", line)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text := log.drain(); cmd.Wait() != nil {
		t.Errorf("the server does not exit with 0:\n%s", text)
	}
	out, err := vitrineOn(t.TempDir(), "serve", "--listen", ":8080", "--metrics-listen", "127.0.0.1:8080")
	if err == nil || err.Error() != "exit status 2" || !strings.Contains(out, "--metrics-listen: 127.0.0.1:8080 is the address of --listen") {
		t.Errorf("one address for both: %v\n%s", err, out)
	}
}
