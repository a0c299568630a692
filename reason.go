package vitrine

import "vitrine/internal/filetype"

// Why a link waits for a person, or is off, besides what inspection finds
// (filetype.Reasons).
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
	ReasonExpired         = "expired"
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
	{ReasonExpired, "It has reached the time at which it expires. Its owner can set a later one."},
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

// OwnerMeaning is what a reason code means to the owner of the file; "" of an
// unknown one.
func OwnerMeaning(code string) string {
	if text, ok := ownerMeanings[code]; ok {
		return text
	}
	return Meaning(code)
}

// ownerMeanings are what the owner of a held file reads, where the meaning of
// the reason speaks to the moderator who decides.
var ownerMeanings = map[string]string{
	ReasonScanUnavailable: "The malware scanner could not be asked. It is asked again; then a moderator checks the file.",
	ReasonScanSlow:        "The malware scanner did not finish in time. It is asked again; then a moderator checks the file.",
	ReasonScanLimit:       "The file is larger, or packed deeper, than the malware scanner looks. A moderator checks it.",
	ReasonScanLate:        "The malware scanner could not be asked at first. It has found the file clean since; a moderator releases it.",
	ReasonSuspicious:      "The malware scanner finds the file suspicious. A moderator checks it.",
	ReasonKnownBytes:      "The same file was taken down on this service before, or is held. A moderator checks it.",
	ReasonAbuse:           "Readers have reported the file. A moderator checks it.",

	filetype.HoldEncryptedArchive:  "A password protects files in the archive, so they cannot be checked automatically. Pack it without a password, or wait for a moderator.",
	filetype.HoldEncryptedDocument: "A password protects the document, so it cannot be checked automatically. Save it without a password, or wait for a moderator.",
	filetype.HoldEmbeddedObject:    "The document contains a packaged file that readers can start. Remove it and upload the document again, or wait for a moderator.",
	filetype.HoldActiveContent:     "The document contains ActiveX controls, which run when it is opened. Remove them and upload it again, or wait for a moderator.",
	filetype.HoldLaunchAction:      "The PDF has an action that starts a program or file. Export it without the action, or wait for a moderator.",
	filetype.HoldEmbeddedProgram:   "The PDF has a program or script as an attachment. Remove the attachment and upload it again, or wait for a moderator.",
	filetype.HoldPasswordForm:      "The page asks for a password. A moderator checks what it is for.",
	filetype.HoldSecondFormat:      "The file's bytes are also a file of another kind. Save it again from the program that made it, or wait for a moderator.",
	filetype.HoldHiddenData:        "The archive has bytes that belong to none of its files. Pack it again, or wait for a moderator.",
	filetype.HoldNotFullyInspected: "Parts of the file could not be checked automatically. A moderator checks them.",
	filetype.HoldDDELink:           "The document fetches data from another program (DDE). Remove the link and upload it again, or wait for a moderator.",
	filetype.HoldExternalTemplate:  "The document loads its template from the network when it is opened. Attach a local template, or wait for a moderator.",
	filetype.HoldExternalObject:    "The document loads an object or a part of itself from the network when it is opened. Embed it, or wait for a moderator.",
	filetype.HoldProgramAction:     "A click in the presentation starts a program. Remove the action and upload it again, or wait for a moderator.",
	filetype.HoldScriptReference:   "The document calls a script or command of the program that opens it. Remove the call, or wait for a moderator.",
	filetype.HoldPDFScript:         "A script in the PDF saves attachments or uses functions known from attacks. Export it without scripts, or wait for a moderator.",
	filetype.HoldPDFNetworkPath:    "The PDF points to a file on another computer. Remove the link and upload it again, or wait for a moderator.",
	filetype.HoldPDFActiveContent:  "The PDF contains Flash, which readers once ran. Export it without Flash, or wait for a moderator.",
	filetype.HoldSVGScript:         "The SVG has scripts, which run in a copy that is downloaded and opened. Remove them, or wait for a moderator.",
	filetype.HoldSVGPage:           "The SVG contains a web page with forms or frames. Remove it, or wait for a moderator.",
	filetype.HoldCardForm:          "The page asks for the number of a payment card. A moderator checks what it is for.",
	filetype.HoldRedirect:          "The page sends its visitor on to another site. A moderator checks that site.",
	filetype.HoldSmuggledFile:      "The page contains an encoded archive, disk image or shortcut. A moderator checks what it is.",
	filetype.HoldCommandFormula:    "A cell has a formula by which spreadsheets start a program. Remove it, or wait for a moderator.",
	filetype.HoldExternalMedia:     "The film takes its pictures or sound from another file or address. Export it with all that it needs, or wait for a moderator.",
}
