package vitrinetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// seedVariable names the environment variable that repeats a run: a seed that a
// test logged.
const seedVariable = "VITRINE_TEST_SEED"

// Seed returns a random number and logs how to repeat the run with it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("%s=%d", seedVariable, seed)
	return seed
}
