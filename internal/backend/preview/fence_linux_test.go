package preview

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/tier"
	"vitrine/internal/test/vitrinetest"

	"golang.org/x/sys/unix"
)

// countingServer returns a server that must not be called, and counts its
// requests.
func countingServer(t *testing.T) (url string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		t.Logf("asked for %s", r.URL)
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(pngOf(t, uniform(8, 8, wall)))
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// linkedDocx returns a document with an image and a style sheet on another
// host.
func linkedDocx(t testing.TB, url string) []byte {
	picture := `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="rP"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	return docx(t, paragraph("Seen.")+picture, "rP", "image", url+"/image.png", "External", "rT", "attachedTemplate",
		url+"/template.dotm", "External")
}

func linkedODT(t testing.TB, url string) []byte {
	return odt(t, `<text:p>Seen.<draw:frame svg:width="3cm" svg:height="3cm"><draw:image xlink:href="`+url+
		`/image.png" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>`+
		`<text:section text:name="s"><text:section-source xlink:href="`+url+
		`/section.odt" xlink:type="simple"/><text:p/></text:section>`)
}

// TestDocumentsFetchNothing checks that LibreOffice does not fetch the URLs in
// a document, with its configuration alone and with the sandbox.
func TestDocumentsFetchNothing(t *testing.T) {
	vitrinetest.Program(t, "soffice")
	url, asked := countingServer(t)
	for _, plain := range []bool{true, false} {
		m, w := newMaker(t, Options{})
		m.plain = plain
		documents := map[string][]byte{"a.docx": linkedDocx(t, url), "a.odt": linkedODT(t, url)}
		if !plain && tier.Current() < tier.All {
			delete(documents, "a.odt")
		}
		for name, content := range documents {
			if parts := mustPreview(t, m, name, content); parts[vitrine.PartPages] == nil {
				t.Errorf("%s has no pages, so the test shows nothing (%v)", name, w.list())
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests, want 0", n)
	}
}

// TestFence runs the test binary as a child that tries to escape (see
// outbreak).
func TestFence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	data, err := os.MkdirTemp("/var/tmp", "vitrine-data-") // not in /tmp, because a child has its own
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(data)
	secret := filepath.Join(data, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, _ := newMaker(t, Options{Temp: filepath.Join(data, "temp")})
	dir, err := m.newDirs()
	if err != nil {
		t.Fatal(err)
	}
	f, ok := blobFile(t, []byte("blob")).(onDisk)
	if !ok {
		t.Fatal("blob is not a file")
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for _, namespaces := range []bool{true, false} {
		cmd := exec.Command(os.Args[0], outbreakVerb, dir, secret, listener.Addr().String(), fmt.Sprint(os.Getpid()),
			fmt.Sprint(namespaces))
		cmd.Env, cmd.ExtraFiles = []string{}, []*os.File{f.File}
		cmd.SysProcAttr = attributes(namespaces)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("child = %v: %s", err, out)
		}
		if strings.Contains(string(out), "without Landlock") {
			if os.Getenv("CI") != "" || !strings.Contains(string(out), "not supported") {
				t.Fatalf("child: %s", out)
			}
			t.Skipf("Landlock is not available, so access to files is not tested: %s", out)
		}
		if strings.Contains(string(out), "got") || !strings.Contains(string(out), "done") {
			t.Errorf("namespaces = %v: %s", namespaces, out)
		}
		if after, err := os.ReadFile("/proc/self/mounts"); err != nil || string(after) != string(mounts) {
			t.Fatalf("namespaces = %v: the machine's mounts changed (%v)", namespaces, err)
		}
	}
}

const outbreakVerb = "outbreak"

// otherProcessor makes a system call of x32, which has numbers of its own.
func otherProcessor() error {
	if _, _, e := unix.RawSyscall(firstX32|unix.SYS_GETPID, 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

// outbreak enters the sandbox and prints what it can still reach.
func outbreak(dir, secret, address, server, namespaces string) {
	o := order{Ext: "pdf", Dir: dir, Namespaces: namespaces == "true"}
	unlimited, err := o.fence()
	fmt.Println(unlimited, err)
	try := func(what string, err error) {
		if err == nil {
			fmt.Println("got", what)
		}
	}
	_, err = os.ReadFile(secret)
	try("a file of the server", err)
	_, err = os.ReadFile("/proc/" + server + "/environ")
	try("the server's environment", err)
	_, err = os.ReadDir("/root")
	try("a home", err)
	try("a file elsewhere", os.WriteFile(secret+".new", nil, 0o600))
	try("a program of its own", func() error {
		path := filepath.Join(dir, workDir, "program")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			return err
		}
		return exec.Command(path).Run()
	}())
	_, err = net.Dial("tcp", address)
	try("a connection", err)
	for what, family := range map[string]int{"an IPv4 socket": unix.AF_INET, "an IPv6 socket": unix.AF_INET6,
		"a Unix socket": unix.AF_UNIX, "a netlink socket": unix.AF_NETLINK, "a vsock socket": unix.AF_VSOCK} {
		_, err = unix.Socket(family, unix.SOCK_DGRAM, 0)
		try(what, err)
	}
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	try("a pair of sockets", err)
	const none = ^uintptr(0) // arguments that no call accepts
	for _, call := range refusedCalls {
		if _, _, e := unix.RawSyscall6(uintptr(call), none, none, none, none, none, none); e != unix.EPERM {
			fmt.Printf("got system call %d (%v)\n", call, e)
		}
	}
	for what, flag := range map[string]uintptr{"namespaces of its own": unix.CLONE_NEWUSER, "a network of its own": unix.CLONE_NEWNET} {
		if pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, flag|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0); e == 0 && pid == 0 {
			unix.Exit(0)
		} else if e != unix.EPERM {
			fmt.Println("got", what, e)
		}
	}
	try("the calls of another instruction set", otherProcessor())
	if p, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fileFD), os.O_WRONLY, 0); err == nil {
		p.Close()
		fmt.Println("got the blob, to write")
	}
	if os.WriteFile(filepath.Join(dir, workDir, "own"), []byte("x"), 0o600) == nil {
		fmt.Println("done")
	}
}

