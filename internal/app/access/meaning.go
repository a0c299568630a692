package access

import (
	"cmp"

	"vitrine"
	"vitrine/internal/filetype"
)

// OwnerMeaning returns the meaning of a reason code for the owner of the file,
// or "" if it is unknown.
func OwnerMeaning(code string) string {
	return cmp.Or(ownerMeanings[code], filetype.OwnerMeanings[code], vitrine.Meaning(code))
}

// ownerMeanings holds the text for owners where the meaning addresses the
// moderator who decides.
var ownerMeanings = map[string]string{
	vitrine.ReasonScanUnavailable: "The malware scanner did not respond. The scan is repeated, and then a moderator checks the file.",
	vitrine.ReasonScanSlow:        "The malware scanner did not finish in time. The scan is repeated, and then a moderator checks the file.",
	vitrine.ReasonScanLimit:       "The file is too large or too deeply nested for the malware scanner. A moderator will check it.",
	vitrine.ReasonScanLate:        "The malware scanner did not respond at first, and later found the file clean. A moderator will approve it.",
	vitrine.ReasonSuspicious:      "The malware scanner found the file suspicious. A moderator will check it.",
	vitrine.ReasonKnownBytes:      "The same file was disabled here before, or is held. A moderator will check it.",
	vitrine.ReasonAbuse:           "Viewers reported the file. A moderator will check it.",
}
