package inspect

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// ordinaryFiles returns files that people have and that look like an attack or
// a damage in one respect, each beside the attack or damage itself.
func ordinaryFiles() []otherFile {
	return append(append(ordinaryPictures(), ordinaryTexts()...), ordinaryArchives()...)
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
		judgeText(refused+filetype.ReasonProgram, "program", "csv", program),
		judgeText(refused+filetype.ReasonProgram, "letters MZ", "pdf", "MZ,RT,Intensity\n"),
		judgeText(refused+filetype.ReasonProgram, "script", "txt", "#!/bin/sh\nrm -rf /\n"),
		judgeText(refused+filetype.ReasonProgram, "script with a blank", "md", "#! /usr/bin/env python3\nprint()\n"),
	}
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
