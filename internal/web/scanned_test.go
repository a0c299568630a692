package web_test

import (
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/clamav"
)

// The upload page and the limits tell what the safety scan of this server is,
// and lead to more about it.
func TestScanWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	const (
		inspected = "Every file is inspected. No malware scanner is configured on this server."
		scanned   = "Every file is inspected, and ClamAV scans it for malware."
	)
	says := func(want, not string) {
		t.Helper()
		for _, path := range []string{"/dashboard", "/docs/limits"} {
			page := d.status(d.get(path, cookie), 200).body
			if !strings.Contains(page, want) || strings.Contains(page, not) ||
				!strings.Contains(page, `href="/docs/file-types#scan"`) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
		if !strings.Contains(d.status(d.get("/docs/file-types"), 200).body, `id="scan"`) {
			t.Error("the page about file types has nothing about the scan")
		}
	}
	says(inspected, "ClamAV")
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:" + filepath.Join(t.TempDir(), "clamd.ctl")}})
	d.check(err)
	t.Cleanup(func() { _ = scanner.Close() })
	d.server.Uploads.Scanner = scanner
	says(scanned, "No malware scanner")
}
