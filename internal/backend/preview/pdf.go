package preview

import (
	"context"
	"fmt"
	"image"
	"io"
	"time"

	"vitrine"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// wasmPage is the size of a memory page of WebAssembly.
const wasmPage = 64 << 10

// pdfium starts PDFium in WebAssembly. It has separate memory and no access to
// files or the network.
func (o order) pdfium() (pdfium.Pool, error) {
	module, err := o.wasm()
	if err != nil {
		return nil, err
	}
	// PDFium handles errors with exceptions of WebAssembly.
	runtime := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(maxWasm / wasmPage).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if o.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(o.Cache)
		if err != nil {
			return nil, err
		}
		runtime = runtime.WithCompilationCache(cache)
	}
	return webassembly.InitWithWASM(webassembly.Config{
		WASM:     module,
		MaxTotal: 1, MaxIdle: 1,
		FSConfig: wazero.NewFSConfig(), // no file system; the library's default is all of it
		Stdout:   io.Discard, Stderr: io.Discard,
		RuntimeConfig: runtime,
	})
}

// maxPageRatio is the maximum ratio of page height to width. Pictures of higher
// pages are narrower.
const maxPageRatio = 3

// document is a PDF that is open in PDFium.
type document struct {
	pdfium.Pdfium
	ref references.FPDF_DOCUMENT
}

// pdfParts makes the pictures of the first page, and the thumbnails and the
// text of the first pages.
func (j *job) pdfParts(r io.ReadSeeker, size int64) error {
	pool, err := j.pdfium()
	if err != nil && j.Cache != "" { // the cache was deleted, and a child with a file may not write to it
		j.Cache = ""
		pool, err = j.pdfium()
	}
	if err != nil {
		return machineError{fmt.Errorf("start PDFium: %w", err)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return machineError{fmt.Errorf("start PDFium: %w", err)}
	}
	doc, err := p.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: size})
	if err != nil {
		return fmt.Errorf("open the PDF: %w", err)
	}
	d := document{p, doc.Document}
	if err := j.pdfPicture(d); err != nil {
		return err
	}
	if err := j.thumbs(d); err != nil {
		return err
	}
	return j.text(d)
}

func (j *job) pdfPicture(d document) error {
	area, err := d.GetPageSize(&requests.GetPageSize{Page: d.page(0)})
	if err != nil {
		return fmt.Errorf("open the first page: %w", err)
	}
	width, height := pageWidth, pageWidth*maxPageRatio
	if area.Width >= area.Height {
		width, height = cardWidth-2*mat, cardHeight-2*mat
	}
	err = d.draw(0, width, height, func(page image.Image) error { return j.putPicture(pageCard(page)) })
	width, height, ok := firstSize(area.Width, area.Height)
	if err != nil || !ok {
		return err
	}
	return d.draw(0, width, height, j.putFirst)
}

func (d document) page(i int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: d.ref, Index: i}}
}

// draw renders a page as large as fits and passes it to use. The image is only
// valid during the call.
func (d document) draw(i, width, height int, use func(image.Image) error) error {
	page, err := d.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: d.page(i), Width: width, Height: height, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT, RenderForm: true,
		Document: &d.ref,
	})
	if err != nil {
		return fmt.Errorf("draw page %d: %w", i+1, err)
	}
	defer page.Cleanup()
	return use(page.Result.RenderedImage)
}

// thumbs makes thumbnails of the first pages within thumbTime. It skips pages
// that fail to render.
func (j *job) thumbs(d document) error {
	count, err := d.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if err != nil {
		return fmt.Errorf("count the pages: %w", err)
	}
	thumbs, until := newThumbs(), ownTime()+thumbTime
	for i := 0; i < min(count.PageCount, vitrine.MaxThumbs) && ownTime() < until; i++ {
		_ = d.draw(i, thumbSide, thumbSide, func(page image.Image) error { return thumbs.add(i+1, page) })
	}
	return j.putThumbs(thumbs)
}
