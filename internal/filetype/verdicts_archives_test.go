package filetype

import (
	"archive/tar"
	"bytes"
	"strings"
	"sync"
)

const (
	held    = "held "
	refused = "refused "
)

// judgedArchives are archives and polyglots with the ruling on each: held or refused, and the reason.
var judgedArchives = sync.OnceValue(func() (out []otherFile) {
	for _, list := range [][]otherFile{badNames(), hiddenPrograms(), nestedFiles(), contradictions(), reasonedBombs(), unreadable(), polyglots()} {
		out = append(out, list...)
	}
	return out
})

func judge(want, what, ext string, p []byte) otherFile { return otherFile{sample{what, ext, p}, want} }

// badNames are judged by a name in a ZIP, and some in the other archives.
func badNames() (out []otherFile) {
	for _, c := range []struct{ reason, what, name string }{
		{ReasonProgramName, "program", "docs/setup.exe"},
		{ReasonProgramName, "program in capitals", "SETUP.EXE"},
		{ReasonProgramName, "two extensions", "photo.jpg.scr"},
		{ReasonProgramName, "text direction", "photo\u202egpj.exe"},
		{ReasonProgramName, "invisible characters", "setup.e\u200bxe"},
		{ReasonProgramName, "dot behind", "setup.exe."},
		{ReasonProgramName, "spaces behind", "setup.exe   "},
		{ReasonProgramName, "second stream is a program", "notes.txt:run.exe"},
		{ReasonProgramName, "shortcut", "Invoice.pdf.lnk"},
		{ReasonProgramName, "HTML application", "invoice.hta"},
		{ReasonProgramName, "JavaScript", "invoice.js"},
		{ReasonProgramName, "PowerShell", "a/b/c/run.ps1"},
		{ReasonProgramName, "Java", "game.jar"},
		{ReasonProgramName, "disk image of macOS", "Player.dmg"},
		{ReasonMacroName, "macro document", "report.docm"},
		{ReasonMacroName, "add-in", "tool.xlam"},
		{ReasonEscapingPath, "parent folder", "../a.txt"},
		{ReasonEscapingPath, "parent folder within", "a/../../b.txt"},
		{ReasonEscapingPath, "only the parent folder", ".."},
		{ReasonEscapingPath, "absolute", "/etc/cron.d/x"},
		{ReasonEscapingPath, "drive", "C:/a.txt"},
		{ReasonEscapingPath, "folder of a drive", "c:a.txt"},
		{ReasonEscapingPath, "backslash", `a\b.txt`},
		{ReasonEscapingPath, "parent folder of Windows", `..\..\a.txt`},
		{ReasonEscapingPath, "other machine", `\\host\share\a.txt`},
		{ReasonEscapingPath, "NUL in a name", "a.exe\x00.txt"},
		{ReasonReservedName, "device", "CON"},
		{ReasonReservedName, "device with an extension", "nul.txt"},
		{ReasonReservedName, "device as a folder", "a/aux/b.txt"},
		{ReasonReservedName, "serial port", "COM1.pdf"},
		{ReasonReservedName, "printer with a small digit", "lpt¹.txt"},
		{ReasonReservedName, "dot at the end", "report."},
		{ReasonReservedName, "space at the end", "report.pdf "},
		{ReasonReservedName, "three dots", "a/.../b.txt"},
		{ReasonReservedName, "second stream", "photo.jpg:secret"},
		{ReasonReservedName, "second stream by its type", "notes::$DATA"},
	} {
		out = append(out, judge(refused+c.reason, c.what, "zip", named(c.name)))
	}
	link := func(typ byte) []byte { return tarFile(tar.Header{Name: "a", Typeflag: typ, Linkname: "/etc/passwd"}) }
	return append(out,
		judge(refused+ReasonProgramName, "program", "tar", tarOf("bin/x.exe", "x")),
		judge(refused+ReasonEscapingPath, "parent folder", "tar", tarOf("../a.txt", "x")),
		judge(refused+ReasonReservedName, "device", "tgz", gzipFile("", tarOf("aux.txt", "x"))),
		judge(refused+ReasonEscapingPath, "another name without PAX", "tar", paxTar("notes", "../../notes")),
		judge(refused+ReasonProgramName, "program without PAX", "tar", paxTar("notes", "notes.exe")),
		judge(refused+ReasonProgramName, "by its inner name", "gz", gzipFile("x.exe", []byte("hello"))),
		judge(refused+ReasonProgramName, "program", "7z", sevenOf(sevenFile{name: "a.txt", data: "x"}, sevenFile{name: "b/run.bat", data: "x"})),
		judge(refused+ReasonProgramName, "program, packed directory", "7z", sevenWith(sevenOptions{coder: "lzma", pack: true}, sevenFile{name: "setup.msi", data: "x"})),
		judge(refused+ReasonEscapingPath, "parent folder", "7z", sevenOf(sevenFile{name: "../a.txt", data: "x"})),
		judge(refused+ReasonReservedName, "device as a folder", "7z", sevenOf(sevenFile{name: "con", dir: true, attributes: 0x10})),
		judge(refused+ReasonProgramName, "program", "rar", rar5Of(rarMember{name: "setup.exe", data: "x", packed: true})),
		judge(refused+ReasonProgramName, "program, RAR 4", "rar", rar4Of(2, 0x20, 0, `docs\setup.exe`, "x")),
		judge(refused+ReasonProgramName, "Unicode name, RAR 4", "rar", rar4Of(2, 0x20, 0x200, "a.txt\x00\x00\x00a.ex\x00e", "x")),
		judge(refused+ReasonEscapingPath, "parent folder, RAR 4", "rar", rar4Of(2, 0x20, 0, `..\a.txt`, "x")),
		judge(refused+ReasonEscapingPath, "parent folder", "rar", rar5Of(rarMember{name: "../a.txt", data: "x"})),
		judge(refused+ReasonLinks, "symbolic link", "zip", zipFile(member{name: "a", data: "/etc/passwd", mode: 0o120777})),
		judge(refused+ReasonLinks, "device", "zip", zipFile(member{name: "a", data: "x", mode: 0o020666})),
		judge(refused+ReasonLinks, "symbolic link", "tar", link(tar.TypeSymlink)),
		judge(refused+ReasonLinks, "hard link", "tar", link(tar.TypeLink)),
		judge(refused+ReasonLinks, "character device", "tar", link(tar.TypeChar)),
		judge(refused+ReasonLinks, "pipe", "tgz", gzipFile("", link(tar.TypeFifo))),
		judge(refused+ReasonLinks, "symbolic link", "7z", sevenOf(sevenFile{name: "a", data: "/etc/passwd", attributes: 0x8000 | 0o120777<<16})),
		judge(refused+ReasonLinks, "reparse point", "7z", sevenOf(sevenFile{name: "a", data: "x", attributes: 0x400})),
		judge(refused+ReasonLinks, "symbolic link, redirected", "rar", rar5Of(rarMember{name: "a", extra: rar5Link(1, "/etc/passwd")})),
		judge(refused+ReasonLinks, "junction", "rar", rar5Of(rarMember{name: "a", extra: rar5Link(3, "C:/")})),
		judge(refused+ReasonLinks, "hard link", "rar", rar5Of(rarMember{name: "a", extra: rar5Link(4, "b")})),
		judge(refused+ReasonLinks, "symbolic link by its mode", "rar", rar5Of(rarMember{name: "a", data: "b", mode: 0o120777})),
		judge(refused+ReasonLinks, "symbolic link, RAR 4", "rar", rar4Of(3, 0o120777, 0, "a", "/etc/passwd")),
	)
}

