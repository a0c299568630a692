package preview

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
)

// le encodes numbers in little-endian order, as in TIFF and BMP.
func le(values ...any) string {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	return b.String()
}

// tiffClaiming returns a TIFF with a header and no pixels.
func tiffClaiming(width, height uint32) []byte {
	entry := func(tag uint16, v uint32) string { return le(tag, uint16(4), uint32(1), v) }
	return []byte("II*\x00" + le(uint32(8), uint16(7)) + entry(256, width) + entry(257, height) + entry(258, 8) +
		entry(259, 1) +
		entry(262, 1) + entry(273, 8) + entry(279, 1) + le(uint32(0)))
}

// pngClaiming returns a small PNG whose header has other dimensions.
func pngClaiming(t *testing.T, width, height uint32) []byte {
	p := pngOf(t, uniform(4, 4, wall))
	binary.BigEndian.PutUint32(p[16:], width)
	binary.BigEndian.PutUint32(p[20:], height)
	binary.BigEndian.PutUint32(p[29:], crc(p[12:29]))
	return p
}

// TestUnreadable checks that files that cannot be read have no parts, without
// an error.
func TestUnreadable(t *testing.T) {
	m, _ := newMaker(t, Options{Office: Off})
	for name, content := range map[string][]byte{
		"empty.pdf": {}, "rubbish.pdf": []byte("%PDF-1.7 rubbish"), "rubbish.png": []byte("rubbish"),
		"cut.png":   pngOf(t, uniform(99, 99, wall))[:60],
		"flood.png": pngClaiming(t, 16000, 16000), "flood.tiff": tiffClaiming(16000, 16000),
		"wide.tiff":  tiffClaiming(1<<27, 1),
		"claims.png": pngClaiming(t, 8000, 8000), "claims.tiff": tiffClaiming(8000, 8000),
		"rubbish.xlsx": []byte("PK\x03\x04rubbish"), "rubbish.7z": []byte("7z\xbc\xaf\x27\x1crubbish"),
		"rubbish.rar": []byte("Rar!\x1a\x07\x01\x00rubbish"),
		"rubbish.mp4": []byte("\x00\x00\x00\x18ftypisom rubbish"), "page.svg": []byte("<svg/>"),
		"a.txt": []byte("text"),
	} {
		if parts := mustPreview(t, m, name, content); len(parts) > 0 {
			t.Errorf("%s has parts, want none", name)
		}
	}
}

// TestPDFOfAnySize checks that the largest and the narrowest page that PDF
// allows need no more than a picture.
func TestPDFOfAnySize(t *testing.T) {
	m, w := newMaker(t, Options{})
	for name, content := range map[string][]byte{
		"large.pdf": filled(14400, 14400, "1 0 0"), "high.pdf": filled(3, 14400, "1 0 0"),
		"wide.pdf":   filled(14400, 3, "1 0 0"),
		"beyond.pdf": filled(2_000_000_000, 2_000_000_000, "1 0 0"), "dot.pdf": filled(1, 1, "1 0 0"),
	} {
		if parts := mustPreview(t, m, name, content); parts[vitrine.PartPicture] != nil {
			parts.picture(t)
		}
	}
	if w.list() != nil {
		t.Errorf("warnings = %v, want none", w.list())
	}
}

// TestDeadline checks that a timeout counts against the file if the child was
// working, and against the machine if the child did not get to work.
func TestDeadline(t *testing.T) {
	for used, busy := range map[time.Duration]bool{0: true, 9 * time.Second: true, 10 * time.Second: false,
		40 * time.Second: false} {
		if err := (timing{true, used, 20 * time.Second}).late(); errors.Is(err, errBusy) != busy ||
			errors.As(err, new(fault)) == busy {
			t.Errorf("timeout after %v of CPU time in 20s = %v", used, err)
		}
	}
	m, w := newMaker(t, Options{})
	m.limits.usual = time.Nanosecond // too short to start the child
	if parts, err := preview(t, m, "a.png", blobFile(t, pngOf(t, uniform(9, 9, wall)))); !errors.Is(err, errBusy) ||
		len(parts) > 0 {
		t.Errorf("Preview with a timeout of a nanosecond = %v, %d parts, want errBusy", err, len(parts))
	}
	if w.list() != nil {
		t.Errorf("warnings = %q, want none about the file", w.list())
	}
}

