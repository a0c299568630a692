package preview

import "time"

// limits is what a child may take.
type limits struct {
	usual time.Duration
	long  time.Duration // with LibreOffice, which takes seconds to start, and to compile PDFium
}

var standard = limits{20 * time.Second, 90 * time.Second}

const (
	mib = 1 << 20

	// goMemory is when the child's collector begins to work hard, maxData where
	// each of its processes ends: what is written to, not what is reserved. The
	// largest honest need is a progressive JPEG of 64 megapixels in full color,
	// whose coefficients and pixels are 960 MB.
	goMemory = 1200 * mib
	maxData  = 2048 * mib

	// maxSpace bounds addresses, of which Go and LibreOffice reserve more than
	// they use.
	maxSpace = 8192 * mib

	// maxWasm is what PDFium may hold: a page's largest pictures, decoded.
	maxWasm = 512 * mib

	// maxWritten is the largest file that a child may write.
	maxWritten = 512 * mib

	// maxPart is the largest part that is taken from a child. PDF of documents
	// is the largest; others are bounded by what they are.
	maxPart = 64 * mib

	// maxOpen bounds open files and sockets; LibreOffice has some hundred.
	maxOpen = 1024

	// maxPixels is what is decoded of an image: 64 megapixels are 256 MiB.
	// Phones make 50 at most, cameras 61.
	maxPixels = 64_000_000

	// maxOffice is the largest document that is converted.
	maxOffice = 100 * mib

	// thumbTime is how much of a processor small pictures of pages may take.
	thumbTime = 6 * time.Second

	// nice is how far a child stands back.
	nice = 10
)

// Bounds of PartSheets: what a page can show, and a visitor look at.
const (
	maxSheets    = 20
	maxRows      = 2000
	maxColumns   = 100
	maxCellsText = 2 * mib

	// maxUnzipped is what an xlsx may unpack to, maxUnzippedHeld how much of
	// one of its files is held in memory; above, it is in a temporary file.
	maxUnzipped     = 512 * mib
	maxUnzippedHeld = 16 * mib
)
