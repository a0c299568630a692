package throttle

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// TestTurns checks that free turns go to the queues in rotation, and that
// leaving a queue takes no turn.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns[string](2)
		var got []string
		wait := func(ctx context.Context, key string) {
			go func() {
				if turns.Take(ctx, key) == nil {
					got = append(got, key)
				}
			}()
			synctest.Wait()
		}
		ctx, leave := context.WithCancel(t.Context())
		for _, key := range []string{"a", "a", "a1", "a1", "a1"} {
			wait(t.Context(), key)
		}
		wait(ctx, "a1")
		wait(ctx, "b")
		wait(t.Context(), "c")
		wait(t.Context(), "a1")
		if want := []string{"a", "a"}; !slices.Equal(got, want) {
			t.Fatalf("with two turns %q have one", got)
		}
		leave()
		synctest.Wait()
		for _, key := range []string{"a", "a", "a1", "c", "a1"} {
			turns.Release(key)
			synctest.Wait()
		}
		if want := []string{"a", "a", "a1", "c", "a1", "a1", "a1"}; !slices.Equal(got, want) {
			t.Errorf("turns went to %q, want %q", got, want)
		}
		turns.Release("a1")
		turns.Release("a1")
		if turns.free != 2 || len(turns.queues) > 0 || len(turns.next) > 0 || len(turns.held) > 0 {
			t.Errorf("at the end: %+v, want all free", turns)
		}
	})
}

// TestTurnsOfEach checks that a key that keeps its turns does not stop others,
// and that turns are given back by who leaves while it gets one.
func TestTurnsOfEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurnsEach[string](3, 2)
		var got []string
		wait := func(ctx context.Context, key string) {
			go func() {
				if turns.Take(ctx, key) == nil {
					got = append(got, key)
				}
			}()
			synctest.Wait()
		}
		want := func(keys ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(got, keys) {
				t.Fatalf("turns went to %q, want %q", got, keys)
			}
		}
		for range 5 {
			wait(t.Context(), "flood")
		}
		want("flood", "flood") // a turn is free
		wait(t.Context(), "a")
		want("flood", "flood", "a")
		wait(t.Context(), "b")
		wait(t.Context(), "b")
		turns.Release("a")
		want("flood", "flood", "a", "b")
		turns.Release("b")
		want("flood", "flood", "a", "b", "b")
		turns.Release("flood")
		want("flood", "flood", "a", "b", "b", "flood")
		for range 4 {
			turns.Release(got[len(got)-1])
			synctest.Wait()
		}
		turns.Release("b")
		if turns.free != 3 || len(turns.queues) > 0 || len(turns.next) > 0 || len(turns.held) > 0 {
			t.Errorf("at the end: %+v, want all free", turns)
		}
	})
}
