package inspect

import (
	"archive/tar"
	"bytes"
	"strings"
	"sync"

	"vitrine/internal/filetype"
)

const (
	held    = "held "
	refused = "refused "
)

// judgedArchives are archives and polyglots with the expected result: held or
// refused, and the reason.
var judgedArchives = sync.OnceValue(func() (out []otherFile) {
	for _, list := range [][]otherFile{badNames(), hiddenPrograms(), nestedFiles(), contradictions(), reasonedBombs(),
		unreadable(), polyglots()} {
		out = append(out, list...)
	}
	return out
})

func judge(want, what, ext string, p []byte) otherFile { return otherFile{sample{what, ext, p}, want} }

// badNames returns archives that are refused or held because of the name of a
// member. Most are ZIPs.
func badNames() (out []otherFile) {
	for _, c := range []struct{ reason, what, name string }{
		{filetype.ReasonProgramName, "program", "docs/setup.exe"},
		{filetype.ReasonProgramName, "program in capitals", "SETUP.EXE"},
		{filetype.ReasonProgramName, "two extensions", "photo.jpg.scr"},
		{filetype.ReasonProgramName, "text direction", "photo\u202egpj.exe"},
		{filetype.ReasonProgramName, "invisible characters", "setup.e\u200bxe"},
		{filetype.ReasonProgramName, "dot behind", "setup.exe."},
		{filetype.ReasonProgramName, "spaces behind", "setup.exe   "},
		{filetype.ReasonProgramName, "second stream is a program", "notes.txt:run.exe"},
		{filetype.ReasonProgramName, "shortcut", "Invoice.pdf.lnk"},
		{filetype.ReasonProgramName, "HTML application", "invoice.hta"},
		{filetype.ReasonProgramName, "JavaScript", "invoice.js"},
		{filetype.ReasonProgramName, "PowerShell", "a/b/c/run.ps1"},
		{filetype.ReasonProgramName, "Java", "game.jar"},
		{filetype.ReasonProgramName, "disk image of macOS", "Player.dmg"},
		{filetype.ReasonMacroName, "macro document", "report.docm"},
		{filetype.ReasonMacroName, "add-in", "tool.xlam"},
		{filetype.ReasonEscapingPath, "parent folder", "../a.txt"},
		{filetype.ReasonEscapingPath, "parent folder within", "a/../../b.txt"},
		{filetype.ReasonEscapingPath, "only the parent folder", ".."},
		{filetype.ReasonEscapingPath, "absolute", "/etc/cron.d/x"},
		{filetype.ReasonEscapingPath, "drive", "C:/a.txt"},
		{filetype.ReasonEscapingPath, "folder of a drive", "c:a.txt"},
		{filetype.ReasonEscapingPath, "parent folder within, in Windows", `a\..\..\b.txt`},
		{filetype.ReasonEscapingPath, "top of a drive", `\a.txt`},
		{filetype.ReasonProgramName, "program in a folder of Windows", `a\b.exe`},
		{filetype.ReasonReservedName, "device in a folder of Windows", `a\nul.txt`},
		{filetype.ReasonEscapingPath, "parent folder of Windows", `..\..\a.txt`},
		{filetype.ReasonEscapingPath, "other machine", `\\host\share\a.txt`},
		{filetype.ReasonEscapingPath, "NUL in a name", "a.exe\x00.txt"},
		{filetype.ReasonReservedName, "device", "CON"},
		{filetype.ReasonReservedName, "device with an extension", "nul.txt"},
		{filetype.ReasonReservedName, "device as a folder", "a/aux/b.txt"},
		{filetype.ReasonReservedName, "serial port", "COM1.pdf"},
		{filetype.ReasonReservedName, "printer with a small digit", "lpt¹.txt"},
		{filetype.ReasonReservedName, "dot at the end", "report."},
		{filetype.ReasonReservedName, "space at the end", "report.pdf "},
		{filetype.ReasonReservedName, "three dots", "a/.../b.txt"},
		{filetype.ReasonReservedName, "second stream", "photo.jpg:secret"},
		{filetype.ReasonReservedName, "second stream by its type", "notes::$DATA"},
	} {
		out = append(out, judge(refused+c.reason, c.what, "zip", named(c.name)))
	}
	link := func(typ byte) []byte { return tarFile(tar.Header{Name: "a", Typeflag: typ, Linkname: "/etc/passwd"}) }
	return append(out,
		judge(refused+filetype.ReasonProgramName, "program", "tar", tarOf("bin/x.exe", "x")),
		judge(refused+filetype.ReasonEscapingPath, "parent folder", "tar", tarOf("../a.txt", "x")),
		judge(refused+filetype.ReasonReservedName, "device", "tgz", gzipFile("", tarOf("aux.txt", "x"))),
		judge(refused+filetype.ReasonEscapingPath, "another name without PAX", "tar", paxTar("notes", "../../notes")),
		judge(refused+filetype.ReasonProgramName, "program without PAX", "tar", paxTar("notes", "notes.exe")),
		judge(refused+filetype.ReasonProgramName, "by its inner name", "gz", gzipFile("x.exe", []byte("hello"))),
		judge(refused+filetype.ReasonProgramName, "program", "7z",
			sevenOf(sevenFile{name: "a.txt", data: "x"}, sevenFile{name: "b/run.bat", data: "x"})),
		judge(refused+filetype.ReasonProgramName, "program, packed directory", "7z",
			sevenWith(sevenOptions{coder: "lzma", pack: true}, sevenFile{name: "setup.msi", data: "x"})),
		judge(refused+filetype.ReasonEscapingPath, "parent folder", "7z",
			sevenOf(sevenFile{name: "../a.txt", data: "x"})),
		judge(refused+filetype.ReasonReservedName, "device as a folder", "7z",
			sevenOf(sevenFile{name: "con", dir: true, attributes: 0x10})),
		judge(refused+filetype.ReasonProgramName, "program", "rar",
			rar5Of(rarMember{name: "setup.exe", data: "x", packed: true})),
		judge(refused+filetype.ReasonProgramName, "program, RAR 4", "rar", rar4Of(2, 0x20, 0, `docs\setup.exe`, "x")),
		judge(refused+filetype.ReasonProgramName, "Unicode name, RAR 4", "rar",
			rar4Of(2, 0x20, 0x200, "a.txt\x00\x00\x00a.ex\x00e", "x")),
		judge(refused+filetype.ReasonEscapingPath, "parent folder, RAR 4", "rar", rar4Of(2, 0x20, 0, `..\a.txt`, "x")),
		judge(refused+filetype.ReasonEscapingPath, "parent folder", "rar",
			rar5Of(rarMember{name: "../a.txt", data: "x"})),
		judge(refused+filetype.ReasonLinks, "symbolic link", "zip",
			zipFile(member{name: "a", data: "/etc/passwd", mode: 0o120777})),
		judge(refused+filetype.ReasonLinks, "device", "zip", zipFile(member{name: "a", data: "x", mode: 0o020666})),
		judge(refused+filetype.ReasonLinks, "symbolic link", "tar", link(tar.TypeSymlink)),
		judge(refused+filetype.ReasonLinks, "hard link", "tar", link(tar.TypeLink)),
		judge(refused+filetype.ReasonLinks, "character device", "tar", link(tar.TypeChar)),
		judge(refused+filetype.ReasonLinks, "pipe", "tgz", gzipFile("", link(tar.TypeFifo))),
		judge(refused+filetype.ReasonLinks, "symbolic link", "7z",
			sevenOf(sevenFile{name: "a", data: "/etc/passwd", attributes: 0x8000 | 0o120777<<16})),
		judge(refused+filetype.ReasonLinks, "reparse point", "7z",
			sevenOf(sevenFile{name: "a", data: "x", attributes: 0x400})),
		judge(refused+filetype.ReasonLinks, "symbolic link, redirected", "rar",
			rar5Of(rarMember{name: "a", extra: rar5Link(1, "/etc/passwd")})),
		judge(refused+filetype.ReasonLinks, "junction", "rar", rar5Of(rarMember{name: "a", extra: rar5Link(3, "C:/")})),
		judge(refused+filetype.ReasonLinks, "hard link", "rar", rar5Of(rarMember{name: "a", extra: rar5Link(4, "b")})),
		judge(refused+filetype.ReasonLinks, "symbolic link by its mode", "rar",
			rar5Of(rarMember{name: "a", data: "b", mode: 0o120777})),
		judge(refused+filetype.ReasonLinks, "symbolic link, RAR 4", "rar", rar4Of(3, 0o120777, 0, "a", "/etc/passwd")),
	)
}