// hiddenPrograms begin as programs under other names.
func hiddenPrograms() []otherFile {
	bad := func(what, ext string, p []byte) otherFile { return judge(refused+ReasonHiddenProgram, what, ext, p) }
	text := sevenFile{name: "a.txt", data: strings.Repeat("hello ", 2000)}
	return []otherFile{
		bad("Windows program as a photograph", "zip", zipOf("photo.jpg", peProgram())),
		bad("Windows program, stored", "zip", zipFile(member{name: "photo.jpg", data: peProgram(), store: true})),
		bad("Unix program", "zip", zipOf("readme", elfProgram)),
		bad("macOS program", "zip", zipOf("readme", "\xcf\xfa\xed\xfe\x07\x00\x00\x01")),
		bad("Java class", "zip", zipOf("data.bin", "\xca\xfe\xba\xbe\x00\x00\x00\x34")),
		bad("shortcut as a PDF", "zip", zipOf("invoice.pdf", "L\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46")),
		bad("shell script", "zip", zipOf("README", "#!/bin/sh\nrm -rf ~\n")),
		bad("batch as text", "zip", zipOf("notes.txt", "@echo off\r\ndel /q *\r\n")),
		bad("PowerShell as text", "zip", zipOf("notes.txt", "Set-ExecutionPolicy Bypass\n")),
		bad("PHP as a page", "zip", zipOf("index.html", "<?php system($_GET['c']);")),
		bad("Windows script as XML", "zip", zipOf("a.xml", "<job id=\"x\"><script language=\"VBScript\">x</script></job>")),
		bad("Windows program", "tar", tarOf("photo.jpg", peProgram())),
		bad("shell script", "tgz", gzipFile("", scriptTar())),
		bad("Windows program", "gz", gzipFile("photo.jpg", []byte(peProgram()))),
		bad("Windows program", "7z", sevenOf(sevenFile{name: "photo.jpg", data: peProgram()})),
		bad("Unix program, LZMA", "7z", sevenWith(sevenOptions{coder: "lzma"}, sevenFile{name: "data", data: elfProgram})),
		bad("behind text, LZMA2", "7z", sevenWith(sevenOptions{coder: "lzma2", pack: true}, text, sevenFile{name: "photo.jpg", data: peProgram()})),
		bad("Windows program, stored", "rar", rar5Of(rarMember{name: "photo.jpg", data: peProgram()})),
		bad("shell script, stored, RAR 4", "rar", rar4Of(3, 0o100644, 0, "notes", "#!/bin/sh\n")),
		judge(refused+ReasonHTMLApplication, "HTML application as a page", "zip", zipOf("a.html", "<html><hta:application id=x></html>")),
	}
}

