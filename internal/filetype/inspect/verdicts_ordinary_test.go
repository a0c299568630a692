package inspect

import (
	"bytes"
	"slices"
	"strings"

	"vitrine/internal/filetype"
)

// ordinaryFiles returns files that people have and that look like an attack or
// a damage in one respect, each beside the attack or damage itself.
func ordinaryFiles() []otherFile {
	return slices.Concat(ordinaryPictures(), ordinaryTexts(), ordinaryArchives(), attachedFiles(), oldEquations())
}

func ordinaryPictures() []otherFile {
	picture := jpegFile()
	tables := bytes.Index(picture, []byte("\xff\xc0"))
	stray := func(data string) []byte { return slicesJoin(picture[:tables], []byte(data), picture[tables:]) }
	svg := func(entities, rest string) string {
		return `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [` + entities + `]>` + rest
	}
	adobe := `<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY st0 'fill:#fff;stroke:none;'>`
	packed := wavFile("RIFF")
	copy(packed[bytes.Index(packed, []byte("fmt "))+8:], "\x55\x00\x01\x00\x44\xac\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00")
	still := wavFile("RIFF")
	copy(still[bytes.Index(still, []byte("fmt "))+16:], "\x00\x00\x00\x00")
	mute := wavFile("RIFF")
	copy(mute[bytes.Index(mute, []byte("fmt "))+12:], "\x00\x00\x00\x00")
	return []otherFile{
		judge("live", "a stray byte", "jpg", stray("\x00")),
		judge("live", "16 stray bytes", "jpg", stray(strings.Repeat("\x20", 16))),
		judge("live", "stray bytes like a marker", "jpg", stray("\xff\x00\x00")),
		judge(refused+filetype.ReasonDamaged, "more stray bytes than any camera leaves", "jpg", stray(strings.Repeat("\x01", 1<<20))),
		judgeText("live", "namespaces of a drawing program", "svg", svg(adobe, `<svg xmlns="&ns_svg;"><g style="&st0;"/></svg>`)),
		judgeText(refused+filetype.ReasonEntities, "entities in entities", "svg",
			svg(`<!ENTITY a "ha"><!ENTITY b "&a;&a;">`, `<svg>&b;</svg>`)),
		judgeText(refused+filetype.ReasonEntities, "file as an entity", "svg",
			svg(adobe+`<!ENTITY x SYSTEM "file:///etc/passwd">`, `<svg>&x;</svg>`)),
		judgeText(refused+filetype.ReasonEntities, "parameter entity", "svg", svg(`<!ENTITY % p "x">`, `<svg/>`)),
		judgeText(refused+filetype.ReasonEntities, "markup as an entity", "svg",
			svg(`<!ENTITY x "<script>alert(1)</script>">`, `<svg>&x;</svg>`)),
		judgeText(refused+filetype.ReasonEntities, "thousands of references", "svg",
			svg(`<!ENTITY x "`+strings.Repeat("x", 500)+`">`, `<svg>`+strings.Repeat("&x;", 9000)+`</svg>`)),
		judgeText(held+filetype.HoldSVGScript, "script address in parts", "svg",
			svg(`<!ENTITY a "java"><!ENTITY b "script:">`, `<svg><a href="&a;&b;alert(1)"/></svg>`)),
		judge("live", "picture in many chunks", "png", pngCut("")),
		judge(refused+filetype.ReasonDamaged, "no picture in many chunks", "png", pngCut("ab")),
		judge("live", "MP3 stream without a rate", "wav", packed),
		judge("live", "plain samples without a byte rate", "wav", still),
		judge(refused+filetype.ReasonDamaged, "plain samples without a rate", "wav", mute),
	}
}

