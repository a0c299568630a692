package filetype

// What inspection may cost, whatever the input. Each bound has its reason; a
// file over a bound is refused, or held for a person (HoldNotFullyInspected)
// where the bound is ours and not the file's fault.
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30

	// HeadBytes is what is read first of every file. It equals what the MIME
	// library looks at.
	HeadBytes = 4 * KiB

	// ChunkBytes is the unit of streamed reading: large enough for few calls,
	// small enough for many inspections at once.
	ChunkBytes = 64 * KiB

	// MaxNameBytes is the contract's (contract, invalid_name).
	MaxNameBytes = 255

	// maxDeclaredBytes bounds a declared MIME type; real ones have under 100
	// bytes.
	maxDeclaredBytes = 255

	// MaxPixels is what one image may decode to: 16384 × 16384, the largest
	// canvas browsers draw. Four bytes a pixel, that is 1 GiB.
	MaxPixels = 1 << 28

	// MaxSteps bounds the steps of all walks through the parts of one image,
	// video, sound or RAR. A JPEG has some hundred segments, a film some
	// thousand boxes.
	MaxSteps = 100_000

	// MaxMPEGLead is how far behind an ID3 tag the first frame of a sound may
	// begin; encoders pad tags with some KiB.
	MaxMPEGLead = 64 * KiB

	// MaxMPEGRest is the longest frame of MPEG layer II or III.
	MaxMPEGRest = 1729

	// MaxTextScan is how much of a text or HTML file is validated. Text is
	// served as plain text or in a sandbox, so that what lies behind 64 MiB can
	// surprise a reader but not harm one.
	MaxTextScan = 64 * MiB

	// MaxSVG is the size up to which an SVG must be well-formed throughout; of
	// a larger one the prolog and root are checked. The XML decoder holds one
	// token in memory, which may be as large as the file, and attributes take a
	// dozen times their bytes.
	MaxSVG = 1 * MiB

	// MaxXMLDepth is how deep elements may nest; libraries that browsers use
	// stop at 256 to 5000.
	MaxXMLDepth = 1000

	// MaxProlog is where the root element of XML must have begun.
	MaxProlog = 256 * KiB
)

// Bounds of archives. They concern what a person who downloads the archive
// would unpack.
const (
	// MaxListed is how many entries Facts lists; nobody reads further on a
	// page.
	MaxListed = 1000

	// MaxEntries is more than a large source tree has; unpacking more would be
	// an attack on a disk's inodes.
	MaxEntries = 100_000

	// MaxDirectory bounds the bytes of a ZIP's directory: 100,000 entries with
	// long names and extra fields.
	MaxDirectory = 32 * MiB

	// MaxUnpacked is what an archive may unpack to in all: 32 times the largest
	// file of the default plans.
	MaxUnpacked = 64 * GiB

	// MaxRatio is the highest ratio of unpacked to packed size, for one entry
	// and for all, once BombFloor is passed. Logs and dumps reach 50; deflate
	// cannot exceed 1032.
	MaxRatio  = 200
	BombFloor = 100 * MiB

	// MaxInflated is what is decompressed of a gzip stream to look inside, some
	// seconds of work. The rest is not looked at, and the file is held.
	MaxInflated = 2 * GiB

	// MaxNested is the size up to which a member is opened in memory,
	// MaxNestedTotal what is unpacked of members in one inspection to look
	// inside, the larger ones piece by piece, and MaxDepth how deep. What is
	// over them is held where it could carry programs.
	MaxNested      = 8 * MiB
	MaxNestedTotal = 512 * MiB
	MaxDepth       = 3

	// MaxVerified is what is unpacked of a ZIP's members to see that they end
	// where the directory says. Bombs that lie about their size are small: to
	// reach MaxRatio, one byte in five must be a liar's.
	MaxVerified = 256 * MiB

	// MaxSolid is what is unpacked of a 7z archive to see how its members
	// begin, and so the largest dictionary: seconds of work.
	MaxSolid = 32 * MiB

	// PeekBytes of every member are looked at.
	PeekBytes = KiB

	// MaxGap is what is looked at of bytes that belong to no member; honest
	// archives have none.
	MaxGap = 1 * MiB

	// MaxPart bounds the small parts of a document that are read whole or
	// parsed: [Content_Types].xml, mimetype, manifest.
	MaxPart = 2 * MiB

	// OpenPrice is what beginning to decompress a member counts for, besides
	// the bytes that come out.
	OpenPrice = 16 * KiB

	// MaxEmbedded bounds what is decompressed of the embedded objects of one
	// office file.
	MaxEmbedded = 256 * MiB
)

// Bounds of compound files (doc, xls, ppt).
const (
	// MaxStorages bounds directory entries of a compound file: 8 MiB of
	// directory. Word makes a handful an embedded object.
	MaxStorages = 64 * KiB

	// MaxRecordScan bounds how much of the main stream of xls and ppt is walked
	// record by record.
	MaxRecordScan = 64 * MiB
)

// Bounds of PDF.
const (
	// PdfLookahead is the longest dictionary that is understood: a page tree
	// node of some 40,000 kids.
	PdfLookahead = 512 * KiB

	// PdfLexSlack is what may be lexed beyond the file's own size before the
	// objects count as overlapping on purpose.
	PdfLexSlack = 16 * MiB

	// MaxObjectStream and MaxObjectStreams bound one decompressed object
	// stream, and all of one file. Writers put 100 to 200 objects in one, some
	// ten KiB.
	MaxObjectStream  = 16 * MiB
	MaxObjectStreams = 256 * MiB

	// MaxPDFNodes bounds how many page tree nodes, catalogs and object streams
	// are remembered.
	MaxPDFNodes = 200_000

	// MaxPDFCrypts bounds what looks like an encryption dictionary; a file has
	// one.
	MaxPDFCrypts = 16

	// MaxPages is the largest believable page count; a larger one is unknown.
	MaxPages = 100_000
)

// Bounds of the ZIP of a website. Nothing of it is ever unpacked onto a disk:
// they bound what inspection and a manifest cost, and what readers are sent.
const (
	// MaxSiteEntries is how many entries a website's ZIP may have, folders
	// among them. The manifest of one that has as many takes some two megabytes
	// of memory, and twelve when all names are as long as they may be.
	MaxSiteEntries = 10_000

	// MaxSiteBytes is what all files of a website may unpack to. It is the size
	// up to which a ZIP needs no 64-bit extension, so that what was packed by
	// any program, ours in the browser too, can be as large stored as packed.
	MaxSiteBytes = 4 * GiB

	// MaxSiteName bounds a path. Browsers and proxies pass addresses of some
	// 8000 bytes, in which a byte may take three.
	MaxSiteName = 1024

	// MaxSiteVerified is what is unpacked of a website's files to see that they
	// are what the directory says: seconds of work. Browsers' own formats are
	// packed already, and stored by our packer; text of a gigabyte is a
	// person's to look at.
	MaxSiteVerified = 1 * GiB

	// MaxSiteRefused is how many refused entries are listed.
	MaxSiteRefused = 1000
)
