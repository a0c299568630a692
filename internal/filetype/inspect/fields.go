package inspect

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"vitrine/internal/filetype"
)

// fieldStack assembles the instructions of fields in word processing. They are
// split over runs of text arbitrarily and nest: the result of an inner field is
// part of the outer instruction.
type fieldStack struct {
	open []fieldText
}

type fieldText struct {
	instruction []byte
	result      bool // the result has begun
}

const (
	maxFieldDepth = 32
	maxFieldText  = 2 * filetype.KiB
)

func (f *fieldStack) begin() {
	if len(f.open) < maxFieldDepth {
		f.open = append(f.open, fieldText{})
	}
}

func (f *fieldStack) text(p []byte) {
	if len(f.open) == 0 {
		return
	}
	top := &f.open[len(f.open)-1]
	if !top.result {
		top.instruction = append(top.instruction, p[:min(len(p), max(0, maxFieldText-len(top.instruction)))]...)
	}
}

// separate marks the instruction as complete and returns it.
func (f *fieldStack) separate() string {
	if len(f.open) == 0 {
		return ""
	}
	top := &f.open[len(f.open)-1]
	top.result = true
	return string(top.instruction)
}

// end closes the innermost field and returns its instruction.
func (f *fieldStack) end() string {
	if len(f.open) == 0 {
		return ""
	}
	top := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	if quoted := quotedField(top.instruction); quoted != nil {
		f.text(quoted)
	}
	return string(top.instruction)
}

// quotedField returns the text of a QUOTE field of character numbers.
func quotedField(instruction []byte) (text []byte) {
	words := bytes.Fields(instruction)
	if len(words) < 2 || !bytes.EqualFold(words[0], []byte("QUOTE")) {
		return nil
	}
	for _, w := range words[1:] {
		n, err := strconv.ParseUint(string(w), 0, 16)
		if err != nil || n > 255 {
			return bytes.Trim(bytes.Join(words[1:], []byte(" ")), `"`)
		}
		text = append(text, byte(n))
	}
	return text
}

var (
	ddeField    = regexp.MustCompile(`(?i)^[\s"'\x00]*dde(auto)?([\s"\\]|$)`)
	remoteField = regexp.MustCompile(`(?i)^[\s"']*(includetext|link|import)\s`)
)

// field checks the instruction of a field.
func field(f *filetype.Facts, instruction string) *filetype.Problem {
	if ddeField.MatchString(instruction) {
		return f.CheckDDE(strings.TrimSpace(instruction))
	}
	if remoteField.MatchString(instruction) {
		for word := range strings.FieldsSeq(instruction) {
			if word = strings.Trim(word, `"'`); filetype.RemoteHost(strings.ReplaceAll(word, `\\`, `\`)) != "" ||
				filetype.RemoteHost(word) != "" {
				f.HoldAbout(filetype.HoldExternalObject, word)
			}
		}
	}
	return nil
}

// fieldScan finds DDE fields in the text of a binary Word document. A field
// begins with 0x13; characters have one or two bytes.
type fieldScan struct {
	facts   *filetype.Facts
	inside  bool
	text    []byte
	problem *filetype.Problem
}

func (f *fieldScan) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == 0x13:
			f.judge()
			f.inside = true
		case f.inside && (c == 0x14 || c == 0x15 || len(f.text) >= 512):
			f.judge()
		case f.inside && c != 0:
			f.text = append(f.text, c)
		}
	}
	return len(p), nil
}

func (f *fieldScan) judge() {
	if f.inside && f.problem == nil && len(f.text) > 0 {
		f.problem = field(f.facts, string(f.text))
	}
	f.inside, f.text = false, f.text[:0]
}
