package visitor

import "strings"

// name is a token of a user agent, in lower case and at least two bytes long,
// and its label.
type name struct{ token, label string }

// table searches for many tokens in one pass over a user agent, so that a long
// or unknown one costs little. Earlier names take precedence.
type table struct {
	names  []name
	starts [256][]uint16        // the names by the first two bytes of their tokens, by bucket, ascending
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

// words returns a table of tokens without labels.
func words(tokens ...string) *table {
	names := make([]name, len(tokens))
	for i, token := range tokens {
		names[i].token = token
	}
	return newTable(names...)
}

func head(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// bucket spreads heads, so that few names are compared at each position.
func bucket(head uint16) byte { return byte(head>>8)*31 + byte(head) }

// first returns the index of the first name of the table whose token is in ua,
// or -1.
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

// label returns the label of the first name in ua, or "".
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
