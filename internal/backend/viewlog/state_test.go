package viewlog

import "testing"

func init() { checkStates = true }

// TestStateOrder checks that a state whose days are out of order is found, by
// each rule of the order.
func TestStateOrder(t *testing.T) {
	good := state{compactedUntil: 300, rolledUpUntil: 290, staleFrom: 200, buildingUntil: 250, retainedFrom: 128}
	if err := good.check(); err != nil {
		t.Errorf("%+v: %v", good, err)
	}
	if err := (state{}).check(); err != nil {
		t.Errorf("the zero state: %v", err)
	}
	for what, change := range map[string]func(*state){
		"rolled up before compacted": func(s *state) { s.compactedUntil = 289 },
		"right before rolled up":     func(s *state) { s.rolledUpUntil = 199 },
		"right before built":         func(s *state) { s.buildingUntil = 199 },
		"expired before right":       func(s *state) { s.retainedFrom = 256 },
		"a part of a block expired":  func(s *state) { s.retainedFrom = 129 },
	} {
		s := good
		if change(&s); s.check() == nil {
			t.Errorf("%s: %+v passes", what, s)
		}
	}
}
