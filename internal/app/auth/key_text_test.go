package auth

import (
	"fmt"
	"strings"
	"testing"
)

func TestKeyText(t *testing.T) {
	k := NewKeyText()
	if len(k) != 42 || !strings.HasPrefix(string(k), "vtr_") {
		t.Fatalf("key has %d characters, want 42: %q", len(k), string(k))
	}
	if p, ok := ParseKeyText(string(k)); !ok || p != k {
		t.Error("ParseKeyText refuses a new key")
	}
	if NewKeyText() == k {
		t.Error("NewKeyText returned the same key twice")
	}
	for i := range len(k) {
		c := byte('x')
		if k[i] == c {
			c = 'y'
		}
		if _, ok := ParseKeyText(string(k[:i]) + string(c) + string(k[i+1:])); ok {
			t.Errorf("ParseKeyText accepts a key with a wrong character %d", i)
		}
	}
	for _, s := range []string{"", "vtr_", string(k) + "0", string(k[:41]), " " + string(k[1:]),
		strings.Repeat("é", 21)} {
		if _, ok := ParseKeyText(s); ok {
			t.Errorf("ParseKeyText(%q) succeeds, want an error", s)
		}
	}
	for _, s := range []string{fmt.Sprint(k), fmt.Sprintf("%v %s %+v", k, k, struct{ K KeyText }{k})} {
		if strings.Contains(s, string(k[4:30])) {
			t.Error("printing a key shows it")
		}
	}
}

// TestKeySum checks that the checksum is CRC-32 (IEEE) in base62, most
// significant digit first, with digits before upper case before lower case. The
// CRC's published check value is 0xCBF43926 for "123456789".
func TestKeySum(t *testing.T) {
	n := uint64(0)
	for _, c := range keySum("123456789") {
		n = n*62 + uint64(strings.IndexRune(base62, c))
	}
	if n != 0xCBF43926 {
		t.Errorf("checksum of the check string = %#x", n)
	}
}
