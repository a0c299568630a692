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
	"vitrine/internal/vitrinetest"
	"vitrine/internal/vitrinetest/tier"

	"golang.org/x/sys/unix"
)

// watched returns a server that nobody may ask.
func watched(t *testing.T) (url string, asked *atomic.Int64) {
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

// linkedDocx shows an image of another host, and takes its styles from there.
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

// What a document names is not fetched: not where the kernel would let it, by
// LibreOffice's configuration alone, and not fenced.
func TestDocumentsFetchNothing(t *testing.T) {
	vitrinetest.Program(t, "soffice")
	url, asked := watched(t)
	for _, plain := range []bool{true, false} {
		m, w := newMaker(t, Options{})
		m.plain = plain
		documents := map[string][]byte{"a.docx": linkedDocx(t, url), "a.odt": linkedODT(t, url)}
		if !plain && tier.Current() < tier.All {
			delete(documents, "a.odt")
		}
		for name, content := range documents {
			if parts := mustPreview(t, m, name, content); parts[vitrine.PartPages] == nil {
				t.Errorf("%s has no pages: nothing was shown (%v)", name, w.list())
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// TestFence runs the test binary as a child that tries to get out; see
// outbreak.
func TestFence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	data, err := os.MkdirTemp("/var/tmp", "vitrine-data-") // not in /tmp, of which a child has its own
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
		t.Fatal("no file")
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
			t.Fatalf("%v: %s", err, out)
		}
		if strings.Contains(string(out), "without Landlock") {
			if os.Getenv("CI") != "" || !strings.Contains(string(out), "not supported") {
				t.Fatalf("%s", out)
			}
			t.Skipf("Landlock is not to be had: what a child can reach was not tried: %s", out)
		}
		if strings.Contains(string(out), "got") || !strings.Contains(string(out), "done") {
			t.Errorf("namespaces %v: %s", namespaces, out)
		}
		if after, err := os.ReadFile("/proc/self/mounts"); err != nil || string(after) != string(mounts) {
			t.Fatalf("namespaces %v: the machine's own mounts changed (%v)", namespaces, err)
		}
	}
}

const outbreakVerb = "outbreak"

// outbreak fences this process in and tells what it got all the same.
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
	if p, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fileFD), os.O_WRONLY, 0); err == nil {
		p.Close()
		fmt.Println("got the blob, to write")
	}
	if os.WriteFile(filepath.Join(dir, workDir, "own"), []byte("x"), 0o600) == nil {
		fmt.Println("done")
	}
}

// A part that is not the child's own plain file is not taken.
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
			t.Errorf("a %s was taken for a part", what)
			return nil
		})
		if err := os.Remove(part); err != nil {
			t.Fatal(err)
		}
	}
}

// The time of a child is that of all its processes.
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
		t.Fatalf("%q, %v", line, err)
	}
	if got := groupTime(cmd.Process.Pid); got < 20*time.Millisecond {
		t.Errorf("%v for half a million rounds", got)
	}
	if got := groupTime(1 << 30); got != 0 {
		t.Errorf("%v for nobody", got)
	}
}

// Documents are converted also in a data directory outside of /tmp, whose path
// is longer than that of a socket may be.
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
