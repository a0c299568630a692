package preview

import (
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine"

	"golang.org/x/sys/unix"
)

func crc(p []byte) uint32 { return crc32.ChecksumIEEE(p) }

// TestDiskFull checks that a full disk counts as the machine's fault, so that
// the file is tried again (promise 17).
func TestDiskFull(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	dir := filepath.Join(t.TempDir(), "temp")
	m, _ := newMaker(t, Options{Temp: dir})
	if err := m.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=16k"))
	defer unix.Unmount(dir, unix.MNT_DETACH)
	b := blobFile(t, filled(595, 842, "1 0 0"))
	if parts, err := preview(t, m, "a.pdf", b); err == nil || !strings.Contains(err.Error(), "no space") ||
		len(parts) > 0 {
		t.Errorf("Preview on a full disk = %v, %d parts", err, len(parts))
	}
	j := &job{order: order{Dir: dir}, size: mib}
	if err := j.copyTo(filepath.Join(dir, "document.docx")); !errors.As(err, new(machineError)) {
		t.Errorf("copyTo without space = %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	if parts := mustPreview(t, m, "a.pdf", filled(595, 842, "1 0 0")); parts[vitrine.PartPicture] == nil {
		t.Error("with space again there is no picture")
	}
}
