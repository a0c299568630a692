package inspect

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/text"

	"golang.org/x/text/unicode/norm"
)

// Site is what a website's ZIP serves. It depends only on the bytes, so the
// same ZIP always yields the same Site.
type Site struct {
	// Files maps the served paths, relative to the site's root and in Unicode
	// NFC, to the files.
	Files map[string]SiteFile
	Bytes int64 // of all files, unpacked
	// Refused lists entries that are not served, in the order of the ZIP: the
	// first thousand of RefusedTotal.
	Refused      []SiteRefusal
	RefusedTotal int
	Root         string // the folder of the ZIP that the site is in, "" or with a slash at its end
}

// SiteFile is a file of a website, and the position of its bytes in the ZIP.
type SiteFile struct {
	Type     string // Content-Type
	Offset   int64  // of the packed bytes
	Packed   int64
	Size     int64 // unpacked, according to the ZIP
	CRC32    uint32
	Deflated bool // compressed with deflate; otherwise stored
}

// SiteRefusal is an entry that is not served.
type SiteRefusal struct {
	Path   string // path in the ZIP, safe to display: untrusted text of at most 200 bytes
	Reason string // an Entry constant
}

// The reasons why an entry of a website is left out. They are not Reasons: the
// rest of the website is published.
const (
	EntryUnlisted = "unlisted_type"
	EntryProgram  = "program"
	EntryHidden   = "hidden"
	EntryEscapes  = "escaping_path"
	EntryBadName  = "bad_name"
	EntryLink     = "link"
	EntryTwice    = "duplicate"
	EntryMethod   = "packing"
)

// EntryMeaning returns the meaning of an Entry constant for the owner of the
// website.
func EntryMeaning(code string) string {
	switch code {
	case EntryUnlisted:
		return "unsupported file type"
	case EntryProgram:
		return "program or server script"
	case EntryHidden:
		return "hidden file"
	case EntryEscapes:
		return "its path leads out of the website’s folder"
	case EntryBadName:
		return "its name is too long, not UTF-8, or has control characters"
	case EntryLink:
		return "a link or device, not a file"
	case EntryTwice:
		return "another file has the same path"
	case EntryMethod:
		return "packed in a way that browsers cannot unpack: use deflate, or store it"
	}
	return ""
}

// webTypes maps the extensions of website files to the Content-Type for
// serving. Text is UTF-8, but an HTML page may declare another encoding.
var webTypes = func() map[string]string {
	m := map[string]string{}
	for contentType, exts := range map[string]string{
		"text/html":                      "html htm",
		"application/xhtml+xml":          "xhtml",
		"text/css; charset=utf-8":        "css",
		"text/javascript; charset=utf-8": "js mjs",
		"application/json":               "json map geojson",
		"application/ld+json":            "jsonld",
		"application/manifest+json":      "webmanifest",
		"application/xml":                "xml xsl",
		"application/rss+xml":            "rss",
		"application/atom+xml":           "atom",
		"text/plain; charset=utf-8":      "txt md",
		"text/csv; charset=utf-8":        "csv",
		"text/vtt; charset=utf-8":        "vtt",
		"text/calendar; charset=utf-8":   "ics",
		"image/svg+xml":                  "svg",
		"image/png":                      "png",
		"image/apng":                     "apng",
		"image/jpeg":                     "jpg jpeg",
		"image/gif":                      "gif",
		"image/webp":                     "webp",
		"image/avif":                     "avif",
		"image/x-icon":                   "ico",
		"image/bmp":                      "bmp",
		"font/woff":                      "woff",
		"font/woff2":                     "woff2",
		"font/ttf":                       "ttf",
		"font/otf":                       "otf",
		"application/vnd.ms-fontobject":  "eot",
		"application/wasm":               "wasm",
		"application/pdf":                "pdf",
		"video/mp4":                      "mp4 m4v",
		"video/webm":                     "webm",
		"video/ogg":                      "ogv",
		"audio/mpeg":                     "mp3",
		"audio/mp4":                      "m4a",
		"audio/aac":                      "aac",
		"audio/flac":                     "flac",
		"audio/ogg":                      "ogg oga opus",
		"audio/wav":                      "wav",
		"model/gltf-binary":              "glb",
		"model/gltf+json":                "gltf",
	} {
		for ext := range strings.FieldsSeq(exts) {
			m[ext] = contentType
		}
	}
	return m
}()

