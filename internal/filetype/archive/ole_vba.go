package archive

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"vitrine/internal/filetype"
)

// Excel and Word leave a project of Visual Basic in a document that nobody ever
// wrote a macro for: a module for each sheet, without a statement. Such a
// project can do nothing. It is told from others by all that could run: the
// source of each module, its compiled form beside it, which some programs run
// instead, and the libraries that are loaded with it.

// maxSource bounds the source of a module, and what describes a project.
const maxSource = 64 * filetype.KiB

// emptyProject reports whether a storage is a project of Visual Basic without
// any code, and returns the entries that belong to it.
func (c *Compound) emptyProject(project int) (entries []int, ok bool) {
	code := -1
	for _, i := range c.Within(project) {
		switch name := strings.ToLower(c.Storage[i].Name); {
		case name == "vba" && c.Storage[i].Kind == 1 && code < 0:
			code = i
		case name == "project" && c.Storage[i].Kind == 2:
			p, whole := c.read(i)
			if !whole || designerLine.Match(p) {
				return nil, false
			}
		case name == "projectwm" || name == "projectlk":
		default: // forms and their designers
			return nil, false
		}
		entries = append(entries, i)
	}
	if code < 0 || c.odd {
		return nil, false
	}
	streams := map[string]int{}
	for _, i := range c.Within(code) {
		name := strings.ToLower(c.Storage[i].Name)
		if _, twice := streams[name]; twice || c.Storage[i].Kind != 2 {
			return nil, false
		}
		streams[name] = i
		entries = append(entries, i)
	}
	return append(entries, project), c.emptyModules(streams) && !c.Crowded()
}

// designerLine finds a form in the text that describes a project.
var designerLine = regexp.MustCompile(`(?i)(^|[\r\n])\s*baseclass`)

// emptyModules reports whether the streams of a project are what describes it
// and modules without code, and nothing else.
func (c *Compound) emptyModules(streams map[string]int) bool {
	dir, ok := streams["dir"]
	cache, cached := streams["_vba_project"]
	if !ok || !cached || c.Storage[cache].size > maxSource {
		return false
	}
	packed, whole := c.read(dir)
	plain, ok := decompressed(packed)
	if !whole || !ok {
		return false
	}
	modules, ok := modulesOf(plain)
	if !ok || len(modules) != len(streams)-2 {
		return false
	}
	for _, m := range modules {
		i, ok := streams[m.stream]
		p, whole := c.read(i)
		if !ok || !whole || m.offset > int64(len(p)) || !emptyCache(p[:m.offset]) {
			return false
		}
		if source, ok := decompressed(p[m.offset:]); !ok || !emptySource(source) {
			return false
		}
		delete(streams, m.stream)
	}
	return len(streams) == 2
}

// read reads a small stream. It reports whether it has all of it.
func (c *Compound) read(i int) (p []byte, whole bool) {
	p, err := io.ReadAll(io.LimitReader(c.Open(c.Storage[i]), maxSource+1))
	return p, err == nil && len(p) <= maxSource && int64(len(p)) == c.Storage[i].size
}

// vbaModule is where a project has the source of a module.
type vbaModule struct {
	stream string // in lower case
	offset int64  // in the stream, behind the compiled form
}

// The records of a project that are judged.
const (
	vbaLibrary    = 0x0d
	vbaProject    = 0x0e
	vbaVersion    = 0x09
	vbaControl    = 0x2f
	vbaLibraryOf  = 0x33
	vbaStream     = 0x1a
	vbaStreamWide = 0x32
	vbaOffset     = 0x31
)

// vbaRecords are all records of a project. One that is unknown may be read as
// something else.
var vbaRecords = []uint16{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0c, 0x0f, 0x10, 0x13, 0x14, 0x16, 0x19,
	0x1c, 0x1e, 0x21, 0x22, 0x25, 0x28, 0x2b, 0x2c, 0x30, 0x3c, 0x3d, 0x3e, 0x40, 0x47, 0x48, 0x4a, vbaLibrary,
	vbaProject, vbaVersion, vbaControl, vbaLibraryOf, vbaStream, vbaStreamWide, vbaOffset}

