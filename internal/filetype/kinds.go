package filetype

// Kinds are all kinds, in the contract's order.
func Kinds() []Kind { return []Kind{PDF, Image, Video, Audio, Document, Text, HTML, Archive} }