// nestedFiles are judged by what lies in an archive within.
func nestedFiles() []otherFile {
	program := zipOf("setup.exe", "x")
	macros := oleFile(stream("WordDocument", fib(0)), storage("Macros"))
	launch := pdfWith("<</S/Launch/F(readme.txt)>>")
	locked := zipFile(member{name: "a.txt", data: "secret", flags: 1})
	page := `<form><input type="password"></form>`
	in := func(reason, what, ext string, p []byte) otherFile { return judge(refused+reason, what, ext, p) }
	hold := func(reason, what, ext string, p []byte) otherFile { return judge(held+reason, what, ext, p) }
	large := zipFile(member{name: "x.dat", data: noise(maxNested), store: true}, member{name: "x.exe"})
	return []otherFile{
		in(ReasonProgramName, "ZIP in a ZIP in a ZIP", "zip", zipOf("a.zip", string(zipOf("b.zip", string(program))))),
		in(ReasonProgramName, "ZIP as a photograph", "zip", zipOf("a.jpg", string(program))),
		in(ReasonProgramName, "ZIP too large for memory", "zip", zipOf("a.zip", string(large))),
		in(ReasonProgramName, "large ZIP, stored", "zip", zipFile(member{name: "a.zip", data: string(large), store: true})),
		in(ReasonProgramName, "tar in a ZIP", "zip", zipOf("a.tar", string(tarOf("x.dll", "x")))),
		in(ReasonProgramName, "tar without a name of one", "zip", zipOf("backup", string(tarOf("x.dll", "x")))),
		in(ReasonProgramName, "packed tar in a ZIP", "zip", zipOf("a.tgz", string(gzipFile("", tarOf("x.dll", "x"))))),
		in(ReasonHiddenProgram, "packed program in a ZIP", "zip", zipOf("data.gz", string(gzipFile("", []byte(elfProgram))))),
		in(ReasonProgramName, "7z in a ZIP", "zip", zipOf("a.7z", string(sevenOf(sevenFile{name: "x.exe", data: "x"})))),
		in(ReasonProgramName, "RAR in a ZIP", "zip", zipOf("a.rar", string(rar5Of(rarMember{name: "x.exe", data: "x"})))),
		in(ReasonProgramName, "ZIP in a tar", "tar", tarOf("a.zip", string(program))),
		in(ReasonProgramName, "large ZIP in a tar", "tar", tarOf("a.zip", string(large))),
		in(ReasonProgramName, "ZIP in a packed tar", "tgz", gzipFile("", tarOf("a.zip", string(program)))),
		in(ReasonProgramName, "packed tar in a packed tar", "tgz", gzipFile("", tarOf("a.tgz", string(gzipFile("", tarOf("x.sh", "x")))))),
		in(ReasonProgramName, "ZIP", "gz", gzipFile("data.bin", program)),
		in(ReasonProgramName, "ZIP, packed twice", "gz", gzipFile("", gzipFile("", program))),
		in(ReasonProgramName, "7z", "gz", gzipFile("", sevenOf(sevenFile{name: "x.exe", data: "x"}))),
		in(ReasonProgramName, "ZIP", "7z", sevenWith(sevenOptions{coder: "lzma2"}, sevenFile{name: "a.zip", data: string(program)})),
		in(ReasonProgramName, "ZIP, stored", "rar", rar5Of(rarMember{name: "a.zip", data: string(program)})),
		in(ReasonMacros, "macros", "zip", zipOf("a.doc", string(macros))),
		in(ReasonMacros, "macros without a name of a document", "zip", zipOf("invoice", string(macros))),
		in(ReasonMacros, "macros", "tar", tarOf("a.doc", string(macros))),
		in(ReasonMacros, "macros", "7z", sevenOf(sevenFile{name: "a.doc", data: string(macros)})),
		in(ReasonMacros, "macros in a docx", "tgz", gzipFile("", tarOf("a.docx", string(ooxmlFile("docx", "", member{name: "word/vbaProject.bin", data: "x"}))))),
		in(ReasonProgramName, "other ZIP called docx", "zip", zipOf("a.docx", string(zipOf("b.zip", string(program))))),
		hold(HoldNotFullyInspected, "entities of an SVG", "zip", zipOf("a.svg", `<!DOCTYPE svg [<!ENTITY a "ha">]><svg>&a;</svg>`)),
		in(ReasonTooDeep, "too deep", "zip", nestedIn(maxDepth+1, named("a.txt"), func(p []byte) []byte { return zipOf("deeper.zip", string(p)) })),
		in(ReasonTooDeep, "packed again and again", "gz", nestedIn(maxDepth+1, gzipFile("", []byte("x")), func(p []byte) []byte { return gzipFile("", p) })),
		in(ReasonTooDeep, "too deep, of all sorts", "tgz", gzipFile("", tarOf("a.7z", string(sevenOf(sevenFile{name: "a.rar", data: string(rar5Of(rarMember{name: "a.zip",
			data: string(zipOf("a.tar", string(tarOf("a.txt", "x"))))}))}))))),
		hold(HoldEncryptedArchive, "password within", "zip", zipOf("b.zip", string(locked))),
		hold(HoldEncryptedArchive, "password within", "tar", tarOf("b.zip", string(locked))),
		hold(HoldEncryptedArchive, "password of a RAR within", "zip", zipOf("b.rar", string(rar5(true, false)))),
		hold(HoldEncryptedDocument, "document with a password", "zip", zipOf("a.docx", string(oleFile(stream("EncryptedPackage", filler))))),
		hold(HoldLaunchAction, "PDF that starts a program", "zip", zipOf("a.pdf", string(launch))),
		hold(HoldLaunchAction, "PDF that starts a program", "tgz", gzipFile("", tarOf("a.pdf", string(launch)))),
		hold(HoldLaunchAction, "PDF that starts a program", "gz", gzipFile("a", launch)),
		hold(HoldLaunchAction, "PDF that starts a program", "7z", sevenWith(sevenOptions{coder: "lzma"}, sevenFile{name: "a.pdf", data: string(launch)})),
		hold(HoldPasswordForm, "page with a password", "zip", zipOf("login.html", page)),
		hold(HoldPasswordForm, "large page with a password", "zip", zipOf("login.html", strings.Repeat("<p>x\n", maxNested/4)+page)),
		hold(HoldPasswordForm, "page with a password", "tar", tarOf("login.htm", page)),
		in(ReasonPolyglot, "PDF and Java", "zip", zipOf("a.pdf", string(behind(pdfPages(1), named("META-INF/MANIFEST.MF"))))),
		hold(HoldEmbeddedObject, "object in RTF", "zip", zipOf("a.rtf", `{\rtf1 {\object\objemb{\*\objdata 0105}}}`)),
		hold(HoldEmbeddedObject, "object in RTF called doc", "zip", zipOf("a.doc", `{\rtf1 {\object\objemb{\*\objdata 0105}}}`)),
	}
}