// modulesOf reads the records of a project. It reports false if it loads code
// from elsewhere or has a record that is unknown or damaged.
func modulesOf(dir []byte) (modules []vbaModule, ok bool) {
	stream := ""
	for len(dir) >= 6 {
		id, size := filetype.LittleEndian.Uint16(dir), int64(filetype.LittleEndian.Uint32(dir[2:]))
		if dir = dir[6:]; id == vbaVersion {
			size = 6 // it says 4
		}
		if size > int64(len(dir)) || !slices.Contains(vbaRecords, id) {
			return nil, false
		}
		body := dir[:size]
		dir = dir[size:]
		switch id {
		case vbaLibrary, vbaControl, vbaLibraryOf:
			if elsewhere(body) {
				return nil, false
			}
		case vbaProject:
			if !isTemplate(body) {
				return nil, false
			}
		case vbaStream:
			stream = strings.ToLower(string(body))
		case vbaStreamWide:
			wide := strings.ToLower(wideString(body))
			if isASCII(stream) && wide != stream {
				return nil, false
			}
			stream = wide
		case vbaOffset:
			if len(body) != 4 || stream == "" {
				return nil, false
			}
			modules = append(modules, vbaModule{stream, int64(filetype.LittleEndian.Uint32(body))})
			stream = ""
		}
	}
	return modules, len(dir) == 0
}

// elsewhere reports whether a reference names a file on another computer.
func elsewhere(reference []byte) bool {
	plain := bytes.ReplaceAll(reference, []byte{0}, nil)
	return bytes.Contains(plain, []byte(`\\`)) || bytes.Contains(plain, []byte("//"))
}

// isTemplate reports whether a reference to another project, by two names, is
// to the template of the person who wrote the document.
func isTemplate(p []byte) bool {
	for range 2 {
		if len(p) < 4 || int64(filetype.LittleEndian.Uint32(p)) > int64(len(p)-4) {
			return false
		}
		n := 4 + filetype.LittleEndian.Uint32(p)
		if elsewhere(p[4:n]) || !normalTemplate.Match(p[4:n]) {
			return false
		}
		p = p[n:]
	}
	return true
}

var normalTemplate = regexp.MustCompile(`(?i)^\*\\[A-D](|([A-Z]:)?[^*]*[\\/:])normal(\.dot|\.dotm)?$`)

