package tier

import "testing"

func TestCurrent(t *testing.T) {
	for name, want := range map[string]Tier{"": Test, "check": Check, "test": Test, "all": All} {
		t.Setenv(Variable, name)
		if got := Current(); got != want {
			t.Errorf("tier of %q = %v, want %v", name, got, want)
		}
	}
	t.Setenv(Variable, "nightly")
	defer func() {
		if recover() == nil {
			t.Error("an unknown tier is accepted")
		}
	}()
	Current()
}

func TestNeed(t *testing.T) {
	t.Setenv(Variable, "check")
	ran := false
	t.Run("skipped", func(t *testing.T) {
		Need(t, Test, "a server")
		ran = true
	})
	if ran {
		t.Error("a test of tier test ran in tier check")
	}
	t.Setenv(Variable, "all")
	Need(t, Test, "a server")
	if Pick(1, 2) != 2 {
		t.Error("Pick(1, 2) in tier all = 1, want 2")
	}
}