func ordinaryTexts() []otherFile {
	program := string(windowsProgram())
	return []otherFile{
		judgeText("live", "table of masses", "csv", "MZ,RT,Intensity\n100.1,2.0,300\n"),
		judgeText("live", "column of masses", "tsv", "MZ\tRT\n100.1\t2\n"),
		judgeText("live", "note on a country code", "txt", "MZ is the code of Mozambique.\n"),
		judgeText("live", "only two letters", "md", "MZ"),
		judgeText("live", "exclamation", "txt", "#!important notes\n"),
		judgeText("live", "heading", "md", "#! Warning\n"),
		judgeText("live", "log after a rotation", "log", strings.Repeat("\x00", 64)+strings.Repeat("2026-01-01 start\n", 40)),
		judgeText("live", "log after a crash", "log", "2026-01-01 start\n"+strings.Repeat("\x00", 200)+"2026-01-02 start\n"),
		judgeText(refused+filetype.ReasonNotText, "many NULs", "log", strings.Repeat("a\x00\x00\x00\x00b", 40)),
		judgeText(refused+filetype.ReasonNotText, "NULs and other control characters", "log", "a\x00\x01\x02 start\n"),
		judgeText(refused+filetype.ReasonNotText, "NULs in a table", "csv", "a,b\n\x001,2\n"),
		judgeText(refused+filetype.ReasonNotText, "NULs in a page", "html", "<p>\x00</p>"),
		judgeText(refused+filetype.ReasonScript, "batch file behind NULs", "txt", "\x00\x00@echo off\r\n"),
		judge("live", "UTF-16 without a mark", "csv", utf16Text(strings.Repeat("Name;Ort\n", 20))[2:]),
		judge("live", "UTF-16 with a NUL at its end", "txt", append(utf16Text("hello"), 0, 0)),
		judge("live", "UTF-32", "txt", utf32Text("\ufeffHallo Welt\n")),
		judge("live", "UTF-32 without a mark", "txt", utf32Text("Hallo Welt\n")),
		judge(held+filetype.HoldCommandFormula, "command in UTF-16 without a mark", "csv",
			utf16Text("a,b\n1,=cmd|' /C calc'!A0\n")[2:]),
		judge(refused+filetype.ReasonScript, "batch file in UTF-16 without a mark", "txt", utf16Text("@echo off\r\n" + strings.Repeat("dir\r\n", 9))[2:]),
		judge(refused+filetype.ReasonNotText, "page in UTF-16 without a mark", "html", utf16Text("<p>hello</p>")[2:]),
		judgeText(refused+filetype.ReasonNotText, "every byte", "txt", everyByte()),
		judgeText(refused+filetype.ReasonProgram, "program", "csv", program),
		judgeText(refused+filetype.ReasonProgram, "letters MZ", "pdf", "MZ,RT,Intensity\n"),
		judgeText(refused+filetype.ReasonProgram, "script", "txt", "#!/bin/sh\nrm -rf /\n"),
		judgeText(refused+filetype.ReasonProgram, "script with a blank", "md", "#! /usr/bin/env python3\nprint()\n"),
	}
}

func utf32Text(s string) []byte {
	var b buf
	b.le([]rune(s))
	return b.Bytes()
}

func everyByte() string {
	var all [256]byte
	for i := range all {
		all[i] = byte(i)
	}
	return strings.Repeat(string(all[:]), 8)
}

func ordinaryArchives() []otherFile {
	zip, docx := named("a.txt"), ooxmlFile("docx", "")
	packed := gzipFile("a.txt", []byte("hello"))
	folders := rar4Of(3, 0o40755, 0xe0, `letters\old`, "")
	parts := zipFile(member{name: `[Content_Types].xml`, data: "x"})
	return []otherFile{
		judge("live", "line behind it", "zip", append(bytes.Clone(zip), '\n')),
		judge("live", "zeros behind it", "zip", append(bytes.Clone(zip), make([]byte, 4096)...)),
		judge("live", "line behind it", "docx", append(bytes.Clone(docx), "\r\n"...)),
		judge("live", "padding behind it", "gz", append(bytes.Clone(packed), make([]byte, 1<<20)...)),
		judge("live", "two members and a line", "gz", slicesJoin(packed, packed, []byte("\n"))),
		judge(refused+filetype.ReasonDamaged, "text behind it", "zip", append(bytes.Clone(zip), "more"...)),
		judge(refused+filetype.ReasonDamaged, "text behind it", "gz", append(bytes.Clone(packed), "more"...)),
		judge(refused+filetype.ReasonDamaged, "64 KiB of zeros behind it", "zip", append(bytes.Clone(zip), make([]byte, 64<<10)...)),
		judge("live", "folders of Windows", "zip", named(`report\chapter1.txt`, `report\tables\t.csv`)),
		judge(refused+filetype.ReasonContradiction, "one name with both separators", "zip", named(`a\b.txt`, "a/b.txt")),
		judge("live", "dots in names", "zip", named("Introduction to Node.js.pdf.txt", "x.xlsb.csv")),
		judge(refused+filetype.ReasonProgramName, "packed script", "zip", named("setup.bat.gz")),
		judge("live", "folder of Unix", "rar", folders),
		judge(refused+filetype.ReasonEscapingPath, "folder above", "rar", rar4Of(3, 0o40755, 0xe0, `..\..\old`, "")),
		judge(refused+filetype.ReasonOtherContent, "not a workbook", "xlsx", parts),
	}
}

