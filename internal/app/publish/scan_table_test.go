package publish

import (
	"errors"
	"testing"

	"vitrine"
)

// TestScanSteps checks each state in which a link can wait with each answer of
// a scanner.
func TestScanSteps(t *testing.T) {
	reasons := []string{"", vitrine.ReasonScanUnavailable, vitrine.ReasonScanSlow, vitrine.ReasonScanLimit,
		vitrine.ReasonScanLate, vitrine.ReasonSuspicious,
		vitrine.ReasonMalware, vitrine.ReasonKnownBytes, vitrine.ReasonAbuse, "encrypted_archive"}
	answers := map[string]struct {
		v   vitrine.Verdict
		err error
	}{
		"limit":      {err: errors.New("too large")},
		"malware":    {v: vitrine.Verdict{Result: vitrine.ScanMalware, Signature: "Bad"}},
		"suspicious": {v: vitrine.Verdict{Result: vitrine.ScanSuspicious, Signature: "Odd"}},
		"clean":      {v: vitrine.Verdict{Result: vitrine.ScanClean}},
	}
	for _, state := range []vitrine.LinkState{vitrine.StateProcessing, vitrine.StateReview, vitrine.StateLive} {
		for _, reason := range reasons {
			if (reason == "") != (state != vitrine.StateReview) {
				continue
			}
			for answer, a := range answers {
				l := &vitrine.Link{State: state, Reason: reason, Detail: "before"}
				c := changeFor(l, a.v, a.err)
				what := string(state) + " " + reason + ", " + answer
				is, was := c.To, state
				if is == "" {
					is = was // nothing changes
				}
				switch {
				case is == vitrine.StateLive && was != vitrine.StateLive &&
					(was != vitrine.StateProcessing || answer != "clean"):
					t.Errorf("%s: the link becomes live", what)
				case is == vitrine.StateDisabled && (was != vitrine.StateProcessing || answer != "malware"):
					t.Errorf("%s: the link is disabled", what)
				case answer == "malware" && is == vitrine.StateLive:
					t.Errorf("%s: the link stays live", what)
				case answer == "malware" && reason != vitrine.ReasonMalware && c.Reason != vitrine.ReasonMalware:
					t.Errorf("%s: reason = %q, want malware", what, c.Reason)
				case answer == "suspicious" && is == vitrine.StateLive:
					t.Errorf("%s: the link stays live", what)
				case was == vitrine.StateProcessing && is == was:
					t.Errorf("%s: the link would wait forever", what)
				case is == vitrine.StateReview && c.To != "" && c.Reason == "":
					t.Errorf("%s: in review without a reason", what)
				case c.To != "" && c.Action != vitrine.ActionScan:
					t.Errorf("%s: action = %q, want scan", what, c.Action)
				}
				// The same answer a second time changes nothing.
				if c.To != "" && c.To != vitrine.StateDisabled {
					l.State, l.Reason, l.Detail = c.To, c.Reason, c.Detail
					if again := changeFor(l, a.v, a.err); again.To != "" {
						t.Errorf("%s: second answer: %s %s, want no change", what, again.To, again.Reason)
					}
				}
			}
		}
	}
}
