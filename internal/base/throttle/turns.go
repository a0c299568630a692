package throttle

import (
	"context"
	"slices"
	"sync"
)

// Turns bounds how much work of one kind runs at once in this process. Callers
// wait for a turn in a queue of their own for each key. Free turns go to the
// queues in rotation, so that a long queue does not hold up the others.
type Turns[K comparable] struct {
	mu     sync.Mutex
	free   int
	each   int
	held   map[K]int             // turns by key; none is 0
	queues map[K][]chan struct{} // of those that wait, oldest first; none is empty
	next   []K                   // the keys of queues, in the order in which they get a turn
}

// NewTurns returns a queue with n turns.
func NewTurns[K comparable](n int) *Turns[K] { return NewTurnsEach[K](n, n) }

// NewTurnsEach returns a queue with n turns, of which each key has at most a
// number at once. So a key that keeps its turns for long does not stop the
// others.
func NewTurnsEach[K comparable](n, each int) *Turns[K] {
	return &Turns[K]{free: n, each: each, held: map[K]int{}, queues: map[K][]chan struct{}{}}
}

// Take waits for a turn. The caller calls Release with the key after it, unless
// Take returns the error of ctx.
func (t *Turns[K]) Take(ctx context.Context, key K) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	if t.free > 0 && t.held[key] < t.each {
		t.free--
		t.held[key]++
		t.mu.Unlock()
		return nil
	}
	given := make(chan struct{})
	if len(t.queues[key]) == 0 {
		t.next = append(t.next, key)
	}
	t.queues[key] = append(t.queues[key], given)
	t.mu.Unlock()
	select {
	case <-given:
		return nil
	case <-ctx.Done():
		if !t.remove(key, given) {
			t.Release(key)
		}
		return ctx.Err()
	}
}

// remove takes a caller out of its queue. It reports false if the caller has
// been given its turn.
func (t *Turns[K]) remove(key K, given chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.queues[key], given)
	if i < 0 {
		return false
	}
	t.put(key, slices.Delete(t.queues[key], i, i+1))
	if len(t.queues[key]) == 0 {
		t.next = slices.DeleteFunc(t.next, func(k K) bool { return k == key })
	}
	return true
}

func (t *Turns[K]) put(key K, queue []chan struct{}) {
	if len(queue) == 0 {
		delete(t.queues, key)
	} else {
		t.queues[key] = queue
	}
}

// Release gives a turn of a key back, and passes it on.
func (t *Turns[K]) Release(key K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	if t.held[key]--; t.held[key] == 0 {
		delete(t.held, key)
	}
	i := slices.IndexFunc(t.next, func(k K) bool { return t.held[k] < t.each })
	if i < 0 {
		return
	}
	key = t.next[i]
	t.next = slices.Delete(t.next, i, i+1)
	queue := t.queues[key]
	t.free--
	t.held[key]++
	close(queue[0])
	if t.put(key, queue[1:]); len(queue) > 1 {
		t.next = append(t.next, key)
	}
}
