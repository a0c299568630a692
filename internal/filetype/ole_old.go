package filetype

import (
	"bytes"
	"strings"
)

// oldObject judges an object as RTF carries it, in the layout of OLE 1: its class, where it is linked to, and its data, which of
// newer objects is a compound file within s. What cannot be read stays held.
func (f *Facts) oldObject(s *source, p []byte) *Problem {
	class, topic, linked := oldHeader(p)
	if linked && topic != "" {
		if handlers.MatchString(topic) {
			return unsafeFile(ReasonObjectExploit, "The document loads an object by an address made to run a program. Remove it and save the document again.").about(topic)
		}
		if remoteHost(topic) != "" {
			f.holdAbout(HoldExternalObject, topic)
		}
	}
	equation := strings.Contains(class, "equation")
	at := bytes.Index(p, []byte(oleMagic))
	if at < 0 {
		return f.oldData(class, oldBody(p))
	}
	c, ok := openCompound(s.within(p[at:]))
	if !ok {
		return nil
	}
	if problem := c.refuse(); problem != nil {
		return problem
	}
	if _, native := c.stream("\x01ole10native"); equation && native {
		return equationProblem()
	}
	return c.objects(f)
}

// oldData judges data that is no compound file.
func (f *Facts) oldData(class string, data []byte) *Problem {
	switch {
	case strings.Contains(class, "package"):
		return packagedFile(f, append(make([]byte, 4, 4+len(data)), data...))
	case strings.Contains(class, "equation"):
		return equationObject(f, data)
	}
	return embeddedProgram(class, data)
}

// oldHeader reads the class, in lower case, and the address of an object.
func oldHeader(p []byte) (class, topic string, linked bool) {
	if len(p) < 12 {
		return "", "", false
	}
	linked = le.Uint32(p[4:]) == 1
	p = p[8:]
	class, p = oldString(p)
	topic, _ = oldString(p)
	return strings.ToLower(class), topic, linked
}

// oldBody is the data behind the header of an embedded object.
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

// oldString reads a text behind its length.
func oldString(p []byte) (s string, rest []byte) {
	if len(p) < 4 {
		return "", nil
	}
	n := int(min(le.Uint32(p), uint32(len(p)-4)))
	return strings.TrimRight(string(p[4:4+min(n, kib)]), "\x00"), p[4+n:]
}
