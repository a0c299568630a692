package web_test

import (
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/clamav"
)

// TestScanWords checks that the limits page describes the scan of this server,
// and that it and the upload page link to the details.
func TestScanWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	const (
		inspected = "Every file is inspected. No malware scanner is set up on this server."
		scanned   = "Every file is inspected, and ClamAV scans it for malware."
	)
	contains := func(want, not string) {
		t.Helper()
		page := d.status(d.get("/docs/limits", cookie), 200).body
		if !strings.Contains(page, want) || strings.Contains(page, not) ||
			!strings.Contains(page, `href="/docs/file-types#scan"`) {
			t.Errorf("the limits lack %q", want)
		}
		if page = d.status(d.get("/dashboard", cookie), 200).body; !strings.Contains(page, "/docs/file-types#scan") {
			t.Error("the upload page has no link about the scan")
		}
		if !strings.Contains(d.status(d.get("/docs/file-types"), 200).body, `id="scan"`) {
			t.Error("the page about file types has no section about the scan")
		}
	}
	contains(inspected, "ClamAV")
	scanner, err := clamav.New(clamav.Options{Addresses: []string{"unix:" + filepath.Join(t.TempDir(), "clamd.ctl")}})
	d.check(err)
	t.Cleanup(func() { _ = scanner.Close() })
	d.server.Uploads.Scanner = scanner
	contains(scanned, "No malware scanner")
}
