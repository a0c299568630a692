package inspect

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"vitrine/internal/filetype"
)

// inspectRTF reads the control words of a document to find what it embeds and
// loads (security, Files are checked by their bytes). An embedded object is
// held unless it is known, is written in the plain way and passes by itself:
// RTF allows more ways to write one than programs agree on.
func inspectRTF(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if !bytes.HasPrefix(s.Head, []byte(`{\rtf`)) {
		return filetype.NotThe(s, t)
	}
	scan := rtfScan{s: s, r: bufio.NewReaderSize(s.Scan(s.Size), filetype.ChunkBytes), facts: facts,
		left: filetype.MaxNestedTotal}
	if p := scan.run(); p != nil {
		return p
	}
	if scan.known < scan.objects || scan.objects > 0 && scan.loads {
		facts.HoldFor(filetype.HoldEmbeddedObject)
	}
	return nil
}

// rtfScan is one pass over an RTF document.
type rtfScan struct {
	s       *filetype.Source
	r       *bufio.Reader
	facts   *filetype.Facts
	groups  []rtfGroup
	kind    rtfKind // of the current group
	owner   bool    // the current group began the kind
	starred bool    // the next control word may be skipped with its group
	objects int     // embedded objects
	known   int     // those that passed
	loads   bool    // an object is linked, updated or shown without a click
	plain   bool    // the object consists of pairs of hexadecimal digits and space
	nibble  int     // first half of a hexadecimal byte, or -1
	text    []byte
	name    [32]byte
	digits  [12]byte
	left    filetype.Allowance // bytes of objects that may still be stored
}

// rtfGroup is the remembered state of an outer group.
type rtfGroup struct {
	kind  rtfKind
	owner bool
}

type rtfKind byte

const (
	rtfPlain rtfKind = iota
	rtfObject
	rtfField
	rtfTemplate
	rtfIgnored
)

// maxRTFGroups is how many nested groups are distinguished.
const maxRTFGroups = 10_000

var rtfDestinations = map[string]rtfKind{"objdata": rtfObject, "fldinst": rtfField, "template": rtfTemplate}

// rtfLoads are control words of objects that do more than wait for a click.
var rtfLoads = map[string]bool{"objupdate": true, "objautlink": true, "objlink": true, "objsub": true, "objpub": true,
	"objicemb": true, "objhtml": true, "objocx": true, "objattph": true}

func (r *rtfScan) run() *filetype.Problem {
	r.nibble = -1
	for {
		if r.kind == rtfPlain || r.kind == rtfIgnored {
			r.skip()
		}
		c, err := r.r.ReadByte()
		if err != nil {
			return r.judge()
		}
		var p *filetype.Problem
		switch c {
		case '{':
			r.plain = r.plain && r.kind != rtfObject
			if len(r.groups) < maxRTFGroups {
				r.groups = append(r.groups, rtfGroup{r.kind, r.owner})
			}
			r.owner = false
		case '}':
			p = r.end()
		case '\\':
			p = r.control()
		default:
			r.byte(c)
		}
		if p != nil {
			return p
		}
		if c != '\\' {
			r.starred = false
		}
	}
}

// skip skips text without meaning.
func (r *rtfScan) skip() {
	for {
		if _, err := r.r.Peek(1); err != nil {
			return
		}
		p, _ := r.r.Peek(r.r.Buffered())
		i := bytes.IndexAny(p, `\{}`)
		if i >= 0 {
			r.r.Discard(i)
			return
		}
		r.r.Discard(len(p))
	}
}

func (r *rtfScan) end() *filetype.Problem {
	var p *filetype.Problem
	if r.owner {
		p = r.judge()
	}
	r.kind, r.owner = rtfPlain, false
	if n := len(r.groups); n > 0 {
		r.kind, r.owner = r.groups[n-1].kind, r.groups[n-1].owner
		r.groups = r.groups[:n-1]
	}
	return p
}

// byte handles a character of text.
func (r *rtfScan) byte(c byte) {
	switch r.kind {
	case rtfObject:
		d := filetype.HexDigit(c)
		switch {
		case d < 0:
			r.plain = r.plain && strings.IndexByte(" \t\r\n", c) >= 0
		case r.nibble < 0:
			r.nibble = d
		default:
			r.keep(byte(r.nibble<<4|d), filetype.MaxNested)
			r.nibble = -1
		}
	case rtfField, rtfTemplate:
		if c != '\r' && c != '\n' {
			r.keep(c, maxFieldText)
		}
	}
}

