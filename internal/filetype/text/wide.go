package text

import (
	"bytes"
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Wide is a form of Unicode with two or four bytes for each unit.
type Wide struct {
	Width int  // of a unit: 2 in UTF-16, 4 in UTF-32; 0 in any other encoding
	Big   bool // the first byte of a unit is the most significant one
	Mark  int  // length of the byte order mark
}

// markOf returns the form that a byte order mark says.
func markOf(b []byte) Wide {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")):
		return Wide{4, false, 4}
	case bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff")):
		return Wide{4, true, 4}
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return Wide{2, false, 2}
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return Wide{2, true, 2}
	}
	return Wide{}
}

// WideOf returns the form of a text that begins with b. Without a byte order
// mark it uses the zeros: spaces and ends of lines of any language are ASCII,
// whose other bytes are zeros at the same places.
func WideOf(b []byte) Wide {
	if w := markOf(b); w.Width > 0 {
		return w
	}
	b = b[:min(len(b), 4<<10)&^3]
	var zeros [4]int
	for i, c := range b {
		if c == 0 {
			zeros[i%4]++
		}
	}
	units := len(b) / 4
	few := func(places ...int) bool {
		return !slices.ContainsFunc(places, func(i int) bool { return zeros[i]*20 > units })
	}
	switch {
	case units == 0:
	case zeros[3] == units && zeros[2]*10 > units*9 && few(0):
		return Wide{Width: 4}
	case zeros[0] == units && zeros[1]*10 > units*9 && few(3):
		return Wide{Width: 4, Big: true}
	case few(0, 2) && (zeros[1]+zeros[3])*5 > units:
		return Wide{Width: 2}
	case few(1, 3) && (zeros[0]+zeros[2])*5 > units:
		return Wide{Width: 2, Big: true}
	}
	return Wide{}
}

// encoding returns the encoding of the form, or nil.
func (w Wide) encoding() encoding.Encoding {
	switch {
	case w.Width == 4 && w.Big:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case w.Width == 4:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case w.Width == 2 && w.Big:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case w.Width == 2:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	return nil
}
