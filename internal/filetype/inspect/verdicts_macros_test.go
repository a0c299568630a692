package inspect

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// vbaModule is a module of a project: its source, and the compiled form in
// front of it.
type vbaModule struct{ name, source, cache string }

// packedVBA returns a text as Visual Basic stores it, without compressing it.
func packedVBA(text string) string {
	var out buf
	out.str("\x01")
	for len(text) > 0 {
		n := min(len(text), 3000)
		var chunk buf
		for p := text[:n]; len(p) > 0; p = p[min(len(p), 8):] {
			chunk.str("\x00" + p[:min(len(p), 8)])
		}
		// Each chunk but the last unpacks to 4096 bytes.
		if text = text[n:]; len(text) > 0 {
			panic("a text is too long for a sample")
		}
		out.le(uint16(0xb000 | (chunk.Len() - 1))).Write(chunk.Bytes())
	}
	return out.String()
}

const (
	sheetSource = "Attribute VB_Name = \"Sheet1\"\r\nAttribute VB_Base = \"0{00020820-0000-0000-C000-000000000046}\"\r\n" +
		"Attribute VB_GlobalNameSpace = False\r\nAttribute VB_Exposed = True\r\n"
	blankLine    = "\x00\x80\x09\x00\x00\x00\x00\x00\xff\xff\xff\xff"
	codeLine     = "\x00\x80\x09\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	explicitLine = "\x00\x80\x08\x00\x02\x00\x00\x00\x00\x00\x00\x00"
	nothing      = "\x01\x01\x08\x00\x00\x00\xff\xff\xff\xff\x78\x00\x00\x00"
	explicit     = "\x01\x01\x10\x00\x00\x00\xcd\x10\xff\xff\x78\x00\x00\x00\xff\xff\xff\xff\x70\x00\x00\x00"
)

// compiledVBA returns a compiled form of rows of lines and their code, behind n
// bytes of tables.
func compiledVBA(n int, rows []string, code string) string {
	p := pad([]byte("\x01\x16\x01\x00\x00\xf0\x00\x00\x00"), n)
	filetype.LittleEndian.PutUint32(p[25:], uint32(n-0x3c))
	var b buf
	b.str(string(p) + "\xfe\xca\x01\x00").le(uint16(len(rows))).str(strings.Join(rows, "") + "\xff\xff\xff\xff" + code)
	return b.String()
}

var emptyVBA = compiledVBA(775, nil, nothing+"\xff\xff\xff\xff\x00\x00")

// vbaProject returns the entries of a project within a storage, or of the root.
// more is added to the records that describe it.
func vbaProject(in, more string, modules ...vbaModule) []stored {
	var dir buf
	record := func(id uint16, body string) { dir.le(id, uint32(len(body))).str(body) }
	record(1, "\x01\x00\x00\x00")
	record(3, "\xe4\x04")
	record(4, "VBAProject")
	dir.le(uint16(9), uint32(4), uint32(1), uint16(2))
	reference := `*\G{00020430-0000-0000-C000-000000000046}#2.0#0#C:\WINDOWS\system32\stdole2.tlb#OLE Automation`
	var body buf
	body.le(uint32(len(reference))).str(reference + "\x00\x00\x00\x00\x00\x00")
	record(0x0d, body.String())
	dir.str(more)
	record(0x0f, "\x01\x00")
	text := "Name=\"VBAProject\"\r\n"
	out := []stored{storage(in + "VBA"), stream(in+"VBA/_VBA_PROJECT", "\xcc\x61\xff\xff\x00\x00\x00"), stream(in+"PROJECTwm", "x")}
	for _, m := range modules {
		record(0x19, m.name)
		record(0x1a, m.name)
		var wide, offset buf
		wide.le(encodeUTF16(m.name))
		offset.le(uint32(len(m.cache)))
		record(0x32, wide.String())
		record(0x31, offset.String())
		record(0x22, "")
		record(0x2b, "")
		text += "Document=" + m.name + "/&H00000000\r\n"
		out = append(out, stream(in+"VBA/"+m.name, m.cache+packedVBA(m.source)))
	}
	record(0x10, "")
	return append(out, stream(in+"VBA/dir", packedVBA(dir.String())), stream(in+"PROJECT", text))
}

