package filetype

// What one inspection may spend on all documents in a file together. Each is
// some seconds of work.
const (
	maxUnfolded = 512 * MiB
	maxSampled  = GiB
	maxLexed    = 64 * MiB
	maxNamed    = 64 << 20  // a gigabyte of pages has some millions
	maxScanned  = 256 * MiB // four texts of MaxTextScan, or one RTF document

	// maxMatched is how much text of pages is compared with regular
	// expressions, once it has the words that they begin with.
	maxMatched = 16 * MiB
)

// Further bounds of PDF.
const (
	// MaxPDFFilters is how many filters one stream may pass through; writers
	// use one or two.
	MaxPDFFilters = 8

	// MaxPDFScript is how much of a script is looked at.
	MaxPDFScript = 64 * KiB

	// MaxReferred is how many scripts and embedded files of a PDF are looked
	// into.
	MaxReferred = 1000

	// BombSample is how much of a compressed stream is unpacked, and BombRatio
	// the ratio from which the rest is unpacked as well, up to BombFloor.
	// Deflate cannot exceed 1032; pages and fonts do not reach 100.
	BombSample = 64 * KiB
	BombRatio  = 800
)

// Bounds of images and media.
const (
	// MaxMetadata is what a colour profile or text of an image may unpack to;
	// libraries stop at 8 MB.
	MaxMetadata = 8 * MiB

	// MaxJPEG is how much of a JPEG is read in search of its end; with
	// MaxPixels, photographs take less.
	MaxJPEG = 512 * MiB

	// MaxScans is how many passages over the picture one JPEG may have;
	// encoders make ten, and each costs as much as the whole picture.
	MaxScans = 1000

	// MaxTracks bounds the tracks of a film, and MaxSamples the samples of one:
	// a day of sound at 48 kHz has 2³² bytes, but not as samples of their own.
	MaxTracks  = 1000
	MaxSamples = 1 << 28
)
