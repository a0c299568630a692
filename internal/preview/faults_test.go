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

// le writes numbers as TIFF and BMP have them.
func le(values ...any) string {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	return b.String()
}

// tiffClaiming returns a TIFF of a header and no pixels.
func tiffClaiming(width, height uint32) []byte {
	entry := func(tag uint16, v uint32) string { return le(tag, uint16(4), uint32(1), v) }
	return []byte("II*\x00" + le(uint32(8), uint16(7)) + entry(256, width) + entry(257, height) + entry(258, 8) +
		entry(259, 1) +
		entry(262, 1) + entry(273, 8) + entry(279, 1) + le(uint32(0)))
}

// pngClaiming returns a small PNG whose header states other dimensions.
func pngClaiming(t *testing.T, width, height uint32) []byte {
	p := pngOf(t, uniform(4, 4, wall))
	binary.BigEndian.PutUint32(p[16:], width)
	binary.BigEndian.PutUint32(p[20:], height)
	binary.BigEndian.PutUint32(p[29:], crc(p[12:29]))
	return p
}

// Files that cannot be read have no parts, and are no error.
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
			t.Errorf("%s has parts", name)
		}
	}
}

// A page as large as PDF allows, and one as narrow, cost no more than a
// picture.
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
		t.Errorf("%v", w.list())
	}
}

// A child that does not end in time is its file's fault if it worked, and the
// machine's if that kept it from working.
func TestDeadline(t *testing.T) {
	for used, busy := range map[time.Duration]bool{0: true, 9 * time.Second: true, 10 * time.Second: false,
		40 * time.Second: false} {
		if err := (timing{true, used, 20 * time.Second}).late(); errors.Is(err, errBusy) != busy ||
			errors.As(err, new(fault)) == busy {
			t.Errorf("after %v of 20s: %v", used, err)
		}
	}
	m, w := newMaker(t, Options{})
	m.limits.usual = time.Nanosecond // it does not even start
	if parts, err := preview(t, m, "a.png", blobFile(t, pngOf(t, uniform(9, 9, wall)))); !errors.Is(err, errBusy) ||
		len(parts) > 0 {
		t.Errorf("in a nanosecond: %v, %d parts", err, len(parts))
	}
	if w.list() != nil {
		t.Errorf("the file is blamed: %q", w.list())
	}
}

// To prepare is for what uses PDFium, and is tried again until it succeeds.
func TestPrepare(t *testing.T) {
	for what, lines := range map[string]string{"crash": "echo begun; exit 2", "hangs": "echo begun; exec sleep 1000",
		"no space": "echo begun; exit 1"} {
		ok := filepath.Join(t.TempDir(), "ok")
		m, _ := newMaker(t, Options{Executable: script(t,
			`case "$2" in *'"ext":""'*) test -e `+ok+` || { `+lines+`; } ;; esac; echo begun`)})
		m.plain, m.limits.long = true, 300*time.Millisecond
		for _, name := range []string{"a.zip", "a.xlsx", "a.png", "a.mp4"} {
			if _, err := preview(t, m, name, memory{bytes.NewReader(nil)}); err != nil {
				t.Errorf("%s: %s fails with it: %v", what, name, err)
			}
		}
		if _, err := preview(t, m, "a.pdf", memory{bytes.NewReader(nil)}); err == nil {
			t.Errorf("%s: to prepare failed, and counts as done", what)
		}
		must(t, os.WriteFile(ok, nil, 0o600))
		m.limits.long = standard.long
		if _, err := preview(t, m, "a.pdf", memory{bytes.NewReader(nil)}); err != nil {
			t.Errorf("%s: tried again: %v", what, err)
		}
	}
}