// TestPrepare checks that the preparation is only for kinds that use PDFium,
// and is repeated until it succeeds.
func TestPrepare(t *testing.T) {
	for what, lines := range map[string]string{"crash": "echo begun; exit 2", "hangs": "echo begun; exec sleep 1000",
		"no space": "echo begun; exit 1"} {
		ok := filepath.Join(t.TempDir(), "ok")
		m, _ := newMaker(t, Options{Executable: script(t,
			`case "$2" in *'"ext":""'*) test -e `+ok+` || { `+lines+`; } ;; esac; echo begun`)})
		m.plain, m.limits.long = true, 300*time.Millisecond
		for _, name := range []string{"a.zip", "a.xlsx", "a.png", "a.mp4"} {
			if _, err := preview(t, m, name, memory{bytes.NewReader(nil)}); err != nil {
				t.Errorf("%s: %s fails without need: %v", what, name, err)
			}
		}
		if _, err := preview(t, m, "a.pdf", memory{bytes.NewReader(nil)}); err == nil {
			t.Errorf("%s: a failed preparation counts as done", what)
		}
		must(t, os.WriteFile(ok, nil, 0o600))
		m.limits.long = standard.long
		if _, err := preview(t, m, "a.pdf", memory{bytes.NewReader(nil)}); err != nil {
			t.Errorf("%s: second attempt = %v, want nil", what, err)
		}
	}
}

// TestTemp checks that files of a killed server are removed, and that children
// work in this directory.
func TestTemp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "temp")
	left := filepath.Join(dir, "vitrine-preview-1", workDir)
	must(t, os.MkdirAll(left, 0o755), os.WriteFile(filepath.Join(left, "document.docx"), []byte("secret"), 0o600))
	seen := filepath.Join(t.TempDir(), "seen")
	m, _ := newMaker(t, Options{Temp: dir, Executable: script(t, "pwd > "+seen+"; echo begun")})
	m.plain = true
	if all, err := os.ReadDir(dir); err != nil || len(all) > 0 {
		t.Errorf("files left: %v (%v)", all, err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("mode = %v (%v), want 0700", st.Mode(), err)
	}
	mustPreview(t, m, "a.zip", nil)
	if at, err := os.ReadFile(seen); err != nil || !strings.HasPrefix(string(at), dir) {
		t.Errorf("the child ran in %s (%v)", at, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) > 0 {
		t.Errorf("files left after the child: %v (%v)", all, err)
	}
}

// TestWarnings checks that each missing protection of the machine is reported
// once.
func TestWarnings(t *testing.T) {
	m, w := newMaker(t, Options{Executable: script(t,
		"echo begun; echo 'unlimited: no mounts'; echo 'unlimited: no Landlock'")})
	m.plain = true
	for range 2 {
		mustPreview(t, m, "a.zip", nil)
	}
	if got := strings.Join(w.list(), "; "); got != "no mounts; no Landlock" {
		t.Errorf("warnings = %s", got)
	}
}

func atom(name string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), name...), body...)
}

// TestLargerThanWritten checks that a file larger than a child may write counts
// as the file's fault, so that it is not retried.
func TestLargerThanWritten(t *testing.T) {
	ispe := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(make([]byte, 4), 320), 240)
	head := slices.Concat(atom("ftyp", []byte("heic\x00\x00\x00\x00heicmif1")),
		atom("meta", make([]byte, 4), atom("iprp", atom("ipco", atom("pixi", make([]byte, 8)), atom("ispe", ispe)))))
	const size = maxWritten + mib
	path := filepath.Join(t.TempDir(), "blob")
	head = append(binary.BigEndian.AppendUint32(head, uint32(size-len(head))), "mdat"...)
	must(t, os.WriteFile(path, head, 0o600), os.Truncate(path, size))
	ran := filepath.Join(t.TempDir(), "ran")
	m, _ := newMaker(t, Options{Heif: script(t, "echo > "+ran)})
	m.plain = true
	if parts, err := preview(t, m, "a.heic", openBlob(t, path)); err != nil || len(parts) > 0 {
		t.Errorf("Preview = %v, %d parts, want none", err, len(parts))
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the file was copied for a program")
	}
}

