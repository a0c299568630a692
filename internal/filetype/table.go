package filetype

import (
	"maps"
	"slices"
	"strings"
)

// Supported is the contract's list, in its order (contract, createUpload). The
// first MIME type is the type's own; browsers, operating systems and libraries
// are known to declare the others.
var Supported = []Type{
	row("pdf", PDF, "a PDF document", "application/pdf", "application/x-pdf"),

	row("png", Image, "a PNG image", "image/png", "image/x-png", "image/apng", "image/vnd.mozilla.apng"),
	row("jpg", Image, "a JPEG image", "image/jpeg", "image/jpg", "image/pjpeg", "image/jfif"),
	row("gif", Image, "a GIF image", "image/gif"),
	row("webp", Image, "a WebP image", "image/webp"),
	row("avif", Image, "an AVIF image", "image/avif", "image/avif-sequence"),
	row("svg", Image, "an SVG image", "image/svg+xml", "image/svg"),
	row("bmp", Image, "a BMP image", "image/bmp", "image/x-bmp", "image/x-ms-bmp"),
	row("tiff", Image, "a TIFF image", "image/tiff", "image/tif", "image/x-tiff", "image/x-tif"),
	row("heic", Image, "a HEIC image", "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence"),

	row("mp4", Video, "an MP4 video", "video/mp4", "application/mp4", "audio/mp4"),
	row("m4v", Video, "an M4V video", "video/mp4", "video/x-m4v", "video/m4v"),
	row("mov", Video, "a QuickTime video", "video/quicktime"),
	row("webm", Video, "a WebM video", "video/webm", "audio/webm"),
	row("ogv", Video, "an Ogg video", "video/ogg", "application/ogg", "video/x-theora+ogg"),

	row("mp3", Audio, "an MP3 audio file", "audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg",
		"audio/x-mpeg-3"),
	row("m4a", Audio, "an M4A audio file", "audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aac", "audio/x-m4b",
		"audio/m4b", "audio/x-m4r"),
	row("aac", Audio, "an AAC audio file", "audio/aac", "audio/aacp", "audio/x-aac", "audio/x-hx-aac-adts",
		"audio/vnd.dlna.adts"),
	row("wav", Audio, "a WAV audio file", "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"),
	row("flac", Audio, "a FLAC audio file", "audio/flac", "audio/x-flac"),
	row("ogg", Audio, "an Ogg audio file", "audio/ogg", "application/ogg", "audio/vorbis", "audio/x-vorbis+ogg",
		"audio/opus"),
	row("opus", Audio, "an Opus audio file", "audio/ogg", "audio/opus", "application/ogg", "audio/x-opus+ogg"),

	row("doc", Document, "a Word document (doc)", "application/msword", "application/vnd.ms-word"),
	row("docx", Document, "a Word document (docx)",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.template",
		"application/vnd.ms-word.document.macroenabled.12"),
	row("xls", Document, "an Excel workbook (xls)", "application/vnd.ms-excel", "application/msexcel",
		"application/x-msexcel"),
	row("xlsx", Document, "an Excel workbook (xlsx)",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.template",
		"application/vnd.ms-excel.sheet.macroenabled.12"),
	row("ppt", Document, "a PowerPoint presentation (ppt)", "application/vnd.ms-powerpoint",
		"application/mspowerpoint"),
	row("pptx", Document, "a PowerPoint presentation (pptx)",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.openxmlformats-officedocument.presentationml.slideshow",
		"application/vnd.openxmlformats-officedocument.presentationml.template",
		"application/vnd.ms-powerpoint.presentation.macroenabled.12"),
	row("odt", Document, "an OpenDocument text", "application/vnd.oasis.opendocument.text"),
	row("ods", Document, "an OpenDocument spreadsheet", "application/vnd.oasis.opendocument.spreadsheet"),
	row("odp", Document, "an OpenDocument presentation", "application/vnd.oasis.opendocument.presentation"),
	row("rtf", Document, "an RTF document", "application/rtf", "text/rtf", "application/x-rtf", "text/richtext",
		"application/msword"),
	row("epub", Document, "an EPUB book", "application/epub+zip", "application/epub"),

	row("txt", Text, "plain text", "text/plain"),
	row("md", Text, "Markdown text", "text/markdown", "text/x-markdown", "text/plain"),
	row("csv", Text, "a CSV table", "text/csv", "text/x-csv", "application/csv", "text/comma-separated-values",
		"text/plain", "application/vnd.ms-excel"),
	row("tsv", Text, "a TSV table", "text/tab-separated-values", "text/tsv", "text/plain"),
	row("json", Text, "JSON text", "application/json", "text/json", "application/geo+json", "application/ld+json",
		"application/jsonl", "application/x-jsonlines", "application/x-ndjson", "application/ndjson",
		"application/jsonlines", "application/json5", "text/plain"),
	row("xml", Text, "XML text", "application/xml", "text/xml", "application/gpx+xml", "application/gpx",
		"application/vnd.google-earth.kml+xml", "application/rss+xml", "application/atom+xml", "text/x-opml",
		"text/x-opml+xml", "text/plain"),
	row("yaml", Text, "YAML text", "application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml", "text/plain"),
	row("log", Text, "a text log", "text/plain", "text/x-log"),

	row("html", HTML, "an HTML page", "text/html", "application/xhtml+xml"),

	row("zip", Archive, "a ZIP archive", "application/zip", "application/x-zip-compressed", "application/x-zip",
		"multipart/x-zip", "application/vnd.comicbook+zip", "application/x-cbz",
		"application/vnd.google-earth.kmz"),
	row("7z", Archive, "a 7z archive", "application/x-7z-compressed"),
	row("rar", Archive, "a RAR archive", "application/vnd.rar", "application/x-rar-compressed", "application/x-rar",
		"application/rar", "application/vnd.comicbook-rar", "application/x-cbr"),
	row("tar", Archive, "a tar archive", "application/x-tar", "application/tar"),
	row("gz", Archive, "a gzip file", "application/gzip", "application/x-gzip", "application/x-compressed-tar",
		"application/x-tgz"),
	row("tgz", Archive, "a gzipped tar archive", "application/gzip", "application/x-gzip",
		"application/x-compressed-tar", "application/x-tgz", "application/x-gtar-compressed",
		"application/x-compressed"),
}

