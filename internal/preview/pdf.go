package preview

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// wasmPage is the unit of memory of WebAssembly, in bytes.
const wasmPage = 64 << 10

// pdfium starts PDFium, which is WebAssembly: it reaches neither files nor
// network, and its memory is its own.
func (o order) pdfium() (pdfium.Pool, error) {
	runtime := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(maxWasm / wasmPage)
	if o.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(o.Cache)
		if err != nil {
			return nil, err
		}
		runtime = runtime.WithCompilationCache(cache)
	}
	return webassembly.Init(webassembly.Config{
		MaxTotal: 1, MaxIdle: 1,
		FSConfig: wazero.NewFSConfig(), // none; the library's own default is the whole file system
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: runtime,
	})
}

// fillCache compiles PDFium into the cache.
func (o order) fillCache() error {
	if o.Cache == "" {
		return nil
	}
	pool, err := o.pdfium()
	if err != nil {
		return fmt.Errorf("compile into %s: %w", o.Cache, err)
	}
	return pool.Close()
}

// Of a page that is higher than so many widths a narrower picture is made.
const maxPageRatio = 3

// pdfPicture makes the picture of a PDF's first page.
func (j *job) pdfPicture(r io.ReadSeeker, size int64) error {
	pool, err := j.pdfium()
	if err != nil && j.Cache != "" { // someone emptied the cache, where a child with a file may not write
		j.Cache = ""
		pool, err = j.pdfium()
	}
	if err != nil {
		return trouble{fmt.Errorf("start PDFium: %w", err)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return trouble{fmt.Errorf("start PDFium: %w", err)}
	}
	doc, err := p.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: size})
	if err != nil {
		return fmt.Errorf("open the PDF: %w", err)
	}
	first := requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document}}
	area, err := p.GetPageSize(&requests.GetPageSize{Page: first})
	if err != nil {
		return fmt.Errorf("open the first page: %w", err)
	}
	width, height := pageWidth, pageWidth*maxPageRatio
	if area.Width >= area.Height {
		width, height = cardWidth-2*mat, cardHeight-2*mat
	}
	page, err := p.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: first, Width: width, Height: height, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT, RenderForm: true,
		Document: &doc.Document,
	})
	if err != nil {
		return fmt.Errorf("draw the first page: %w", err)
	}
	return j.putPicture(pageCard(page.Result.Image))
}