// webExt returns the extension of a path, as in webTypes.
func webExt(name string) string { return strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) }

// ReadSite reads what a website's ZIP serves. It reads only the directory and
// the beginning of each file, so it is fast enough for the first request of a
// page. Problems, of the ZIP as a whole: content_mismatch, unsafe_file.
func ReadSite(r io.ReaderAt, size int64) (site *Site, err error) {
	defer func() {
		if p := recover(); p != nil {
			site, err = nil, fmt.Errorf("read website: panic: %v", p)
		}
	}()
	s, err := siteSource(r, size)
	if err != nil {
		return nil, err
	}
	reading, problem := readSite(s, newInspection(s, new(filetype.Facts)))
	switch {
	case s.Err != nil:
		return nil, fmt.Errorf("read file: %w", s.Err)
	case problem != nil:
		return nil, problem
	}
	return &reading.site, nil
}

// InspectSite inspects the ZIP of a website. Its pages and documents are
// refused or held like separate files.
func InspectSite(r io.ReaderAt, size int64) (site *Site, facts filetype.Facts, err error) {
	defer func() {
		if p := recover(); p != nil {
			site, facts, err = nil, filetype.Facts{}, fmt.Errorf("inspect website: panic: %v", p)
		}
	}()
	s, err := siteSource(r, size)
	if err != nil {
		return nil, filetype.Facts{}, err
	}
	z := newInspection(s, &facts)
	reading, problem := readSite(s, z)
	if problem == nil && s.Err == nil {
		problem = z.site(s, reading)
	}
	if s.Work.Used() {
		facts.HoldFor(filetype.HoldNotFullyInspected)
	}
	switch {
	case s.Err != nil:
		return nil, filetype.Facts{}, fmt.Errorf("read file: %w", s.Err)
	case problem != nil:
		if problem.Detail != "" {
			problem.Message += " It is about " + problem.Detail + "."
		}
		return nil, filetype.Facts{}, problem
	}
	facts.EntriesTotal = len(reading.site.Files)
	return &reading.site, facts, nil
}

// siteSource opens a website's ZIP. Entries are checked one by one, regardless
// of additional names.
func siteSource(r io.ReaderAt, size int64) (*filetype.Source, error) {
	switch {
	case size <= 0:
		return nil, filetype.Mismatch(filetype.ReasonEmpty, "The file is empty.")
	case size > filetype.MaxSiteBytes:
		return nil, siteTooLarge()
	}
	s := filetype.NewSource(r, size)
	s.Names = func(string, bool) *filetype.Problem { return nil }
	return s, nil
}

func siteTooLarge() *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonSiteTooLarge,
		"The website’s files take more than 4 GiB together. Leave out large ones, and give them links of their own.")
}

// siteReading is the state of reading a website's ZIP.
type siteReading struct {
	site    Site
	kept    []siteEntry
	extents []zipExtent
	end     int64 // end of the members and start of the directory
}

type siteEntry struct {
	path   string
	member *archive.ZipMember
}