// attachedFiles returns office files with a file of another program within.
func attachedFiles() (out []otherFile) {
	long := func(names ...string) string {
		var b buf
		for _, name := range names {
			b.le(uint32(len(encodeUTF16(name))), encodeUTF16(name))
		}
		return b.String()
	}
	program := string(windowsProgram())
	inside := func(name, data string) string {
		return string(oleFile(stream("WordDocument", fib(0)), stream("\x01Ole10Native", packaged(name, data))))
	}
	for _, c := range []struct{ want, what, native string }{
		{"live", "a PDF", packaged("report.pdf", string(pdfPages(1)))},
		{"live", "a sound", packaged("voice.WAV", string(wavFile("RIFF")))},
		{"live", "a text", packaged("notes.txt", "hello")},
		{"live", "a picture", packaged("logo.png", string(pngFile()))},
		{"live", "a workbook", packaged("table.xlsx", string(ooxmlFile("xlsx", "")))},
		{"live", "a document with a text", packaged("letter.doc", inside("notes.txt", "hello"))},
		{"live", "a text, named in UTF-16", packaged("notes.txt", "hello") + long(`C:\Temp\notes.txt`, "Grüße.txt", "notes.txt")},
		{"live", "a picture of Paint", "\x00\x00\x00\x00" + string(bmpFile(4, 4))},
		{held + filetype.HoldEmbeddedObject, "text named as a PDF", packaged("report.pdf", "hello")},
		{held + filetype.HoldEmbeddedObject, "a web page", packaged("page.html", "<p>hello")},
		{held + filetype.HoldEmbeddedObject, "an SVG", packaged("logo.svg", "<svg/>")},
		{held + filetype.HoldEmbeddedObject, "an archive", packaged("all.zip", string(named("a.txt")))},
		{held + filetype.HoldEmbeddedObject, "an unknown type", packaged("a.dat", "hello")},
		{held + filetype.HoldEmbeddedObject, "a text that is cut short", packaged("notes.txt", "hello")[:45]},
		{held + filetype.HoldEmbeddedObject, "a text that unpacks as a page",
			packaged("notes.txt", "hello") + long(`C:\Temp\notes.html`, "notes.txt", "notes.txt")},
		{held + filetype.HoldLaunchAction, "a PDF that starts a program",
			packaged("a.pdf", string(pdfWith("<</S/Launch/F(a)>>")))},
		{held + filetype.HoldEncryptedDocument, "a document with a password",
			packaged("a.xls", string(oleFile(stream("EncryptedPackage", filler))))},
		{refused + filetype.ReasonEmbeddedProgram, "a text that unpacks as a program",
			packaged("notes.txt", "hello") + long(`C:\Temp\notes.exe`, "notes.txt", "notes.txt")},
		{refused + filetype.ReasonEmbeddedProgram, "a program called a text", packaged("notes.txt", program)},
		{refused + filetype.ReasonEmbeddedProgram, "a program in a document", packaged("letter.doc", inside("a.txt", program))},
		{refused + filetype.ReasonScript, "a batch file called a text", packaged("notes.txt", "@echo off\r\ndel *\r\n")},
		{refused + filetype.ReasonMacros, "a workbook with macros",
			packaged("a.xls", string(oleFile(stream("Workbook", biff()), storage("_VBA_PROJECT_CUR"))))},
	} {
		object := stream("\x01Ole10Native", c.native)
		out = append(out,
			judge(c.want, "document with "+c.what, "doc", oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"), object)),
			judge(c.want, "document with "+c.what, "docx", ooxmlFile("docx", "", member{name: "word/embeddings/oleObject1.bin",
				data: string(oleFile(object))})))
	}
	deep := "hello"
	name := "notes.txt"
	for range filetype.MaxDepth + 1 {
		deep, name = inside(name, deep), "letter.doc"
	}
	return append(out, judge(held+filetype.HoldEmbeddedObject, "documents within documents", "doc", []byte(deep)))
}

// oldEquations returns documents with an equation that the first editors stored
// as a package, as attacks on the editor do.
func oldEquations() (out []otherFile) {
	const full, line, end = "\x0a", "\x01", "\x00"
	native := func(records string) string {
		var b buf
		records = "\x02\x00\x00\x03\x00" + records
		b.le(uint32(len(records))).str(records)
		return b.String()
	}
	sum := line + "\x12\x83F\x02\x86=" + "\x03\x0e\x00\x00" + line + "\x02\x881" + end + line + "\x02\x882" + end + end + end + end
	for _, c := range []struct{ want, what, native string }{
		{"live", "fraction", native(full + sum)},
		{"live", "padded", native(full + sum + "\x00\x00")},
		{refused + filetype.ReasonObjectExploit, "font", native(full + line + "\x08\x5a\x5aTimes\x00" + end + end)},
		{refused + filetype.ReasonObjectExploit, "long font", native(full + line + "\x08\x5a\x5a" + strings.Repeat("A", 60) + end + end)},
		{refused + filetype.ReasonObjectExploit, "font behind it", native(full + sum + "\x08\x5a\x5a" + strings.Repeat("A", 60))},
		{refused + filetype.ReasonObjectExploit, "matrix", native(full + line + "\x05\x00\x00\x00\xff\xff" + end + end)},
		{refused + filetype.ReasonObjectExploit, "endless lines", native(full + strings.Repeat(line, 1000))},
		{refused + filetype.ReasonObjectExploit, "wrong size", native(full+sum) + "more"},
	} {
		out = append(out, judge(c.want, "old equation: "+c.what, "doc", oleFileClass([]byte(classEquation),
			stream("WordDocument", fib(0)), stream("\x01Ole10Native", c.native))))
	}
	apart := func(equation string, in string, data string) []byte {
		class := stored{name: "ObjectPool/_1", kind: 1, class: classEquation}
		return oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"), class, stream("ObjectPool/_1/Equation Native", equation),
			storage("ObjectPool/_2"), stream(in+"\x01Ole10Native", packaged("notes.txt", data)))
	}
	honest := equation("Times New Roman")
	lost := oleFileClass([]byte(classEquation), stream("WordDocument", fib(0)), stream("\x01Ole10Native", "evil"))
	filetype.LittleEndian.PutUint32(lost[(int(filetype.LittleEndian.Uint32(lost[48:]))+1)*512+76:], 0xffffffff)
	return append(out,
		judge(refused+filetype.ReasonObjectExploit, "equation in a tree that is cut off", "doc", lost),
		judge("live", "equation and a text", "doc", apart(honest, "ObjectPool/_2/", "hello")),
		judge(refused+filetype.ReasonObjectExploit, "equation with a text in it", "doc", apart(honest, "ObjectPool/_1/", "hello")),
		judge(refused+filetype.ReasonObjectExploit, "equation and a text in no storage", "doc", apart(honest, "ObjectPool/_3/", "hello")),
		judge(refused+filetype.ReasonObjectExploit, "attacking equation and a text", "doc", apart(equation(strings.Repeat("A", 60)), "ObjectPool/_2/", "hello")),
		judge(refused+filetype.ReasonEmbeddedProgram, "equation and a program", "doc", apart(honest, "ObjectPool/_2/", string(windowsProgram()))),
		judge(held+filetype.HoldEmbeddedObject, "equation and an archive", "doc", oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"),
			stored{name: "ObjectPool/_1", kind: 1, class: classEquation}, stream("ObjectPool/_1/Equation Native", honest), storage("ObjectPool/_2"),
			stream("ObjectPool/_2/\x01Ole10Native", packaged("a.zip", string(named("a.txt")))))))
}

