package password

import (
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
)

// TestLines checks that a network with many hashes holds up neither another
// network nor those who are known.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		wait := func(name string, line Line) {
			go func() {
				if err := inTurn(t.Context(), line, func() { got = append(got, name) }); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}()
			synctest.Wait()
		}
		Acquire()
		flood := Stranger(netip.MustParsePrefix("2001:db8::/48"))
		for range 50 {
			wait("flood", flood)
		}
		wait("stranger", Stranger(netip.MustParsePrefix("192.0.2.0/24")))
		wait("known", Known("ann@example.org"))
		if want := []string{"known"}; !slices.Equal(got, want) {
			t.Fatalf("while strangers have all turns %q have one, want %q", got, want)
		}
		hashTurns().strangers.Release(Line{})
		synctest.Wait()
		if i := slices.Index(got, "stranger"); i != 2 {
			t.Errorf("turns went to %q, want the stranger after one of the flood", got)
		}
		for range maxHashes() - 1 {
			hashTurns().strangers.Release(Line{})
		}
	})
}
