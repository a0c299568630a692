package filetype

// HexDigit returns the value of a hexadecimal digit, or -1.
func HexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// RtfLetter reports whether c may be in the name of an RTF control word.
func RtfLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
