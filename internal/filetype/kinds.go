package filetype

// Kinds returns all kinds in the order of the contract.
func Kinds() []Kind { return []Kind{PDF, Image, Video, Audio, Document, Text, HTML, Archive} }