// hiddenPrograms returns files that begin like programs under other names.
func hiddenPrograms() []otherFile {
	bad := func(what, ext string, p []byte) otherFile {
		return judge(refused+filetype.ReasonHiddenProgram, what, ext, p)
	}
	text := sevenFile{name: "a.txt", data: strings.Repeat("hello ", 2000)}
	return []otherFile{
		bad("Windows program as a photograph", "zip", zipOf("photo.jpg", peProgram())),
		bad("Windows program, stored", "zip", zipFile(member{name: "photo.jpg", data: peProgram(), store: true})),
		bad("Unix program", "zip", zipOf("readme", elfProgram)),
		bad("macOS program", "zip", zipOf("readme", "\xcf\xfa\xed\xfe\x07\x00\x00\x01")),
		bad("Java class", "zip", zipOf("data.bin", "\xca\xfe\xba\xbe\x00\x00\x00\x34")),
		bad("shortcut as a PDF", "zip", zipOf("invoice.pdf",
			"L\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46")),
		bad("shell script", "zip", zipOf("README", "#!/bin/sh\nrm -rf ~\n")),
		bad("batch as text", "zip", zipOf("notes.txt", "@echo off\r\ndel /q *\r\n")),
		bad("PowerShell as text", "zip", zipOf("notes.txt", "Set-ExecutionPolicy Bypass\n")),
		bad("PHP as a page", "zip", zipOf("index.html", "<?php system($_GET['c']);")),
		bad("Windows script as XML", "zip", zipOf("a.xml",
			"<job id=\"x\"><script language=\"VBScript\">x</script></job>")),
		bad("Windows program", "tar", tarOf("photo.jpg", peProgram())),
		bad("shell script", "tgz", gzipFile("", scriptTar())),
		bad("Windows program", "gz", gzipFile("photo.jpg", []byte(peProgram()))),
		bad("Windows program", "7z", sevenOf(sevenFile{name: "photo.jpg", data: peProgram()})),
		bad("Unix program, LZMA", "7z", sevenWith(sevenOptions{coder: "lzma"},
			sevenFile{name: "data", data: elfProgram})),
		bad("behind text, LZMA2", "7z", sevenWith(sevenOptions{coder: "lzma2", pack: true}, text,
			sevenFile{name: "photo.jpg", data: peProgram()})),
		bad("Windows program, stored", "rar", rar5Of(rarMember{name: "photo.jpg", data: peProgram()})),
		bad("shell script, stored, RAR 4", "rar", rar4Of(3, 0o100644, 0, "notes", "#!/bin/sh\n")),
		judge(refused+filetype.ReasonHTMLApplication, "HTML application as a page", "zip",
			zipOf("a.html", "<html><hta:application id=x></html>")),
	}
}

