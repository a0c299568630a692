package publish

import (
	"strings"

	"vitrine"
)

// A scanOrigin is a link's state before a scan, as far as the scan's effect
// depends on it.
type scanOrigin int

const (
	fromProcessing scanOrigin = iota // a new video
	fromUnscanned                    // in review: the scanner could not be asked, or was too slow
	fromLimit                        // in review: beyond the scanner's limits
	fromLate                         // in review: clean, but the scanner answered late
	fromReview                       // in review for any other reason
	fromLive
	scanOrigins
)

func originOf(l *vitrine.Link) scanOrigin {
	switch {
	case l.State == vitrine.StateProcessing:
		return fromProcessing
	case l.State != vitrine.StateReview:
		return fromLive
	}
	switch l.Reason {
	case vitrine.ReasonScanUnavailable, vitrine.ReasonScanSlow:
		return fromUnscanned
	case vitrine.ReasonScanLimit:
		return fromLimit
	case vitrine.ReasonScanLate:
		return fromLate
	}
	return fromReview
}

// A finding is the result of a scan.
type finding int

const (
	foundLimit finding = iota // the file is beyond the scanner's limits
	foundMalware
	foundSuspicious
	foundClean
	findings
)

// A step is what a scan does to a link. The zero step does nothing.
type step struct {
	to     vitrine.LinkState
	reason string
	add    bool // the reason stays, and the signature is added to its detail
}

var (
	noChange   = step{}
	limit      = step{to: vitrine.StateReview, reason: vitrine.ReasonScanLimit}
	malware    = step{to: vitrine.StateReview, reason: vitrine.ReasonMalware}
	suspicious = step{to: vitrine.StateReview, reason: vitrine.ReasonSuspicious}
	late       = step{to: vitrine.StateReview, reason: vitrine.ReasonScanLate}
)

// scanSteps lists what each scan in the background does to a link
// (contract, Link states). A scan makes a link live only if it was in
// processing. It never takes a link out of review: only a person does. It
// disables only new files. A limit does not hold a live link: either the
// scanner found the part clean that it scans, or a person has cleared the link.
var scanSteps = [scanOrigins][findings]step{
	fromProcessing: {limit, {to: vitrine.StateDisabled, reason: vitrine.ReasonMalware}, suspicious,
		{to: vitrine.StateLive}},
	fromUnscanned: {limit, malware, suspicious, late},
	fromLimit:     {noChange, malware, suspicious, late},
	fromLate:      {noChange, malware, suspicious, noChange},
	fromReview:    {noChange, malware, {to: vitrine.StateReview, add: true}, noChange},
	fromLive:      {noChange, malware, suspicious, noChange},
}

// changeFor returns the change that a scan's answer makes to a link. Its To is
// "" if nothing changes.
func changeFor(l *vitrine.Link, v vitrine.Verdict, err error) vitrine.Change {
	found, detail := foundClean, ""
	switch {
	case err != nil:
		found, detail = foundLimit, limitOf(err)
	case v.Result == vitrine.ScanMalware:
		found, detail = foundMalware, v.Signature
	case v.Result == vitrine.ScanSuspicious:
		found, detail = foundSuspicious, v.Signature
	}
	s := scanSteps[originOf(l)][found]
	if s.add {
		s.reason = l.Reason
		switch {
		case l.Reason == vitrine.ReasonSuspicious || strings.Contains(l.Detail, detail):
			detail = l.Detail
		default:
			detail = strings.TrimPrefix(l.Detail+"; "+detail, "; ")
		}
	}
	if s.to == "" || s.to == l.State && s.reason == l.Reason && detail == l.Detail {
		return vitrine.Change{}
	}
	return vitrine.Change{Action: vitrine.ActionScan, To: s.to, Reason: s.reason, Detail: detail}
}
