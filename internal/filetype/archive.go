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
}

// add counts one entry. packed is negative where entries are not packed one by one.
func (u *unpacking) add(name string, dir bool, packed, unpacked int64) *Problem {
	if u.entries++; u.entries > maxEntries {
		return tooManyEntries()
	}
	if p := memberName(name, dir); p != nil {
		return p
	}
	if unpacked < 0 || unpacked > maxUnpacked || u.unpacked+unpacked > maxUnpacked {
		return bomb()
	}
	u.unpacked += unpacked
	if packed >= 0 {
		u.packed += packed
		if inflated(packed, unpacked) || inflated(u.packed, u.unpacked) {
			return bomb()
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
	return unsafeFile("The archive unpacks to far more than its size, as archives made to fill disks do.")
}

// memberName refuses names that unpack elsewhere than below the archive's folder, and programs (contract: "executables and scripts
// are always refused, inside an inspected archive too").
func memberName(name string, dir bool) *Problem {
	switch {
	case strings.ContainsAny(name, "\\\x00"),
		strings.HasPrefix(name, "/"),
		len(name) >= 2 && name[1] == ':' && ('a' <= name[0]|0x20 && name[0]|0x20 <= 'z'),
		slices.Contains(strings.Split(name, "/"), ".."):
		return unsafeFile("The archive contains a path that leads out of its folder. Pack it again with plain relative paths.")
	}
	if dir {
		return nil
	}
	base := strings.TrimRight(path.Base(name), ". ")
	ext := programExt(base)
	switch {
	case macros[ext]:
		return unsafeFile("The archive contains an Office file with macros (.%s). Remove it and pack again.", ext)
	case ext != "":
		return unsafeFile("The archive contains an executable or script (.%s). Remove it and pack again.", ext)
	}
	return nil
}

func linkProblem() *Problem {
	return unsafeFile("The archive contains links or devices. Pack it again with plain files and folders only.")
}

// extent is a range of the file that one member takes.
type extent struct{ from, to int64 }

// overlapping tells members that share bytes, which is how a small file lists the same content a million times.
func overlapping(extents []extent) bool {
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(extents); i++ {
		if extents[i].from < extents[i-1].to {
			return true
		}
	}
	return false
}
