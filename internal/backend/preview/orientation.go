package preview

import (
	"encoding/binary"
	"image"
	"io"
)

// orientation returns the EXIF orientation of an image, 1 to 8. It returns 1
// (upright) for an image without one.
func (j *job) orientation() int {
	switch j.Ext {
	case "jpg":
		if at := exifAt(j.file); at > 0 {
			return tiffOrientation(io.NewSectionReader(j.file, at, 1<<16))
		}
	}
	return 1
}

// maxSegments limits how many segments of a JPEG are searched for EXIF data,
// which is usually in the first or second.
const maxSegments = 32

// exifAt returns the offset of the EXIF data of a JPEG, or 0 if it has none.
func exifAt(r io.ReaderAt) int64 {
	off := int64(2)
	for range maxSegments {
		var h [10]byte
		if n, _ := r.ReadAt(h[:], off); n < len(h) || h[0] != 0xff || h[1] == 0xda {
			return 0
		}
		if h[1] == 0xe1 && string(h[4:10]) == "Exif\x00\x00" {
			return off + int64(len(h))
		}
		off += 2 + int64(binary.BigEndian.Uint16(h[2:]))
	}
	return 0
}

const (
	orientationTag = 0x0112
	maxTags        = 512
)

// tiffOrientation returns the orientation from the first directory of a TIFF
// file, the format of EXIF data.
func tiffOrientation(r io.ReaderAt) int {
	var h [8]byte
	if n, _ := r.ReadAt(h[:], 0); n < len(h) {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if h[0] == 'M' {
		order = binary.BigEndian
	}
	directory := int64(order.Uint32(h[4:]))
	var count [2]byte
	if n, _ := r.ReadAt(count[:], directory); n < len(count) {
		return 1
	}
	for i := range min(int64(order.Uint16(count[:])), maxTags) {
		var tag [12]byte
		if n, _ := r.ReadAt(tag[:], directory+2+i*12); n < len(tag) {
			return 1
		}
		if order.Uint16(tag[:]) == orientationTag {
			if v := int(order.Uint16(tag[8:])); 1 <= v && v <= 8 {
				return v
			}
			return 1
		}
	}
	return 1
}

// upright returns an image rotated to upright.
func upright(img image.Image, orientation int) image.Image {
	if orientation == 1 {
		return img
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := x, y
			switch orientation {
			case 2:
				fx = w - 1 - x
			case 3:
				fx, fy = w-1-x, h-1-y
			case 4:
				fy = h - 1 - y
			case 5:
				fx, fy = y, x
			case 6:
				fx, fy = y, w-1-x
			case 7:
				fx, fy = h-1-y, w-1-x
			case 8:
				fx, fy = h-1-y, x
			}
			out.Set(x, y, img.At(b.Min.X+fx, b.Min.Y+fy))
		}
	}
	return out
}