// storedFiles returns old office files with documents that newer programs store
// in them.
func storedFiles() (out []otherFile) {
	project := member{name: "word/vbaProject.bin", data: string(oleFile(vbaProject("", "", vbaModule{"Sheet1", sheetSource + "Sub a()\r\nEnd Sub\r\n", emptyVBA})...))}
	template := relation("attachedTemplate", "https://evil.example/t.dotm", "External")
	embedded := held + filetype.HoldEmbeddedObject
	for _, c := range []struct{ want, what, name, data string }{
		{"live", "a document", "Package", string(ooxmlFile("docx", ""))},
		{"live", "a workbook", "Package", string(ooxmlFile("xlsx", ""))},
		{"live", "a presentation", "PACKAGE", string(ooxmlFile("pptx", ""))},
		{"live", "a PDF", "CONTENTS", string(pdfPages(1))},
		{"live", "a picture", "CONTENTS", "GIF89a"},
		{"live", "a short text", "Package", "x"},
		{refused + filetype.ReasonMacros, "macros", "Package", string(macroDocument("docx", project))},
		{refused + filetype.ReasonHiddenProgram, "a program in a workbook", "package", string(ooxmlFile("xlsx", "", member{name: "xl/embeddings/a.bin", data: string(windowsProgram())}))},
		{refused + filetype.ReasonEmbeddedProgram, "a program", "Contents", string(windowsProgram())},
		{held + filetype.HoldExternalTemplate, "a template from the web", "Package", string(ooxmlFile("docx", "", template))},
		{held + filetype.HoldLaunchAction, "a PDF that opens a file", "CONTENTS", string(pdfWith("<</S/Launch/F(readme.txt)>>"))},
		{held + filetype.HoldLaunchAction, "a PDF behind other bytes", "CONTENTS", "x\n" + string(pdfWith("<</S/Launch/F(readme.txt)>>"))},
		{embedded, "an archive", "Package", string(named("a.txt"))},
		{embedded, "a document of two kinds", "Package", string(zipFile(member{name: "word/a.xml", data: "<x/>"}, member{name: "xl/workbook.xml", data: "<x/>"}))},
	} {
		out = append(out,
			judge(c.want, "stored: "+c.what, "doc", oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"), stream(c.name, c.data))),
			judge(c.want, "stored: "+c.what, "docx", ooxmlFile("docx", "", member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream(c.name, c.data)))})))
	}
	for _, c := range []struct {
		want, what string
		main       stored
	}{
		{refused + filetype.ReasonMacros, "a workbook with a sheet of macros", stream("Workbook", biff(boundSheet(1)))},
		{refused + filetype.ReasonMacros, "an older workbook with a sheet of macros", stream("Book", biff(boundSheet(1)))},
		{refused + filetype.ReasonDDEProgram, "a workbook with DDE", stream("Workbook", biff(supBook("cmd", "/c calc")))},
		{refused + filetype.ReasonDDEProgram, "a document with DDE", stream("WordDocument", fib(0)+"\x13 DDEAUTO c:\\windows\\cmd.exe \"/c x\" \x14 x\x15")},
		{"live", "a workbook", stream("Workbook", biff())},
		{"live", "a document", stream("WordDocument", fib(0))},
	} {
		object := oleFile(c.main)
		out = append(out,
			judge(c.want, "object: "+c.what, "doc", oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"), c.main)),
			judge(c.want, "object: "+c.what, "xls", oleFile(stream("Workbook", biff()), c.main)),
			judge(c.want, "object: "+c.what, "ppt", slides(object)),
			judge(c.want, "object: "+c.what, "docx", ooxmlFile("docx", "", member{name: "word/embeddings/oleObject1.bin", data: string(object)})),
			judge(c.want, "object: "+c.what, "odt", packageFile(odtMIME, member{name: "Object 1", data: string(object)})))
	}
	return out
}

