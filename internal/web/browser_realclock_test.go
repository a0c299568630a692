package web_test

import (
	"testing"

	"vitrine/internal/test/tier"
	"vitrine/internal/test/webtest"
)

func newWitness() *webtest.Witness {
	return &webtest.Witness{Last: map[string]webtest.Evidence{}, More: make(chan struct{})}
}

// The tests with this prefix wait by the real clock and run alone.

func TestRealClockEngagement(t *testing.T) {
	tier.Need(t, tier.All, "reading by the real clock")
	s := webtest.NewTimed(t, newWitness())
	for name := range webtest.Samples {
		for way, leave := range webtest.Ways {
			t.Run(way+"/"+name, func(t *testing.T) {
				t.Parallel()
				leave(s.Open(webtest.NewTab(t), s.Sample(name)))
			})
		}
	}
}

func TestRealClockTimes(t *testing.T) {
	tier.Need(t, tier.All, "reading by the real clock")
	for name, test := range webtest.Times {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, webtest.NewTimed(t, newWitness()))
		})
	}
}
