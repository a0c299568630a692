package visitor

import "strings"

// name pairs a token of a user agent, in lower case and of two bytes at least,
// with what it tells.
type name struct{ token, label string }

// table looks for many tokens in one pass over a user agent, so that a long or
// unknown one costs little. The earlier a name stands, the more it tells.
type table struct {
	names  []name
	starts [256][]uint16        // the names by the first two bytes of their tokens, as bucket tells, ascending
	heads  [1 << 16 / 64]uint64 // one bit for each pair of bytes that some token starts with
}

func newTable(names ...name) *table {
	t := &table{names: names}
	for i, n := range names {
		h := head(n.token[0], n.token[1])
		t.starts[bucket(h)] = append(t.starts[bucket(h)], uint16(i))
		t.heads[h/64] |= 1 << (h % 64)
	}
	return t
}

// words returns a table of tokens that all tell the same: that they are there.
func words(tokens ...string) *table {
	names := make([]name, len(tokens))
	for i, token := range tokens {
		names[i].token = token
	}
	return newTable(names...)
}

func head(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// bucket spreads heads, so that few names are compared where a token may start.
func bucket(head uint16) byte { return byte(head>>8)*31 + byte(head) }

// first returns the number of the first name of the table whose token is in ua,
// -1 when none is.
func (t *table) first(ua string) int {
	best := len(t.names)
	for i := 0; i+1 < len(ua); i++ {
		h := head(ua[i], ua[i+1])
		if t.heads[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, n := range t.starts[bucket(h)] {
			if int(n) >= best {
				break
			}
			if strings.HasPrefix(ua[i:], t.names[n].token) {
				best = int(n)
				break
			}
		}
	}
	if best == len(t.names) {
		return -1
	}
	return best
}

// label returns what the first name in ua tells, "" when none is.
func (t *table) label(ua string) string {
	if i := t.first(ua); i >= 0 {
		return t.names[i].label
	}
	return ""
}

// in reports whether any token is in ua.
func (t *table) in(ua string) bool { return t.first(ua) >= 0 }

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
