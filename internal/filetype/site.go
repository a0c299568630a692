package filetype

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of the ZIP of a website. Nothing of it is ever unpacked onto a disk: they bound what inspection and a manifest cost, and what
// readers are sent.
const (
	// MaxSiteEntries is how many entries a website's ZIP may have, folders among them. The manifest of one that has as many takes some
	// two megabytes of memory, and twelve when all names are as long as they may be.
	MaxSiteEntries = 10_000

	// MaxSiteBytes is what all files of a website may unpack to. It is the size up to which a ZIP needs no 64-bit extension, so that what was
	// packed by any program, ours in the browser too, can be as large stored as packed.
	MaxSiteBytes = 4 * gib

	// maxSiteName bounds a path. Browsers and proxies pass addresses of some 8000 bytes, in which a byte may take three.
	maxSiteName = 1024

	// maxSiteVerified is what is unpacked of a website's files to see that they are what the directory says: seconds of work. Browsers'
	// own formats are packed already, and stored by our packer; text of a gigabyte is a person's to look at.
	maxSiteVerified = 1 * gib

	// maxSiteRefused is how many refused entries are listed.
	maxSiteRefused = 1000
)

// Site is what a website's ZIP has to serve. It is made of the bytes alone: the same ZIP makes the same Site, today and in a year.
type Site struct {
	// Files are what is served, by path below the site's root, in Unicode's composed form.
	Files map[string]SiteFile
	Bytes int64 // of all files, unpacked
	// Refused are entries that are left out, in the order of the ZIP, the first thousand of RefusedTotal.
	Refused      []SiteRefusal
	RefusedTotal int
	Root         string // the folder of the ZIP that the site is in, "" or with a slash at its end
}

// SiteFile is one file of a website, and where its bytes are in the ZIP.
type SiteFile struct {
	Type     string // Content-Type
	Offset   int64  // of its packed bytes
	Packed   int64
	Size     int64 // unpacked, as the ZIP says
	CRC32    uint32
	Deflated bool // packed so; otherwise stored as it is
}

// SiteRefusal is an entry that is not served.
type SiteRefusal struct {
	Path   string // as in the ZIP, fit to be shown: a stranger's text of at most 200 bytes
	Reason string // an Entry constant
}

// Why an entry of a website is left out. These are no Reasons: the rest of the website is published.
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

// EntryMeaning is what an Entry constant means, for the owner of the website.
func EntryMeaning(code string) string {
	switch code {
	case EntryUnlisted:
		return "not a type of file that websites are made of"
	case EntryProgram:
		return "a program or a script for a server, neither of which runs here"
	case EntryHidden:
		return "a hidden file, such as settings or the history of a repository"
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

// webTypes are the types of files that websites are made of, by extension, and what each is served as. Text is UTF-8; a page of HTML may say
// otherwise of itself.
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

// webExt is the extension of a path, as webTypes has it.
func webExt(name string) string { return strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) }

// ReadSite reads what a website's ZIP has to serve. It looks at the ZIP's directory and at how each file begins, and at nothing else: it is
// quick enough to be asked when the first page is. Problems: content_mismatch, unsafe_file, of the ZIP as a whole.
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
	reading, problem := readSite(s, newInspection(s, new(Facts)))
	switch {
	case s.err != nil:
		return nil, fmt.Errorf("read file: %w", s.err)
	case problem != nil:
		return nil, problem
	}
	return &reading.site, nil
}

// InspectSite is Inspect for the ZIP of a website: what is refused and what is held of its pages and documents is as for files of their own.
func InspectSite(r io.ReaderAt, size int64) (site *Site, facts Facts, err error) {
	defer func() {
		if p := recover(); p != nil {
			site, facts, err = nil, Facts{}, fmt.Errorf("inspect website: panic: %v", p)
		}
	}()
	s, err := siteSource(r, size)
	if err != nil {
		return nil, Facts{}, err
	}
	z := newInspection(s, &facts)
	reading, problem := readSite(s, z)
	if problem == nil && s.err == nil {
		problem = z.site(s, reading)
	}
	if s.work.used() {
		facts.hold(HoldNotFullyInspected)
	}
	switch {
	case s.err != nil:
		return nil, Facts{}, fmt.Errorf("read file: %w", s.err)
	case problem != nil:
		if problem.Detail != "" {
			problem.Message += " It is about " + problem.Detail + "."
		}
		return nil, Facts{}, problem
	}
	facts.EntriesTotal = len(reading.site.Files)
	return &reading.site, facts, nil
}

