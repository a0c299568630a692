package vitrine

import "vitrine/internal/filetype"

// Why a link waits for a person, or is off, besides what inspection finds (filetype.Reasons).
const (
	ReasonScanUnavailable = "scan_unavailable" // the scanner could not answer: fail closed
	ReasonScanSlow        = "scan_slow"        // it did not answer in time
	ReasonScanLimit       = "scan_limit"       // the file is beyond what it looks at
	ReasonScanLate        = "scan_late"        // it could not answer at first, and has found the file clean since
	ReasonSuspicious      = "scan_suspicious"
	ReasonMalware         = filetype.ReasonMalware
	ReasonKnownBytes      = "known_bytes" // the same bytes were taken down before, or are held
	ReasonAbuse           = "abuse_reports"
	ReasonOwner           = "owner"
	ReasonModerator       = "moderator"
)

// Reason is a reason code and what it means to the owner and the moderator.
type Reason struct{ Code, Meaning string }

var ownReasons = []Reason{
	{ReasonScanUnavailable, "The malware scanner could not be asked. It is asked again; then a person releases the file."},
	{ReasonScanSlow, "The malware scanner did not finish in time. It is asked again; then a person releases the file."},
	{ReasonScanLimit, "The file is larger, or packed deeper, than the malware scanner looks. A person must look at it."},
	{ReasonScanLate, "The malware scanner could not be asked at first. It has found the file clean since; a person releases it."},
	{ReasonSuspicious, "The malware scanner finds the file suspicious. A person must look at it."},
	{ReasonKnownBytes, "The very same file was taken down on this service before, or is held. A person must look at it."},
	{ReasonAbuse, "Readers have reported the file. A person must look at it."},
	{ReasonOwner, "Its owner has disabled it."},
	{ReasonModerator, "A moderator has disabled it."},
}

// Reasons are all reason codes that a link or a refusal can have.
func Reasons() []Reason {
	all := append([]Reason(nil), ownReasons...)
	for _, r := range filetype.Reasons {
		all = append(all, Reason{r.Code, r.Meaning})
	}
	return all
}

var meanings = func() map[string]string {
	m := map[string]string{}
	for _, r := range Reasons() {
		m[r.Code] = r.Meaning
	}
	return m
}()

// Meaning is what a reason code means; "" of an unknown one.
func Meaning(code string) string { return meanings[code] }
