package inspect

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// Objects within compound files, and within files that contain those, are
// judged by their class and their streams.

// oleClasses lists classes of objects that are held or refused. Classes are
// written in byte order.
var oleClasses = []struct{ class, hold string }{
	{"\xc3\x2a\xb2\xea\xc1\x30\xcf\x11\xa7\xeb\x00\x00\xc0\x5b\xae\x0b", filetype.HoldActiveContent}, // Shell.Explorer
	{"\x61\xf9\x56\x88\x0a\x34\xd0\x11\xa9\x6b\x00\xc0\x4f\xd7\x05\xa2", filetype.HoldActiveContent}, // WebBrowser
	{"\x20\x69\x33\x25\xf9\x03\xcf\x11\x8f\xd0\x00\xaa\x00\x68\x6f\x13", filetype.HoldActiveContent}, // htmlfile
	{"\x6e\xdb\x7c\xd2\x6d\xae\xcf\x11\x96\xb8\x44\x45\x53\x54\x00\x00", filetype.HoldActiveContent}, // Flash
	{"\x8b\x45\xd1\xbd\x1b\x85\xd1\x11\xb1\x6a\x00\xc0\xf0\x28\x36\x28", filetype.HoldActiveContent},
	// ListView, CVE-2012-0158
	{"\xb6\x90\x41\xc7\x89\x85\xd1\x11\xb1\x6a\x00\xc0\xf0\x28\x36\x28", filetype.HoldActiveContent},
	// TreeView, CVE-2012-0158
	{"\x66\xb6\xbd\x2a\x8b\x6f\xce\x11\x8d\x20\x00\xaa\x00\x4c\xd1\xd8", filetype.HoldActiveContent}, // ImageComboCtl
}

// The classes with rules of their own. The target of a link is a moniker, which
// has a class too.
const (
	classEquation  = "\x02\xce\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"
	classClipArt   = "\x26\x00\x03\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46" // of the first clip art gallery
	classGallery   = "\x90\x12\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46" // of the later ones
	classDraw      = "\x07\x00\x03\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"
	classURL       = "\xe0\xc9\xea\x79\xf9\xba\xce\x11\x8c\x82\x00\xaa\x00\x4b\xa9\x0b"
	classScriptlet = "\xd3\x0b\x29\x06\xaa\x48\xd2\x11\x84\x32\x00\x60\x08\xc3\xfb\xfc"
	classNew       = "\xc6\xaf\xab\xec\x19\x7f\xd2\x11\x97\x8e\x00\x00\xf8\x75\x7e\x2a"
	classSoap      = "\xc7\xb0\xab\xec\x19\x7f\xd2\x11\x97\x8e\x00\x00\xf8\x75\x7e\x2a"
)

const (
	// maxObjectStreamHead is how much is read of a stream that describes what
	// an object is or links to.
	maxObjectStreamHead = 64 * filetype.KiB

	// maxObjects is the most object streams that are read in a compound file. A
	// file with more is held.
	maxObjects = 4096
)

// objects judges the objects that a compound file is or contains, old documents
// and workbooks included.
func objects(c *archive.Compound, facts *filetype.Facts) *filetype.Problem {
	looked, mains := 0, 0
	equations, drawings := owners(c, classEquation), owners(c, classClipArt, classGallery, classDraw)
	for _, e := range c.Storage {
		for _, known := range oleClasses {
			if e.Kind != 2 && string(e.Clsid[:]) == known.class {
				facts.HoldFor(known.hold)
			}
		}
	}
	for i, e := range c.Storage {
		name := strings.ToLower(e.Name)
		if inspect := mainStreams[name]; e.Kind == 2 && inspect != nil {
			if mains++; mains > maxMainStreams {
				facts.HoldFor(filetype.HoldNotFullyInspected)
				break
			}
			if problem := inspect(c, e, facts); problem != nil {
				return problem
			}
		}
		judge := objectStreams[name]
		if e.Kind != 2 || judge == nil {
			continue
		}
		if looked++; looked > maxObjects {
			facts.HoldFor(filetype.HoldNotFullyInspected)
			break
		}
		packaged, most := name == "\x01ole10native", int64(maxObjectStreamHead)
		if packaged || name == "package" || name == "contents" {
			most = filetype.MaxNested
		}
		p, _ := io.ReadAll(io.LimitReader(c.Open(e), most))
		if packaged && plainEquation(p) {
			continue
		}
		if packaged && drawings[i] == ownerOf && !c.Crowded() {
			judge = drawing
		}
		if problem := judge(c.S, facts, p); problem != nil {
			return problem
		}
		if packaged && equations != nil && equations[i] != ownerOther {
			return equationProblem()
		}
	}
	return nil
}

