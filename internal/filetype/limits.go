package filetype

// The limits of inspection, each with its reason. A file over a limit is
// refused, or held for a person (HoldNotFullyInspected) if the limit is ours
// and not the file's fault.
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30

	// HeadBytes is read first from every file. The MIME library uses the same
	// number.
	HeadBytes = 4 * KiB

	// ChunkBytes is the unit of streamed reading. It is large enough for few
	// calls and small enough for many inspections at once.
	ChunkBytes = 64 * KiB

	// MaxNameBytes is the contract's (contract, File names).
	MaxNameBytes = 255

	// maxDeclaredBytes bounds a declared MIME type; real ones are shorter than
	// 100 bytes.
	maxDeclaredBytes = 255

	// MaxPixels is the most pixels of an image: 16384 × 16384, the largest
	// canvas of browsers. With four bytes a pixel that is 1 GiB.
	MaxPixels = 1 << 28

	// MaxSteps bounds the steps of all walks through the parts of an image,
	// video, sound or RAR. A JPEG has some hundred segments, a film some
	// thousand boxes.
	MaxSteps = 100_000

	// MaxMPEGLead is the largest distance from an ID3 tag to the first frame;
	// encoders pad tags by some KiB.
	MaxMPEGLead = 64 * KiB

	// MaxMPEGRest is the longest frame of MPEG layer II or III.
	MaxMPEGRest = 1729

	// MaxTextScan is how much of a text or HTML file is validated. Text is
	// served as plain text or in a sandbox, so bytes after 64 MiB can surprise
	// a reader but do no harm.
	MaxTextScan = 64 * MiB

	// MaxSVG is the size up to which an SVG must be well-formed. Of a larger
	// one only the prolog and root are checked. The XML decoder holds a token
	// in memory, which may be as large as the file, and attributes take a dozen
	// times their size.
	MaxSVG = 1 * MiB

	// MaxXMLDepth is the deepest nesting of elements. The libraries of browsers
	// stop at 256 to 5000.
	MaxXMLDepth = 1000

	// MaxProlog is how far into an XML file the root element may begin.
	MaxProlog = 256 * KiB
)

// The limits of archives. They concern what a person unpacks after a download.
const (
	// MaxListed is the most entries that Facts lists. Nobody reads more on a
	// page.
	MaxListed = 1000

	// MaxEntries is more than a large source tree has. Unpacking more would
	// exhaust the inodes of a disk.
	MaxEntries = 100_000

	// MaxDirectory bounds the directory of a ZIP: 100,000 entries with long
	// names and extra fields.
	MaxDirectory = 32 * MiB

	// MaxUnpacked is the most bytes that an archive may unpack to: 32 times the
	// largest file of the default plans.
	MaxUnpacked = 64 * GiB

	// MaxRatio is the highest ratio of unpacked to packed size, for an entry
	// and for all together, above BombFloor. Logs and dumps reach 50; deflate
	// cannot exceed 1032.
	MaxRatio  = 200
	BombFloor = 100 * MiB

	// MaxInflated is how much of a gzip stream is decompressed for inspection,
	// which takes some seconds. A file with more is held.
	MaxInflated = 2 * GiB

	// MaxNested is the size up to which a member is opened in memory; larger
	// ones are read as streams. MaxNestedTotal is how much of all members is
	// unpacked in an inspection. MaxDepth is the deepest nesting. Beyond these
	// limits, members that could contain programs are held.
	MaxNested      = 8 * MiB
	MaxNestedTotal = 512 * MiB
	MaxDepth       = 3

	// MaxVerified is how much of a ZIP's members is unpacked to check that they
	// end where the directory states. Bombs that lie about their size are
	// small: to reach MaxRatio, one byte in five must be part of a lie.
	MaxVerified = 256 * MiB

	// MaxSolid is how much of a 7z archive is unpacked to see the beginning of
	// members, and therefore the largest dictionary. It takes seconds.
	MaxSolid = 32 * MiB

	// MaxMember is the largest member that is unpacked for a reader, of an
	// archive that is packed as a whole: it may be in memory. MaxReach is how
	// much of a compressed tar is unpacked to get to it.
	MaxMember = 8 * MiB
	MaxReach  = 64 * MiB

	// PeekBytes is how much of every member is inspected.
	PeekBytes = KiB

	// MaxGap is how many bytes outside of members are inspected. Honest
	// archives have none.
	MaxGap = 1 * MiB

	// MaxPart bounds small parts of a document that are read completely:
	// [Content_Types].xml, mimetype, manifest.
	MaxPart = 2 * MiB

	// OpenPrice is the cost of starting to decompress a member, in addition to
	// its bytes.
	OpenPrice = 16 * KiB

	// MaxEmbedded bounds the decompressed bytes of all embedded objects of an
	// office file.
	MaxEmbedded = 256 * MiB
)

// The limits of compound files (doc, xls, ppt).
const (
	// MaxStorages bounds the directory entries of a compound file: 8 MiB. Word
	// creates a handful for each embedded object.
	MaxStorages = 64 * KiB

	// MaxRecordScan bounds how much of the main stream of xls and ppt is
	// walked.
	MaxRecordScan = 64 * MiB
)

// The limits of PDF.
const (
	// PdfLookahead is the longest supported dictionary: a page tree node with
	// about 40,000 kids.
	PdfLookahead = 512 * KiB

	// PdfLexSlack is how much may be lexed beyond the file's own size. With
	// more, the objects overlap on purpose.
	PdfLexSlack = 16 * MiB

	// MaxObjectStream bounds a decompressed object stream, MaxObjectStreams all
	// of a file. Writers put 100 to 200 objects into one, about ten KiB.
	MaxObjectStream  = 16 * MiB
	MaxObjectStreams = 256 * MiB

	// MaxPDFNodes bounds the remembered page tree nodes, catalogs and object
	// streams.
	MaxPDFNodes = 200_000

	// MaxPDFCrypts bounds the remembered objects that look like an encryption
	// dictionary; a file has one.
	MaxPDFCrypts = 16

	// MaxPages is the largest plausible page count; larger counts are unknown.
	MaxPages = 100_000
)

// The limits of a website's ZIP. It is never unpacked onto a disk, so they
// bound the cost of inspection and manifest, and what readers receive.
const (
	// MaxSiteEntries is the most entries of a website's ZIP, including folders.
	// With as many, the manifest takes about two megabytes of memory, and
	// twelve with the longest names.
	MaxSiteEntries = 10_000

	// MaxSiteBytes is the most bytes that all files of a website may unpack to.
	// Up to this size a ZIP needs no 64-bit extension, so the limit is the same
	// for stored and packed files of any program.
	MaxSiteBytes = 4 * GiB

	// MaxSiteName bounds a path. Browsers and proxies support addresses of
	// about 8000 bytes, in which a byte may take three.
	MaxSiteName = 1024

	// MaxSiteVerified is how much of a website's files is unpacked to compare
	// them with the directory, which takes seconds. Browser formats are packed
	// already, and our packer stores them; a gigabyte of text is held for a
	// person.
	MaxSiteVerified = 1 * GiB

	// MaxSiteRefused is the most refused entries that are listed.
	MaxSiteRefused = 1000
)
