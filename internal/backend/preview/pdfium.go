package preview

import (
	_ "embed"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vitrine/internal/base/durable"

	"github.com/ulikunitz/xz"
)

// packed is PDFium in WebAssembly, as the module go-pdfium has it, in the form
// of xz. TestPackedPDFium writes it.
//
//go:embed vendor/pdfium/pdfium.wasm.xz
var packed string

// wasm returns PDFium in WebAssembly. Only a child calls it, so that the server
// does not hold it.
func (o order) wasm() ([]byte, error) {
	if o.Cache != "" {
		if module, err := os.ReadFile(o.cached()); err == nil {
			return module, nil
		}
	}
	z, err := xz.NewReader(strings.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// cached is the file of the cache that has the unpacked PDFium of this program.
func (o order) cached() string {
	return filepath.Join(o.Cache, fmt.Sprintf("pdfium-%08x.wasm", crc32.ChecksumIEEE([]byte(packed))))
}

// unpack writes PDFium into the cache, unless it is there.
func (o order) unpack() error {
	if _, err := os.Stat(o.cached()); err == nil {
		return nil
	}
	module, err := o.wasm()
	if err != nil {
		return err
	}
	return durable.WriteFile(o.cached(), string(module))
}

// fillCache unpacks PDFium into the cache and compiles it there.
func (o order) fillCache() error {
	if o.Cache == "" {
		return nil
	}
	if err := o.unpack(); err != nil {
		return fmt.Errorf("unpack into %s: %w", o.Cache, err)
	}
	pool, err := o.pdfium()
	if err != nil {
		return fmt.Errorf("compile into %s: %w", o.Cache, err)
	}
	return pool.Close()
}
