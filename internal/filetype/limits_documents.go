package filetype

// The allowances of one inspection for all documents in a file. Each is some
// seconds of work.
const (
	maxUnfolded = 512 * MiB
	maxSampled  = GiB
	maxLexed    = 64 * MiB
	maxNamed    = 64 << 20  // a gigabyte of pages has some millions
	maxScanned  = 256 * MiB // four texts of MaxTextScan, or one RTF document

	// maxMatched is how much text of pages is matched with regular expressions.
	// Only text with their first words is matched.
	maxMatched = 16 * MiB
)

// Further limits of PDF.
const (
	// MaxPDFFilters is the most filters of a stream; writers use one or two.
	MaxPDFFilters = 8

	// MaxPDFScript is how much of a script is inspected.
	MaxPDFScript = 64 * KiB

	// MaxReferred is the most scripts and embedded files of a PDF that are
	// inspected.
	MaxReferred = 1000

	// BombSample is how much of a compressed stream is unpacked at first. From
	// the ratio BombRatio on, the rest is unpacked too, up to BombFloor.
	// Deflate cannot exceed 1032; pages and fonts stay below 100.
	BombSample = 64 * KiB
	BombRatio  = 800
)

// The limits of images and media.
const (
	// MaxMetadata is the most bytes that a colour profile or text of an image
	// may unpack to; libraries stop at 8 MB.
	MaxMetadata = 8 * MiB

	// MaxJPEG is how much of a JPEG is searched for its end; photographs within
	// MaxPixels are smaller.
	MaxJPEG = 512 * MiB

	// MaxScans is the most scans of a JPEG. Encoders write ten, and each costs
	// as much as the whole picture.
	MaxScans = 1000

	// MaxTracks bounds the tracks of a film, MaxSamples the samples of a track.
	// A day of sound at 48 kHz has 2³² bytes, but far fewer samples in the
	// table.
	MaxTracks  = 1000
	MaxSamples = 1 << 28
)
