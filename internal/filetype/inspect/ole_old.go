package inspect

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// oldDocuments are the classes of documents that may be objects of an RTF
// document: the type that they are judged as, and the class within.
var oldDocuments = map[string]struct{ ext, class string }{
	"word.document.8":    {"doc", "\x06\x09\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"},
	"excel.sheet.8":      {"xls", "\x20\x08\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"},
	"powerpoint.show.8":  {"ppt", "\x10\x8d\x81\x64\x9b\x4f\xcf\x11\x86\xea\x00\xaa\x00\xb9\x29\xe8"},
	"powerpoint.slide.8": {"ppt", "\x11\x8d\x81\x64\x9b\x4f\xcf\x11\x86\xea\x00\xaa\x00\xb9\x29\xe8"},
}

// oldObject judges an object in the OLE 1 layout of RTF: its class, link target
// and data. The data of newer objects is a compound file within s. It reports
// whether the object is known and was judged as a whole.
func oldObject(f *filetype.Facts, s *filetype.Source, p []byte) (known bool, problem *filetype.Problem) {
	class, topic, linked := oldHeader(p)
	if linked && topic != "" {
		if filetype.Handlers.MatchString(topic) {
			return false, filetype.UnsafeFile(filetype.ReasonObjectExploit,
				"The document loads an object by an address made to run a program. Remove it and save the document again.").SetContext(topic)
		}
		if filetype.RemoteHost(topic) != "" {
			f.HoldAbout(filetype.HoldExternalObject, topic)
		}
	}
	equation := strings.Contains(class, "equation")
	data, size := oldBody(p)
	at := bytes.Index(p, []byte(filetype.OleMagic))
	if at < 0 {
		return size > 0 && !linked && class == "package", oldData(f, s, class, data)
	}
	c, ok := archive.OpenCompound(s.Within(p[at:]))
	if !ok {
		return false, nil
	}
	if problem := c.Check(); problem != nil {
		return false, problem
	}
	if _, native := mainStream(c, "\x01ole10native"); equation && native {
		return false, equationProblem()
	}
	if problem := objects(c, f); problem != nil {
		return false, problem
	}
	d, ok := oldDocuments[class]
	if !ok || size <= 0 || linked || string(c.Storage[0].Clsid[:]) != d.class ||
		!bytes.HasPrefix(data, []byte(filetype.OleMagic)) {
		return false, nil
	}
	return true, attachment(s, f, packagedData{label: class, names: []string{"object." + d.ext}, data: data[:size]})
}

// oldData judges data that is not a compound file.
func oldData(f *filetype.Facts, s *filetype.Source, class string, data []byte) *filetype.Problem {
	switch {
	case strings.Contains(class, "package"):
		return packagedFile(s, f, append(make([]byte, 4, 4+len(data)), data...))
	case strings.Contains(class, "equation"):
		return equationObject(s, f, data)
	}
	return embeddedProgram(class, data)
}

// oldHeader reads the class, in lower case, and the address of an object.
func oldHeader(p []byte) (class, topic string, linked bool) {
	if len(p) < 12 {
		return "", "", false
	}
	linked = filetype.LittleEndian.Uint32(p[4:]) == 1
	p = p[8:]
	class, p = oldString(p)
	topic, _ = oldString(p)
	return strings.ToLower(class), topic, linked
}

// oldBody returns what follows the header of an embedded object and its size,
// which is -1 unless all of it is there. A picture of the object may follow it.
func oldBody(p []byte) (rest []byte, size int64) {
	if len(p) < 8 {
		return nil, -1
	}
	p = p[8:]
	for range 3 {
		_, p = oldString(p)
	}
	if len(p) < 4 {
		return nil, -1
	}
	size = int64(filetype.LittleEndian.Uint32(p))
	if p = p[4:]; size > int64(len(p)) {
		size = -1
	}
	return p, size
}

// oldString reads a length and a text.
func oldString(p []byte) (s string, rest []byte) {
	if len(p) < 4 {
		return "", nil
	}
	n := int(min(filetype.LittleEndian.Uint32(p), uint32(len(p)-4)))
	return strings.TrimRight(string(p[4:4+min(n, filetype.KiB)]), "\x00"), p[4+n:]
}
