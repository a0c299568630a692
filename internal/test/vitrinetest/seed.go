package vitrinetest

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"vitrine/internal/test/tier"
)

// seedVariable names the environment variable that repeats a run: a seed that a
// test logged.
const seedVariable = "VITRINE_TEST_SEED"

// Seed returns a number for a random source, and logs how to repeat the run
// with it. Below tier all a test always gets the same number, so that the gate
// fails for a change and not by chance; tier all searches further.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		if seed = rand.Uint64(); tier.Current() < tier.All {
			name := fnv.New64a()
			_, _ = name.Write([]byte(t.Name()))
			seed = name.Sum64()
		}
	}
	t.Logf("%s=%d", seedVariable, seed)
	return seed
}