func row(ext string, kind Kind, label string, accepts ...string) Type {
	return Type{Ext: ext, Kind: kind, MIME: accepts[0], Accepts: accepts, Label: label}
}

// spellings maps further extensions of supported types to the extension of the
// type's row in Supported: what programs, phones and systems call files of the
// same format.
var spellings = map[string]string{
	"apng": "png",
	"jpeg": "jpg", "jpe": "jpg", "jfif": "jpg", "jif": "jpg", "pjpeg": "jpg", "pjp": "jpg",
	"avifs": "avif", "dib": "bmp", "tif": "tiff", "heif": "heic", "heics": "heic", "heifs": "heic", "hif": "heic",
	"qt": "mov", "weba": "webm", "m4b": "m4a", "m4r": "m4a", "adts": "aac", "wave": "wav", "oga": "ogg",
	"dotx": "docx", "xltx": "xlsx", "pps": "ppt", "ppsx": "pptx", "potx": "pptx",
	"docm": "docx", "xlsm": "xlsx", "pptm": "pptx",
	"text": "txt", "markdown": "md", "mdown": "md", "mkd": "md", "mkdn": "md", "mdwn": "md", "tab": "tsv",
	"jsonl": "json", "ndjson": "json", "jsonlines": "json", "geojson": "json", "topojson": "json", "jsonld": "json",
	"jsonc": "json", "json5": "json",
	"gpx": "xml", "kml": "xml", "rss": "xml", "atom": "xml", "opml": "xml", "xsd": "xml", "yml": "yaml",
	"htm": "html", "xhtml": "html", "xht": "html",
	"cbz": "zip", "kmz": "zip", "cbr": "rar",
}

// TypesByExt maps extensions, in every spelling, to supported types.
var TypesByExt = func() map[string]Type {
	m := make(map[string]Type, len(Supported)+len(spellings))
	for _, t := range Supported {
		m[t.Ext] = t
	}
	for spelling, ext := range spellings {
		m[spelling] = m[ext]
	}
	return m
}()

// ByExt finds the type for the last extension of name, in any case and in any
// spelling. It checks nothing else.
func ByExt(name string) (Type, bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return Type{}, false
	}
	t, ok := TypesByExt[strings.ToLower(name[i+1:])]
	return t.clone(), ok
}

// MIMEOf returns the MIME type of a file by its name, or Unknown.
func MIMEOf(name string) string {
	if t, ok := ByExt(name); ok {
		return t.MIME
	}
	return Unknown
}

// clone copies t, so that callers cannot change the table.
func (t Type) clone() Type {
	t.Accepts = slices.Clone(t.Accepts)
	return t
}

// Extensions lists the supported extensions in every spelling, sorted, without
// dots.
func Extensions() []string { return slices.Sorted(maps.Keys(TypesByExt)) }

// Spellings lists the extensions of t: first its own, then the others, sorted.
func (t Type) Spellings() []string {
	exts := []string{t.Ext}
	for _, spelling := range slices.Sorted(maps.Keys(spellings)) {
		if spellings[spelling] == t.Ext {
			exts = append(exts, spelling)
		}
	}
	return exts
}

// Unknown is the Content-Type of bytes that nobody should interpret.
const Unknown = "application/octet-stream"

// ContentType returns the Content-Type for serving bytes of type t to the
// public (security, surfaces). All text is plain text; office files, archives
// and unsupported types are opaque. HTML has its own type for the sandboxed
// frame, the only place where it is shown.
func ContentType(t Type) string {
	t = TypesByExt[t.Ext]
	switch t.Kind {
	case Text:
		return "text/plain; charset=utf-8"
	case HTML:
		return "text/html; charset=utf-8"
	case PDF, Image, Video, Audio:
		return t.MIME
	default:
		return Unknown
	}
}

// Inline reports whether a browser that navigates to bytes of type t may show
// them; otherwise they are an attachment (security, surfaces). An SVG is an
// attachment: an <img> still shows it, and navigation downloads it.
func Inline(t Type) bool {
	t = TypesByExt[t.Ext]
	switch t.Kind {
	case PDF, Image, Video, Audio, Text, HTML:
		return t.Ext != "svg"
	default:
		return false
	}
}
