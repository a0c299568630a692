package filetype

import "strings"

// Reason is what inspection found, for the owner of a file and a moderator
// (security, Files are checked by their bytes). Codes are stored in the history
// of links, so one is not used again for something else. All but the contract's
// may go or be split (contract, Link states).
type Reason struct {
	Code    string // a Reason or Hold constant
	Holds   bool   // held for a person; otherwise refused
	Meaning string // finding and remedy, one or two sentences, for both readers
}

// Problems of a name or a declared type.
const (
	ReasonBadName      = "bad_name"
	ReasonProgramName  = "program_name"
	ReasonMacroName    = "macro_name"
	ReasonUnlistedType = "unlisted_type"
	ReasonDeclaredType = "declared_type"
)

// Problems of a file that is not what its name says.
const (
	ReasonEmpty        = "empty_file"
	ReasonOtherContent = "other_content"
	ReasonDamaged      = "damaged"
	ReasonNotText      = "not_text"
	ReasonDataAround   = "data_around"
)

// Programs, and what runs like one.
const (
	ReasonProgram         = "program"
	ReasonScript          = "script"
	ReasonHTMLApplication = "html_application"
	ReasonInstaller       = "windows_installer"
	ReasonMacros          = "macros"
	ReasonHiddenProgram   = "hidden_program"
	ReasonPolyglot        = "polyglot"
	ReasonMalware         = "malware"
)

// Problems of unpacking an archive.
const (
	ReasonEscapingPath   = "escaping_path"
	ReasonReservedName   = "reserved_name"
	ReasonLinks          = "links"
	ReasonBomb           = "archive_bomb"
	ReasonTooManyEntries = "too_many_entries"
	ReasonTooDeep        = "too_deep"
	ReasonOverlap        = "overlapping_entries"
	ReasonContradiction  = "contradicting_entries"
	ReasonHiddenEntry    = "hidden_entry"
)

// Problems of a ZIP as a website.
const (
	ReasonNoIndex       = "no_index"
	ReasonEncryptedSite = "encrypted_website"
	ReasonSiteTooLarge  = "website_too_large"
)

// Problems for the program that opens a document or image.
const (
	ReasonForgedDocument = "forged_document"
	ReasonHugeImage      = "huge_image"
	ReasonEntities       = "xml_entities"
	ReasonDeepMarkup     = "deep_markup"
)

// The codes of Facts.Hold (contract, Link states).
const (
	HoldEncryptedArchive  = "encrypted_archive"    // members cannot be checked without a password
	HoldEncryptedDocument = "encrypted_document"   // an office file that cannot be checked for macros without its password
	HoldEmbeddedObject    = "embedded_object"      // an office or RTF file carries a packaged file
	HoldActiveContent     = "active_content"       // an office file carries ActiveX controls
	HoldLaunchAction      = "pdf_launch_action"    // a PDF can start a program
	HoldEmbeddedProgram   = "pdf_embedded_program" // a PDF carries an executable or script
	HoldPasswordForm      = "html_password_form"   // a web page asks for a password
	HoldSecondFormat      = "second_format"        // the bytes are also a file of another kind
	HoldHiddenData        = "hidden_data"          // an archive has bytes that belong to none of its members
	HoldNotFullyInspected = "not_fully_inspected"  // parts could not be read within the bounds, or at all
)