// nestedFiles returns archives that are refused or held because of an archive
// in them.
func nestedFiles() []otherFile {
	program := zipOf("setup.exe", "x")
	macros := oleFile(stream("WordDocument", fib(0)), storage("Macros"))
	launch := pdfWith("<</S/Launch/F(readme.txt)>>")
	locked := zipFile(member{name: "a.txt", data: "secret", flags: 1})
	page := `<form><input type="password"></form>`
	in := func(reason, what, ext string, p []byte) otherFile { return judge(refused+reason, what, ext, p) }
	hold := func(reason, what, ext string, p []byte) otherFile { return judge(held+reason, what, ext, p) }
	large := zipFile(member{name: "x.dat", data: noise(filetype.MaxNested), store: true}, member{name: "x.exe"})
	return []otherFile{
		in(filetype.ReasonProgramName, "ZIP in a ZIP in a ZIP", "zip",
			zipOf("a.zip", string(zipOf("b.zip", string(program))))),
		in(filetype.ReasonProgramName, "ZIP as a photograph", "zip", zipOf("a.jpg", string(program))),
		in(filetype.ReasonProgramName, "ZIP too large for memory", "zip", zipOf("a.zip", string(large))),
		in(filetype.ReasonProgramName, "large ZIP, stored", "zip",
			zipFile(member{name: "a.zip", data: string(large), store: true})),
		in(filetype.ReasonProgramName, "tar in a ZIP", "zip", zipOf("a.tar", string(tarOf("x.dll", "x")))),
		in(filetype.ReasonProgramName, "tar without a name of one", "zip",
			zipOf("backup", string(tarOf("x.dll", "x")))),
		in(filetype.ReasonProgramName, "packed tar in a ZIP", "zip",
			zipOf("a.tgz", string(gzipFile("", tarOf("x.dll", "x"))))),
		in(filetype.ReasonHiddenProgram, "packed program in a ZIP", "zip",
			zipOf("data.gz", string(gzipFile("", []byte(elfProgram))))),
		in(filetype.ReasonProgramName, "7z in a ZIP", "zip",
			zipOf("a.7z", string(sevenOf(sevenFile{name: "x.exe", data: "x"})))),
		in(filetype.ReasonProgramName, "RAR in a ZIP", "zip",
			zipOf("a.rar", string(rar5Of(rarMember{name: "x.exe", data: "x"})))),
		in(filetype.ReasonProgramName, "ZIP in a tar", "tar", tarOf("a.zip", string(program))),
		in(filetype.ReasonProgramName, "large ZIP in a tar", "tar", tarOf("a.zip", string(large))),
		in(filetype.ReasonProgramName, "ZIP in a packed tar", "tgz", gzipFile("", tarOf("a.zip", string(program)))),
		in(filetype.ReasonProgramName, "packed tar in a packed tar", "tgz",
			gzipFile("", tarOf("a.tgz", string(gzipFile("", tarOf("x.sh", "x")))))),
		in(filetype.ReasonProgramName, "ZIP", "gz", gzipFile("data.bin", program)),
		in(filetype.ReasonProgramName, "ZIP, packed twice", "gz", gzipFile("", gzipFile("", program))),
		in(filetype.ReasonProgramName, "7z", "gz", gzipFile("", sevenOf(sevenFile{name: "x.exe", data: "x"}))),
		in(filetype.ReasonProgramName, "ZIP", "7z",
			sevenWith(sevenOptions{coder: "lzma2"}, sevenFile{name: "a.zip", data: string(program)})),
		in(filetype.ReasonProgramName, "ZIP, stored", "rar", rar5Of(rarMember{name: "a.zip", data: string(program)})),
		in(filetype.ReasonMacros, "macros", "zip", zipOf("a.doc", string(macros))),
		in(filetype.ReasonMacros, "macros without a name of a document", "zip", zipOf("invoice", string(macros))),
		in(filetype.ReasonMacros, "macros", "tar", tarOf("a.doc", string(macros))),
		in(filetype.ReasonMacros, "macros", "7z", sevenOf(sevenFile{name: "a.doc", data: string(macros)})),
		in(filetype.ReasonMacros, "macros in a docx", "tgz",
			gzipFile("", tarOf("a.docx", string(ooxmlFile("docx", "",
				member{name: "word/vbaProject.bin", data: "x"}))))),
		in(filetype.ReasonProgramName, "other ZIP called docx", "zip",
			zipOf("a.docx", string(zipOf("b.zip", string(program))))),
		hold(filetype.HoldNotFullyInspected, "entities of an SVG", "zip",
			zipOf("a.svg", `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;">]><svg>&b;</svg>`)),
		in(filetype.ReasonTooDeep, "too deep", "zip",
			nestedIn(filetype.MaxDepth+1, named("a.txt"),
				func(p []byte) []byte { return zipOf("deeper.zip", string(p)) })),
		in(filetype.ReasonTooDeep, "packed again and again", "gz",
			nestedIn(filetype.MaxDepth+1, gzipFile("", []byte("x")), func(p []byte) []byte { return gzipFile("", p) })),
		in(filetype.ReasonTooDeep, "too deep, of all sorts", "tgz",
			gzipFile("", tarOf("a.7z", string(sevenOf(sevenFile{name: "a.rar",
				data: string(rar5Of(rarMember{name: "a.zip",
					data: string(zipOf("a.tar", string(tarOf("a.txt", "x"))))}))}))))),
		hold(filetype.HoldEncryptedArchive, "password within", "zip", zipOf("b.zip", string(locked))),
		hold(filetype.HoldEncryptedArchive, "password within", "tar", tarOf("b.zip", string(locked))),
		hold(filetype.HoldEncryptedArchive, "password of a RAR within", "zip",
			zipOf("b.rar", string(rar5(true, false)))),
		hold(filetype.HoldEncryptedDocument, "document with a password", "zip",
			zipOf("a.docx", string(oleFile(stream("EncryptedPackage", filler))))),
		hold(filetype.HoldLaunchAction, "PDF that starts a program", "zip", zipOf("a.pdf", string(launch))),
		hold(filetype.HoldLaunchAction, "PDF that starts a program", "tgz",
			gzipFile("", tarOf("a.pdf", string(launch)))),
		hold(filetype.HoldLaunchAction, "PDF that starts a program", "gz", gzipFile("a", launch)),
		hold(filetype.HoldLaunchAction, "PDF that starts a program", "7z",
			sevenWith(sevenOptions{coder: "lzma"}, sevenFile{name: "a.pdf", data: string(launch)})),
		hold(filetype.HoldPasswordForm, "page with a password", "zip", zipOf("login.html", page)),
		hold(filetype.HoldPasswordForm, "large page with a password", "zip",
			zipOf("login.html", strings.Repeat("<p>x\n", filetype.MaxNested/4)+page)),
		hold(filetype.HoldPasswordForm, "page with a password", "tar", tarOf("login.htm", page)),
		in(filetype.ReasonPolyglot, "PDF and Java", "zip",
			zipOf("a.pdf", string(behind(pdfPages(1), named("META-INF/MANIFEST.MF"))))),
		hold(filetype.HoldEmbeddedObject, "object in RTF", "zip",
			zipOf("a.rtf", `{\rtf1 {\object\objemb{\*\objdata 0105}}}`)),
		hold(filetype.HoldEmbeddedObject, "object in RTF called doc", "zip",
			zipOf("a.doc", `{\rtf1 {\object\objemb{\*\objdata 0105}}}`)),
	}
}

