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

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const outsideVariable = "VITRINE_TEST_OUTSIDE"

// inNamespaces runs a test in new namespaces, where it is root and may change
// mounts and limits. It returns false in the outer process.
func inNamespaces(t *testing.T) bool {
	t.Helper()
	mounts, err := os.Readlink("/proc/self/ns/mnt")
	must(t, err)
	if outside := os.Getenv(outsideVariable); outside != "" {
		if outside == mounts || os.Getpid() != 1 {
			t.Fatal("the test does not run in new namespaces")
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
		t.Skipf("no namespaces (%v): %s is skipped", err, t.Name())
	}
	if err != nil {
		t.Fatalf("child = %v:\n%s", err, out)
	}
	return false
}

// TestNoNamespaces checks that without namespaces pictures are still made, but
// LibreOffice does not run, and pages do not wait for it.
func TestNoNamespaces(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	must(t, os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)) // of the namespaces inside this one
	ran := filepath.Join(t.TempDir(), "ran")
	m, w := newMaker(t, Options{Office: script(t, "echo > "+ran)})
	if !m.Makes(vitrine.PartPages, "docx") {
		t.Error("Makes = false before anything is known, want true")
	}
	for range 2 {
		if parts := mustPreview(t, m, "a.docx", docx(t, paragraph("Hello"))); len(parts) > 0 {
			t.Error("a document was converted")
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
		t.Error("Makes is true for parts that cannot be made, or false for others")
	}
	told := strings.Join(w.list(), "\n")
	for _, what := range []string{"run without namespaces",
		"LibreOffice is not used: this system has no namespaces to isolate it"} {
		if strings.Count(told, what) != 1 {
			t.Errorf("%q is not logged once:\n%s", what, told)
		}
	}
}

// TestNoWalls checks that no program reads a file if the machine has neither
// namespaces nor Landlock to keep it from the server's files. A filter answers
// for a kernel without Landlock.
func TestNoWalls(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	film := ffmpeg(t, "a.webm", "-f", "lavfi", "-i", "testsrc=size=64x64:duration=1")
	ran := filepath.Join(t.TempDir(), "ran")
	program := script(t, "echo > "+ran)
	behind, _ := newMaker(t, Options{FFmpeg: program})
	mustPreview(t, behind, "a.webm", film)
	if _, err := os.Stat(filepath.Dir(ran)); err != nil {
		t.Fatal(err)
	}
	if !behind.Makes(vitrine.PartPicture, "webm") {
		t.Fatal("Makes = false with walls, want true")
	}

	must(t, os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0))
	must(t, noNewPrivileges())
	must(t, filterCalls([]bpf.Instruction{bpf.LoadAbsolute{Off: callNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_LANDLOCK_CREATE_RULESET, SkipTrue: 1}, answer(unix.ENOSYS),
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}}))
	m, w := newMaker(t, Options{Office: program, FFmpeg: program, Heif: program})
	for range 2 {
		for name, content := range map[string][]byte{"a.webm": film, "a.docx": docx(t, paragraph("Hello"))} {
			if parts := mustPreview(t, m, name, content); len(parts) > 0 {
				t.Errorf("%s was converted", name)
			}
		}
		if parts := mustPreview(t, m, "a.png", pngOf(t, uniform(8, 8, wall))); parts[vitrine.PartPicture] == nil {
			t.Error("a PNG has no picture")
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program ran")
	}
	if m.Makes(vitrine.PartPicture, "mp3") || m.Makes(vitrine.PartImage, "heic") || m.Makes(vitrine.PartPages, "docx") {
		t.Error("Makes is true for parts that need a program")
	}
	if told := strings.Join(w.list(), "\n"); strings.Count(told, noPrograms) != 1 {
		t.Errorf("that no program runs is not logged once:\n%s", told)
	}
}

// TestOfficeFailsClosed checks that a document whose work began before the
// namespaces were checked is not given to LibreOffice without them.
func TestOfficeFailsClosed(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	must(t, os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0))
	ran := filepath.Join(t.TempDir(), "ran")
	m, _ := newMaker(t, Options{Office: script(t, "echo > "+ran)})
	m.prepared = true
	f := vitrine.PreviewFile{Name: "a.docx", Kind: filetype.Document, Blob: blobFile(t, docx(t, paragraph("Hello")))}
	if err := m.Preview(context.Background(), f, func(vitrine.Part, io.Reader) error { return nil }); err == nil {
		t.Error("Preview = nil, want an error")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("LibreOffice ran")
	}
}

// TestMountsRefused checks that a warning is logged if a child cannot have its
// own mounts.
func TestMountsRefused(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	m, _ := newMaker(t, Options{Temp: t.TempDir()})
	dir, err := m.newDirs()
	must(t, err)
	blob, ok := blobFile(t, []byte("blob")).(onDisk)
	if !ok {
		t.Fatal("blob is not a file")
	}
	cmd := exec.Command(os.Args[0], outbreakVerb, dir, "none", "none", fmt.Sprint(os.Getpid()), "true")
	cmd.Env, cmd.ExtraFiles, cmd.SysProcAttr = []string{}, []*os.File{blob.File}, attributes(false)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "previews run without their own mounts") {
		t.Errorf("child = %v: %s", err, out)
	}
}
