package inspect

import (
	"cmp"
	"slices"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// unpacking sums up what an archive would unpack to, and lists it. Security:
// "archives inspected with bounds (entries, ratio, total, depth, overlapping
// entries, paths that escape, links) without extracting".
type unpacking struct {
	facts            *filetype.Facts
	list             bool // list entries in facts
	entries          int
	packed, unpacked int64
	all              *tally // includes surrounding and nested archives; nil if none
}

// tally sums over all archives of an inspection. In nested bombs each archive
// looks plausible, but the total grows.
type tally struct{ size, unpacked int64 } // size is that of the file

// add counts one entry. packed is negative if entries are not packed one by
// one.
func (u *unpacking) add(name string, dir bool, packed, unpacked int64) *filetype.Problem {
	if u.entries++; u.entries > filetype.MaxEntries {
		return archive.TooManyEntries()
	}
	if p := filetype.MemberName(name, dir); p != nil {
		return p
	}
	if unpacked < 0 || unpacked > filetype.MaxUnpacked || u.unpacked+unpacked > filetype.MaxUnpacked {
		return bomb().SetContext(name)
	}
	u.unpacked += unpacked
	if packed >= 0 {
		u.packed += packed
		if ratioTooHigh(packed, unpacked) || ratioTooHigh(u.packed, u.unpacked) {
			return bomb().SetContext(name)
		}
	}
	if u.all != nil {
		u.all.unpacked += unpacked
		if u.all.unpacked > filetype.MaxUnpacked || ratioTooHigh(u.all.size, u.all.unpacked) {
			return bomb().SetContext(name)
		}
	}
	if u.list {
		u.facts.EntriesTotal = u.entries
		if len(u.facts.Entries) < filetype.MaxListed {
			u.facts.Entries = append(u.facts.Entries,
				filetype.Entry{Name: archive.ShownName(name), Size: unpacked, Dir: dir})
		}
	}
	return nil
}

// seal marks a listed entry, by its index, as one whose bytes [Member] does not
// read.
func (u *unpacking) seal(i int, sealed bool) {
	if u.list && i < len(u.facts.Entries) {
		u.facts.Entries[i].Sealed = sealed
	}
}

// ratioTooHigh reports whether the ratio is too high for honest content.
func ratioTooHigh(packed, unpacked int64) bool {
	return unpacked > filetype.BombFloor && unpacked/filetype.MaxRatio > packed
}

func bomb() *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonBomb,
		"The archive unpacks to far more than its size, as archives made to fill disks do.")
}

func tooDeep() *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonTooDeep,
		"The archive contains archives within archives, more than %d deep. Unpack them first.", filetype.MaxDepth)
}

func linkProblem(name string) *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonLinks,
		"The archive contains links or devices. Pack it again with plain files and folders only.").SetContext(name)
}

// extent is the range of the file that a member occupies.
type extent struct{ from, to int64 }

// overlapping reports whether members share bytes. That is how a small file
// lists the same content a million times. It sorts extents.
func overlapping(extents []extent) bool {
	slices.SortFunc(extents, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(extents); i++ {
		if extents[i].from < extents[i-1].to {
			return true
		}
	}
	return false
}
