package filetype

import (
	"encoding/binary"
)

// Images are judged by their structure: what they are, that they are whole, how many pixels a viewer must hold, and what it must unpack
// for them. Pixels are not decoded. That is left to the browser, which does it in a sandbox.

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// sized records the dimensions of an image and refuses pixel floods (security: "images by header for pixel floods").
func (f *Facts) sized(width, height int64) *Problem {
	if width > maxPixels || height > maxPixels || width*height > maxPixels {
		return unsafeFile(ReasonHugeImage, "The image has %d × %d pixels, more than browsers can show.", width, height)
	}
	f.Width, f.Height = int(width), int(height)
	return nil
}

// cutShort says that what the image's dimensions need is not there.
func cutShort(t Type) *Problem {
	return mismatch(ReasonDamaged, "The file begins like %s, but its picture is cut short or damaged. Export or upload it again.", t.Label)
}

func uint24(p []byte) uint32 { return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 }
