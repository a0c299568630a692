package publish

import (
	"strings"

	"vitrine"
)

// A place is a link's state before a scan, as far as the scan's effect depends
// on it.
type place int

const (
	wasProcessing place = iota // a new video
	wasUnscanned               // in review: the scanner could not be asked, or was too slow
	wasLimit                   // in review: beyond the scanner's limits
	wasLate                    // in review: clean, but the scanner answered late
	wasHeld                    // in review for any other reason
	wasLive
	places
)

func placeOf(l *vitrine.Link) place {
	switch {
	case l.State == vitrine.StateProcessing:
		return wasProcessing
	case l.State != vitrine.StateReview:
		return wasLive
	}
	switch l.Reason {
	case vitrine.ReasonScanUnavailable, vitrine.ReasonScanSlow:
		return wasUnscanned
	case vitrine.ReasonScanLimit:
		return wasLimit
	case vitrine.ReasonScanLate:
		return wasLate
	}
	return wasHeld
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
var scanSteps = [places][findings]step{
	wasProcessing: {limit, {to: vitrine.StateDisabled, reason: vitrine.ReasonMalware}, suspicious,
		{to: vitrine.StateLive}},
	wasUnscanned: {limit, malware, suspicious, late},
	wasLimit:     {noChange, malware, suspicious, late},
	wasLate:      {noChange, malware, suspicious, noChange},
	wasHeld:      {noChange, malware, {to: vitrine.StateReview, add: true}, noChange},
	wasLive:      {noChange, malware, suspicious, noChange},
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
	s := scanSteps[placeOf(l)][found]
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