// unreadable archives are held, or parts of them.
func unreadable() []otherFile {
	hold := func(reason, what, ext string, p []byte) otherFile { return judge(held+reason, what, ext, p) }
	method := func(n byte) []byte {
		return patched(patched(zipFile(member{name: "a.txt", data: "hello", store: true}), zipLocal, 8, string([]byte{n})), zipEntry, 10, string([]byte{n}))
	}
	return []otherFile{
		hold(HoldEncryptedArchive, "password", "zip", zipFile(member{name: "a.txt", data: "secret", flags: 1})),
		hold(HoldEncryptedArchive, "password", "7z", sevenWith(sevenOptions{coder: sevenStatesAES}, sevenFile{name: "a.txt", data: "secret"})),
		hold(HoldEncryptedArchive, "password of the directory", "7z", sevenFileOf([]byte("secret"), []byte("\x17"+sevenStreamsOf(0, 6, 6, sevenStatesAES)+"\x00"))),
		hold(HoldEncryptedArchive, "headers, RAR 4", "rar", rar4(0x80, 0)),
		hold(HoldEncryptedArchive, "file, RAR 4", "rar", rar4(0, 4)),
		hold(HoldEncryptedArchive, "headers, RAR 5", "rar", rar5(true, false)),
		hold(HoldEncryptedArchive, "file, RAR 5", "rar", rar5Of(rarMember{name: "a.txt", data: "secret", extra: rar5Record(1, "\x00\x00")})),
		hold(HoldNotFullyInspected, "LZMA", "zip", method(14)),
		hold(HoldNotFullyInspected, "Zstandard", "zip", method(93)),
		hold(HoldNotFullyInspected, "disk image", "zip", zipOf("invoice.iso", strings.Repeat("\x00", 100))),
		hold(HoldNotFullyInspected, "cabinet", "zip", zipOf("a.dat", "MSCF\x00\x00\x00\x00....")),
		hold(HoldNotFullyInspected, "xz", "tar", tarOf("a.tar.xz", "\xfd7zXZ\x00....")),
		hold(HoldNotFullyInspected, "Zstandard", "gz", gzipFile("a", []byte("\x28\xb5\x2f\xfd...."))),
		hold(HoldNotFullyInspected, "damaged ZIP within", "zip", zipOf("a.zip", string(named("a.txt", "b.txt")[:90]))),
		hold(HoldNotFullyInspected, "ZIP with data behind within", "zip", zipOf("a.zip", string(named("a.txt"))+"more")),
		hold(HoldNotFullyInspected, "ZIP behind data within", "zip", zipOf("a.zip", "some data "+string(zipOf("run.exe", "x")))),
		hold(HoldNotFullyInspected, "unknown directory", "7z", sevenFileOf(nil, []byte("x"))),
		hold(HoldNotFullyInspected, "ZIP, PPMd", "7z", sevenWith(sevenOptions{coder: sevenStatesPPMd}, sevenFile{name: "a.zip", data: "x"})),
		hold(HoldNotFullyInspected, "packed ZIP", "rar", rar5Of(rarMember{name: "a.zip", data: "x", packed: true})),
		hold(HoldNotFullyInspected, "part of a set", "rar", rar5With(1, rarMember{name: "a.txt", data: "x", flags: 0x10})),
		hold(HoldNotFullyInspected, "cut short", "rar", rar5Of(rarMember{name: "a.txt", data: "x"}, rarMember{name: "b.txt", data: "hello"})[:50]),
		hold(HoldHiddenData, "behind the end", "rar", append(rar5Of(rarMember{name: "a.txt", data: "x"}), "more"...)),
		hold(HoldHiddenData, "second stream of a file", "rar", rar5Of(rarMember{name: "a.txt", data: "x"}, rarMember{name: "STM", data: "x", service: true})),
		hold(HoldHiddenData, "behind the directory", "7z", append(sevenOf(sevenFile{name: "a.txt", data: "x"}), "more"...)),
		hold(HoldHiddenData, "second tar behind", "tar", behind(tarOf("a.txt", "x"), tarOf("b.exe", "x"))),
		hold(HoldHiddenData, "second tar behind", "tgz", gzipFile("", behind(tarOf("a.txt", "x"), tarOf("b.exe", "x")))),
	}
}

