package importer

import "hash/maphash"

// wordCache converts bytes to strings and reuses recent ones.
type wordCache struct {
	seed  maphash.Seed
	words [4096]string
}

func newWordCache() *wordCache { return &wordCache{seed: maphash.MakeSeed()} }

func (c *wordCache) of(b []byte) string {
	if len(b) == 0 || len(b) > 255 {
		return string(b)
	}
	w := &c.words[maphash.Bytes(c.seed, b)%uint64(len(c.words))]
	if *w != string(b) {
		*w = string(b)
	}
	return *w
}