// attachedRTF returns RTF documents with an object, and their expected results.
func attachedRTF() (out []otherFile) {
	wrapped := func(words, data string) string {
		return `{\object` + words + `{\*\objclass Package}{\*\objdata ` + data + `}{\result x}}`
	}
	pack := func(name, data string) string { return oldObjectHex("Package", []byte(packaged(name, data)[4:])) }
	object := func(class, inner string, entries ...stored) string {
		return oldObjectHex(class, oleFileClass([]byte(inner), entries...))
	}
	text, embedded := pack("notes.txt", "hello"), held+filetype.HoldEmbeddedObject
	word, excel := oldDocuments["word.document.8"].class, oldDocuments["excel.sheet.8"].class
	for _, c := range []struct{ want, what, body string }{
		{"live", "a text", wrapped(`\objemb`, text)},
		{"live", "a text and a PDF, in lines", wrapped(`\objemb`, text) + wrapped(`\objemb`, strings.ReplaceAll(pack("a.pdf", string(pdfPages(1))), "0a", "0a\r\n"))},
		{"live", "a picture in front of what shows it", wrapped(`\objemb`, text+oldObjectHex("METAFILEPICT", []byte("x")))},
		{"live", "a document", wrapped(`\objemb`, object("Word.Document.8", word, stream("WordDocument", fib(0))))},
		{"live", "a workbook", wrapped(`\objemb`, object("Excel.Sheet.8", excel, stream("Workbook", biff())))},
		{embedded, "a text that is shown at once", wrapped(`\objemb\objupdate`, text)},
		{embedded, "a text of a link", wrapped(`\objautlink`, text)},
		{embedded, "a text in groups", wrapped(`\objemb`, text[:20]+"{}"+text[20:])},
		{embedded, "a text with words between", wrapped(`\objemb`, text[:20]+`\par `+text[20:])},
		{embedded, "a text with escapes", wrapped(`\objemb`, text[:20]+`\'ff`+text[20:])},
		{embedded, "a text with letters between", wrapped(`\objemb`, text[:20]+"z"+text[20:])},
		{embedded, "half a byte", wrapped(`\objemb`, text+"0")},
		{embedded, "a text that is cut short", wrapped(`\objemb`, text[:len(text)-4])},
		{embedded, "an archive", wrapped(`\objemb`, pack("a.zip", string(named("a.txt"))))},
		{embedded, "a text named as a PDF", wrapped(`\objemb`, pack("a.pdf", "hello"))},
		{embedded, "a text and an unknown object", wrapped(`\objemb`, text) + wrapped(`\objemb`, "0105")},
		{embedded, "a class that is no document", wrapped(`\objemb`, object("Word.Document.8", excel, stream("WordDocument", fib(0))))},
		{embedded, "a document of an unknown class", wrapped(`\objemb`, object("Evil.8", word, stream("WordDocument", fib(0))))},
		{embedded, "a document that is another", wrapped(`\objemb`, object("Word.Document.8", word, stream("Workbook", biff())))},
		{refused + filetype.ReasonMacros, "sheets of macros", wrapped(`\objemb`, object("Excel.Sheet.8", excel, stream("Workbook", biff(boundSheet(1)))))},
		{refused + filetype.ReasonEmbeddedProgram, "a program called a text", wrapped(`\objemb`, pack("a.txt", string(windowsProgram())))},
		{refused + filetype.ReasonEmbeddedProgram, "a program behind no size", wrapped(`\objemb`, strings.Replace(oldObjectHex("X", windowsProgram()), "00020000", "00000000", 1))},
	} {
		out = append(out, judgeText(c.want, "attached: "+c.what, "rtf", `{\rtf1\ansi `+c.body+`}`))
	}
	return out
}

