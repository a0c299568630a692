package inspect

import (
	"bytes"

	"vitrine/internal/filetype"
)

// Equations of the old editor, which is no longer maintained, are harmless if
// their records are as the editor wrote them.
const (
	equationHeader  = 28 // before the MTEF header
	mtefHeader      = 5
	maxFontName     = 40 // the editor's buffer, CVE-2017-11882
	maxMatrixLength = 31 // rows or columns, CVE-2018-0798
)

func equationProblem() *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonObjectExploit,
		"An equation in the document is built to attack the program which opens it. Remove it and save the document again.")
}

// equationObject walks the first records of an equation, up to an unknown one.
// It searches for a font name that is too long for the editor.
func equationObject(_ *filetype.Source, _ *filetype.Facts, p []byte) *filetype.Problem {
	if len(p) < equationHeader+mtefHeader {
		return nil
	}
	if filetype.LittleEndian.Uint16(p) == equationHeader {
		p = p[equationHeader:]
	}
	if version := p[0]; version > 3 { // of another editor
		return nil
	}
	if longFont(p[min(len(p), mtefHeader):]) {
		return equationProblem()
	}
	return nil
}

func longFont(p []byte) bool {
	for steps := 0; len(p) > 0 && steps < maxObjects; steps++ {
		tag := p[0] & 0x0f
		switch {
		case tag == 8: // FONT: face, style, name
			name := p[min(len(p), 3):]
			end := bytes.IndexByte(name, 0)
			if end < 0 {
				end = len(name)
			}
			if end > maxFontName {
				return true
			}
			p = name[min(len(name), end+1):]
		case tag == 5: // MATRIX: alignment, rows, columns
			return len(p) >= 6 && (p[4] > maxMatrixLength || p[5] > maxMatrixLength)
		case tag == 9: // SIZE
			p = p[min(len(p), 3):]
		case p[0] == 4: // PILE: two alignments
			p = p[min(len(p), 3):]
		case p[0] <= 1, 10 <= tag && tag <= 14: // END, LINE, FULL to SUBSYM
			p = p[1:]
		default:
			return false
		}
	}
	return false
}

// maxEquationDepth bounds how far the parts of an equation nest.
const maxEquationDepth = 64

// plainEquation reports whether a packager's stream is an equation of the first
// editors (MTEF 2), of lines, characters and templates alone. Fonts and
// matrices, whose fields attacks overflow, are none, and every byte must belong
// to a record.
func plainEquation(p []byte) bool {
	const version = 2
	if len(p) <= 4+mtefHeader || int64(filetype.LittleEndian.Uint32(p)) != int64(len(p)-4) || p[4] != version {
		return false
	}
	depth := 0
	for p = p[4+mtefHeader:]; len(p) > 0; {
		tag, options, length := p[0]&0x0f, p[0]>>4, 0
		switch {
		case tag == 0 && depth == 0: // padding
			return len(bytes.Trim(p, "\x00")) == 0
		case tag == 0 && options == 0:
			length, depth = 1, depth-1
		case tag == 1 && options <= 1: // LINE, or an empty one
			length, depth = 1, depth+1-int(options)
		case tag == 2 && options <= 1: // CHAR: typeface, letter
			length = 3
		case tag == 2 && options <= 3: // followed by what stands above it
			length, depth = 3, depth+1
		case tag == 3 && options == 0: // TMPL: selector, variation, options
			length, depth = 4, depth+1
		case tag == 4 && options == 0: // PILE: two alignments
			length, depth = 3, depth+1
		case tag == 6 && options == 0: // EMBELL
			length = 2
		case 10 <= tag && tag <= 14 && options == 0: // FULL to SUBSYM
			length = 1
		}
		if length == 0 || length > len(p) || depth > maxEquationDepth {
			return false
		}
		p = p[length:]
	}
	return depth == 0
}
