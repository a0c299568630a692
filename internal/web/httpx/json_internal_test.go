package httpx

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestParseInteger compares numbers of JSON with exact arithmetic.
func TestParseInteger(t *testing.T) {
	check := func(text string) {
		t.Helper()
		n, exact := parseInteger(text)
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%s is not a number", text)
		}
		whole := new(big.Int).Quo(r.Num(), r.Denom())
		want, wantExact := int64(math.MaxInt64), r.IsInt() && whole.IsInt64()
		switch {
		case whole.IsInt64():
			want = whole.Int64()
		case whole.Sign() < 0:
			want = math.MinInt64
		}
		if n != want || exact != wantExact {
			t.Errorf("parseInteger(%s) = %d, %v; want %d, %v", text, n, exact, want, wantExact)
		}
	}
	for _, text := range []string{"0", "-0", "0.0", "0e9", "5", "5.0", "3e2", "0.1e1", "1.50e1", "1.5", "-1.5", "100e-2", "1e-1",
		"5.000000000000000000000000000001", "4.999999999999999999999999999999", "9007199254740993", "9007199254740993.0",
		"9.007199254740993e15", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"9223372036854775807.0", "922337203685477580.7e1", "1e18", "1e19", "1e99", "-1e99", "1e-99", "0.00001e5",
		"1E3", "1e+3", "10000000000000000000000e-22"} {
		check(text)
	}
	r := rand.New(rand.NewPCG(1, 2))
	digits := func(most int) string {
		return strconv.FormatUint(r.Uint64()|1<<63, 10)[:r.IntN(most)] // of 19 digits or more
	}
	for range 20_000 {
		whole := digits(20)
		if whole == "" {
			whole = "0"
		}
		text := []string{"", "-"}[r.IntN(2)] + whole
		if f := digits(6); f != "" {
			text += "." + f + strings.Repeat("0", r.IntN(4))
		}
		if r.IntN(2) == 0 {
			text += "e" + strconv.Itoa(r.IntN(50)-25)
		}
		check(text)
	}
	for _, text := range []string{"1e999999999999999999999", "1e-999999999999999999999", "-0.1e9223372036854775807"} {
		n, exact := parseInteger(text) // without much memory or time
		if exact || n != 0 && n != math.MaxInt64 && n != math.MinInt64 {
			t.Errorf("parseInteger(%s) = %d, %v", text, n, exact)
		}
	}
}

// TestIntegerFields checks the fields of requests that are integers.
func TestIntegerFields(t *testing.T) {
	for text, want := range map[string]int64{"5": 5, "5.0": 5, "5.000000000000000000000000000001": 0, "1e99": 0} {
		f := Fields{Object: Object{"n": jsontext.Value(text)}}
		if n := f.Integer("n"); n != want || f.Err != nil {
			t.Errorf("Integer of %s = %d, %v; want %d", text, n, f.Err, want)
		}
	}
	f := Fields{Object: Object{"n": jsontext.Value(`5.9999999999999999999999`)}}
	if n := f.Amount("n"); n != 5 || f.Err != nil {
		t.Errorf("Amount = %d, %v; want 5: the fraction is cut off", n, f.Err)
	}
}
