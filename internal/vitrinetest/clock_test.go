package vitrinetest_test

import (
	"testing"
	"time"

	. "vitrine/internal/vitrinetest"
)

func TestClock(t *testing.T) {
	c := NewClock(Epoch)
	c.Advance(time.Hour)
	c.Advance(-time.Minute)
	if want := Epoch.Add(59 * time.Minute); !c.Now().Equal(want) {
		t.Errorf("the clock shows %v, want %v", c.Now(), want)
	}
}
