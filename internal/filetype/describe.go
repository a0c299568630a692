package filetype

import (
	"github.com/gabriel-vasile/mimetype"
)

// describe names what the bytes are, for a Reason: by our labels where the type is on the list, else as the MIME library does.
func describe(head []byte) string {
	detected := mimetype.Detect(head)
	for m := detected; m != nil; m = m.Parent() {
		for _, t := range supported {
			if m.Is(t.MIME) {
				return t.Label
			}
		}
	}
	if detected.Is(unknown) {
		return "something else"
	}
	return "something else (" + detected.String() + ")"
}

// notThe says that the bytes are not what the name says.
func notThe(s *source, t Type) *Problem {
	what := describe(s.head)
	if what == t.Label {
		return mismatch(ReasonDamaged, "The name says %s, but the content is damaged or cut short.", t.Label)
	}
	return mismatch(ReasonOtherContent, "The name says %s, but the content is %s.", t.Label, what)
}

// damaged says that the bytes begin like what the name says and then do not go on like it.
func damaged(t Type) *Problem {
	return mismatch(ReasonDamaged, "The file begins like %s, but is damaged or cut short.", t.Label)
}
