package tables

import "sync"

// Answers keeps the most recently used answers by their key. It is safe for
// concurrent use.
type Answers[Of, State comparable, Answer any] struct {
	mu    sync.Mutex
	byOf  map[Of]*kept[Of, State, Answer]
	clock int64
	size  int
	most  int
}

type kept[Of, State comparable, Answer any] struct {
	of     Of
	state  State
	answer Answer
	used   int64
	size   int
}

// NewAnswers returns a cache of at most the given size.
func NewAnswers[Of, State comparable, Answer any](bytes int) *Answers[Of, State, Answer] {
	return &Answers[Of, State, Answer]{byOf: map[Of]*kept[Of, State, Answer]{}, most: bytes}
}

// Find returns the answer for a key, if it was made from the given state.
func (k *Answers[Of, State, Answer]) Find(of Of, st State) (a Answer, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.byOf[of]
	if t == nil || t.state != st {
		return a, false
	}
	k.clock++
	t.used = k.clock
	return t.answer, true
}

// Keep adds an answer, which must not change any more. It removes the least
// recently used answers while the cache is too large.
func (k *Answers[Of, State, Answer]) Keep(of Of, st State, a Answer, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(k.byOf[of])
	k.clock++
	k.byOf[of] = &kept[Of, State, Answer]{of, st, a, k.clock, bytes}
	k.size += bytes
	for k.size > k.most {
		var oldest *kept[Of, State, Answer]
		for _, t := range k.byOf {
			if oldest == nil || t.used < oldest.used {
				oldest = t
			}
		}
		k.drop(oldest)
	}
}

func (k *Answers[Of, State, Answer]) drop(t *kept[Of, State, Answer]) {
	if t != nil {
		delete(k.byOf, t.of)
		k.size -= t.size
	}
}
