package vitrine

import "context"

// Tests make cheap hashes, but where a hash is what they are about.

var usualHashing = passwordHashing

func init() { setHashing(hashing{memory: 64, passes: 1, lanes: 1}) }

func setHashing(h hashing) {
	passwordHashing = h
	noPassword = h.format(make([]byte, saltSize), make([]byte, hashSize))
}

// UsualHashing has passwords hashed as they are outside of tests, until it is called back.
func UsualHashing() (back func()) {
	cheap := passwordHashing
	setHashing(usualHashing)
	return func() { setHashing(cheap) }
}

// HoldHashing takes all turns to make hashes, until they are given back.
func HoldHashing() (back func()) {
	turns := hashTurns()
	n := turns.free
	for range n {
		if err := turns.take(context.Background(), struct{}{}); err != nil {
			panic(err)
		}
	}
	return func() {
		for range n {
			turns.release()
		}
	}
}