// What a killed server left is removed, and what is made is made there.
func TestTemp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "temp")
	left := filepath.Join(dir, "vitrine-preview-1", workDir)
	must(t, os.MkdirAll(left, 0o755), os.WriteFile(filepath.Join(left, "document.docx"), []byte("secret"), 0o600))
	seen := filepath.Join(t.TempDir(), "seen")
	m, _ := newMaker(t, Options{Temp: dir, Executable: script(t, "pwd > "+seen+"; echo begun")})
	m.plain = true
	if all, err := os.ReadDir(dir); err != nil || len(all) > 0 {
		t.Errorf("left: %v (%v)", all, err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v (%v)", st.Mode(), err)
	}
	mustPreview(t, m, "a.zip", nil)
	if at, err := os.ReadFile(seen); err != nil || !strings.HasPrefix(string(at), dir) {
		t.Errorf("a child was in %s (%v)", at, err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) > 0 {
		t.Errorf("left after it: %v (%v)", all, err)
	}
}

// Each thing that a machine cannot limit is told of, once.
func TestWarnings(t *testing.T) {
	m, w := newMaker(t, Options{Executable: script(t,
		"echo begun; echo 'unlimited: no mounts'; echo 'unlimited: no Landlock'")})
	m.plain = true
	for range 2 {
		mustPreview(t, m, "a.zip", nil)
	}
	if got := strings.Join(w.list(), "; "); got != "no mounts; no Landlock" {
		t.Errorf("told: %s", got)
	}
}

func atom(name string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), name...), body...)
}

// A file that is larger than a child may write is the file's fault, not the
// machine's, for which it would be tried again.
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
		t.Errorf("%v, %d parts", err, len(parts))
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it was copied for a program")
	}
}

func TestCanceled(t *testing.T) {
	m, _ := newMaker(t, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := vitrine.PreviewFile{Name: "a.pdf", Kind: filetype.PDF, Blob: blobFile(t, filled(100, 100, "1 0 0"))}
	if err := m.Preview(ctx, f, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// script returns a program that is in for another.
func script(t *testing.T, lines string) string {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// How a child ends tells whose fault it is.
func TestEndOfChild(t *testing.T) {
	for _, c := range []struct {
		what, lines string
		fault       string // of the machine: in the error
		warning     string
	}{
		{"not this program", "echo usage; exit 2", "did not begin", ""},
		{"not this verb", "exit 0", "did not begin", ""},
		{"crash", "echo begun; echo 'panic: index out of range' >&2; exit 2", "", "index out of range"},
		{"out of memory", "echo begun; kill -9 $$", "", "killed"},
		{"no space", "echo begun; echo 'no space left'; exit 1", "no space left", ""},
		{"escapes", `echo begun; printf 'panic: \033[31mred\n'; exit 2`, "", "panic:  [31mred"},
		{"no fence", "echo begun; echo 'unlimited: previews run in the open'; exit 0", "", "in the open"},
		{"chatter", "echo begun; head -c 100000000 /dev/zero; exit 0", "", ""},
	} {
		m, w := newMaker(t, Options{Executable: script(t, c.lines)})
		m.prepared, m.plain = true, true // with namespaces no signal ends the first process from within
		_, err := preview(t, m, "a.pdf", blobFile(t, filled(9, 9, "1 0 0")))
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: error %v, want %q", c.what, err, c.fault)
		}
		if got := strings.Join(w.list(), "; "); !strings.Contains(got, c.warning) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: warnings %q, want %q", c.what, got, c.warning)
		}
	}
	m, _ := newMaker(t, Options{Executable: filepath.Join(t.TempDir(), "absent")})
	if _, err := preview(t, m, "a.pdf", blobFile(t, filled(9, 9, "1 0 0"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without an executable: %v", err)
	}
}

// A file that takes its child down, here by hanging in LibreOffice, leaves no
// process behind.
func TestWholeGroupEnds(t *testing.T) {
	alive := filepath.Join(t.TempDir(), "alive")
	if err := os.WriteFile(alive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, _ := newMaker(t, Options{Executable: script(t, "echo begun; tail -f "+alive+" & sleep 1000")})
	m.prepared, m.plain, m.limits.usual = true, true, 300*time.Millisecond
	if _, err := preview(t, m, "a.pdf", blobFile(t, filled(9, 9, "1 0 0"))); !errors.Is(err, errBusy) {
		t.Errorf("it did nothing, and that is: %v", err)
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if line, _ := os.ReadFile(p); strings.Contains(string(line), alive) {
			t.Errorf("%s lives: %q", p, line)
		}
	}
}

// Documents wait for each other, and give up with their context.
func TestOneOffice(t *testing.T) {
	m, _ := newMaker(t, Options{Office: "/bin/true"})
	m.oneOffice <- struct{}{}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	f := vitrine.PreviewFile{Name: "a.docx", Kind: filetype.Document, Blob: memory{bytes.NewReader(nil)}}
	if err := m.Preview(ctx, f, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
