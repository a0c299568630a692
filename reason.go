package vitrine

import "vitrine/internal/filetype"

// The reasons for which a link is in review or disabled, besides those of
// inspection (filetype.Reasons).
const (
	ReasonScanUnavailable = "scan_unavailable" // the scanner failed: fail closed
	ReasonScanSlow        = "scan_slow"        // the scanner did not answer in time
	ReasonScanLimit       = "scan_limit"       // the file exceeds the limits of the scanner
	ReasonScanLate        = "scan_late"        // the scanner failed at first and later found the file clean
	ReasonSuspicious      = "scan_suspicious"
	ReasonMalware         = filetype.ReasonMalware
	ReasonKnownBytes      = "known_bytes" // the same bytes were disabled before or are held
	ReasonAbuse           = "abuse_reports"
	ReasonOwner           = "owner"
	ReasonModerator       = "moderator"
	ReasonExpired         = "expired"
)

// Reason is a reason code and its meaning for the owner and the moderator.
type Reason struct{ Code, Meaning string }

var ownReasons = []Reason{
	{ReasonScanUnavailable, "The malware scanner did not respond. The scan is repeated. Approve the file once it is found clean."},
	{ReasonScanSlow, "The malware scanner did not finish in time. The scan is repeated. Approve the file once it is found clean."},
	{ReasonScanLimit, "The file is too large or too deeply nested for the malware scanner. Check it before you approve it."},
	{ReasonScanLate, "The malware scanner did not respond at first, and later found the file clean. You can approve it."},
	{ReasonSuspicious, "The malware scanner found the file suspicious. Check it before you approve it."},
	{ReasonKnownBytes, "The same file was disabled here before, or is held. Check why before you approve it."},
	{ReasonAbuse, "Viewers reported the file. Read their reports before you decide."},
	{ReasonOwner, "The owner disabled the link."},
	{ReasonModerator, "A moderator disabled the link."},
	{ReasonExpired, "The link has expired. Its owner can choose a later time."},
}

// Reasons returns all reason codes that a link or a refusal can have.
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

// Meaning returns the meaning of a reason code, or "" if it is unknown.
func Meaning(code string) string { return meanings[code] }

// OwnerMeaning returns the meaning of a reason code for the owner of the file,
// or "" if it is unknown.
func OwnerMeaning(code string) string {
	if text, ok := ownerMeanings[code]; ok {
		return text
	}
	return Meaning(code)
}

// ownerMeanings holds the text for owners where the meaning addresses the
// moderator who decides.
var ownerMeanings = map[string]string{
	ReasonScanUnavailable: "The malware scanner did not respond. The scan is repeated, and then a moderator checks the file.",
	ReasonScanSlow:        "The malware scanner did not finish in time. The scan is repeated, and then a moderator checks the file.",
	ReasonScanLimit:       "The file is too large or too deeply nested for the malware scanner. A moderator will check it.",
	ReasonScanLate:        "The malware scanner did not respond at first, and later found the file clean. A moderator will approve it.",
	ReasonSuspicious:      "The malware scanner found the file suspicious. A moderator will check it.",
	ReasonKnownBytes:      "The same file was disabled here before, or is held. A moderator will check it.",
	ReasonAbuse:           "Viewers reported the file. A moderator will check it.",

	filetype.HoldEncryptedArchive:  "A password protects files in the archive, so they cannot be checked automatically. Pack it without a password, or wait for a moderator.",
	filetype.HoldEncryptedDocument: "A password protects the document, so it cannot be checked automatically. Save it without a password, or wait for a moderator.",
	filetype.HoldEmbeddedObject:    "The document contains a packaged file that readers can start. Remove it and upload the document again, or wait for a moderator.",
	filetype.HoldActiveContent:     "The document contains ActiveX controls, which run when it is opened. Remove them and upload it again, or wait for a moderator.",
	filetype.HoldLaunchAction:      "The PDF has an action that starts a program or file. Export it without the action, or wait for a moderator.",
	filetype.HoldEmbeddedProgram:   "The PDF has a program or script as an attachment. Remove the attachment and upload it again, or wait for a moderator.",
	filetype.HoldPasswordForm:      "The page asks for a password. A moderator will check what for.",
	filetype.HoldSecondFormat:      "The file's bytes are also a file of another kind. Save it again from the program that made it, or wait for a moderator.",
	filetype.HoldHiddenData:        "The archive has bytes that belong to none of its files. Pack it again, or wait for a moderator.",
	filetype.HoldNotFullyInspected: "Parts of the file could not be checked automatically. A moderator will check them.",
	filetype.HoldDDELink:           "The document fetches data from another program (DDE). Remove the link and upload it again, or wait for a moderator.",
	filetype.HoldExternalTemplate:  "The document loads its template from the network when it is opened. Attach a local template, or wait for a moderator.",
	filetype.HoldExternalObject:    "The document loads an object or a part of itself from the network when it is opened. Embed it, or wait for a moderator.",
	filetype.HoldProgramAction:     "A click in the presentation starts a program. Remove the action and upload it again, or wait for a moderator.",
	filetype.HoldScriptReference:   "The document calls a script or command of the program that opens it. Remove the call, or wait for a moderator.",
	filetype.HoldPDFScript:         "A script in the PDF saves attachments or uses functions known from attacks. Export it without scripts, or wait for a moderator.",
	filetype.HoldPDFNetworkPath:    "The PDF points to a file on another computer. Remove the link and upload it again, or wait for a moderator.",
	filetype.HoldPDFActiveContent:  "The PDF contains Flash, which PDF readers once ran. Export it without Flash, or wait for a moderator.",
	filetype.HoldSVGScript:         "The SVG has scripts, which run in a copy that is downloaded and opened. Remove them, or wait for a moderator.",
	filetype.HoldSVGPage:           "The SVG contains a web page with forms or frames. Remove it, or wait for a moderator.",
	filetype.HoldCardForm:          "The page asks for a payment card number. A moderator will check what for.",
	filetype.HoldRedirect:          "The page redirects visitors to another site. A moderator will check that site.",
	filetype.HoldSmuggledFile:      "The page contains an encoded archive, disk image or shortcut. A moderator will check it.",
	filetype.HoldCommandFormula:    "A cell has a formula that starts a program. Remove it, or wait for a moderator.",
	filetype.HoldExternalMedia:     "The video loads pictures or sound from another file or address. Export it as one file, or wait for a moderator.",
}