// readSite walks the directory, decides about each entry, and finds the root.
func readSite(s *filetype.Source, z *inspection) (*siteReading, *filetype.Problem) {
	v := &siteReading{}
	t := filetype.TypesByExt["zip"]
	count, seen := 0, map[string]bool{}
	var packed, unpacked int64
	end, p := archive.ZipMembers(s, t, func(m *archive.ZipMember) *filetype.Problem {
		if count++; count > filetype.MaxSiteEntries {
			return filetype.UnsafeFile(filetype.ReasonTooManyEntries,
				"The ZIP has more than %d files and folders. A website may have as many.", filetype.MaxSiteEntries)
		}
		if m.Encrypted {
			return filetype.UnsafeFile(filetype.ReasonEncryptedSite,
				"A password protects the ZIP, so that browsers cannot read it. Pack it without one.").SetContext(m.Name)
		}
		unpacked, packed = unpacked+m.Unpacked, packed+m.Packed
		if m.Unpacked > filetype.MaxSiteBytes || unpacked > filetype.MaxSiteBytes {
			return siteTooLarge()
		}
		if ratioTooHigh(m.Packed, m.Unpacked) || ratioTooHigh(packed, unpacked) {
			return bomb().SetContext(m.Name)
		}
		v.extents = append(v.extents, zipExtent{extent{m.Header, m.Data + m.Packed}, m})
		head := m.Start
		m.Start = nil
		if m.Dir() && archive.IsPlainMode(m.Mode) && m.Unpacked == 0 {
			return nil
		}
		name := norm.NFC.String(m.Name)
		reason := siteRefusal(m, name)
		if reason == "" {
			begins := z.begins(m, head)
			if p := filetype.MalwareAt(m.Name, begins); p != nil {
				return p
			}
			if siteProgram(name, begins) {
				reason = EntryProgram
			}
		}
		if reason == "" && seen[name] {
			reason = EntryTwice
		}
		if reason != "" {
			v.refuse(m.Name, reason)
			return nil
		}
		seen[name] = true
		v.kept = append(v.kept, siteEntry{name, m})
		return nil
	})
	if p != nil {
		return nil, p
	}
	if overlappingMembers(v.extents) {
		return nil, filetype.UnsafeFile(filetype.ReasonOverlap,
			"The archive lists the same bytes more than once, as archives made to fill disks do.")
	}
	v.end = end
	return v, v.findRoot()
}

func (v *siteReading) refuse(name, reason string) {
	v.site.RefusedTotal++
	if len(v.site.Refused) < filetype.MaxSiteRefused {
		v.site.Refused = append(v.site.Refused, SiteRefusal{filetype.SafeDetail(name), reason})
	}
}

// findRoot finds the root and lists the files below it.
func (v *siteReading) findRoot() *filetype.Problem {
	for !v.has("index.html") {
		top, ok := v.topFolder()
		if !ok {
			return v.noIndex()
		}
		v.site.Root += top
		for i := range v.kept {
			v.kept[i].path = v.kept[i].path[len(top):]
		}
	}
	v.site.Files = make(map[string]SiteFile, len(v.kept))
	for _, e := range v.kept {
		v.site.Files[e.path] = SiteFile{Type: webTypes[webExt(e.path)], Offset: e.member.Data, Packed: e.member.Packed,
			Size: e.member.Unpacked, CRC32: e.member.Crc, Deflated: deflatedBody(e.member)}
		v.site.Bytes += e.member.Unpacked
	}
	return nil
}

func (v *siteReading) has(path string) bool {
	for _, e := range v.kept {
		if e.path == path {
			return true
		}
	}
	return false
}

// topFolder returns the folder that contains everything, with its slash.
func (v *siteReading) topFolder() (top string, ok bool) {
	for _, e := range v.kept {
		first, _, within := strings.Cut(e.path, "/")
		if !within || top != "" && first+"/" != top {
			return "", false
		}
		top = first + "/"
	}
	return top, top != ""
}

// noIndex returns the problem of a site without a first page, and suggests
// where one may be.
func (v *siteReading) noIndex() *filetype.Problem {
	nearest := ""
	for _, e := range v.kept {
		if path.Base(e.path) == "index.html" && (nearest == "" ||
			strings.Count(e.path, "/") < strings.Count(nearest, "/")) {
			nearest = e.path
		}
	}
	if nearest == "" {
		return noSite(filetype.ReasonNoIndex, "There is no index.html at the top of the website, which is its first page. Name the first page so.")
	}
	return noSite(filetype.ReasonNoIndex, "There is no index.html at the top of the website. Upload the folder that has it, not one around it.").SetContext(v.site.Root + nearest)
}

