package filetype

import "github.com/gabriel-vasile/mimetype"

// describe names what the bytes are, for a Reason: by our labels where the type
// is on the list, else as the MIME library does.
func describe(head []byte) string {
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

// NotThe says that the bytes are not what the name says.
func NotThe(s *Source, t Type) *Problem {
	what := describe(s.Head)
	if what == t.Label {
		return Mismatch(ReasonDamaged, "The name says %s, but the content is damaged or cut short.", t.Label)
	}
	return Mismatch(ReasonOtherContent, "The name says %s, but the content is %s.", t.Label, what)
}

// Damaged says that the bytes begin like what the name says and then do not go
// on like it.
func Damaged(t Type) *Problem {
	return Mismatch(ReasonDamaged, "The file begins like %s, but is damaged or cut short.", t.Label)
}

func MacroProblem() *Problem {
	return UnsafeFile(ReasonMacros, "The document contains macros. Save a copy without them and upload that.")
}