func TestCanceled(t *testing.T) {
	m, _ := newMaker(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := vitrine.PreviewFile{Name: "a.pdf", Kind: filetype.PDF, Blob: blobFile(t, filled(100, 100, "1 0 0"))}
	if err := m.Preview(ctx, f, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Preview = %v, want context.Canceled", err)
	}
}

// script returns a program that replaces another one.
func script(t *testing.T, lines string) string {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEndOfChild checks whose fault each way is in which a child ends.
func TestEndOfChild(t *testing.T) {
	for _, c := range []struct {
		what, lines string
		fault       string // the machine's: in the error
		warning     string
	}{
		{"not this program", "echo usage; exit 2", "did not start", ""},
		{"not this verb", "exit 0", "did not start", ""},
		{"crash", "echo begun; echo 'panic: index out of range' >&2; exit 2", "", "index out of range"},
		{"out of memory", "echo begun; kill -9 $$", "", "killed"},
		{"no space", "echo begun; echo 'no space left'; exit 1", "no space left", ""},
		{"escapes", `echo begun; printf 'panic: \033[31mred\n'; exit 2`, "", "panic:  [31mred"},
		{"no fence", "echo begun; echo 'unlimited: previews run in the open'; exit 0", "", "in the open"},
		{"chatter", "echo begun; head -c 100000000 /dev/zero; exit 0", "", ""},
	} {
		m, w := newMaker(t, Options{Executable: script(t, c.lines)})
		m.prepared, m.plain = true, true // within namespaces a signal from inside does not end the first process
		_, err := preview(t, m, "a.pdf", blobFile(t, filled(9, 9, "1 0 0")))
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.fault)
		}
		if got := strings.Join(w.list(), "; "); !strings.Contains(got, c.warning) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: warnings = %q, want %q", c.what, got, c.warning)
		}
	}
	m, _ := newMaker(t, Options{Executable: filepath.Join(t.TempDir(), "absent")})
	if _, err := preview(t, m, "a.pdf", blobFile(t, filled(9, 9, "1 0 0"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Preview without an executable = %v, want %v", err, os.ErrNotExist)
	}
}

// TestWholeGroupEnds checks that a file whose child hangs, here in LibreOffice,
// leaves no process behind.
func TestWholeGroupEnds(t *testing.T) {
	alive := filepath.Join(t.TempDir(), "alive")
	if err := os.WriteFile(alive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, _ := newMaker(t, Options{Executable: script(t, "echo begun; tail -f "+alive+" & sleep 1000")})
	m.prepared, m.plain, m.limits.usual = true, true, 300*time.Millisecond
	if _, err := preview(t, m, "a.pdf", blobFile(t, filled(9, 9, "1 0 0"))); !errors.Is(err, errBusy) {
		t.Errorf("Preview with a child that does nothing = %v, want errBusy", err)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if line, _ := os.ReadFile(p); strings.Contains(string(line), alive) {
			t.Errorf("process %s is still running: %q", p, line)
		}
	}
}

// TestOneOffice checks that documents wait for each other, and give up when
// their context ends.
func TestOneOffice(t *testing.T) {
	m, _ := newMaker(t, Options{Office: "/bin/true"})
	m.oneOffice <- struct{}{}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	f := vitrine.PreviewFile{Name: "a.docx", Kind: filetype.Document, Blob: memory{bytes.NewReader(nil)}}
	if err := m.Preview(ctx, f, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Preview = %v, want context.DeadlineExceeded", err)
	}
}
