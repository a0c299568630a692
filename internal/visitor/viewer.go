package visitor

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"strings"
	"sync"
)

// ViewerID returns an opaque number for an address and a browser
// (engagement, The viewer): [ViewerOf] of HMAC-SHA-256 over
// the address and the user agent, each preceded by its length as 4 bytes
// big-endian. Only the /64 of an IPv6 address is used. Of the user agent,
// withoutVersions is used, so that an update of the browser does not make a new
// viewer.
//
// Two people with one address and the same browser on the same system count as
// one viewer. One person on two networks, or after the next major version of
// the system, counts as two. Without the key, address and user agent cannot be
// recovered.
func ViewerID(key []byte, addr netip.Addr, userAgent string) uint64 {
	m, _ := macs.Get().(*keyedMAC)
	if m == nil || !bytes.Equal(m.key, key) {
		m = &keyedMAC{Hash: hmac.New(sha256.New, key), key: bytes.Clone(key)}
	}
	defer macs.Put(m)
	m.input = appendPrefixed(m.input[:0], network(addr))
	m.input = appendPrefixed(m.input, withoutVersions(bounded(userAgent, maxAgent)))
	m.Reset()
	m.Write(m.input)
	m.sum = m.Sum(m.sum[:0])
	return ViewerOf(m.sum)
}

// macs has [*keyedMAC] values for reuse: most views in a row have the key of
// the same account. The runtime drops what is not used for some minutes, so a
// replaced key does not stay.
var macs sync.Pool

// keyedMAC computes codes with one key, one at a time. The key is prepared
// once.
type keyedMAC struct {
	hash.Hash
	key, input, sum []byte
}

// ViewerOf returns the viewer that a hash names: its first 6 bytes, big-endian.
// A stored view needs all bytes of its viewer. Two of n viewers of an account
// are taken for one with a probability of n²/2⁴⁹: 0.002 for a million.
func ViewerOf(hash []byte) uint64 { return binary.BigEndian.Uint64(hash) >> 16 }

// DayKey returns the key for viewers who send Sec-GPC: 1, for one day such as
// "2006-01-02". They are counted, but not recognized on another day.
func DayKey(key []byte, day string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("day key\x00" + day))
	return mac.Sum(nil)
}

func appendPrefixed(b, field []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(field)))
	return append(b, field...)
}

// network returns the stable part of an address: all of IPv4, the /64 of IPv6,
// nothing of an invalid address.
func network(addr netip.Addr) []byte {
	addr = addr.Unmap()
	switch {
	case addr.Is4():
		b := addr.As4()
		return b[:]
	case addr.Is6():
		b := addr.As16()
		return b[:8]
	}
	return nil
}

// withoutVersions removes the versions of products, which browsers change every
// month ("Chrome/124.0.6367.91" becomes "Chrome/", "rv:131.0" becomes "rv:").
// Of other versions it keeps the first part ("OS 17_4_1" becomes "OS 17").
func withoutVersions(userAgent string) []byte {
	out := make([]byte, 0, len(userAgent))
	for i := 0; i < len(userAgent); i++ {
		out = append(out, userAgent[i])
		switch {
		case userAgent[i] == '/' || bytes.HasSuffix(out, []byte("rv:")):
			for i+1 < len(userAgent) && !strings.ContainsRune(" ;,)]", rune(userAgent[i+1])) {
				i++
			}
		case isDigit(userAgent[i]):
			for i+1 < len(userAgent) && isDigit(userAgent[i+1]) {
				i++
				out = append(out, userAgent[i])
			}
			for i+2 < len(userAgent) && (userAgent[i+1] == '.' || userAgent[i+1] == '_') && isDigit(userAgent[i+2]) {
				for i += 2; i+1 < len(userAgent) && isDigit(userAgent[i+1]); {
					i++
				}
			}
		}
	}
	return out
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
