package preview

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the packed PDFium anew")

const pdfiumDir = "vendor/pdfium"

// TestPackedPDFium checks that the packed PDFium is that of go-pdfium in the
// version that go.mod names, that the cache gets it once, and that it is read
// from there. With -update it writes the packed one.
func TestPackedPDFium(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Path}} {{.Version}}",
		"github.com/klippa-app/go-pdfium").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, module, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	file := filepath.Join(dir, "internal/pdfium_wasm/pdfium.wasm")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	version := fmt.Sprintf("PDFium, pdfium.wasm of %s, https://pdfium.googlesource.com/pdfium, BSD-3-Clause and\n"+
		"Apache-2.0 (LICENSE). Compressed by TestPackedPDFium, unchanged.\n", module)
	if *update {
		// The memory of a reader grows with dict.
		out, err := exec.Command("xz", "--stdout", "--lzma2=preset=9e,dict=8MiB", file).Output()
		if err := errors.Join(err, os.WriteFile(filepath.Join(pdfiumDir, "pdfium.wasm.xz"), out, 0o644),
			os.WriteFile(filepath.Join(pdfiumDir, "VERSION"), []byte(version), 0o644)); err != nil {
			t.Fatal(err)
		}
		packed = string(out)
	}
	o := order{Cache: t.TempDir()}
	if err := o.unpack(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(o.cached()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes are packed (%v), want the %d bytes of %s: run this test with -update", len(got), err,
			len(want), module)
	}
	must(t, os.WriteFile(o.cached(), []byte("kept"), 0o600))
	must(t, o.unpack())
	if got, err := o.wasm(); err != nil || string(got) != "kept" {
		t.Errorf("%d bytes (%v), want what is in the cache", len(got), err)
	}
	if text, err := os.ReadFile(filepath.Join(pdfiumDir, "VERSION")); err != nil || string(text) != version {
		t.Errorf("VERSION = %q (%v), want %q: run this test with -update", text, err, version)
	}
}
