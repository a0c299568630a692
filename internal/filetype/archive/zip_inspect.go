package archive

// modeType is the part of a Unix mode with the type of the file.
const modeType = 0xf000

// IsPlainMode reports whether a Unix mode is that of a file or folder, or is
// missing. A pipe is allowed: programs record it when they packed from one, and
// it unpacks as a file.
func IsPlainMode(mode uint32) bool {
	switch mode & modeType {
	case 0, 0x8000, 0x4000, 0x1000:
		return true
	}
	return false
}
