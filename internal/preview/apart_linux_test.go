package preview

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"

	"golang.org/x/sys/unix"
)

const outsideVariable = "VITRINE_TEST_OUTSIDE"

// apart runs a test in namespaces of its own, where it is root and may change
// mounts and limits; false here, outside of them.
func apart(t *testing.T) bool {
	t.Helper()
	mounts, err := os.Readlink("/proc/self/ns/mnt")
	must(t, err)
	if outside := os.Getenv(outsideVariable); outside != "" {
		if outside == mounts || os.Getpid() != 1 {
			t.Fatal("these are not namespaces of its own")
		}
		must(t, unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""))
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), outsideVariable+"="+mounts)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if cmd.Process == nil && os.Getenv("CI") == "" {
		t.Skipf("namespaces are not to be had (%v): %s was not tried in any", err, t.Name())
	}
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	return false
}

// Without namespaces pictures are made all the same, but LibreOffice does not
// run, and pages do not wait for it.
func TestNoNamespaces(t *testing.T) {
	if !apart(t) {
		return
	}
	must(t, os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)) // of those in this one
	ran := filepath.Join(t.TempDir(), "ran")
	m, w := newMaker(t, Options{Office: script(t, "echo > "+ran)})
	if !m.Makes(vitrine.PartPages, "docx") {
		t.Error("nothing is known yet, and pages do not wait")
	}
	for range 2 {
		if parts := mustPreview(t, m, "a.docx", docx(t, paragraph("Hello"))); len(parts) > 0 {
			t.Error("a document was made")
		}
		if parts := mustPreview(t, m, "a.pdf", filled(9, 9, "1 0 0")); parts[vitrine.PartPicture] == nil {
			t.Error("a PDF has no picture")
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("LibreOffice ran")
	}
	if m.Makes(vitrine.PartPages, "docx") || m.Makes(vitrine.PartSheets, "xls") ||
		!m.Makes(vitrine.PartSheets, "xlsx") {
		t.Error("pages wait for what is not made")
	}
	told := strings.Join(w.list(), "\n")
	for _, what := range []string{"run without namespaces",
		"LibreOffice is not used: this system gives no namespaces to keep it apart"} {
		if strings.Count(told, what) != 1 {
			t.Errorf("not told once: %s\n%s", what, told)
		}
	}
}

// Also a document that is in work before anything is known of namespaces is not
// given to LibreOffice without them.
func TestOfficeFailsClosed(t *testing.T) {
	if !apart(t) {
		return
	}
	must(t, os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0))
	ran := filepath.Join(t.TempDir(), "ran")
	m, _ := newMaker(t, Options{Office: script(t, "echo > "+ran)})
	m.prepared = true
	f := vitrine.PreviewFile{Name: "a.docx", Kind: filetype.Document, Blob: blobFile(t, docx(t, paragraph("Hello")))}
	if err := m.Preview(context.Background(), f, func(vitrine.Part, io.Reader) error { return nil }); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("LibreOffice ran")
	}
}

// Where a child's own mounts are not to be had, that is told.
func TestMountsRefused(t *testing.T) {
	if !apart(t) {
		return
	}
	m, _ := newMaker(t, Options{Temp: t.TempDir()})
	dir, err := m.newDirs()
	must(t, err)
	blob, ok := blobFile(t, []byte("blob")).(onDisk)
	if !ok {
		t.Fatal("no file")
	}
	cmd := exec.Command(os.Args[0], outbreakVerb, dir, "none", "none", fmt.Sprint(os.Getpid()), "true")
	cmd.Env, cmd.ExtraFiles, cmd.SysProcAttr = []string{}, []*os.File{blob.File}, attributes(false)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "previews run with the mounts of the system") {
		t.Errorf("%v: %s", err, out)
	}
}