// reasonedBombs are the bombs with the reason that each is refused for, and more of them.
func reasonedBombs() (out []otherFile) {
	other := map[string]string{
		"too deep": ReasonTooDeep, "overlapping": ReasonOverlap, "too many entries, understated": ReasonTooManyEntries, "a directory over the bound": ReasonTooManyEntries,
		"many entries": ReasonTooManyEntries, "one file listed often": ReasonBomb,
	}
	for _, f := range bombs() {
		reason := ReasonBomb
		if r := other[f.what]; r != "" {
			reason = r
		}
		out = append(out, judge(refused+reason, f.what, f.ext, f.data))
	}
	zeros := make([]byte, 8*mib)
	var liar rawZIP
	packed := rawDeflate(bytes.Repeat(zeros, 16))
	liar.entry("a.txt", 8, uint32(len(packed)), 1000, liar.local("a.txt", 8, packed, 1000), "")
	layer := func(p []byte) []byte { // 42.zip: sixteen copies a layer
		var members []member
		for i := range 16 {
			members = append(members, member{name: string(rune('a'+i)) + ".zip", data: string(p)})
		}
		return zipFile(members...)
	}
	return append(out,
		judge(refused+ReasonContradiction, "unpacks to more than it says", "zip", liar.bytes()),
		judge(refused+ReasonBomb, "sixteen copies a layer", "zip", layer(layer(zipOf("0.dat", string(zeros))))),
		judge(refused+ReasonBomb, "packed twice", "gz", gzipFile("", gzipFile("", bytes.Repeat(zeros, 14)))),
		judge(refused+ReasonBomb, "packed zeros", "zip", zipOf("a.gz", string(gzipFile("", bytes.Repeat(zeros, 14))))),
		judge(refused+ReasonBomb, "claims a terabyte", "7z", sevenWith(sevenOptions{coder: "copy", claimed: 1 << 40}, sevenFile{name: "a", data: "x"})),
		judge(refused+ReasonBomb, "claims ten gigabytes", "rar", rar5Of(rarMember{name: "a", data: "x", size: 10 * gib, packed: true})),
		judge(refused+ReasonBomb, "claims a size beyond numbers", "rar", rar5Of(rarMember{name: "a", data: "x", size: 1 << 61, packed: true})),
	)
}