func wideString(p []byte) string {
	var units []uint16
	for ; len(p) >= 2; p = p[2:] {
		units = append(units, filetype.LittleEndian.Uint16(p))
	}
	return string(utf16.Decode(units))
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

// maxCache is more than the compiled form of an empty module has.
const maxCache = 1200

// The compiled lines of a module: a mark, their number, a row for each, and the
// code of all. An empty module has blank lines and Option Explicit alone.
const (
	compiledMark = "\xfe\xca\x01\x00"
	blankRow     = "\x00\x80\x09\x00\x00\x00\x00\x00\xff\xff\xff\xff"
	explicitRow  = "\x00\x80\x08\x00\x02\x00\x00\x00\x00\x00\x00\x00"
	noCode       = "\x01\x01\x08\x00\x00\x00\xff\xff\xff\xff\x78\x00\x00\x00"
	explicitCode = "\x01\x01\x10\x00\x00\x00\xcd\x10\xff\xff\x78\x00\x00\x00\xff\xff\xff\xff\x70\x00\x00\x00"
)

// emptyCache reports whether the compiled form of a module, which is in front
// of its source, has no code. Programs other than Office write none at all.
func emptyCache(p []byte) bool {
	if len(p) == 0 {
		return true
	}
	at := bytes.Index(p, []byte(compiledMark[:2]))
	if at < 29 || len(p) > maxCache || bytes.Count(p, []byte(compiledMark[:2])) > 1 {
		return false
	}
	first := string(p[5:11]) == "\xb6\x00\xff\xff\x01\x01" // of Office 97, which does not say where the lines are
	if !first && int64(filetype.LittleEndian.Uint32(p[25:]))+0x3c != int64(at) {
		return false
	}
	rest, ok := strings.CutPrefix(string(p[at:]), compiledMark)
	if !ok || len(rest) < 2 {
		return false
	}
	code := noCode
	rows := int(filetype.LittleEndian.Uint16([]byte(rest)))
	for rest = rest[2:]; rows > 0; rows-- {
		next, blank := strings.CutPrefix(rest, blankRow)
		if !blank {
			if next, ok = strings.CutPrefix(rest, explicitRow); !ok || code == explicitCode {
				return false
			}
			code = explicitCode
		}
		rest = next
	}
	if rest, ok = strings.CutPrefix(rest, "\xff\xff\xff\xff"+code); !ok {
		return false
	}
	rest = strings.TrimPrefix(rest, "\xff\xff\xff\xff"+noCode) // twice on a Mac
	for rest != "" && rest[0] == 0xff {
		rest = rest[1:]
	}
	return rest == "" || rest == "\x00\x00"
}

// harmlessLine matches a line of source that does nothing: what every module
// says about itself, how it is to be read, and comments.
var harmlessLine = regexp.MustCompile(`(?i)^\s*(` +
	`Attribute VB_(Name|Base|GlobalNameSpace|Creatable|PredeclaredId|Exposed|TemplateDerived|Customizable) = ` +
	`(True|False|"[^"]*")` +
	`|Option (Explicit|Base [01]|Compare (Binary|Text)|Private Module)` +
	`|'.*|)\s*$`)

// emptySource reports whether the source of a module has no statement.
func emptySource(source []byte) bool {
	for line := range strings.FieldsFuncSeq(string(source), func(r rune) bool { return r == '\r' || r == '\n' }) {
		if !harmlessLine.MatchString(line) {
			return false
		}
	}
	return true
}

// decompressed unpacks a source or the records of a project. It reports false
// if they are too long or not whole.
func decompressed(p []byte) (out []byte, ok bool) {
	const chunk = 4096
	if len(p) == 0 || p[0] != 1 {
		return nil, false
	}
	for p = p[1:]; len(p) > 0; {
		if len(p) < 2 || len(out)%chunk != 0 || len(out) > maxSource {
			return nil, false
		}
		header := filetype.LittleEndian.Uint16(p)
		size := int(header&0xfff) + 3
		if header>>12&7 != 3 || size > len(p) {
			return nil, false
		}
		body := p[2:size]
		p = p[size:]
		if header>>15 == 0 {
			if len(body) != chunk {
				return nil, false
			}
			out = append(out, body...)
			continue
		}
		unpacked, ok := unpackChunk(body)
		if !ok || len(unpacked) > chunk {
			return nil, false
		}
		out = append(out, unpacked...)
	}
	return out, true
}

// unpackChunk unpacks tokens, in eights behind a byte that says which of them
// are copies of what came before.
func unpackChunk(p []byte) (out []byte, ok bool) {
	for len(p) > 0 {
		flags := p[0]
		p = p[1:]
		for bit := 0; bit < 8 && len(p) > 0; bit++ {
			if flags>>bit&1 == 0 {
				out = append(out, p[0])
				p = p[1:]
				continue
			}
			if len(p) < 2 {
				return nil, false
			}
			token := filetype.LittleEndian.Uint16(p)
			p = p[2:]
			bits := 4
			for 1<<bits < len(out) {
				bits++
			}
			length, back := int(token&(0xffff>>bits))+3, int(token>>(16-bits))+1
			if back > len(out) {
				return nil, false
			}
			for range length {
				out = append(out, out[len(out)-back])
			}
		}
	}
	return out, true
}
