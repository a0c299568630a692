package preview

import "time"

// limits are the resource limits of a child.
type limits struct {
	usual time.Duration
	long  time.Duration // for LibreOffice, which starts slowly, for compiling PDFium, and for scans of many pages
}

var standard = limits{20 * time.Second, 90 * time.Second}

const (
	mib = 1 << 20

	// goMemory is the soft memory limit of the child's Go runtime. maxData is
	// the hard limit for each of its processes: written memory, not reserved
	// memory. The largest legitimate use is a progressive JPEG of 64 megapixels
	// in full color, with 960 MB for coefficients and pixels.
	goMemory = 1200 * mib
	maxData  = 2048 * mib

	// maxSpace limits address space. Go and LibreOffice reserve more than they
	// use.
	maxSpace = 8192 * mib

	// maxWasm limits the memory of PDFium, including the decoded images of a
	// page.
	maxWasm = 512 * mib

	// maxWritten limits the size of a file that a child writes.
	maxWritten = 512 * mib

	// maxPart limits the size of a part. PDFs of documents are the largest
	// parts.
	maxPart = 64 * mib

	// maxOpen limits open files and sockets. LibreOffice uses about 100.
	maxOpen = 1024

	// maxPixels and maxDecoded limit the size of decoded images: 64 megapixels
	// take 256 MiB, and half as many of 16 bits for each color. Phones have at
	// most 50 megapixels, cameras 61.
	maxPixels  = 64_000_000
	maxDecoded = 256 * mib

	// maxOffice limits the size of converted documents.
	maxOffice = 100 * mib

	// thumbTime limits the CPU time for page thumbnails.
	thumbTime = 6 * time.Second

	// textTime limits the CPU time for the text of pages, maxText its bytes,
	// and maxTextPages their number.
	textTime     = 5 * time.Second
	maxText      = 16 * mib
	maxTextPages = 10_000

	// nice is the priority of a child.
	nice = 10
)

// Limits of PartSheets: maxRows and maxCellsText for what a browser holds,
// sheetTime for reading it, headRows and maxHeads for what the page shows first
// of each sheet, and of all of them.
const (
	maxSheets    = 20
	maxRows      = 200_000
	maxColumns   = 100
	maxCellsText = 16 * mib
	sheetTime    = 10 * time.Second // CPU time
	headRows     = 100
	maxHeads     = mib

	// maxUnzipped limits the unpacked size of an xlsx file. maxUnzippedHeld
	// limits how much of one of its entries is held in memory. Larger ones use
	// a temporary file.
	maxUnzipped     = 512 * mib
	maxUnzippedHeld = 16 * mib
)