// drawnFiles returns presentations and documents with data of old programs for
// drawings, which looks like a packaged file.
func drawnFiles() (out []otherFile) {
	const clip = "\x8e\x02\x00\x00\xff\xe0\xf5\x05\x01\x01People\x00C:\\Clipart\\people.wmf\x00\x00\x00"
	package1 := "\x0c\x00\x03\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"
	for _, class := range []string{classClipArt, classGallery, classDraw} {
		doc := func(data string, more ...stored) []byte {
			return oleFile(append([]stored{stream("WordDocument", fib(0)), storage("ObjectPool"),
				{name: "ObjectPool/_1", kind: 1, class: class}, stream("ObjectPool/_1/\x01Ole10Native", data)}, more...)...)
		}
		shared := doc(packaged("a.zip", string(named("a.txt"))), stored{name: "ObjectPool/_2", kind: 1, class: package1})
		// The second storage has the first one's stream, too.
		directory := (int(filetype.LittleEndian.Uint32(shared[48:])) + 1) * 512
		filetype.LittleEndian.PutUint32(shared[directory+5*128+76:], 4)
		out = append(out,
			judge("live", "clip art", "doc", doc(clip)),
			judge("live", "clip art", "ppt", slides(oleFileClass([]byte(class), stream("\x01Ole10Native", clip)))),
			judge(refused+filetype.ReasonEmbeddedProgram, "program as clip art", "doc", doc("\x00\x00\x00\x00"+string(windowsProgram()))),
			judge(held+filetype.HoldEmbeddedObject, "clip art and an archive", "doc", doc(clip, stored{name: "ObjectPool/_2", kind: 1, class: package1},
				stream("ObjectPool/_2/\x01Ole10Native", packaged("a.zip", string(named("a.txt")))))),
			judge(held+filetype.HoldEmbeddedObject, "clip art that is an archive elsewhere", "doc", shared))
	}
	return append(out, judge(held+filetype.HoldEmbeddedObject, "clip art of another class", "doc", oleFile(stream("WordDocument", fib(0)),
		stored{name: "ObjectPool", kind: 1, class: package1}, stream("ObjectPool/\x01Ole10Native", clip))))
}

// slidesWith returns a presentation whose object says its size and lacks its
// last bytes.
func slidesWith(size int, object []byte, missing int) []byte {
	var b buf
	packed := deflated(string(object))
	b.le(uint32(size)).str(packed[:len(packed)-missing])
	return oleFile(stream("PowerPoint Document", pptStream(0, pptRecord(0x10, 0x1011, b.String()))))
}
