package filetype

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// unpacking adds up what an archive would unpack to, and lists it. Security: "archives inspected with bounds (entries, ratio, total,
// depth, overlapping entries, paths that escape, links) without extracting".
type unpacking struct {
	facts            *Facts
	list             bool // entries are listed in facts
	entries          int
	packed, unpacked int64
	all              *tally // with the archives around it and those within; nil where there are none
}

// tally adds up all archives of an inspection. Nested bombs keep each archive believable and grow from one to the next.
type tally struct{ size, unpacked int64 } // size is that of the file

// add counts one entry. packed is negative where entries are not packed one by one.
func (u *unpacking) add(name string, dir bool, packed, unpacked int64) *Problem {
	if u.entries++; u.entries > maxEntries {
		return tooManyEntries()
	}
	if p := memberName(name, dir); p != nil {
		return p
	}
	if unpacked < 0 || unpacked > maxUnpacked || u.unpacked+unpacked > maxUnpacked {
		return bomb().about(name)
	}
	u.unpacked += unpacked
	if packed >= 0 {
		u.packed += packed
		if inflated(packed, unpacked) || inflated(u.packed, u.unpacked) {
			return bomb().about(name)
		}
	}
	if u.all != nil {
		u.all.unpacked += unpacked
		if u.all.unpacked > maxUnpacked || inflated(u.all.size, u.all.unpacked) {
			return bomb().about(name)
		}
	}
	if u.list {
		u.facts.EntriesTotal = u.entries
		if len(u.facts.Entries) < MaxListed {
			u.facts.Entries = append(u.facts.Entries, Entry{strings.ToValidUTF8(name, "\ufffd"), unpacked, dir})
		}
	}
	return nil
}

// inflated tells a ratio that honest content does not reach.
func inflated(packed, unpacked int64) bool {
	return unpacked > bombFloor && unpacked/maxRatio > packed
}

func bomb() *Problem {
	return unsafeFile(ReasonBomb, "The archive unpacks to far more than its size, as archives made to fill disks do.")
}

func tooDeep() *Problem {
	return unsafeFile(ReasonTooDeep, "The archive contains archives within archives, more than %d deep. Unpack them first.", maxDepth)
}

// memberName refuses names that unpack elsewhere than below the archive's folder or as another file, and programs (contract:
// "executables and scripts are always refused, inside an inspected archive too").
func memberName(name string, dir bool) *Problem {
	if escapes(name) {
		return unsafeFile(ReasonEscapingPath, "The archive contains a path that leads out of its folder. Pack it again with plain relative paths.").about(name)
	}
	base := strings.TrimRight(path.Base(name), ". ")
	if ext := programExt(base); ext != "" && !dir {
		if macros[ext] {
			return unsafeFile(ReasonMacroName, "The archive contains an Office file with macros (.%s). Remove it and pack again.", ext).about(name)
		}
		return unsafeFile(ReasonProgramName, "The archive contains an executable or script (.%s). Remove it and pack again.", ext).about(name)
	}
	if reserved(name, dir) {
		return unsafeFile(ReasonReservedName, "The archive contains a name that Windows reads as another. Rename that file and pack again.").about(name)
	}
	return nil
}

// escapes tells a path that some system reads as one outside of the archive's folder.
func escapes(name string) bool {
	return strings.ContainsAny(name, "\\\x00") || strings.HasPrefix(name, "/") ||
		len(name) >= 2 && name[1] == ':' && ('a' <= name[0]|0x20 && name[0]|0x20 <= 'z') ||
		slices.Contains(strings.Split(name, "/"), "..")
}

// devices are the names that Windows takes for devices in every folder, whatever the extension.
var devices = extensionSet(`con prn aux nul conin$ conout$ com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 com¹ com² com³
	lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 lpt¹ lpt² lpt³`)

// reserved tells a path that Windows reads as another one: a device, a second stream of a file, or a name whose end it drops.
func reserved(name string, dir bool) bool {
	parts := strings.Split(strings.TrimSuffix(name, "/"), "/")
	for i, part := range parts {
		first, _, _ := strings.Cut(part, ".")
		kept := strings.TrimRight(part, ". ")
		switch {
		case devices[foldExt(first)], secondStream(part):
			return true
		case kept == "" && part != "" && part != ".":
			return true
		case kept != part && part != "." && i == len(parts)-1 && !dir: // folders such as "Smith Inc." lose their dot and no more
			return true
		}
	}
	return false
}

// secondStream tells a name of a second stream: "photo.jpg:notes.txt". A colon in "12:30.log" or "Re: offer.pdf" is none.
func secondStream(name string) bool {
	before, after, ok := strings.Cut(name, ":")
	if !ok {
		return false
	}
	_, known := ByExt(before)
	return known || strings.Contains(strings.ToLower(after), ":$") || strings.HasPrefix(after, "$") || strings.HasPrefix(after, ":")
}

func linkProblem(name string) *Problem {
	return unsafeFile(ReasonLinks, "The archive contains links or devices. Pack it again with plain files and folders only.").about(name)
}

// extent is a range of the file that one member takes.
type extent struct{ from, to int64 }

// overlapping tells members that share bytes, which is how a small file lists the same content a million times. It sorts them.
func overlapping(extents []extent) bool {
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(extents); i++ {
		if extents[i].from < extents[i-1].to {
			return true
		}
	}
	return false
}
