package turn

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
		turns := New[string](2)
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
		for range 5 {
			turns.Release()
			synctest.Wait()
		}
		if want := []string{"a", "a", "a1", "c", "a1", "a1", "a1"}; !slices.Equal(got, want) {
			t.Errorf("turns went to %q, want %q", got, want)
		}
		turns.Release()
		turns.Release()
		if turns.free != 2 || len(turns.queues) > 0 || len(turns.next) > 0 {
			t.Errorf("at the end: %+v, want all free", turns)
		}
	})
}
