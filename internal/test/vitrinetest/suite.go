package vitrinetest

import (
	"errors"
	"reflect"
	"sync"
	"testing"
)

// Racers is the number of goroutines in tests of concurrency.
const Racers = 100

// ErrAbandoned is the error of callbacks that stop an operation.
var ErrAbandoned = errors.New("abandoned")

// Equal checks that got is want.
func Equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// Race runs f in n goroutines that start together.
func Race(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			f(i)
		})
	}
	done.Wait()
}
