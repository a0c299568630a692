package archive

// modeType is the part of a Unix mode that tells links and devices.
const modeType = 0xf000

// Plain tells a Unix mode of a file or folder, or none. A pipe is what programs
// note that packed from one; it unpacks as a file.
func Plain(mode uint32) bool {
	switch mode & modeType {
	case 0, 0x8000, 0x4000, 0x1000:
		return true
	}
	return false
}