// owner says in which storages a stream is. A damaged tree may have it in
// several, or in none that was found.
type owner byte

const (
	ownerOf    owner = 1 << iota // of the classes that were asked for
	ownerOther                   // of another class
)

// owners returns the owners of all streams, or nil without a storage of the
// classes.
func owners(c *archive.Compound, classes ...string) map[int]owner {
	of := func(e archive.StorageEntry) bool { return e.Kind != 2 && slices.Contains(classes, string(e.Clsid[:])) }
	if !slices.ContainsFunc(c.Storage, of) {
		return nil
	}
	owned := map[int]owner{}
	for i, e := range c.Storage {
		own := ownerOther
		if of(e) {
			own = ownerOf
		}
		for _, j := range c.Within(i) {
			owned[j] |= own
		}
	}
	return owned
}

// drawing judges the data of a program for drawings, which opens nothing.
func drawing(_ *filetype.Source, _ *filetype.Facts, p []byte) *filetype.Problem {
	return embeddedProgram("", p[min(len(p), 4):])
}

// objectStreams maps the names of object streams, in lower case, to their
// checks.
var objectStreams map[string]func(s *filetype.Source, facts *filetype.Facts, p []byte) *filetype.Problem

func init() { // packaged files may be documents with objects
	objectStreams = map[string]func(s *filetype.Source, facts *filetype.Facts, p []byte) *filetype.Problem{
		"\x01ole10native": packagedFile,
		"package":         storedDocument, // of newer office programs
		"contents":        storedDocument, // of readers of PDF, and of others with forms of their own
		"\x01ole":         linkedObject,
		"equation native": equationObject,
		"\x03ocxname":     controlObject,
		"\x03ocxdata":     controlObject,
		"ctls":            controlObject, // of a workbook
	}
}

func controlObject(_ *filetype.Source, facts *filetype.Facts, _ []byte) *filetype.Problem {
	facts.HoldFor(filetype.HoldActiveContent)
	return nil
}

// packagedFile judges a file that the packager embedded in a document, whose
// parts are within s: its names, its paths, and its content. A click opens it,
// so it is held unless it would be published by itself.
func packagedFile(s *filetype.Source, facts *filetype.Facts, p []byte) *filetype.Problem {
	f := packagedObject(p)
	for _, name := range f.names {
		base := strings.TrimRight(baseName(name), ". ")
		if ext := filetype.ProgramExt(base); ext != "" {
			return filetype.UnsafeFile(filetype.ReasonEmbeddedProgram,
				"The document contains an executable or script (.%s). Remove it and save the document again.",
				ext).SetContext(name)
		}
	}
	if problem := embeddedProgram(f.label, f.data); problem != nil {
		return problem
	}
	if f.whole {
		return attachment(s, facts, f)
	}
	facts.HoldAbout(filetype.HoldEmbeddedObject, f.label)
	return nil
}

// storedDocument judges a document that an office program or a reader of PDF
// stores as it is. It has no name: a wrong guess of its type is held.
func storedDocument(s *filetype.Source, facts *filetype.Facts, p []byte) *filetype.Problem {
	ext, first := "", len(p)
	switch {
	case bytes.HasPrefix(p, []byte("PK\x03\x04")):
		for e, main := range ooxmlMain {
			if at := bytes.Index(p, []byte(main.folder)); at >= 0 && at < first {
				ext, first = e, at
			}
		}
	case bytes.Contains(p[:min(len(p), filetype.KiB)], []byte("%PDF-")):
		ext = "pdf"
	default:
		return embeddedProgram("", p)
	}
	f := packagedData{label: "object." + ext, names: []string{"object." + ext}, data: p}
	if len(p) >= filetype.MaxNested {
		f.names = nil // it may be cut off
	}
	return attachment(s, facts, f)
}