// macroFiles returns documents with a project of Visual Basic: some have no
// code in it, and others have it where not every program looks.
func macroFiles() (out []otherFile) {
	empty := vbaModule{"Sheet1", sheetSource, emptyVBA}
	option := compiledVBA(783, []string{explicitLine, blankLine}, explicit+"\xff\xff\xff\xff\x00\x00")
	mac := compiledVBA(787, nil, nothing+"\xff\xff\xff\xff"+nothing+strings.Repeat("\xff", 132)+"\x00\x00")
	const first = "\x01\x16\x01\x00\x00\xb6\x00\xff\xff\x01\x01"
	old := string(pad([]byte(first), 737)) + "\xfe\xca\x01\x00\x00\x00\xff\xff\xff\xff" + nothing
	with := func(source string) vbaModule { return vbaModule{"Sheet1", sheetSource + source, emptyVBA} }
	cached := func(cache string) vbaModule { return vbaModule{"Sheet1", sheetSource, cache} }
	macros := refused + filetype.ReasonMacros
	reference := func(id uint16, text string) string {
		var b, body buf
		body.le(uint32(len(text))).str(text)
		if id == 0x0e {
			body.le(uint32(len(text))).str(text)
		}
		body.str("\x00\x00\x00\x00\x00\x00")
		b.le(id, uint32(body.Len())).str(body.String())
		return b.String()
	}
	for _, c := range []struct {
		want, what, more string
		module           vbaModule
	}{
		{"live", "no code", "", empty},
		{"live", "no code and no compiled form", "", cached("")},
		{"live", "Option Explicit", "", vbaModule{"Sheet1", sheetSource + "Option Explicit\r\n\r\n", option}},
		{"live", "blank lines", "", cached(compiledVBA(775, []string{blankLine, blankLine}, nothing+"\xff\xff\xff\xff\x00\x00"))},
		{"live", "no code, of a Mac", "", cached(mac)},
		{"live", "no code, of Office 97", "", cached(old)},
		{"live", "a comment", "", vbaModule{"Sheet1", sheetSource + "' a note\r\n", ""}},
		{"live", "the template of Word", reference(0x0e, `*\CNormal`), empty},
		{macros, "a macro", "", vbaModule{"Sheet1", sheetSource + "Sub Auto_Open()\r\nShell \"calc\"\r\nEnd Sub\r\n", ""}},
		{macros, "a macro behind an option", "", with("Option Explicit: Shell \"calc\"\r\n")},
		{macros, "a macro behind an attribute", "", with("Attribute VB_Name = \"a\": Shell \"calc\"\r\n")},
		{macros, "a macro behind a line feed", "", with("' a note\nShell \"calc\"\r\n")},
		{macros, "a comment that goes on", "", with("' a note _\r\nShell \"calc\"\r\n")},
		{macros, "a control", "", with("Attribute VB_Control = \"B, 1, 0, MSForms, CommandButton\"\r\n")},
		{macros, "compiled lines without a source", "", cached(compiledVBA(775, []string{codeLine},
			"\x01\x01\x10\x00\x00\x00\x20\x00\x00\x02\x41\x40\xff\xff\x78\x00\x00\x00\xff\xff\xff\xff\x00\x00"))},
		{macros, "compiled code behind no lines", "", cached(compiledVBA(775, nil, nothing+"\xff\xff\xff\xff\x20\x00\x00\x02"))},
		{macros, "a second compiled form", "", cached(compiledVBA(400, []string{codeLine}, nothing) + emptyVBA)},
		{macros, "compiled lines elsewhere", "", cached(strings.Replace(emptyVBA, "\xcb\x02\x00\x00", "\x10\x00\x00\x00", 1))},
		{macros, "a large compiled form", "", cached(compiledVBA(2000, nil, nothing+"\xff\xff\xff\xff\x00\x00"))},
		{macros, "a compiled form of an unknown kind", "", cached(string(pad(nil, 700)))},
		{macros, "a library of another computer", reference(0x0d, `*\G{00020430-0000-0000-C000-000000000046}#2.0#0#\\evil.example\a.tlb#x`), empty},
		{macros, "a library of the web", reference(0x0d, `*\G{00020430-0000-0000-C000-000000000046}#2.0#0#http://evil.example/a.tlb#x`), empty},
		{macros, "another project", reference(0x0e, `*\CC:\Users\evil.dotm`), empty},
		{macros, "an unknown record", "\x77\x00\x00\x00\x00\x00", empty},
	} {
		out = append(out, macrosIn(c.want, c.what, vbaProject("Macros/", c.more, c.module), vbaProject("_VBA_PROJECT_CUR/", c.more, c.module),
			vbaProject("", c.more, c.module))...)
	}
	for what, edit := range map[string]func([]stored) []stored{
		"a run's cache": func(p []stored) []stored { return append(p, stream(dirOf(p)+"VBA/__SRP_0", "x")) },
		"a module that is not listed": func(p []stored) []stored {
			return append(p, stream(dirOf(p)+"VBA/Module1", packedVBA("Sub a()\r\nEnd Sub\r\n")))
		},
		"a form": func(p []stored) []stored { return append(p, storage(dirOf(p)+"UserForm1")) },
		"a form in a list": func(p []stored) []stored {
			p[len(p)-1].data = []byte("Name=\"a\"\r\nBaseClass=UserForm1\r\n")
			return p
		},
		"a second project": func(p []stored) []stored { return append(p, storage("Other"), storage("Other/VBA")) },
		"a module twice":   func(p []stored) []stored { return append(p, p[3]) },
		"no list":          func(p []stored) []stored { return append(p[:len(p)-2], p[len(p)-1]) },
	} {
		out = append(out, macrosIn(macros, what, edit(vbaProject("Macros/", "", empty)), edit(vbaProject("_VBA_PROJECT_CUR/", "", empty)),
			edit(vbaProject("", "", empty)))...)
	}
	return append(out, macroPackages(oleFile(vbaProject("", "", empty)...))...)
}

