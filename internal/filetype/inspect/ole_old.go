package inspect

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/ole"
)

// oldObject judges an object in the OLE 1 layout of RTF: its class, link target
// and data. The data of newer objects is a compound file within s. An
// unreadable object stays held.
func oldObject(f *filetype.Facts, s *filetype.Source, p []byte) *filetype.Problem {
	class, topic, linked := oldHeader(p)
	if linked && topic != "" {
		if filetype.Handlers.MatchString(topic) {
			return filetype.UnsafeFile(filetype.ReasonObjectExploit,
				"The document loads an object by an address made to run a program. Remove it and save the document again.").SetContext(topic)
		}
		if filetype.RemoteHost(topic) != "" {
			f.HoldAbout(filetype.HoldExternalObject, topic)
		}
	}
	equation := strings.Contains(class, "equation")
	at := bytes.Index(p, []byte(filetype.OleMagic))
	if at < 0 {
		return oldData(f, s, class, oldBody(p))
	}
	c, ok := ole.Open(s.Within(p[at:]))
	if !ok {
		return nil
	}
	if problem := c.Check(); problem != nil {
		return problem
	}
	if _, native := mainStream(c, "\x01ole10native"); equation && native {
		return equationProblem()
	}
	return objects(c, f)
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

// oldBody returns the data of an embedded object, which follows its header.
func oldBody(p []byte) []byte {
	if len(p) < 8 {
		return nil
	}
	p = p[8:]
	for range 3 {
		_, p = oldString(p)
	}
	return p[min(len(p), 4):]
}

// oldString reads a length and a text.
func oldString(p []byte) (s string, rest []byte) {
	if len(p) < 4 {
		return "", nil
	}
	n := int(min(filetype.LittleEndian.Uint32(p), uint32(len(p)-4)))
	return strings.TrimRight(string(p[4:4+min(n, filetype.KiB)]), "\x00"), p[4+n:]
}