// Reasons lists all codes in the order of the page that explains them.
var Reasons = append([]Reason{
	{ReasonBadName, false, "The file's name is missing, too long, or has characters that mislead. Rename the file."},
	{ReasonProgramName, false, "The name of the file, or of a file in the archive, is that of an executable or script. Such files are not published under any name; leave it out."},
	{ReasonMacroName, false, "The name of the file, or of a file in the archive, is that of an Office format made for macros. Save it in a format without macros."},
	{ReasonUnlistedType, false, "Files of this type are not accepted. If it is text, add .txt to its name. Otherwise convert it, or pack it into a ZIP."},
	{ReasonDeclaredType, false, "The upload declared a type that does not belong to the file's extension. Declare the right one."},

	{ReasonEmpty, false, "The file has no bytes. Upload it again."},
	{ReasonOtherContent, false, "The content is not what the file's name says. Give it the extension that fits its content."},
	{ReasonDamaged, false, "The file is damaged or was cut short. Make or upload it again."},
	{ReasonNotText, false, "The name says text, but the content is not text. Give it the extension that fits its content."},
	{ReasonDataAround, false, "There is other data before or after the content, where another file can hide. Save or pack the file again."},

	{ReasonMalware, false, "The inspection or the malware scanner has found malware in the file."},
	{ReasonProgram, false, "The file's bytes are a program, whatever its name. Programs are not published."},
	{ReasonScript, false, "The file begins like a script that systems run. Scripts are not published."},
	{ReasonHTMLApplication, false, "The web page is an HTML application, which runs outside of the browser's protection. It is not published."},
	{ReasonInstaller, false, "The file is a Windows installer. Programs are not published."},
	{ReasonMacros, false, "The document contains macros. Save a copy without them and upload that."},
	{ReasonHiddenProgram, false, "The archive contains a program or script under a harmless name. Leave it out; if you did not pack it, ask who did."},
	{ReasonPolyglot, false, "The file is two files at once, and one of them is a program or can carry one. Save it again from the program that made it."},

	{ReasonEscapingPath, false, "A path in the archive leads out of the folder it is unpacked to. Pack it again with plain relative paths."},
	{ReasonReservedName, false, "A name in the archive is reserved on Windows, or means another name there. Rename that file and pack again."},
	{ReasonLinks, false, "The archive contains links or devices, which can write outside the folder when it is unpacked. Pack plain files and folders only."},
	{ReasonBomb, false, "The archive unpacks to far more than its size, as archives made to fill disks do. Pack it again, or in parts."},
	{ReasonTooManyEntries, false, "The archive has more entries than can be checked. Split it."},
	{ReasonTooDeep, false, "Archives are nested deeper than can be checked. Unpack the inner ones first."},
	{ReasonOverlap, false, "The archive lists the same bytes more than once, as archives made to fill disks do. Pack it again."},
	{ReasonContradiction, false, "The archive says two different things about a file in it, so that programs unpack different files. Pack it again."},
	{ReasonHiddenEntry, false, "The archive contains a file that its directory does not list. Pack it again."},

	{ReasonNoIndex, false, "The website has no index.html at its top, which is its first page. Upload the folder that has one."},
	{ReasonEncryptedSite, false, "A password protects the website's ZIP. Pack it without one."},
	{ReasonSiteTooLarge, false, "The files of the website take more than 4 GiB together. Leave out large ones, and give them links of their own."},

	{ReasonForgedDocument, false, "The document has a structure that no office program writes, which can hide its content. Save it again."},
	{ReasonHugeImage, false, "The image has more pixels than browsers can show. Make it smaller."},
	{ReasonEntities, false, "The markup defines entities that can expand to gigabytes. Save it without a DOCTYPE."},
	{ReasonDeepMarkup, false, "The markup nests deeper than programs can follow. Simplify it."},

	{HoldEncryptedArchive, true, "A password protects files in the archive, so that nobody can check them. Approve it only if you trust the person who uploaded it."},
	{HoldEncryptedDocument, true, "A password protects the document, so that it cannot be checked for macros. Approve it only if you trust the person who uploaded it."},
	{HoldEmbeddedObject, true, "The document carries a packaged file that could not be published by itself, or not be inspected. Check what it is before you approve it."},
	{HoldActiveContent, true, "The document carries ActiveX controls, which run when it is opened. Check what they are before you approve it."},
	{HoldLaunchAction, true, "The PDF has an action that starts a program or file. Approve it only if the action is harmless."},
	{HoldEmbeddedProgram, true, "The PDF carries an executable or script as an attachment. Do not approve it unless you know why."},
	{HoldPasswordForm, true, "The page asks for a password. Check that it does not imitate someone else's login."},
	{HoldSecondFormat, true, "The file's bytes are also a file of another kind. That can be an oddity of the program that made it, or a disguise. Check it before you approve it."},
	{HoldHiddenData, true, "The archive has bytes that belong to none of its files, which some programs read and others do not. Ask the person who uploaded it to pack it again."},
	{HoldNotFullyInspected, true, "Parts of the file could not be read within the limits of inspection, or at all. Check them by hand before you approve it."},
}, documentReasons...)

// ReasonOf finds a reason by its code.
func ReasonOf(code string) (Reason, bool) {
	for _, r := range Reasons {
		if r.Code == code {
			return r, true
		}
	}
	return Reason{}, false
}

// MaxDetail bounds a Detail, in bytes.
const MaxDetail = 200

// SafeDetail makes untrusted text safe to store and show: valid UTF-8 without
// control or text-direction characters, at most MaxDetail bytes.
func SafeDetail(text string) string {
	text = text[:min(len(text), 2*MaxDetail)]
	text = strings.Map(func(r rune) rune {
		if IsUnprintable(r) {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if len(text) <= MaxDetail {
		return text
	}
	return strings.ToValidUTF8(text[:MaxDetail-len("…")], "") + "…"
}
