package archive

// The supported coders of 7z, and the filters for program code.
const (
	SevenCopy    = "\x00"
	SevenLZMA    = "\x03\x01\x01"
	SevenLZMA2   = "\x21"
	SevenDeflate = "\x04\x01\x08"
	SevenBzip2   = "\x04\x02\x02"
	sevenAES     = "\x06\xf1\x07\x01"
)