// noSite returns the problem of a harmless ZIP that is not a website.
func noSite(reason, message string) *filetype.Problem {
	return &filetype.Problem{Code: filetype.CodeContentMismatch, Reason: reason, Message: message}
}

// siteRefusal returns why an entry is left out, from its name and its directory
// entry, or "".
func siteRefusal(m *archive.ZipMember, name string) string {
	switch {
	case !archive.IsPlainMode(m.Mode):
		return EntryLink
	case !utf8.ValidString(m.Stored), len(name) > filetype.MaxSiteName,
		strings.ContainsFunc(name, filetype.IsUnprintable):
		return EntryBadName
	case filetype.EscapesFolder(name):
		return EntryEscapes
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "", part == ".":
			return EntryEscapes
		case part[0] == '.', part == "__MACOSX":
			return EntryHidden
		case len(part) > filetype.MaxNameBytes, strings.TrimRight(part, ". ") != part:
			return EntryBadName
		}
	}
	ext := webExt(name)
	switch {
	case webTypes[ext] == "" && (filetype.Programs[ext] || filetype.Macros[ext]):
		return EntryProgram
	case webTypes[ext] == "":
		return EntryUnlisted
	case m.Method != 0 && m.Method != 8:
		return EntryMethod
	}
	return ""
}

// begins returns the unpacked beginning of a member.
func (z *inspection) begins(m *archive.ZipMember, head []byte) []byte {
	if m.Method != 8 || len(head) == 0 {
		return head
	}
	n, _ := io.ReadFull(z.inflate(strings.NewReader(string(head))), z.head[:])
	return z.head[:n]
}

// siteProgram reports whether content begins like a program or script,
// regardless of its name. WebAssembly is allowed under its own name, because it
// runs in browsers.
func siteProgram(name string, head []byte) bool {
	ext := webExt(name)
	what := filetype.SurelyProgram(head)
	if what != "" {
		return ext != "wasm" || !strings.HasPrefix(string(head), "\x00asm")
	}
	contentType := webTypes[ext]
	if strings.HasPrefix(contentType, "text/") && ext != "js" && ext != "mjs" && ext != "css" {
		return text.ScriptIn(text.TextHead(head), ext == "md") != ""
	}
	return false
}

// site inspects the content of a website's files: pages as pages, documents as
// documents, and scripts for form fields that they create.
func (z *inspection) site(s *filetype.Source, v *siteReading) *filetype.Problem {
	if p := z.gaps(s, v.extents, v.end); p != nil {
		return p
	}
	if p := z.unpackAll(s, v); p != nil {
		return p
	}
	for _, e := range v.kept {
		switch webExt(e.path) {
		case "html", "htm":
			e.member.Form = filetype.FormHTML
		case "xhtml", "svg", "xml", "xsl", "rss", "atom":
			e.member.Form = filetype.FormXML
		case "js", "mjs":
			e.member.Form = filetype.FormCode
		case "pdf":
			e.member.Form = filetype.FormPDF
		default:
			continue
		}
		if p := z.open(s, e.member, 1); p != nil {
			return p
		}
	}
	return nil
}

// code searches a script for password and card fields that it creates, as in
// pages. Other reasons to hold a page do not apply to scripts: decoding and
// saving data is common there.
func (z *inspection) code(s *filetype.Source) *filetype.Problem {
	w := text.MarkupWatch{Work: s.Work}
	r := s.Scan(filetype.MaxTextScan)
	chunk := make([]byte, filetype.ChunkBytes)
	for {
		n, err := r.Read(chunk)
		w.Feed(chunk[:n])
		if err != nil {
			break
		}
	}
	switch {
	case w.Password:
		z.facts.HoldFor(filetype.HoldPasswordForm)
	case w.Card:
		z.facts.HoldFor(filetype.HoldCardForm)
	}
	return nil
}
