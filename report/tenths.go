package report

import (
	"fmt"
	"math"
	"strconv"
)

// Tenths is a number with one decimal: a percentage, or an average of pages.
// JSON shows it as such, for example 33.3.
type Tenths int64

// String returns the number with at most one decimal, such as 33.3 or 100.
func (t Tenths) String() string { return string(t.append(nil)) }

// Fixed returns the number with its decimal even if that is 0, for columns.
func (t Tenths) Fixed() string {
	s := t.String()
	if t%10 == 0 {
		s += ".0"
	}
	return s
}

// Float returns the nearest float64.
func (t Tenths) Float() float64 { return float64(t) / 10 }

// MarshalJSON writes the number.
func (t Tenths) MarshalJSON() ([]byte, error) { return t.append(nil), nil }

// UnmarshalJSON reads a number and keeps one decimal. As for other types, null
// leaves t unchanged.
func (t *Tenths) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(math.Abs(f) < 1<<48) {
		return fmt.Errorf("number with one decimal: %.40q", b)
	}
	*t = Tenths(math.Round(f * 10))
	return nil
}

func (t Tenths) append(b []byte) []byte {
	u := uint64(t)
	if t < 0 {
		b, u = append(b, '-'), -u
	}
	b = strconv.AppendUint(b, u/10, 10)
	if u%10 != 0 {
		b = append(b, '.', '0'+byte(u%10))
	}
	return b
}

// pct returns part ÷ all in percent, or 0 if all is 0.
func pct(part, all int64) Tenths { return Tenths(ratio(part, all, 1000)) }
