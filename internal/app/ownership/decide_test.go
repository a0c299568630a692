package ownership

import "testing"

// TestDecide checks all states that Rotate can find: what the store knows, what
// the storage has, what this call wrote last, and what it has doubted.
func TestDecide(t *testing.T) {
	t.Parallel()
	const current, next, foreign, other = "CURRENT", "NEXT", "FOREIGN", "OTHER"
	texts := []string{"", current, next, foreign, other, disputed}
	tried := map[step]bool{}
	for _, m := range []tokens{{}, {current: current, next: current}, {current: current, next: next}, {next: next}} {
		for _, found := range texts {
			for _, put := range texts[:len(texts)-1] {
				for _, doubted := range texts[:len(texts)-1] {
					got := decide(m, found, put, doubted)
					tried[got] = true
					known := found == "" || found == m.current || found == m.next || found == put
					if (got == rotate) != known {
						t.Errorf("%+v, found %q, put %q: step %d, but only this database's own token may be replaced",
							m, found, put, got)
					}
					if got == dispute && found != doubted {
						t.Errorf("%+v, found %q, doubted %q: disputed before it was doubted", m, found, doubted)
					}
					if got == doubt && found == doubted {
						t.Errorf("%+v, found %q: doubted twice", m, found)
					}
					if got == refuse && found != disputed {
						t.Errorf("%+v, found %q: refused, but not disputed", m, found)
					}
				}
			}
		}
	}
	if len(tried) != 4 {
		t.Errorf("steps %v occurred, want all four", tried)
	}
}
