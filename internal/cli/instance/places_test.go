package instance

import "testing"

// TestRedacted checks that an address loses its password and a directory
// nothing.
func TestRedacted(t *testing.T) {
	for address, want := range map[string]string{
		"my data/ä":                              "my data/ä",
		"postgres://ada:secret@db/vitrine":       "postgres://ada:xxxxx@db/vitrine",
		"postgres://db/vitrine?password=secret":  "postgres://db/vitrine?password=xxxxx",
		"postgres://ada:se@cret@db:5432/vitrine": "postgres://ada:xxxxx@db:5432/vitrine",
	} {
		if got := Redacted(address); got != want {
			t.Errorf("Redacted(%q) = %q, want %q", address, got, want)
		}
	}
}
