package filetype

// What one inspection may spend on all documents in a file together. Each is
// some seconds of work.
const (
	maxUnfolded = 512 * MiB
	maxSampled  = GiB
	maxLexed    = 64 * MiB
	maxNamed    = 64 << 20  // a gigabyte of pages has some millions
	maxScanned  = 256 * MiB // four texts of maxTextScan, or one RTF document

	// maxMatched is how much text of pages is compared with regular
	// expressions, once it has the words that they begin with.
	maxMatched = 16 * MiB
)

// Further bounds of PDF.
const (
	// maxPDFFilters is how many filters one stream may pass through; writers
	// use one or two.
	MaxPDFFilters = 8

	// maxPDFScript is how much of a script is looked at.
	MaxPDFScript = 64 * KiB

	// maxReferred is how many scripts and embedded files of a PDF are looked
	// into.
	MaxReferred = 1000

	// bombSample is how much of a compressed stream is tried, and bombRatio
	// what it must unpack to for the rest to be tried as well, up to bombFloor.
	// Deflate cannot exceed 1032; pages and fonts do not reach 100.
	BombSample = 64 * KiB
	BombRatio  = 800
)

// Bounds of images and media.
const (
	// maxMetadata is what a colour profile or text of an image may unpack to;
	// libraries stop at 8 MB.
	MaxMetadata = 8 * MiB

	// maxJPEG is how much of a JPEG is read in search of its end; with
	// maxPixels, photographs take less.
	MaxJPEG = 512 * MiB

	// maxScans is how many passages over the picture one JPEG may have;
	// encoders make ten, and each costs as much as the whole picture.
	MaxScans = 1000

	// maxTracks bounds the tracks of a film, and maxSamples the samples of one:
	// a day of sound at 48 kHz has 2³² bytes, but not as samples of their own.
	MaxTracks  = 1000
	MaxSamples = 1 << 28
)