// baseName returns a name without folders, of any system.
func baseName(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// attachment judges a file within a document, whose parts are within s. It is
// as good as it would be by itself if its kind only shows, plays or tells
// something, and all its names say the same type. Any other is held: a web page
// would open outside of the document, and an archive has files of its own.
func attachment(s *filetype.Source, facts *filetype.Facts, f packagedData) *filetype.Problem {
	inner, t := s.Within(f.data), f.typ()
	if len(f.data) == 0 || inner.Depth > filetype.MaxDepth || t.Kind == "" || t.Kind == filetype.HTML ||
		t.Kind == filetype.Archive || t.Ext == "svg" {
		facts.HoldAbout(filetype.HoldEmbeddedObject, f.label)
		return nil
	}
	found, err := judgeSource(inner, t)
	var problem *filetype.Problem
	switch {
	case errors.As(err, &problem) && (problem.Code == filetype.CodeUnsafeFile || problem.Code == filetype.CodeMalware):
		return problem.SetContext(pathTo(f.label, problem.Detail))
	case err != nil:
		facts.HoldAbout(filetype.HoldEmbeddedObject, f.label)
	case found.Hold != "":
		facts.HoldAbout(found.Hold, pathTo(f.label, found.Detail))
	}
	return nil
}

// packagedData is a file that the packager embedded.
type packagedData struct {
	label string   // its name, for people
	names []string // all names and paths, some of which may be empty
	data  []byte
	whole bool // data is all of it
}

// typ returns the type that all names say, or none.
func (f *packagedData) typ() (t filetype.Type) {
	for i, name := range f.names {
		if baseName(name) == "" && i > 0 {
			continue
		}
		named, ok := filetype.ByExt(baseName(name))
		if !ok || i > 0 && named.Ext != t.Ext {
			return filetype.Type{}
		}
		t = named
	}
	return t
}

// packagedObject parses the packager's stream: size, mark, label and path, then
// numbers, the path to which the data is unpacked, its size and the data.
// Behind it, newer systems repeat the paths in UTF-16: unpacked, label, first.
func packagedObject(p []byte) (f packagedData) {
	if len(p) < 6 {
		return f
	}
	if name := bareData(p[4:]); name != "" {
		return packagedData{name, []string{name}, p[4:], true}
	}
	p = p[6:]
	text := func() bool {
		s, rest, ok := bytes.Cut(p[:min(len(p), 1024)], []byte{0})
		if !ok {
			return false
		}
		f.names = append(f.names, archive.ShownName(string(s)))
		f.label = f.names[0]
		p = p[len(p[:min(len(p), 1024)])-len(rest):]
		return true
	}
	for range 2 {
		if !text() {
			return f
		}
	}
	if len(p) < 8 {
		return f
	}
	p = p[8:]
	if !text() || len(p) < 4 {
		return f
	}
	size := int64(filetype.LittleEndian.Uint32(p))
	p = p[4:]
	f.data, f.whole = p[:min(size, int64(len(p)))], size <= int64(len(p))
	p = p[len(f.data):]
	for i := range 3 {
		name, rest, ok := longName(p)
		if !ok {
			break
		}
		if i == 1 && name != "" {
			f.label = name
		}
		f.names, p = append(f.names, name), rest
	}
	return f
}

// bareData returns a name for a picture or sound that another program than the
// packager embedded, without a name of its own, or "".
func bareData(p []byte) string {
	switch {
	case len(p) > 26 && string(p[:2]) == "BM" && string(p[6:10]) == "\x00\x00\x00\x00":
		return "picture.bmp"
	case len(p) > 12 && string(p[:4]) == "RIFF" && string(p[8:12]) == "WAVE":
		return "sound.wav"
	}
	return ""
}

// longName reads the length and letters of a name in UTF-16.
func longName(p []byte) (name string, rest []byte, ok bool) {
	if len(p) < 4 {
		return "", nil, false
	}
	n := int64(filetype.LittleEndian.Uint32(p))
	if p = p[4:]; n > 1024 || 2*n > int64(len(p)) {
		return "", nil, false
	}
	var units []uint16
	for i := range n {
		units = append(units, filetype.LittleEndian.Uint16(p[2*i:]))
	}
	return strings.TrimRight(string(utf16.Decode(units)), "\x00"), p[2*n:], true
}

// linkedObject judges where an object's data comes from.
func linkedObject(_ *filetype.Source, facts *filetype.Facts, p []byte) *filetype.Problem {
	switch {
	case bytes.Contains(p, []byte(classScriptlet)), bytes.Contains(p, []byte(classNew)),
		bytes.Contains(p, []byte(classSoap)):
		return filetype.UnsafeFile(filetype.ReasonObjectExploit,
			"An object in the document runs a script from elsewhere. Remove it and save the document again.")
	case bytes.Contains(p, []byte(classURL)):
		target := monikerText(p[bytes.Index(p, []byte(classURL))+16:])
		if filetype.RemoteHost(target) != "" || filetype.Handlers.MatchString(target) {
			facts.HoldAbout(filetype.HoldExternalObject, target)
		}
	}
	return nil
}

// monikerText returns the UTF-16 address of a moniker, which follows its
// length.
func monikerText(p []byte) string {
	var units []uint16
	for p = p[min(len(p), 4):]; len(p) >= 2 && len(units) < 1024; p = p[2:] {
		u := filetype.LittleEndian.Uint16(p)
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}
