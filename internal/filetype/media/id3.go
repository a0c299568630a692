package media

import (
	"bytes"

	"vitrine/internal/filetype"
)

// id3Program checks the tags before a sound, which begins at first, for an
// attached file (GEOB) that is a program. It also checks the bytes between tags
// and sound. Players skip both.
func id3Program(s *filetype.Source, first int64) *filetype.Problem {
	end := id3End(s)
	if end == 0 {
		return nil
	}
	for off := int64(0); off+10 <= end; {
		h := s.Bytes(off, 10)
		if len(h) < 10 || string(h[:3]) != "ID3" {
			break
		}
		next := min(end, off+10+synchsafe(h[6:]))
		if p := id3Frames(s, off+10, next, h[3]); p != nil {
			return p
		}
		if h[5]&0x10 != 0 {
			next += 10
		}
		off = next
	}
	return carriedBy(s.Bytes(end, int(min(max(first-end, 0), filetype.PeekBytes))))
}

func carriedBy(data []byte) *filetype.Problem {
	if p := filetype.MalwareAt("", data); p != nil {
		return p
	}
	if filetype.SurelyProgram(data) == "" {
		return nil
	}
	return filetype.UnsafeFile(filetype.ReasonEmbeddedProgram,
		"The sound carries a program or script. Export it again without attachments.")
}

func synchsafe(p []byte) int64 {
	return int64(p[0]&0x7f)<<21 | int64(p[1]&0x7f)<<14 | int64(p[2]&0x7f)<<7 | int64(p[3]&0x7f)
}

// id3Frames walks the frames of a tag of version 3 or 4. Programs read no
// attached files from version 2.
func id3Frames(s *filetype.Source, off, end int64, version byte) *filetype.Problem {
	if version != 3 && version != 4 {
		return nil
	}
	for off+10 <= end && s.Step() {
		h := s.Bytes(off, 10)
		if len(h) < 10 || h[0] == 0 { // padding
			return nil
		}
		size := int64(filetype.BigEndian.Uint32(h[4:]))
		if version == 4 {
			size = synchsafe(h[4:])
		}
		if string(h[:4]) == "GEOB" {
			if p := carriedBy(attachedData(s.Bytes(off+10, int(min(size, 4*filetype.KiB))))); p != nil {
				return p
			}
		}
		off += 10 + size
	}
	return nil
}

// attachedData returns the data of an attached file, which follows its
// encoding, type, name and description.
func attachedData(p []byte) []byte {
	if len(p) == 0 {
		return nil
	}
	end := []byte{0}
	if p[0] == 1 || p[0] == 2 {
		end = []byte{0, 0}
	}
	_, p, _ = bytes.Cut(p[1:], []byte{0})
	for range 2 {
		_, p, _ = bytes.Cut(p, end)
		if len(end) == 2 && len(p) > 0 && p[0] == 0 { // the last character's upper half was the first of the two
			p = p[1:]
		}
	}
	return p
}
