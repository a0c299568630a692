// Package tier defines how much a test run covers. There are three tiers, each
// a superset of the one before: check (after an edit, without servers and
// browsers), test (the gate that decides whether the product works) and all
// (every repetition of a law: each backend at each crash point, real clocks,
// every width of every page).
//
// A tier may skip repetitions of a law, but never a law: what [Need] skips
// below [All] must be covered in a smaller form in [Test].
package tier

import (
	"os"
	"testing"
)

// Tier is how much a run covers.
type Tier int

// The tiers, from the smallest to the largest.
const (
	Check Tier = iota // no servers, no browsers
	Test              // the gate
	All               // everything
)

var names = [...]string{Check: "check", Test: "test", All: "all"}

func (t Tier) String() string { return names[t] }

// Variable is the environment variable that names the tier of a run. Unset, it
// is [Test].
const Variable = "VITRINE_TEST_TIER"

// Current returns the tier of this run. It panics if the variable has an
// unknown value, so that a typing error does not skip tests.
func Current() Tier {
	name, set := os.LookupEnv(Variable)
	if !set || name == "" {
		return Test
	}
	for t, n := range names {
		if n == name {
			return Tier(t)
		}
	}
	panic(Variable + "=" + name + ": want check, test or all")
}

// Need skips a test in runs below a tier. The message names the tier and what
// is skipped. The summary of a run lists it.
func Need(t testing.TB, least Tier, what string) {
	t.Helper()
	if now := Current(); now < least {
		t.Skipf("tier %s: %s needs tier %s", now, what, least)
	}
}

// Pick returns the last value in the largest tier, and the first in the others,
// for numbers of repetitions and times to wait.
func Pick[T any](gate, all T) T {
	if Current() == All {
		return all
	}
	return gate
}