// dirOf returns the storage that a project is in.
func dirOf(p []stored) string { return strings.TrimSuffix(p[0].name, "VBA") }

// macrosIn returns documents of each format with a project.
func macrosIn(want, what string, doc, xls, root []stored) []otherFile {
	project := oleFile(root...)
	return []otherFile{
		judge(want, "macros: "+what, "doc", oleFile(append([]stored{stream("WordDocument", fib(0)), storage("Macros")}, doc...)...)),
		judge(want, "macros: "+what, "xls", oleFile(append([]stored{stream("Workbook", biff()), storage("_VBA_PROJECT_CUR")}, xls...)...)),
		judge(want, "macros: "+what, "ppt", oleFile(stream("PowerPoint Document", pptStream(1,
			pptRecord(0x10, 0x1011, "\x00\x00\x00\x00"+deflated(string(project))))))),
		judge(want, "macros: "+what, "xlsm", macroWorkbook("", member{name: "xl/vbaProject.bin", data: string(project)})),
		judge(want, "macros: "+what, "docm", macroDocument("docx", member{name: "word/vbaProject.bin", data: string(project)})),
	}
}

const macroSheet = `<Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/>`

// macroWorkbook returns a workbook in the format for macros.
func macroWorkbook(extra string, parts ...member) []byte {
	return ooxmlFile("xlsx", macroSheet+extra, append([]member{{name: "xl/_rels/workbook.xml.rels",
		data: `<Relationships><Relationship Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/></Relationships>`}}, parts...)...)
}

func macroDocument(ext string, parts ...member) []byte {
	return ooxmlFile(ext, `<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>`, parts...)
}

// macroPackages returns packages whose parts disagree about the macros in them.
func macroPackages(project []byte) []otherFile {
	macros := refused + filetype.ReasonMacros
	bin := member{name: "xl/vbaProject.bin", data: string(project)}
	evil := string(oleFile(vbaProject("", "", vbaModule{"Sheet1", sheetSource + "Sub a()\r\nEnd Sub\r\n", emptyVBA})...))
	odd := bytes.Clone(project)
	odd[57] = 0x20 // the size from which a stream has sectors of its own
	names := func(attribute string) member {
		return member{name: "xl/names.xml", data: `<workbook><definedName name="a" ` + attribute + `="1">EXEC("calc")</definedName></workbook>`}
	}
	return []otherFile{
		judge("live", "format for macros, without any", "xlsm", ooxmlFile("xlsx", macroSheet)),
		judge("live", "format for macros, a macro's data without macros", "docm", macroDocument("docx",
			member{name: "word/vbaProject.bin", data: string(project)}, member{name: "word/vbaData.xml", data: `<wne:vbaSuppData><wne:docEvents/></wne:vbaSuppData>`})),
		judge(macros, "a macro's data", "docm", macroDocument("docx",
			member{name: "word/vbaProject.bin", data: string(project)}, member{name: "word/vbaData.xml", data: `<wne:vbaSuppData><wne:mcds><wne:mcd wne:macroName="a"/></wne:mcds></wne:vbaSuppData>`})),
		judge(macros, "a file that is not a project", "xlsm", macroWorkbook("", member{name: "xl/vbaProject.bin", data: "x"})),
		judge(macros, "a project that is missing", "xlsm", macroWorkbook("")),
		judge(macros, "a second project", "xlsm", macroWorkbook("", bin, member{name: "xl/other.bin", data: evil})),
		judge(macros, "a second project without code", "xlsm", macroWorkbook("", bin, member{name: "xl/other.bin", data: string(project)})),
		judge(macros, "a project that programs read otherwise", "xlsm", macroWorkbook("", member{name: "xl/vbaProject.bin", data: string(odd)})),
		judge(macros, "a project elsewhere", "xlsm", macroWorkbook("", bin, relation("vbaProject", `C:\evil.bin`, "External"))),
		judge(macros, "a project of another name", "xlsm", macroWorkbook("", bin, relation("vbaProject", "other.bin", ""))),
		judge(macros, "sheets of macros", "xlsm", macroWorkbook("", bin, member{name: "xl/macrosheets/sheet1.xml", data: "<x/>"})),
		judge(macros, "a name of Excel 4 macros", "xlsm", macroWorkbook("", bin, names("xlm"))),
		judge(macros, "a name of a function", "xlsm", ooxmlFile("xlsx", macroSheet, names("function"))),
		judge("live", "a name of Excel 4 macros, in a format without macros", "xlsx", ooxmlFile("xlsx", "", names("xlm"))),
		judge(refused+filetype.ReasonMacroName, "format for macros in an archive", "zip", zipFile(member{name: "a.xlsm", data: string(macroWorkbook("", bin))})),
	}
}
