package metrics

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadRarely checks that a database is read once in ReadEvery, however
// often and by however many it is asked for.
func TestReadRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c cached[int]
		var reads atomic.Int64
		read := func(context.Context) (int, error) {
			time.Sleep(10 * time.Millisecond)
			return int(reads.Add(1)), nil
		}
		for range 100 {
			for range 10 {
				go c.get(read)
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := reads.Load(); n != 10 {
			t.Errorf("%d readings in 100 s, want 10", n)
		}
		if n, up, known := c.get(read); n != 10 || !up || !known {
			t.Errorf("get = %d, %v, %v", n, up, known)
		}
	})
}

// TestReadFrozen checks that a database that does not answer delays an answer
// by answerTime at most, is shown as down after readTime, and is read by one
// goroutine until it answers.
func TestReadFrozen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c cached[int]
		thaw := make(chan struct{})
		var reads atomic.Int64
		frozen := func(context.Context) (int, error) {
			reads.Add(1)
			<-thaw
			return 0, errors.New("gone")
		}
		well := func(context.Context) (int, error) { return 7, nil }
		if n, up, _ := c.get(well); n != 7 || !up {
			t.Fatalf("get = %d, %v", n, up)
		}
		time.Sleep(ReadEvery)
		for i := range 60 {
			began := time.Now()
			n, up, known := c.get(frozen)
			if took := time.Since(began); took > answerTime {
				t.Fatalf("an answer took %s", took)
			}
			if late := time.Duration(i) * time.Second; late > readTime && (up || n != 0) || !known {
				t.Errorf("after %s: %d, up %v, known %v", late, n, up, known)
			}
			time.Sleep(time.Second - time.Since(began))
		}
		if reads.Load() != 1 {
			t.Errorf("%d readings at a time", reads.Load())
		}
		close(thaw)
		synctest.Wait()
		if _, up, _ := c.get(well); up {
			t.Error("up after an error")
		}
		time.Sleep(ReadEvery)
		if n, up, _ := c.get(well); n != 7 || !up {
			t.Errorf("after it answers: %d, %v", n, up)
		}
	})
}