// TestPartsThatLead checks that a part must be a plain file of the child.
func TestPartsThatLead(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "picture")
	for what, make := range map[string]func() error{
		"symbolic link": func() error { return os.Symlink(secret, part) },
		"hard link":     func() error { return os.Link(secret, part) },
		"directory":     func() error { return os.Mkdir(part, 0o700) },
		"pipe":          func() error { return unix.Mkfifo(part, 0o600) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		_ = passPart(part, vitrine.PartPicture, func(vitrine.Part, io.Reader) error {
			t.Errorf("a %s was accepted as a part", what)
			return nil
		})
		if err := os.Remove(part); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGroupTime checks that the CPU time of a child includes all its processes.
func TestGroupTime(t *testing.T) {
	cmd := exec.Command("sh", "-c", `(i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done; echo done; read x) & wait; read x`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	defer func() {
		_ = killAll(cmd.Process)
		_ = cmd.Wait()
	}()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "done\n" {
		t.Fatalf("output = %q, %v", line, err)
	}
	if got := groupTime(cmd.Process.Pid); got < 20*time.Millisecond {
		t.Errorf("groupTime = %v for half a million iterations", got)
	}
	if got := groupTime(1 << 30); got != 0 {
		t.Errorf("groupTime of no process = %v, want 0", got)
	}
}

// TestDocumentInDataDirectory converts a document in a data directory outside
// /tmp whose path is longer than a socket's may be.
func TestDocumentInDataDirectory(t *testing.T) {
	vitrinetest.Program(t, "soffice")
	data, err := os.MkdirTemp("/var/tmp", "vitrine-data-")
	must(t, err)
	defer os.RemoveAll(data)
	m, w := newMaker(t, Options{Temp: filepath.Join(data, strings.Repeat("long", 40), "temp")})
	if parts := mustPreview(t, m, "a.docx", docx(t, paragraph("Hello"))); parts[vitrine.PartPages] == nil {
		t.Errorf("no pages: %v", w.list())
	}
}
