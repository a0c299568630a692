package main

import "testing"

// TestRounds checks that no number of rounds meets the limit of an account.
func TestRounds(t *testing.T) {
	limited := false
	for _, k := range kinds {
		for _, wanted := range []int{1, 2, 5, 7, 20, 59, 60, 100, 1000, 1 << 20} {
			rounds, n := k.rounds(wanted)
			if rounds < 1 || n < 1 || n > k.n || rounds > wanted {
				t.Errorf("%s: %d rounds of %d for %d", k.name, rounds, n, wanted)
			}
			if k.most > 0 && (rounds+1)*n > k.most {
				t.Errorf("%s: %d rounds and one more of %d are more than %d", k.name, rounds, n, k.most)
			}
			limited = limited || k.most > 0
		}
	}
	if !limited {
		t.Error("no kind has a limit")
	}
}
