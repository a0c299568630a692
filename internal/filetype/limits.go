package filetype

// What inspection may cost, whatever the input. Each bound has its reason; a file over a bound is refused, or held for a person
// (HoldNotFullyInspected) where the bound is ours and not the file's fault.
const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	// headBytes is what is read first of every file. It equals what the MIME library looks at.
	headBytes = 4 * kib

	// chunkBytes is the unit of streamed reading: large enough for few calls, small enough for many inspections at once.
	chunkBytes = 64 * kib

	// maxNameBytes is the contract's (contract, invalid_name).
	maxNameBytes = 255

	// maxDeclaredBytes bounds a declared MIME type; real ones have under 100 bytes.
	maxDeclaredBytes = 255

	// maxPixels is what one image may decode to: 16384 × 16384, the largest canvas browsers draw. Four bytes a pixel, that is 1 GiB.
	maxPixels = 1 << 28

	// maxSteps bounds the steps of all walks through the parts of one image, video, sound or RAR. A JPEG has some hundred segments,
	// a film some thousand boxes.
	maxSteps = 100_000

	// maxMPEGLead is how far behind an ID3 tag the first frame of a sound may begin; encoders pad tags with some KiB.
	maxMPEGLead = 64 * kib

	// maxMPEGRest is the longest frame of MPEG layer II or III.
	maxMPEGRest = 1729

	// maxTextScan is how much of a text or HTML file is validated. Text is served as plain text or in a sandbox, so that what lies
	// behind 64 MiB can surprise a reader but not harm one.
	maxTextScan = 64 * mib

	// maxSVG is the size up to which an SVG must be well-formed throughout; of a larger one the prolog and root are checked. The XML
	// decoder holds one token in memory, which may be as large as the file, and attributes take a dozen times their bytes.
	maxSVG = 1 * mib

	// maxXMLDepth is how deep elements may nest; libraries that browsers use stop at 256 to 5000.
	maxXMLDepth = 1000

	// maxProlog is where the root element of XML must have begun.
	maxProlog = 256 * kib
)

// Bounds of archives. They concern what whoever downloads the archive would unpack.
const (
	// MaxListed is how many entries Facts lists; nobody reads further on a page.
	MaxListed = 1000

	// maxEntries is more than a large source tree has; beyond it unpacking is an attack on a disk's inodes.
	maxEntries = 100_000

	// maxDirectory bounds the bytes of a ZIP's directory: 100,000 entries with long names and extra fields.
	maxDirectory = 32 * mib

	// maxUnpacked is what an archive may unpack to in all: 32 times the largest file of the default plans.
	maxUnpacked = 64 * gib

	// maxRatio is unpacked to packed size, for one entry and for all, once bombFloor is passed. Logs and dumps reach 50; deflate
	// cannot exceed 1032.
	maxRatio  = 200
	bombFloor = 100 * mib

	// maxInflated is what is decompressed of a gzip stream to look inside, some seconds of work. The rest is not looked at, and the
	// file is held.
	maxInflated = 2 * gib

	// maxNested is the size up to which a member is opened in memory, maxNestedTotal what is unpacked of members in one inspection to
	// look inside, the larger ones piece by piece, and maxDepth how deep. What is over them is held where it could carry programs.
	maxNested      = 8 * mib
	maxNestedTotal = 512 * mib
	maxDepth       = 3

	// maxVerified is what is unpacked of a ZIP's members to see that they end where the directory says. Bombs that lie about their size
	// are small: to reach maxRatio, one byte in five must be a liar's.
	maxVerified = 256 * mib

	// maxSolid is what is unpacked of a 7z archive to see how its members begin, and so the largest dictionary: seconds of work.
	maxSolid = 32 * mib

	// peekBytes of every member are looked at.
	peekBytes = kib

	// maxGap is what is looked at of bytes that belong to no member; honest archives have none.
	maxGap = 1 * mib

	// maxPart bounds the small parts of a document that are read whole or parsed: [Content_Types].xml, mimetype, manifest.
	maxPart = 2 * mib

	// openPrice is what beginning to decompress a member counts for, besides the bytes that come out.
	openPrice = 16 * kib

	// maxEmbedded bounds what is decompressed of the embedded objects of one office file.
	maxEmbedded = 256 * mib
)

// Bounds of compound files (doc, xls, ppt).
const (
	// maxStorages bounds directory entries of a compound file: 8 MiB of directory. Word makes a handful an embedded object.
	maxStorages = 64 * kib

	// maxRecordScan bounds how much of the main stream of xls and ppt is walked record by record.
	maxRecordScan = 64 * mib
)

// Bounds of PDF.
const (
	// pdfLookahead is the longest dictionary that is understood: a page tree node of some 40,000 kids.
	pdfLookahead = 512 * kib

	// pdfLexSlack is what may be lexed beyond the file's own size before the objects count as overlapping on purpose.
	pdfLexSlack = 16 * mib

	// maxObjectStream and maxObjectStreams bound one decompressed object stream, and all of one file. Writers put 100 to 200 objects
	// in one, some ten KiB.
	maxObjectStream  = 16 * mib
	maxObjectStreams = 256 * mib

	// maxPDFNodes bounds how many page tree nodes, catalogs and object streams are remembered.
	maxPDFNodes = 200_000

	// maxPDFCrypts bounds what looks like an encryption dictionary; a file has one.
	maxPDFCrypts = 16

	// maxPages is the largest believable page count; a larger one is unknown.
	maxPages = 100_000
)
