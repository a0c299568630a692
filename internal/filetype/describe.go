package filetype

import "github.com/gabriel-vasile/mimetype"

// describe returns a description of the bytes for a Reason: our label if the
// type is supported, otherwise that of the MIME library.
func describe(head []byte) string {
	if what := brandLabel(head); what != "" {
		return what
	}
	detected := mimetype.Detect(head)
	for m := detected; m != nil; m = m.Parent() {
		for _, t := range Supported {
			if m.Is(t.MIME) {
				return t.Label
			}
		}
	}
	if detected.Is(Unknown) {
		return "something else"
	}
	return "something else (" + detected.String() + ")"
}

// brandLabels describe pictures in the boxes of MP4 by their first brand. The
// MIME library takes most of them for films.
var brandLabels = map[string]string{
	"heic": "a HEIC image", "heix": "a HEIC image", "heim": "a HEIC image", "heis": "a HEIC image",
	"hevc": "a HEIC image", "hevx": "a HEIC image", "hevm": "a HEIC image", "hevs": "a HEIC image",
	"avif": "an AVIF image", "avis": "an AVIF image", "jp2 ": "a JPEG 2000 image", "jpx ": "a JPEG 2000 image",
	"jpm ": "a JPEG 2000 image", "jxl ": "a JPEG XL image", "crx ": "a raw image of a camera (CR3)",
}

// brandLabel describes a picture in the boxes of MP4, or returns "". A file of
// the general brand (mif1, msf1 and so on) may also be of a known format.
func brandLabel(head []byte) string {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return ""
	}
	first := string(head[8:12])
	if first[:3] != "mif" && first[:3] != "msf" {
		return brandLabels[first]
	}
	end := min(int(BigEndian.Uint32(head)), len(head))
	for i := 16; i+4 <= end; i += 4 {
		if label := brandLabels[string(head[i:i+4])]; label != "" {
			return label
		}
	}
	return "an HEIF image of a kind that browsers do not show"
}

// NotThe returns the problem of bytes that are not of the type that the name
// says.
func NotThe(s *Source, t Type) *Problem {
	what := describe(s.Head)
	if what == t.Label {
		return Mismatch(ReasonDamaged, "The name says %s, but the content is damaged or cut short.", t.Label)
	}
	return Mismatch(ReasonOtherContent, "The name says %s, but the content is %s.", t.Label, what)
}

// Damaged returns the problem of bytes that begin like the type but do not
// continue like it.
func Damaged(t Type) *Problem {
	return Mismatch(ReasonDamaged, "The file begins like %s, but is damaged or cut short.", t.Label)
}

// MacroProblem refuses a document with macros.
func MacroProblem() *Problem {
	return UnsafeFile(ReasonMacros, "The document contains macros. Save a copy without them and upload that.")
}
