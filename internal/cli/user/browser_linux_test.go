package user

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpenBrowser checks that a page is opened only on a desktop, and only if
// it is a web page.
func TestOpenBrowser(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	opener := "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > " + pipe + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(opener), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SSH_CONNECTION", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":0")
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "--help", "", "https:///x",
		"http://a b"} {
		if OpenBrowser(bad) {
			t.Errorf("OpenBrowser(%q) = true, want false", bad)
		}
	}
	const page = "https://share.example/device?code=WDJB-MJHT"
	if !OpenBrowser(page) {
		t.Fatal("OpenBrowser of a page = false, want true")
	}
	got, err := os.ReadFile(pipe) // waits until the pipe is opened for writing
	if err != nil || strings.TrimSpace(string(got)) != "1\n"+page {
		t.Errorf("opened with %q, %v", got, err)
	}
	t.Setenv("SSH_CONNECTION", "192.0.2.1 22 192.0.2.2 22")
	if OpenBrowser(page) {
		t.Error("OpenBrowser over SSH = true, want false")
	}
	t.Setenv("SSH_CONNECTION", "")
	t.Setenv("DISPLAY", "")
	if OpenBrowser(page) {
		t.Error("OpenBrowser without a display = true, want false")
	}
}