// unreadable returns archives that are held because they, or parts of them,
// cannot be read.
func unreadable() []otherFile {
	hold := func(reason, what, ext string, p []byte) otherFile { return judge(held+reason, what, ext, p) }
	method := func(n byte) []byte {
		return patched(patched(zipFile(member{name: "a.txt", data: "hello", store: true}), filetype.ZipLocal, 8,
			string([]byte{n})), filetype.ZipEntry, 10, string([]byte{n}))
	}
	return []otherFile{
		hold(filetype.HoldEncryptedArchive, "password", "zip",
			zipFile(member{name: "a.txt", data: "secret", flags: 1})),
		hold(filetype.HoldEncryptedArchive, "password", "7z",
			sevenWith(sevenOptions{coder: sevenStatesAES}, sevenFile{name: "a.txt", data: "secret"})),
		hold(filetype.HoldEncryptedArchive, "password of the directory", "7z",
			sevenFileOf([]byte("secret"), []byte("\x17"+sevenStreamsOf(0, 6, 6, sevenStatesAES)+"\x00"))),
		hold(filetype.HoldEncryptedArchive, "headers, RAR 4", "rar", rar4(0x80, 0)),
		hold(filetype.HoldEncryptedArchive, "file, RAR 4", "rar", rar4(0, 4)),
		hold(filetype.HoldEncryptedArchive, "headers, RAR 5", "rar", rar5(true, false)),
		hold(filetype.HoldEncryptedArchive, "file, RAR 5", "rar",
			rar5Of(rarMember{name: "a.txt", data: "secret", extra: rar5Record(1, "\x00\x00")})),
		hold(filetype.HoldNotFullyInspected, "LZMA", "zip", method(14)),
		hold(filetype.HoldNotFullyInspected, "Zstandard", "zip", method(93)),
		hold(filetype.HoldNotFullyInspected, "disk image", "zip", zipOf("invoice.iso", strings.Repeat("\x00", 100))),
		hold(filetype.HoldNotFullyInspected, "cabinet", "zip", zipOf("a.dat", "MSCF\x00\x00\x00\x00....")),
		hold(filetype.HoldNotFullyInspected, "xz", "tar", tarOf("a.tar.xz", "\xfd7zXZ\x00....")),
		hold(filetype.HoldNotFullyInspected, "Zstandard", "gz", gzipFile("a", []byte("\x28\xb5\x2f\xfd...."))),
		hold(filetype.HoldNotFullyInspected, "damaged ZIP within", "zip",
			zipOf("a.zip", string(named("a.txt", "b.txt")[:90]))),
		hold(filetype.HoldNotFullyInspected, "ZIP with data behind within", "zip",
			zipOf("a.zip", string(named("a.txt"))+"more")),
		hold(filetype.HoldNotFullyInspected, "ZIP behind data within", "zip",
			zipOf("a.zip", "some data "+string(zipOf("run.exe", "x")))),
		hold(filetype.HoldNotFullyInspected, "unknown directory", "7z", sevenFileOf(nil, []byte("x"))),
		hold(filetype.HoldNotFullyInspected, "ZIP, PPMd", "7z",
			sevenWith(sevenOptions{coder: sevenStatesPPMd}, sevenFile{name: "a.zip", data: "x"})),
		hold(filetype.HoldNotFullyInspected, "packed ZIP", "rar",
			rar5Of(rarMember{name: "a.zip", data: "x", packed: true})),
		hold(filetype.HoldNotFullyInspected, "part of a set", "rar",
			rar5With(1, rarMember{name: "a.txt", data: "x", flags: 0x10})),
		hold(filetype.HoldNotFullyInspected, "cut short", "rar",
			rar5Of(rarMember{name: "a.txt", data: "x"}, rarMember{name: "b.txt", data: "hello"})[:50]),
		hold(filetype.HoldHiddenData, "behind the end", "rar",
			append(rar5Of(rarMember{name: "a.txt", data: "x"}), "more"...)),
		hold(filetype.HoldHiddenData, "second stream of a file", "rar",
			rar5Of(rarMember{name: "a.txt", data: "x"}, rarMember{name: "STM", data: "x", service: true})),
		hold(filetype.HoldHiddenData, "behind the directory", "7z",
			append(sevenOf(sevenFile{name: "a.txt", data: "x"}), "more"...)),
		hold(filetype.HoldHiddenData, "second tar behind", "tar", behind(tarOf("a.txt", "x"), tarOf("b.exe", "x"))),
		hold(filetype.HoldHiddenData, "second tar behind", "tgz",
			gzipFile("", behind(tarOf("a.txt", "x"), tarOf("b.exe", "x")))),
	}
}

