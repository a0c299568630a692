package filetype

// Refused features of documents, pages and media.
const (
	ReasonEmbeddedProgram = "embedded_program"
	ReasonObjectExploit   = "object_exploit"
	ReasonDDEProgram      = "dde_program"
	ReasonDuplicatePart   = "duplicate_part"
	ReasonStreamBomb      = "stream_bomb"
	ReasonDecodeFlood     = "decode_flood"
)

// Further codes of Facts.Hold.
const (
	HoldDDELink          = "dde_link"           // a field or link fetches data from a running program
	HoldExternalTemplate = "external_template"  // a document loads its template from the network
	HoldExternalObject   = "external_object"    // a document loads an object, frame or part of itself from the network
	HoldProgramAction    = "program_action"     // a slide starts a program
	HoldScriptReference  = "script_reference"   // a document calls a script that lies outside of it
	HoldPDFScript        = "pdf_script"         // a PDF has a script that does what forms do not need
	HoldPDFNetworkPath   = "pdf_network_path"   // a PDF names a file on a server, to which systems send credentials
	HoldPDFActiveContent = "pdf_active_content" // a PDF carries Flash
	HoldSVGScript        = "svg_script"         // an SVG has scripts
	HoldSVGPage          = "svg_page"           // an SVG contains a web page with forms or frames
	HoldCardForm         = "html_card_form"     // a web page asks for the number of a payment card
	HoldRedirect         = "html_redirect"      // a web page sends its visitor elsewhere
	HoldSmuggledFile     = "html_smuggled_file" // a web page carries an encoded archive, disk image or shortcut
	HoldCommandFormula   = "command_formula"    // a table has a formula that starts a program
	HoldExternalMedia    = "external_media"     // a film plays data from another file or host
)

// documentReasons are the Reasons for the content of documents, pages and
// media.
var documentReasons = []Reason{
	{ReasonEmbeddedProgram, false, "The document, page or medium carries a program or script within. Take it out and upload the file again."},
	{ReasonObjectExploit, false, "The document contains an object like those that attack office programs. If you did not make it, delete the document."},
	{ReasonDDEProgram, false, "A field or link in the document starts a program when it is updated. Remove it and save the document again."},
	{ReasonDuplicatePart, false, "The document has two parts of one name, so that programs read different documents. Save it again."},
	{ReasonStreamBomb, false, "The file contains data that expands suspiciously when unpacked. Save it again from the program that made it."},
	{ReasonDecodeFlood, false, "Showing the file means decoding far more than its size, as with files made to block programs. Export it again."},

	{HoldDDELink, true, "The document fetches data from another program (DDE). Check that it is one that its readers expect."},
	{HoldExternalTemplate, true, "The document loads its template from the network when it is opened, and macros with it. Publish it only if that address is known."},
	{HoldExternalObject, true, "The document loads an object or a part of itself from the network when it is opened. Publish it only if that address is known."},
	{HoldProgramAction, true, "A click in the presentation starts a program. Approve it only if the action is harmless."},
	{HoldScriptReference, true, "The document calls a script or command of the program that opens it. Publish it only if you know why."},
	{HoldPDFScript, true, "A script in the PDF saves attachments or uses functions known from attacks. Look at it before you publish."},
	{HoldPDFNetworkPath, true, "The PDF points to a file on another computer, to which a reader's system may send its login. Publish it only if that address is known."},
	{HoldPDFActiveContent, true, "The PDF carries Flash, which readers once ran. Publish it only if you know what it is."},
	{HoldSVGScript, true, "The SVG has scripts. They do not run where it is shown, but in a copy that is downloaded and opened. Look what they do."},
	{HoldSVGPage, true, "The SVG contains a web page with forms or frames. Check that it does not imitate someone else's."},
	{HoldCardForm, true, "The page asks for the number of a payment card. Check that it is not made to steal it."},
	{HoldRedirect, true, "The page sends its visitor on to another site. Check that one."},
	{HoldSmuggledFile, true, "The page carries an encoded archive, disk image or shortcut, as pages do that hide files from scanners. Look what it is."},
	{HoldCommandFormula, true, "A cell has a formula that starts a program in a spreadsheet. Approve only if it is meant as a security sample."},
	{HoldExternalMedia, true, "The film takes its pictures or sound from another file or address. Export it with all that it needs."},
}
