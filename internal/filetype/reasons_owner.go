package filetype

// OwnerMeanings holds the text for the owner of a file where the meaning of a
// reason addresses the moderator who decides.
var OwnerMeanings = map[string]string{
	HoldEncryptedArchive:  "A password protects files in the archive, so they cannot be checked automatically. Pack it without a password, or wait for a moderator.",
	HoldEncryptedDocument: "A password protects the document, so it cannot be checked automatically. Save it without a password, or wait for a moderator.",
	HoldEmbeddedObject:    "The document contains a packaged file that readers can start. Remove it and upload the document again, or wait for a moderator.",
	HoldActiveContent:     "The document contains ActiveX controls, which run when it is opened. Remove them and upload it again, or wait for a moderator.",
	HoldLaunchAction:      "The PDF has an action that starts a program or file. Export it without the action, or wait for a moderator.",
	HoldEmbeddedProgram:   "The PDF has a program or script as an attachment. Remove the attachment and upload it again, or wait for a moderator.",
	HoldPasswordForm:      "The page asks for a password. A moderator will check what for.",
	HoldSecondFormat:      "The file's bytes are also a file of another kind. Save it again from the program that made it, or wait for a moderator.",
	HoldHiddenData:        "The archive has bytes that belong to none of its files. Pack it again, or wait for a moderator.",
	HoldNotFullyInspected: "Parts of the file could not be checked automatically. A moderator will check them.",
	HoldDDELink:           "The document fetches data from another program (DDE). Remove the link and upload it again, or wait for a moderator.",
	HoldExternalTemplate:  "The document loads its template from the network when it is opened. Attach a local template, or wait for a moderator.",
	HoldExternalObject:    "The document loads an object or a part of itself from the network when it is opened. Embed it, or wait for a moderator.",
	HoldProgramAction:     "A click in the presentation starts a program. Remove the action and upload it again, or wait for a moderator.",
	HoldScriptReference:   "The document calls a script or command of the program that opens it. Remove the call, or wait for a moderator.",
	HoldPDFScript:         "A script in the PDF saves attachments or uses functions known from attacks. Export it without scripts, or wait for a moderator.",
	HoldPDFNetworkPath:    "The PDF points to a file on another computer. Remove the link and upload it again, or wait for a moderator.",
	HoldPDFActiveContent:  "The PDF contains Flash, which PDF readers once ran. Export it without Flash, or wait for a moderator.",
	HoldSVGScript:         "The SVG has scripts, which run in a copy that is downloaded and opened. Remove them, or wait for a moderator.",
	HoldSVGPage:           "The SVG contains a web page with forms or frames. Remove it, or wait for a moderator.",
	HoldCardForm:          "The page asks for a payment card number. A moderator will check what for.",
	HoldRedirect:          "The page redirects visitors to another site. A moderator will check that site.",
	HoldSmuggledFile:      "The page contains an encoded archive, disk image or shortcut. A moderator will check it.",
	HoldCommandFormula:    "A cell has a formula that starts a program. Remove it, or wait for a moderator.",
	HoldExternalMedia:     "The video loads pictures or sound from another file or address. Export it as one file, or wait for a moderator.",
}
