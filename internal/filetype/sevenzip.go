package filetype

import (
	"bytes"
	"hash/crc32"
)

// 7z and RAR are recognised, checked for a password as far as their headers show one, and not listed: a 7z's directory is itself
// compressed, a RAR's has two layouts. They go live as opaque archives; a scanner, where one is configured, looks inside.

// inspect7z checks the signature header: its checksum, and that the directory it points to lies within the file. A password is seen
// when the directory is encrypted or not compressed; within a compressed directory it stays unseen.
func inspect7z(s *source, t Type, facts *Facts) *Problem {
	h := s.head
	if !bytes.HasPrefix(h, []byte("7z\xbc\xaf\x27\x1c")) {
		return notThe(s, t)
	}
	if len(h) < 32 || crc32.ChecksumIEEE(h[12:32]) != le.Uint32(h[8:]) {
		return damaged(t)
	}
	off, size := le.Uint64(h[12:]), le.Uint64(h[20:])
	if room := uint64(s.size - 32); off > room || size > room-off {
		return damaged(t)
	}
	facts.Opaque = true
	directory := s.bytes(32+int64(off), int(min(size, mib)))
	if bytes.Contains(directory, []byte("\x06\xf1\x07\x01")) { // the coder AES-256
		facts.Encrypted = true
		facts.hold(HoldEncryptedArchive)
	}
	return nil
}
