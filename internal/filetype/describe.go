package filetype

import "github.com/gabriel-vasile/mimetype"

// describe returns a description of the bytes for a Reason: our label if the
// type is supported, otherwise that of the MIME library.
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

func MacroProblem() *Problem {
	return UnsafeFile(ReasonMacros, "The document contains macros. Save a copy without them and upload that.")
}
