package filetype

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MemberName refuses programs, and names that unpack outside the archive's
// folder or as another file (security, Files are checked by their bytes).
//
// A backslash is a separator: it is one on Windows, and a file of such a name
// on Unix stays in its folder too.
func MemberName(name string, dir bool) *Problem {
	stored := name
	name = strings.ReplaceAll(name, `\`, "/")
	if EscapesFolder(name) {
		return UnsafeFile(ReasonEscapingPath, "The archive contains a path that leads out of its folder. Pack it again with plain relative paths.").SetContext(stored)
	}
	base := strings.TrimRight(path.Base(name), ". ")
	if ext := ProgramExt(base); ext != "" && !dir {
		if Macros[ext] {
			return UnsafeFile(ReasonMacroName, "The archive contains an Office file with macros (.%s). Remove it and pack again.", ext).SetContext(stored)
		}
		return UnsafeFile(ReasonProgramName, "The archive contains an executable or script (.%s). Remove it and pack again.", ext).SetContext(stored)
	}
	if ReservedOnWindows(name, dir) {
		return UnsafeFile(ReasonReservedName, "The archive contains a name that Windows reads as another. Rename that file and pack again.").SetContext(stored)
	}
	return nil
}

// EscapesFolder reports whether some system reads a path as outside the
// archive's folder.
func EscapesFolder(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.Contains(name, "\x00") || strings.HasPrefix(name, "/") ||
		len(name) >= 2 && name[1] == ':' && ('a' <= name[0]|0x20 && name[0]|0x20 <= 'z') ||
		slices.Contains(strings.Split(name, "/"), "..")
}

// Devices are names that Windows treats as devices in every folder, with any
// extension.
var Devices = ExtensionSet(`con prn aux nul conin$ conout$ com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 com¹ com² com³
	lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 lpt¹ lpt² lpt³`)

// ReservedOnWindows reports whether Windows reads a path as another one: a
// device, a second stream of a file, or a name with a dropped ending.
func ReservedOnWindows(name string, dir bool) bool {
	parts := strings.Split(strings.TrimSuffix(name, "/"), "/")
	for i, part := range parts {
		first, _, _ := strings.Cut(part, ".")
		kept := strings.TrimRight(part, ". ")
		switch {
		case Devices[FoldExt(first)], secondStream(part):
			return true
		case kept == "" && part != "" && part != ".":
			return true
		case kept != part && part != "." && i == len(parts)-1 &&
			!dir: // folders such as "Smith Inc." lose their dot and no more
			return true
		}
	}
	return false
}

// secondStream reports whether a name is that of a second stream, such as
// "photo.jpg:notes.txt". "12:30.log" and "Re: offer.pdf" are not.
func secondStream(name string) bool {
	before, after, ok := strings.Cut(name, ":")
	if !ok {
		return false
	}
	_, known := ByExt(before)
	return known || strings.Contains(strings.ToLower(after), ":$") || strings.HasPrefix(after, "$") ||
		strings.HasPrefix(after, ":")
}

// checkName checks the rules for a file's name alone (contract, File names).
func checkName(name string) *Problem {
	bad := func(message string) *Problem {
		return &Problem{Code: CodeInvalidName, Reason: ReasonBadName, Message: message}
	}
	switch {
	case name == "":
		return bad("The file has no name.")
	case len(name) > MaxNameBytes:
		return bad("The file's name is longer than 255 bytes. Shorten it.")
	case !utf8.ValidString(name):
		return bad("The file's name is not valid UTF-8.")
	case strings.ContainsAny(name, `/\`):
		return bad("The file's name contains a slash or backslash. Send the name without its folder.")
	case strings.ContainsFunc(name, IsUnprintable):
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

func spaceOrDot(r rune) bool { return r == '.' || unicode.IsSpace(r) }

// ByName returns the type of a file from its name and declared MIME type. Case
// and parameters of the MIME type do not matter; application/octet-stream
// leaves the decision to the bytes (contract, File names). An empty declared
// type is a mismatch. Problems: invalid_name, unsupported_type, type_mismatch.
func ByName(name, declared string) (Type, error) {
	if p := checkName(name); p != nil {
		return Type{}, p
	}
	t, ok := ByExt(name)
	if ext := ProgramExt(name); ext != "" && !(ok && Macros[ext] && FoldExt(path.Ext(name)) == "."+ext &&
		!strings.Contains(name, ":")) {
		return Type{}, programProblem(ext)
	}
	if !ok {
		return Type{}, &Problem{Code: CodeUnsupportedType, Reason: ReasonUnlistedType,
			Message: "Files of this type (" + strings.ToLower(path.Ext(name)) +
				") are not accepted. If it is text, add .txt to its name. Otherwise convert it, or pack it into a ZIP."}
	}
	if !t.accepts(declared) {
		return Type{}, &Problem{Code: CodeTypeMismatch, Reason: ReasonDeclaredType,
			Message: "The declared type does not belong to a " + strings.ToLower(path.Ext(name)) + " file. Declare " + t.MIME +
				" or application/octet-stream."}
	}
	return t, nil
}

func (t Type) accepts(declared string) bool {
	if len(declared) > maxDeclaredBytes || strings.ContainsFunc(declared,
		func(r rune) bool { return r < ' ' || r > '~' }) {
		return false
	}
	media := MediaType(declared)
	return media == Unknown || slices.Contains(t.Accepts, media)
}

// MediaType returns a MIME type in lower case and without its parameters, such
// as "; charset=utf-8". Types are the same if it is the same.
func MediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}