// reasonedBombs returns the bombs with the reasons for which they are refused,
// and additional ones.
func reasonedBombs() (out []otherFile) {
	other := map[string]string{
		"too deep": filetype.ReasonTooDeep, "overlapping": filetype.ReasonOverlap,
		"too many entries, understated": filetype.ReasonTooManyEntries,
		"a directory over the bound":    filetype.ReasonTooManyEntries,
		"many entries":                  filetype.ReasonTooManyEntries, "one file listed often": filetype.ReasonBomb,
	}
	for _, f := range bombs() {
		reason := filetype.ReasonBomb
		if r := other[f.what]; r != "" {
			reason = r
		}
		out = append(out, judge(refused+reason, f.what, f.ext, f.data))
	}
	zeros := make([]byte, 8*filetype.MiB)
	var liar rawZIP
	packed := rawDeflate(bytes.Repeat(zeros, 16))
	liar.entry("a.txt", 8, uint32(len(packed)), 1000, liar.local("a.txt", 8, packed, 1000), "")
	layer := func(p []byte) []byte { // 42.zip: sixteen copies in each layer
		var members []member
		for i := range 16 {
			members = append(members, member{name: string(rune('a'+i)) + ".zip", data: string(p)})
		}
		return zipFile(members...)
	}
	return append(out,
		judge(refused+filetype.ReasonContradiction, "unpacks to more than it says", "zip", liar.bytes()),
		judge(refused+filetype.ReasonBomb, "sixteen copies a layer", "zip",
			layer(layer(zipOf("0.dat", string(zeros))))),
		judge(refused+filetype.ReasonBomb, "packed twice", "gz", gzipFile("", gzipFile("", bytes.Repeat(zeros, 14)))),
		judge(refused+filetype.ReasonBomb, "packed zeros", "zip",
			zipOf("a.gz", string(gzipFile("", bytes.Repeat(zeros, 14))))),
		judge(refused+filetype.ReasonBomb, "claims a terabyte", "7z",
			sevenWith(sevenOptions{coder: "copy", claimed: 1 << 40}, sevenFile{name: "a", data: "x"})),
		judge(refused+filetype.ReasonBomb, "claims ten gigabytes", "rar",
			rar5Of(rarMember{name: "a", data: "x", size: 10 * filetype.GiB, packed: true})),
		judge(refused+filetype.ReasonBomb, "claims a size beyond numbers", "rar",
			rar5Of(rarMember{name: "a", data: "x", size: 1 << 61, packed: true})),
	)
}
