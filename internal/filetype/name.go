package filetype

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName checks the rules that concern a file's name alone (contract, invalid_name).
func CheckName(name string) error {
	if p := checkName(name); p != nil {
		return p
	}
	return nil
}

func checkName(name string) *Problem {
	bad := func(message string) *Problem {
		return &Problem{Code: CodeInvalidName, Reason: ReasonBadName, Message: message}
	}
	switch {
	case name == "":
		return bad("The file has no name.")
	case len(name) > maxNameBytes:
		return bad("The file's name is longer than 255 bytes. Shorten it.")
	case !utf8.ValidString(name):
		return bad("The file's name is not valid UTF-8.")
	case strings.ContainsAny(name, `/\`):
		return bad("The file's name contains a slash or backslash. Send the name without its folder.")
	case strings.ContainsFunc(name, unprintable):
		return bad("The file's name contains control or text-direction characters. Rename it.")
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	switch {
	case spaceOrDot(first):
		return bad("The file's name begins with a space or a dot, or has nothing before its extension. Rename it.")
	case spaceOrDot(last):
		return bad("The file's name ends with a space or a dot. Rename it.")
	case !strings.Contains(name, "."):
		return bad(`The file's name has no extension, such as ".pdf". Add the one that fits its content.`)
	}
	return nil
}

// unprintable tells control characters, line and paragraph separators, and the bidirectional embeddings, overrides and isolates,
// which can show "exe.pdf" as "fdp.exe". The mere marks (U+200E, U+200F, U+061C) stay: Arabic and Hebrew names need them.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

func spaceOrDot(r rune) bool { return r == '.' || unicode.IsSpace(r) }

// ByName finds the type of a file by its name and the MIME type that it was declared with; the case and parameters of that do not
// matter, and application/octet-stream leaves the word to the bytes (contract, type_mismatch). An undeclared type ("")
// is a mismatch. Problems: invalid_name, unsupported_type, type_mismatch.
func ByName(name, declared string) (Type, error) {
	if p := checkName(name); p != nil {
		return Type{}, p
	}
	if ext := programExt(name); ext != "" {
		return Type{}, programProblem(ext)
	}
	t, ok := ByExt(name)
	if !ok {
		return Type{}, &Problem{Code: CodeUnsupportedType, Reason: ReasonUnlistedType,
			Message: "Files of this type are not accepted. Pack the file into a ZIP, or convert it."}
	}
	if !t.accepts(declared) {
		return Type{}, &Problem{Code: CodeTypeMismatch, Reason: ReasonDeclaredType,
			Message: "The declared type does not belong to a ." + t.Ext + " file. Declare " + t.MIME + " or application/octet-stream."}
	}
	return t, nil
}

func (t Type) accepts(declared string) bool {
	if len(declared) > maxDeclaredBytes || strings.ContainsFunc(declared, func(r rune) bool { return r < ' ' || r > '~' }) {
		return false
	}
	essence, _, _ := strings.Cut(declared, ";")
	essence = strings.ToLower(strings.Trim(essence, " "))
	return essence == unknown || slices.Contains(t.Accepts, essence)
}
