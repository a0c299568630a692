package preview

import "time"

// limits are the limits of a child.
type limits struct {
	usual time.Duration
	long  time.Duration // with LibreOffice, which takes seconds to start, and to compile PDFium
}

var standard = limits{20 * time.Second, 90 * time.Second}

const (
	mib = 1 << 20

	// goMemory is when the child's collector begins to work hard. maxData is
	// the most memory of each of its processes: memory that is written to, not
	// reserved. The largest valid need is a progressive JPEG of 64 megapixels
	// in full color, whose coefficients and pixels are 960 MB.
	goMemory = 1200 * mib
	maxData  = 2048 * mib

	// maxSpace limits address space, of which Go and LibreOffice reserve more
	// than they use.
	maxSpace = 8192 * mib

	// maxWasm is the most memory of PDFium, for a page's largest pictures when
	// decoded.
	maxWasm = 512 * mib

	// maxWritten is the largest file that a child may write.
	maxWritten = 512 * mib

	// maxPart is the largest part that is accepted from a child. PDFs of
	// documents are the largest parts; the other parts are small by nature.
	maxPart = 64 * mib

	// maxOpen limits open files and sockets. LibreOffice has about a hundred.
	maxOpen = 1024

	// maxPixels is the most pixels of an image that is decoded: 64 megapixels
	// are 256 MiB. Phones make 50 at most, cameras 61.
	maxPixels = 64_000_000

	// maxOffice is the largest document that is converted.
	maxOffice = 100 * mib

	// thumbTime is the most processor time for the small pictures of pages.
	thumbTime = 6 * time.Second

	// nice lowers the priority of a child.
	nice = 10
)

// Limits of PartSheets: how much a page can show and a visitor can look at.
const (
	maxSheets    = 20
	maxRows      = 2000
	maxColumns   = 100
	maxCellsText = 2 * mib

	// maxUnzipped is the most that an xlsx may unpack to. maxUnzippedHeld is
	// how much of one of its files is kept in memory; a larger one is kept in a
	// temporary file.
	maxUnzipped     = 512 * mib
	maxUnzippedHeld = 16 * mib
)
