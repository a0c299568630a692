package vitrinetest_test

import (
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"
)

func TestClock(t *testing.T) {
	c := vitrinetest.NewClock(vitrinetest.Epoch)
	c.Advance(time.Hour)
	c.Advance(-time.Minute)
	if want := vitrinetest.Epoch.Add(59 * time.Minute); !c.Now().Equal(want) {
		t.Errorf("Now = %v, want %v", c.Now(), want)
	}
}