func (r *rtfScan) keep(c byte, limit int) {
	if len(r.text) >= limit || r.left <= 0 {
		return
	}
	r.left--
	r.text = append(r.text, c)
}

// control handles what follows a backslash.
func (r *rtfScan) control() *filetype.Problem {
	r.plain = r.plain && r.kind != rtfObject
	c, err := r.r.ReadByte()
	switch {
	case err != nil:
		return nil
	case c == '*':
		r.starred = true
		return nil
	case c == '\'':
		var p [2]byte
		io.ReadFull(r.r, p[:])
		if hi, lo := filetype.HexDigit(p[0]), filetype.HexDigit(p[1]); r.kind != rtfObject && hi >= 0 && lo >= 0 {
			r.byte(byte(hi<<4 | lo))
		}
		return nil
	case !filetype.RtfLetter(c):
		if r.kind != rtfObject {
			r.byte(c)
		}
		return nil
	}
	word, number := r.word(c)
	starred := r.starred
	r.starred = false
	if word == "bin" {
		r.binary(number)
		return nil
	}
	r.loads = r.loads || rtfLoads[word]
	kind, known := rtfDestinations[word]
	switch {
	case known:
		var p *filetype.Problem
		if r.owner {
			p = r.judge()
		}
		r.kind, r.owner, r.text, r.nibble = kind, true, r.text[:0], -1
		if kind == rtfObject {
			r.objects++
			r.plain = true
		}
		return p
	case starred && r.kind != rtfPlain:
		r.kind, r.owner = rtfIgnored, false
	}
	return nil
}

// word reads a control word that begins with c, its number, and the space after
// it.
func (r *rtfScan) word(c byte) (word string, number int64) {
	name := append(r.name[:0], c)
	for {
		c, err := r.r.ReadByte()
		if err != nil {
			return string(name), 0
		}
		if !filetype.RtfLetter(c) {
			r.r.UnreadByte()
			break
		}
		if len(name) < 32 {
			name = append(name, c)
		}
	}
	digits := r.digits[:0]
	for {
		c, err := r.r.ReadByte()
		if err != nil || c == ' ' {
			break
		}
		if (c < '0' || c > '9') && (c != '-' || len(digits) > 0) {
			r.r.UnreadByte()
			break
		}
		if len(digits) < 12 {
			digits = append(digits, c)
		}
	}
	number, _ = filetype.PdfInteger(digits)
	return string(name), number
}

// binary reads n bytes that are not text.
func (r *rtfScan) binary(n int64) {
	for ; n > 0; n-- {
		c, err := r.r.ReadByte()
		if err != nil {
			return
		}
		if r.kind == rtfObject {
			r.keep(c, filetype.MaxNested)
		}
	}
}

// judge checks the data of a destination that has ended.
func (r *rtfScan) judge() *filetype.Problem {
	text := r.text
	r.text = r.text[:0]
	if !r.owner {
		return nil
	}
	switch r.kind {
	case rtfObject:
		known, p := oldObject(r.facts, r.s, slices.Clone(text))
		if known && r.plain && r.nibble < 0 && len(text) < filetype.MaxNested && r.left > 0 {
			r.known++
		}
		return p
	case rtfField:
		r.s.Work.Scanned -= filetype.Allowance(128 + 2*len(text)) // this takes longer than other text
		return field(r.facts, string(text))
	case rtfTemplate:
		if target := strings.TrimSpace(string(text)); filetype.RemoteHost(target) != "" ||
			filetype.Handlers.MatchString(target) {
			r.facts.HoldAbout(filetype.HoldExternalTemplate, target)
		}
	}
	return nil
}

// contains reports whether a stream contains any of the patterns. It uses
// constant memory.
func contains(r io.Reader, patterns ...[]byte) (bool, error) {
	longest := 0
	for _, p := range patterns {
		longest = max(longest, len(p))
	}
	buf := make([]byte, longest+filetype.ChunkBytes)
	n := 0
	for {
		k, err := r.Read(buf[n : n+filetype.ChunkBytes])
		n += k
		for _, p := range patterns {
			if bytes.Contains(buf[:n], p) {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		keep := min(n, longest)
		copy(buf, buf[n-keep:n])
		n = keep
	}
}