// siteSource begins to read a website's ZIP, in which entries are judged one by one, whatever other names they give themselves.
func siteSource(r io.ReaderAt, size int64) (*source, error) {
	switch {
	case size <= 0:
		return nil, mismatch(ReasonEmpty, "The file is empty.")
	case size > MaxSiteBytes:
		return nil, siteTooLarge()
	}
	s := newSource(r, size)
	s.names = func(string, bool) *Problem { return nil }
	return s, nil
}

func siteTooLarge() *Problem {
	return unsafeFile(ReasonSiteTooLarge, "The website’s files take more than 4 GiB together. Leave out large ones, and give them links of their own.")
}

// siteReading is a website's ZIP while it is read.
type siteReading struct {
	site    Site
	kept    []siteEntry
	extents []zipExtent
	end     int64 // where members end and the directory begins
}

type siteEntry struct {
	path string
	m    *zipMember
}

// readSite walks the directory, decides about each entry, and finds the root.
func readSite(s *source, z *inspection) (*siteReading, *Problem) {
	v := &siteReading{}
	t := byExt["zip"]
	count, seen := 0, map[string]bool{}
	var packed, unpacked int64
	end, p := s.zipMembers(t, func(m *zipMember) *Problem {
		if count++; count > MaxSiteEntries {
			return unsafeFile(ReasonTooManyEntries, "The ZIP has more than %d files and folders. A website may have as many.", MaxSiteEntries)
		}
		if m.encrypted {
			return unsafeFile(ReasonEncryptedSite, "A password protects the ZIP, so that browsers cannot read it. Pack it without one.").about(m.name)
		}
		unpacked, packed = unpacked+m.unpacked, packed+m.packed
		if m.unpacked > MaxSiteBytes || unpacked > MaxSiteBytes {
			return siteTooLarge()
		}
		if inflated(m.packed, m.unpacked) || inflated(packed, unpacked) {
			return bomb().about(m.name)
		}
		v.extents = append(v.extents, zipExtent{extent{m.header, m.data + m.packed}, m})
		head := m.start
		m.start = nil
		if m.dir() && plain(m.mode) && m.unpacked == 0 {
			return nil
		}
		name := norm.NFC.String(m.name)
		reason := siteRefusal(m, name)
		if reason == "" {
			begins := z.begins(m, head)
			if p := malwareAt(m.name, begins); p != nil {
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
			v.refuse(m.name, reason)
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
		return nil, unsafeFile(ReasonOverlap, "The archive lists the same bytes more than once, as archives made to fill disks do.")
	}
	v.end = end
	return v, v.settle()
}

func (v *siteReading) refuse(name, reason string) {
	v.site.RefusedTotal++
	if len(v.site.Refused) < maxSiteRefused {
		v.site.Refused = append(v.site.Refused, SiteRefusal{detail(name), reason})
	}
}

// settle finds the root, and makes the files of what is kept.
func (v *siteReading) settle() *Problem {
	for !v.has("index.html") {
		top, ok := v.top()
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
		v.site.Files[e.path] = SiteFile{Type: webTypes[webExt(e.path)], Offset: e.m.data, Packed: e.m.packed, Size: e.m.unpacked, CRC32: e.m.crc, Deflated: e.m.deflated()}
		v.site.Bytes += e.m.unpacked
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

// top is the folder that everything lies in, with its slash.
func (v *siteReading) top() (top string, ok bool) {
	for _, e := range v.kept {
		first, _, within := strings.Cut(e.path, "/")
		if !within || top != "" && first+"/" != top {
			return "", false
		}
		top = first + "/"
	}
	return top, top != ""
}

// noIndex says that the site has no first page, and where one might be meant.
func (v *siteReading) noIndex() *Problem {
	nearest := ""
	for _, e := range v.kept {
		if path.Base(e.path) == "index.html" && (nearest == "" || strings.Count(e.path, "/") < strings.Count(nearest, "/")) {
			nearest = e.path
		}
	}
	if nearest == "" {
		return noSite(ReasonNoIndex, "There is no index.html at the top of the website, which is its first page. Name the first page so.")
	}
	return noSite(ReasonNoIndex, "There is no index.html at the top of the website. Upload the folder that has it, not one around it.").about(v.site.Root + nearest)
}

// noSite refuses a ZIP that harms nobody, and is no website.
func noSite(reason, message string) *Problem {
	return &Problem{Code: CodeContentMismatch, Reason: reason, Message: message}
}

// siteRefusal tells by an entry's name and its line in the directory why it is left out; "" when it is not.
func siteRefusal(m *zipMember, name string) string {
	switch {
	case !plain(m.mode):
		return EntryLink
	case !utf8.ValidString(name), len(name) > maxSiteName, strings.ContainsFunc(name, unprintable):
		return EntryBadName
	case escapes(name):
		return EntryEscapes
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "", part == ".":
			return EntryEscapes
		case part[0] == '.', part == "__MACOSX":
			return EntryHidden
		case len(part) > maxNameBytes, strings.TrimRight(part, ". ") != part:
			return EntryBadName
		}
	}
	ext := webExt(name)
	switch {
	case webTypes[ext] == "" && (programs[ext] || macros[ext]):
		return EntryProgram
	case webTypes[ext] == "":
		return EntryUnlisted
	case m.method != 0 && m.method != 8:
		return EntryMethod
	}
	return ""
}

// begins is how a member begins, unpacked.
func (z *inspection) begins(m *zipMember, head []byte) []byte {
	if m.method != 8 || len(head) == 0 {
		return head
	}
	n, _ := io.ReadFull(z.inflate(strings.NewReader(string(head))), z.head[:])
	return z.head[:n]
}

// siteProgram tells a program or script by how it begins, whatever it is called. WebAssembly runs in browsers, and is named so.
func siteProgram(name string, head []byte) bool {
	ext := webExt(name)
	what := surelyProgram(head)
	if what != "" {
		return ext != "wasm" || !strings.HasPrefix(string(head), "\x00asm")
	}
	contentType := webTypes[ext]
	if strings.HasPrefix(contentType, "text/") && ext != "js" && ext != "mjs" && ext != "css" {
		return scriptIn(textHead(head), ext == "md") != ""
	}
	return false
}

// site inspects what a website's files say: its pages for what pages are held for, its scripts for fields that they make, its documents
// as documents.
func (z *inspection) site(s *source, v *siteReading) *Problem {
	if p := z.gaps(s, v.extents, v.end); p != nil {
		return p
	}
	if p := z.whole(s, v); p != nil {
		return p
	}
	for _, e := range v.kept {
		switch webExt(e.path) {
		case "html", "htm":
			e.m.form = formHTML
		case "xhtml", "svg", "xml", "xsl", "rss", "atom":
			e.m.form = formXML
		case "js", "mjs":
			e.m.form = formCode
		case "pdf":
			e.m.form = formPDF
		default:
			continue
		}
		if p := z.open(s, e.m, 1); p != nil {
			return p
		}
	}
	return nil
}

// code looks through a script for fields that it makes for passwords and cards, as pages are looked through. What else is held of a page is
// everyday in the scripts of a website: they decode and save data.
func (z *inspection) code(s *source) *Problem {
	w := markupWatch{work: s.work}
	r := s.scan(maxTextScan)
	chunk := make([]byte, chunkBytes)
	for {
		n, err := r.Read(chunk)
		w.see(chunk[:n])
		if err != nil {
			break
		}
	}
	switch {
	case w.password:
		z.facts.hold(HoldPasswordForm)
	case w.card:
		z.facts.hold(HoldCardForm)
	}
	return nil
}
