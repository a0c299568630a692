package filetype

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// verdict puts an answer of Inspect into one word: ok, a code, or hold: and a reason.
func verdict(f Facts, err error) string {
	var p *Problem
	switch {
	case errors.As(err, &p):
		return p.Code
	case err != nil:
		return err.Error()
	case f.Hold != "":
		return "hold:" + f.Hold
	}
	return "ok"
}

type sample struct {
	what string
	ext  string
	data []byte
}

// goodFiles are published as they are.
func goodFiles() []sample {
	text := func(what, ext, s string) sample { return sample{what, ext, []byte(s)} }
	return []sample{
		{"one page", "pdf", pdfPages(1)},
		{"400 pages", "pdf", pdfPages(400)},
		{"object stream", "pdf", compressedPDF(pdfCatalog, "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page>>")},
		{"byte order mark first", "pdf", append([]byte("\xef\xbb\xbf\r\n"), pdfPages(1)...)},
		{"attached table", "pdf", pdfWith("<</Type/Filespec/F(table.xlsx)/UF(table.xlsx)/EF<</F 5 0 R>>>>", "<</Type/EmbeddedFile/Length 1>>\nstream\nx\nendstream")},
		{"link to a program's page", "pdf", pdfWith("<</S/URI/URI(https://example.com/setup.exe)>>")},
		{"no cross-reference table", "pdf", []byte("%PDF-1.4\n1 0 obj\n" + pdfCatalog + "\nendobj\n2 0 obj\n<</Type/Pages/Count 1>>\nendobj\n")},

		{"encoded", "png", pngFile()},
		{"largest", "png", pngHeader(16384, 16384)},
		{"encoded", "jpg", jpegFile()},
		{"encoded", "jpeg", jpegFile()},
		{"photograph", "jpg", exifJPEG()},
		{"encoded", "gif", gifFile()},
		{"lossy", "webp", webpLossy},
		{"lossless", "webp", webpLossless},
		{"extended", "webp", webpExtended},
		{"24 bits", "bmp", bmpFile(320, 200)},
		{"rows from the top", "bmp", bmpFile(320, -200)},
		{"OS/2", "bmp", bmpOS2()},
		{"little-endian", "tiff", tiffFile(binary.LittleEndian, 320)},
		{"big-endian, pages", "tiff", tiffFile(binary.BigEndian, 320, 100, 90)},
		{"BigTIFF", "tiff", bigTIFF()},
		{"avif", "avif", stillFile("avifmif1miaf", 320, 240)},
		{"HEVC", "heic", stillFile("heicmif1heic", 320, 240)},
		{"generic brand first", "heic", stillFile("mif1heicmiaf", 320, 240)},
		text("plain", "svg", `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>`),
		text("without namespace", "svg", `<?xml version="1.0"?><!-- x --><svg width="1"></svg>`),
		text("prefix, script", "svg", `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></s:svg>`),
		text("public doctype", "svg", `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg></svg>`),
		text("Latin-1", "svg", "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><svg><text>caf\xe9</text></svg>"),
		{"UTF-16", "svg", utf16Text(`<?xml version="1.0" encoding="utf-16"?><svg/>`)},

		{"film and sound", "mp4", mp4File("isomiso2avc1mp41", "vide", "soun")},
		{"renamed QuickTime", "mp4", mp4File("qt  ", "vide")},
		{"sound only", "mp4", mp4File("M4A isommp42", "soun")},
		{"film", "m4v", mp4File("M4V mp42isom", "vide", "soun")},
		{"film", "mov", mp4File("qt  ", "vide", "soun")},
		{"old, without brand", "mov", slicesJoin(atom("wide"), atom("mdat", make([]byte, 99)), moov(600, 600, "vide"))},
		{"sound", "m4a", mp4File("M4A mp42isom", "soun")},
		{"film", "webm", webmFile("webm")},
		{"film", "ogv", oggFile(theoraHead, vorbisHead)},
		{"sound", "ogg", oggFile(vorbisHead)},
		{"Opus inside", "ogg", oggFile(opusHead)},
		{"sound", "opus", oggFile(opusHead)},
		{"frames", "mp3", mp3Frames(10)},
		{"two frames are all", "mp3", mp3Frames(2)},
		{"tag and padding", "mp3", slicesJoin(id3Tag(3000), make([]byte, 700), mp3Frames(10))},
		{"old tag at the end", "mp3", append(mp3Frames(2), "TAGtitle"...)},
		{"variable rate", "mp3", xingMP3()},
		{"frames", "aac", aacFrames(10)},
		{"tag first", "aac", append(id3Tag(50), aacFrames(4)...)},
		{"8 bits", "wav", wavFile("RIFF")},
		{"64 bits", "wav", wavFile("RF64")},
		{"stream", "flac", flacFile()},
		{"tag first", "flac", append(id3Tag(50), flacFile()...)},

		{"document", "doc", oleFile(stream("WordDocument", fib(0)), stream("1Table", filler))},
		{"encrypted", "doc", oleFile(stream("WordDocument", fib(0x100)))},
		{"workbook", "xls", oleFile(stream("Workbook", biff(boundSheet(0), boundSheet(2))))},
		{"Excel 5", "xls", oleFile(stream("Book", biff()))},
		{"small streams", "xls", oleFile(stream("Workbook", biff(boundSheet(0))[:100]), stream("\x05SummaryInformation", "x"))},
		{"presentation", "ppt", oleFile(stream("PowerPoint Document", pptStream(0)), stream("Current User", "x"))},
		{"object inside", "ppt", oleFile(stream("PowerPoint Document", pptStream(0, pptRecord(0x10, 0x1011, "\x00\x00\x00\x00"+deflated("chart data")))))},
		{"document", "docx", ooxmlFile("docx", "")},
		{"table inside", "docx", ooxmlFile("docx", "", member{name: "word/embeddings/table.xlsx", data: string(ooxmlFile("xlsx", ""))})},
		{"chart object", "docx", ooxmlFile("docx", "", member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream("Workbook", biff())))})},
		{"workbook", "xlsx", ooxmlFile("xlsx", "", member{name: "xl/printerSettings/printerSettings1.bin", data: "x"})},
		{"presentation", "pptx", ooxmlFile("pptx", "")},
		{"text", "odt", packageFile(odtMIME, member{name: "content.xml", data: "<x/>"}, member{name: "META-INF/manifest.xml", data: "<x/>"})},
		{"table", "ods", packageFile(odsMIME)},
		{"slides", "odp", packageFile(odpMIME)},
		{"book", "epub", packageFile(epubMIME, member{name: "META-INF/encryption.xml", data: "<fonts/>"}, member{name: "OEBPS/a.xhtml", data: "<p/>"})},
		text("document", "rtf", `{\rtf1\ansi Hello \pict 0 }`),

		text("ASCII", "txt", "hello\r\nworld\n"),
		text("one letter", "txt", "x"),
		text("UTF-8", "txt", "Grüße, мир, 世界 🎉"),
		text("UTF-8 with mark", "txt", "\xef\xbb\xbfhello"),
		text("Latin-1", "txt", "caf\xe9 cr\xe8me"),
		text("Shift JIS", "txt", "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g\r\n"),
		text("ISO 2022", "txt", "\x1b$BF|K\\8l\x1b(B"),
		text("DOS end of file", "txt", "C:\\>dir \x81\x1a"),
		{"UTF-16", "txt", utf16Text("hello 🎉")},
		{"UTF-16 big-endian", "txt", []byte("\xfe\xff\x00h\x00i")},
		text("long lines across chunks", "txt", strings.Repeat("日本", 70_000)),
		text("words of a script within", "txt", "To hide commands, write @echo off at the start.\n"),
		text("dim sum", "txt", "dim sum\nmenu\n"),
		text("headings like comments", "md", "# Set-ExecutionPolicy\n\nIt sets the policy.\n"),
		text("markup", "md", "<div>hello</div>\n"),
		text("colours", "log", "\x1b[31merror\x1b[0m \x01\x02 done\n"),
		text("table", "csv", "a;b\n1;2\n"),
		text("table", "tsv", "a\tb\n"),
		text("object", "json", ` {"a": [1, 2]}`),
		text("comments", "json", "// settings\n{\"a\": 1,}\n"),
		text("lines", "json", "{\"a\":1}\n{\"a\":2}\n"),
		text("feed", "xml", `<?xml version="1.0"?><rss/>`),
		text("unfinished", "xml", `<a><b>`),
		text("settings", "yaml", "# comment\na: 1\n"),
		text("settings", "yml", "---\n- a\n"),
		text("page", "html", "<!DOCTYPE html><title>x</title><form><input type=text></form>"),
		text("fragment", "htm", "<p>hello"),
		text("just text", "html", "My password is my type of thing"),

		{"files", "zip", zipFile(member{name: "a.txt", data: "a", mode: 0o100644}, member{name: "dir/"}, member{name: "dir/b.pdf", data: "%PDF"})},
		{"empty", "zip", zipFile()},
		{"from a pipe", "zip", zipFile(member{name: "-", data: "x", mode: 0o010600})},
		{"dots in names", "zip", named("a..b.txt", "...", "x/.hidden", "v1.2..3/notes")},
		{"ZIP inside", "zip", zipFile(member{name: "inner.zip", data: string(named("a.txt"))})},
		{"damaged document inside", "zip", zipFile(member{name: "a.docx", data: "rubbish"})},
		{"random bytes like MZ inside", "zip", zipFile(member{name: "noise.dat", data: "MZ" + strings.Repeat("\xfe", 600)})},
		{"files", "tar", tarFile(tar.Header{Name: "a.txt", Size: 3}, tar.Header{Name: "d/", Typeflag: tar.TypeDir}, tar.Header{Name: strings.Repeat("long/", 60) + "b.txt", Size: 600})},
		{"from git", "tar", tarFile(tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "abc"}}, tar.Header{Name: "a.txt", Size: 1})},
		{"empty", "tar", make([]byte, 10240)},
		{"text", "gz", gzipFile("notes.txt", []byte("hello"))},
		{"nothing", "gz", gzipFile("", nil)},
		{"tar", "gz", gzipFile("", tarFile(tar.Header{Name: "a.txt", Size: 3}))},
		{"two members", "gz", append(gzipFile("", []byte("hello")), gzipFile("", []byte("world"))...)},
		{"tar", "tgz", gzipFile("", tarFile(tar.Header{Name: "a.txt", Size: 3}))},
		{"files", "7z", sevenZip("\x01\x04\x06")},
		{"RAR 4", "rar", rar4(0, 0)},
		{"RAR 5", "rar", rar5(false, false)},
	}
}

// otherFile is a judged sample.
type otherFile struct {
	sample
	want string
}

// heldFiles are published after a person has looked, and badFiles never.
func heldFiles() []otherFile {
	held := func(reason, what, ext string, p []byte) otherFile {
		return otherFile{sample{what, ext, p}, "hold:" + reason}
	}
	text := func(reason, what, ext, s string) otherFile { return held(reason, what, ext, []byte(s)) }
	return []otherFile{
		held(HoldLaunchAction, "launch", "pdf", pdfWith("<</S/Launch/F(readme.txt)>>")),
		held(HoldLaunchAction, "hidden name", "pdf", pdfWith("<</S/La#75nch/Win<</F(x)>>>>")),
		held(HoldLaunchAction, "in an object stream", "pdf", compressedPDF(pdfCatalog, "<</Type/Pages/Count 1>>", "<</S/Launch>>")),
		held(HoldEmbeddedProgram, "attached program", "pdf", pdfWith("<</Type/Filespec/F(update.exe)/EF<</F 5 0 R>>>>")),
		held(HoldEmbeddedProgram, "UTF-16 name", "pdf", pdfWith("<</Type/Filespec/UF<FEFF0061002E006A0073>/EF<</F 5 0 R>>>>")),
		held(HoldEmbeddedProgram, "escaped name", "pdf", pdfWith(`<</Type/Filespec/F(dir\\upd\141te\056bat)/EF<</F 5 0 R>>>>`)),
		held(HoldNotFullyInspected, "unknown filter", "pdf", pdfWith("<</Type/ObjStm/N 1/First 4/Filter/LZWDecode/Length 4>>\nstream\nabcd\nendstream")),
		held(HoldNotFullyInspected, "object without number", "pdf", pdfWith("<<>>\nendobj x obj <</Type/ObjStm/N 1/First 4>>")),
		held(HoldEncryptedArchive, "password", "zip", zipFile(member{name: "a.txt", data: "secret", flags: 1})),
		held(HoldEncryptedArchive, "password within", "zip", zipFile(member{name: "b.zip", data: string(zipFile(member{name: "a.txt", data: "secret", flags: 1}))})),
		held(HoldEncryptedArchive, "password", "7z", sevenZip("\x17\x06\x06\xf1\x07\x01\x0a")),
		held(HoldEncryptedArchive, "headers, RAR 4", "rar", rar4(0x80, 0)),
		held(HoldEncryptedArchive, "file, RAR 4", "rar", rar4(0, 4)),
		held(HoldEncryptedArchive, "headers, RAR 5", "rar", rar5(true, false)),
		held(HoldEncryptedArchive, "file, RAR 5", "rar", rar5(false, true)),
		held(HoldEncryptedDocument, "password", "docx", oleFile(stream("EncryptionInfo", "x"), stream("EncryptedPackage", filler))),
		held(HoldEncryptedDocument, "password", "xls", oleFile(stream("Workbook", biff("\x2f\x00\x02\x00\x00\x00")))),
		held(HoldEncryptedDocument, "password", "ppt", oleFile(stream("EncryptedPackage", filler))),
		held(HoldEncryptedDocument, "password", "odt", packageFile(odtMIME, member{name: "META-INF/manifest.xml", data: "<manifest:encryption-data/>"})),
		held(HoldEmbeddedObject, "package", "doc", oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"), stream("\x01Ole10Native", "evil"))),
		held(HoldEmbeddedObject, "package", "docx", ooxmlFile("docx", "", member{name: "word/embeddings/oleObject1.bin", data: string(oleFile(stream("\x01Ole10Native", "evil")))})),
		held(HoldEmbeddedObject, "package", "ppt", oleFile(stream("PowerPoint Document", pptStream(0, pptRecord(0x10, 0x1011, "\x00\x00\x00\x00"+deflated(string(ole10Native))))))),
		held(HoldEmbeddedObject, "unreadable object", "ppt", oleFile(stream("PowerPoint Document", pptStream(0, pptRecord(0x10, 0x1011, "????rubbish"))))),
		held(HoldActiveContent, "ActiveX", "xlsx", ooxmlFile("xlsx", "", member{name: "xl/activeX/activeX1.xml", data: "<x/>"})),
		text(HoldEmbeddedObject, "object", "rtf", `{\rtf1 {\object\objemb{\*\objdata 0105}}}`),
		text(HoldPasswordForm, "form", "html", `<FORM action=x><Input TYPE = "Password"></FORM>`),
		text(HoldPasswordForm, "without quotes", "htm", `<input name=p type=password>`),
		text(HoldPasswordForm, "character references", "html", `<input type="&#112;assword">`),
		text(HoldPasswordForm, "script", "html", `<script>e.setAttribute("type", "password")</script>`),
		text(HoldPasswordForm, "late", "html", strings.Repeat("<p>x", 40_000)+`<input type='password'>`),
		text(HoldPasswordForm, "across chunks", "html", strings.Repeat("x", chunkBytes-8)+`<input type='password'>`),
		held(HoldPasswordForm, "UTF-16", "html", utf16Text(`<input type="password">`)),
	}
}

func badFiles() []otherFile {
	bad := func(code, what, ext string, p []byte) otherFile { return otherFile{sample{what, ext, p}, code} }
	mis := func(what, ext string, p []byte) otherFile { return bad(CodeContentMismatch, what, ext, p) }
	uns := func(what, ext string, p []byte) otherFile { return bad(CodeUnsafeFile, what, ext, p) }
	unsText := func(what, ext, s string) otherFile { return uns(what, ext, []byte(s)) }
	misText := func(what, ext, s string) otherFile { return mis(what, ext, []byte(s)) }
	program := pad([]byte("MZ\x90\x00\x03"), 0x3c)
	program = append(program, "\x80\x00\x00\x00"...)
	program = pad(program, 0x200)
	return []otherFile{
		misText("text", "pdf", "hello"),
		misText("header only", "pdf", "%PDF-1.7\n"),
		mis("behind junk", "pdf", append([]byte("GIF89a junk "), pdfPages(1)...)),
		misText("no root", "pdf", "%PDF-1.7\n1 0 obj\n<</A 1>>\nendobj\n"),
		mis("png as jpg", "jpg", pngFile()),
		mis("jpg as png", "png", jpegFile()),
		mis("gif as webp", "webp", gifFile()),
		mis("png as pdf", "pdf", pngFile()),
		mis("no dimensions", "png", pngHeader(0, 5)),
		uns("pixel flood", "png", pngHeader(16385, 16384)),
		uns("pixel flood, overflowing", "png", pngHeader(1<<31, 1<<31)),
		uns("pixel flood", "bmp", bmpFile(1<<30, 1<<30)),
		uns("pixel flood on the last page", "tiff", tiffFile(binary.LittleEndian, 100, 1<<20)),
		uns("pixel flood", "avif", stillFile("avif", 1<<31, 1<<31)),
		uns("pixel flood", "heic", stillFile("heic", 1<<20, 1<<20)),
		mis("no frame", "jpg", []byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xda\x00\x02")),
		mis("odd header", "bmp", append([]byte("BM"), make([]byte, 60)...)),
		misText("text like a header", "bmp", "BMW is a car maker from Munich, Bavaria"),
		mis("no directory", "tiff", []byte("II*\x00\x00\x00\x00\x00")),
		mis("directory outside", "tiff", []byte("II*\x00\xff\xff\xff\x7f")),
		mis("avif as heic", "heic", stillFile("avifmif1", 3, 3)),
		mis("heic as mp4", "mp4", stillFile("heicmif1", 3, 3)),
		mis("mp4 as heic", "heic", mp4File("isommp42", "vide")),
		unsText("billion laughs", "svg", `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><svg>&b;</svg>`),
		unsText("parameter entity", "svg", `<!doctype svg [<!entity % x SYSTEM "http://example.com">]><svg/>`),
		misText("html", "svg", "<html><body><svg></svg></body></html>"),
		misText("text", "svg", "hello <svg></svg>"),
		misText("cut short", "svg", "<svg><path>"),
		mis("no index", "mp4", slicesJoin(ftyp("isom"), atom("mdat", make([]byte, 99)))),
		mis("no tracks", "mp4", mp4File("isom")),
		mis("brand only", "mov", ftyp("qt  ")),
		mis("webm as mp4", "mp4", webmFile("webm")),
		mis("film as sound", "m4a", mp4File("isom", "vide")),
		mis("raw camera", "mov", mp4File("crx isom", "vide")),
		mis("Matroska", "webm", webmFile("matroska")),
		mis("header only", "webm", webmFile("webm")[:30]),
		mis("film", "ogg", oggFile(theoraHead, vorbisHead)),
		mis("sound", "ogv", oggFile(vorbisHead)),
		mis("Vorbis", "opus", oggFile(vorbisHead)),
		mis("unknown codec", "ogg", oggFile("hello")),
		misText("text", "mp3", strings.Repeat("hello ", 100)),
		mis("one frame", "mp3", mp3Frames(1)),
		mis("frames that differ", "mp3", slicesJoin(mp3Frames(1), pad([]byte{0xff, 0xfb, 0x94, 0x64}, 384), mp3Frames(1))),
		mis("data before the frames", "mp3", append([]byte("<html>"), mp3Frames(9)...)),
		mis("tag only", "mp3", id3Tag(300)),
		mis("mp3", "aac", mp3Frames(9)),
		mis("aac", "mp3", aacFrames(9)),
		mis("no format", "wav", []byte("RIFF\x10\x00\x00\x00WAVEdata\x00\x00\x00\x00")),
		mis("avi", "wav", []byte("RIFF\x10\x00\x00\x00AVI LIST\x00\x00\x00\x00")),
		mis("no stream info", "flac", []byte("fLaC\x04\x00\x00\x22"+strings.Repeat("x", 60))),

		uns("macros", "doc", oleFile(stream("WordDocument", fib(0)), storage("Macros"), storage("VBA"))),
		uns("macros", "xls", oleFile(stream("Workbook", biff()), storage("_VBA_PROJECT_CUR"))),
		uns("macros of an object inside", "doc", oleFile(stream("WordDocument", fib(0)), storage("ObjectPool"), stream("_vba_project", "x"))),
		uns("Excel 4 macros", "xls", oleFile(stream("Workbook", biff(boundSheet(0), boundSheet(1))))),
		uns("macros", "ppt", oleFile(stream("PowerPoint Document", pptStream(1)))),
		uns("installer", "doc", oleFileClass(installerClass, stream("WordDocument", fib(0)))),
		uns("macros under a password", "docx", oleFile(stream("EncryptedPackage", filler), storage("VBA"))),
		mis("xls as doc", "doc", oleFile(stream("Workbook", biff()))),
		mis("doc as docx", "docx", oleFile(stream("WordDocument", fib(0)))),
		mis("docx as doc", "doc", ooxmlFile("docx", "")),
		mis("docx as xlsx", "xlsx", ooxmlFile("docx", "")),
		mis("zip as docx", "docx", named("a.txt")),
		mis("folder only", "docx", named("word/document.xml")),
		uns("macros", "docx", ooxmlFile("docx", "", member{name: "word/vbaProject.bin", data: "x"})),
		uns("macros in capitals", "xlsx", ooxmlFile("xlsx", "", member{name: "xl/VBAPROJECT.BIN", data: "x"})),
		uns("docm inside", "docx", ooxmlFile("docx", `<Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>`)),
		uns("hidden content type", "docx", ooxmlFile("docx", `<Default Extension="dat" ContentType="application/vnd.ms-office.vba&#80;roject"/>`)),
		uns("Excel 4 macros", "xlsx", ooxmlFile("xlsx", "", member{name: "xl/macrosheets/sheet1.xml", data: "<x/>"})),
		uns("two tables of contents", "docx", ooxmlFile("docx", "", member{name: "[content_types].XML", data: "<Types/>"})),
		uns("program inside", "pptx", ooxmlFile("pptx", "", member{name: "ppt/embeddings/setup.exe", data: "x"})),
		uns("macro workbook inside", "pptx", ooxmlFile("pptx", "", member{name: "ppt/embeddings/x.xlsm", data: "x"})),
		uns("macros in the workbook inside", "pptx", ooxmlFile("pptx", "", member{name: "ppt/embeddings/x.xlsx", data: string(ooxmlFile("xlsx", "", member{name: "xl/vbaProject.bin", data: "x"}))})),
		mis("no type", "odt", named("content.xml")),
		mis("another type", "odt", packageFile(odsMIME)),
		mis("zip as epub", "epub", named("a.txt")),
		uns("macros", "ods", packageFile(odsMIME, member{name: "Basic/Standard/Module1.xml", data: "x"})),
		uns("python macros", "odt", packageFile(odtMIME, member{name: "Scripts/python/a.txt", data: "x"})),
		misText("text", "rtf", "hello"),

		uns("program", "pdf", program), uns("program", "txt", program), uns("program", "jpg", program), uns("program", "zip", program),
		unsText("letters MZ", "txt", "MZ"),
		unsText("ELF", "png", "\x7fELF\x02\x01\x01"),
		unsText("Mach-O", "csv", "\xcf\xfa\xed\xfe\x07"),
		unsText("Java class", "mp3", "\xca\xfe\xba\xbe\x00\x00\x00\x34"),
		unsText("WebAssembly", "gif", "\x00asm\x01\x00\x00\x00"),
		unsText("shortcut", "txt", "L\x00\x00\x00\x01\x14\x02\x00\x00\x00"),
		unsText("shell script", "txt", "#!/bin/sh\nrm -rf /\n"),
		unsText("script behind a mark", "md", "\xef\xbb\xbf#!/usr/bin/env python\n"),
		uns("script in UTF-16", "txt", utf16Text("#!/bin/sh")),
		unsText("batch", "txt", "\r\n@ECHO OFF\r\ndel *.*\r\n"),
		uns("batch in UTF-16", "log", utf16Text("@echo off\r\n")),
		unsText("PowerShell", "txt", "# installs\nSet-ExecutionPolicy Bypass\n"),
		unsText("PowerShell behind a block", "txt", "<#\n.SYNOPSIS\n#>\nparam (\n[string]$a)\n"),
		unsText("PowerShell", "md", "#Requires -Version 5\n"),
		unsText("VBScript", "txt", "' comment\nDim x\nSet x = CreateObject(\"WScript.Shell\")\n"),
		unsText("VBScript", "csv", "On Error Resume Next\n"),
		unsText("Windows script", "xml", "<?xml version=\"1.0\"?>\n<job id=\"x\"><script language=\"VBScript\">x</script></job>"),
		unsText("PHP", "html", "<?php system($_GET['c']);"),
		unsText("HTML application", "html", "<html><head><HTA:APPLICATION id=x></head>"),
		unsText("registry", "txt", "Windows Registry Editor Version 5.00\r\n"),
		mis("registry in UTF-16 with a NUL", "txt", append(utf16Text("hello"), 0, 0)),
		misText("NUL", "txt", "hello\x00world"),
		misText("binary", "txt", "\x01\x02\x03\xff\xfe\x80"),
		mis("png", "txt", pngFile()),
		misText("pdf", "txt", "%PDF-1.4\n1 0 obj\n"),
		misText("rtf", "txt", `{\rtf1 hello}`),
		misText("half a character", "txt", "\x01hello \xe4\xb8"),
		misText("half a pair", "txt", "\xff\xfe\x3d\xd8"),
		misText("odd UTF-16", "csv", "\xff\xfeh\x00i"),
		misText("prose", "json", "hello"),
		misText("prose", "xml", "hello"),
		mis("zip", "html", named("a.txt")),

		misText("text", "zip", "hello"),
		mis("cut short", "zip", named("a.txt", "b.txt")[:90]),
		mis("trailing data", "zip", append(named("a.txt"), "more"...)),
		mis("leading data", "zip", append([]byte("PK\x03\x04junk"), named("a.txt")...)),
		mis("rar as zip", "zip", rar5(false, false)),
		uns("program", "zip", named("docs/setup.exe")),
		uns("program with two extensions", "zip", named("photo.jpg.scr")),
		uns("program with spaces", "zip", named("setup.exe . ")),
		uns("script", "zip", named("run.sh")),
		uns("macro document", "zip", named("x.docm")),
		uns("program under another name", "zip", zipFile(member{name: "photo.jpg", data: string(program)})),
		uns("script under another name", "zip", zipFile(member{name: "README", data: "#! /bin/sh\n", store: true})),
		uns("program in a ZIP within", "zip", zipFile(member{name: "a.zip", data: string(zipFile(member{name: "b.zip", data: string(named("x.bat"))}))})),
		uns("macros in a document within", "zip", zipFile(member{name: "a.doc", data: string(oleFile(stream("WordDocument", fib(0)), storage("Macros")))})),
		uns("parent folder", "zip", named("../a.txt")),
		uns("parent folder within", "zip", named("a/../../b.txt")),
		uns("absolute", "zip", named("/etc/passwd")),
		uns("drive", "zip", named("C:/a.txt")),
		uns("backslash", "zip", named(`a\b.txt`)),
		uns("NUL in a name", "zip", named("a.exe\x00.txt")),
		uns("symbolic link", "zip", zipFile(member{name: "a", data: "/etc/passwd", mode: 0o120777})),
		uns("device", "zip", zipFile(member{name: "a", data: "x", mode: 0o020666})),
		misText("text", "tar", strings.Repeat("hello ", 200)),
		mis("cut short", "tar", tarFile(tar.Header{Name: "a.txt", Size: 5000}, tar.Header{Name: "b.txt", Size: 5000})[:3000]),
		mis("damaged header", "tar", append(tarFile(tar.Header{Name: "a.txt", Size: 512})[:1024:1024], bytes.Repeat([]byte("x"), 1024)...)),
		uns("link", "tar", tarFile(tar.Header{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"})),
		uns("hard link", "tar", tarFile(tar.Header{Name: "a", Typeflag: tar.TypeLink, Linkname: "b"})),
		uns("parent folder", "tar", tarFile(tar.Header{Name: "../a.txt", Size: 1})),
		uns("program", "tar", tarFile(tar.Header{Name: "a.txt", Size: 1}, tar.Header{Name: "bin/x.exe", Size: 1})),
		mis("no tar inside", "tgz", gzipFile("", []byte("hello"))),
		uns("program", "tgz", gzipFile("", tarFile(tar.Header{Name: "x.dll", Size: 1}))),
		uns("program", "gz", gzipFile("", program)),
		uns("program by its inner name", "gz", gzipFile("x.exe", []byte("hello"))),
		mis("cut short", "gz", gzipFile("", bytes.Repeat([]byte("hello "), 999))[:40]),
		misText("header only", "gz", "\x1f\x8b\x08"),
		mis("bad checksum", "7z", append(sevenZip("x")[:12:12], make([]byte, 40)...)),
		misText("header only", "rar", "Rar!\x1a\x07\x01\x00"),
		misText("other first block", "rar", "Rar!\x1a\x07\x01\x00\x00\x00\x00\x00\x03\x02\x00\x00"),
	}
}

// utf16Text is s in little-endian UTF-16 with a byte order mark.
func utf16Text(s string) []byte {
	var b buf
	b.str("\xff\xfe").le(encodeUTF16(s))
	return b.Bytes()
}

func TestVerdicts(t *testing.T) {
	var all []otherFile
	for _, s := range goodFiles() {
		all = append(all, otherFile{s, "ok"})
	}
	if n := len(all); n < 80 {
		t.Errorf("only %d good files", n)
	}
	bad := badFiles()
	if n := len(bad); n < 80 {
		t.Errorf("only %d bad files", n)
	}
	all = append(append(all, heldFiles()...), bad...)
	for _, f := range all {
		t.Run(f.ext+"/"+f.what, func(t *testing.T) {
			facts, err := inspectBytes(t, f.ext, f.data)
			if got := verdict(facts, err); got != f.want {
				t.Errorf("got %s (%v), want %s", got, err, f.want)
			}
		})
	}
}

// Every good file named as any type of another format is refused, but for what the text and container formats share.
func TestEveryTypeKnowsItsOwn(t *testing.T) {
	sameFormat := func(a, b string) bool {
		for _, group := range []string{
			"jpg jpeg", "mp4 m4v mov m4a", "ogg opus", "gz tgz", "html htm", "txt md csv tsv json xml yaml yml log html htm svg", "docx zip", "xlsx zip",
			"pptx zip", "odt zip", "ods zip", "odp zip", "epub zip",
		} {
			if words := " " + group + " "; strings.Contains(words, " "+a+" ") && strings.Contains(words, " "+b+" ") {
				return true
			}
		}
		return a == b
	}
	for _, f := range goodFiles() {
		for _, ext := range Extensions() {
			if sameFormat(f.ext, ext) {
				continue
			}
			if facts, err := inspectBytes(t, ext, f.data); verdict(facts, err) == "ok" {
				t.Errorf("%s (%s) passes as %s", f.ext, f.what, ext)
			}
		}
	}
}

// Truncating a file never panics, reads outside, or turns a refusal by us into an error of ours.
func TestTruncated(t *testing.T) {
	for _, f := range goodFiles() {
		step := max(1, len(f.data)/50)
		for n := 0; n < len(f.data); n += step {
			facts, err := inspectBytes(t, f.ext, f.data[:n])
			if got := verdict(facts, err); n == 0 && got != CodeContentMismatch {
				t.Errorf("%s empty: %s", f.ext, got)
			} else if err != nil && !strings.Contains(got, "_") {
				t.Errorf("%s (%s) cut at %d: %v", f.ext, f.what, n, err)
			}
		}
	}
}

// A failure to read is an error of its own and never a verdict, wherever it happens.
func TestReadFailure(t *testing.T) {
	for _, f := range append(goodFiles(), heldFiles()[0].sample) {
		typ, _ := ByExt("." + f.ext)
		for fail := range 40 {
			r := &failingAt{r: bytes.NewReader(f.data), left: fail}
			facts, err := Inspect(r, int64(len(f.data)), typ)
			if r.left >= 0 {
				break // all was read
			}
			var p *Problem
			if !errors.Is(err, errDisk) || errors.As(err, &p) || !reflect.DeepEqual(facts, Facts{}) {
				t.Fatalf("%s (%s), read %d fails: %+v, %v", f.ext, f.what, fail, facts, err)
			}
		}
		if _, err := Inspect(bytes.NewReader(f.data), int64(len(f.data))+1, typ); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s (%s), shorter than said: %v", f.ext, f.what, err)
		}
	}
}

var errDisk = errors.New("disk failed")

type failingAt struct {
	r    io.ReaderAt
	left int
}

func (f *failingAt) ReadAt(p []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errDisk
	}
	return f.r.ReadAt(p, off)
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		ext  string
		data []byte
		want Facts
	}{
		{"pdf", pdfPages(37), Facts{Pages: 37}},
		{"png", pngFile(), Facts{Width: 7, Height: 5}},
		{"jpg", exifJPEG(), Facts{Width: 7, Height: 5}},
		{"gif", gifFile(), Facts{Width: 7, Height: 5}},
		{"webp", webpLossy, Facts{Width: 320, Height: 240}},
		{"webp", webpLossless, Facts{Width: 320, Height: 241}},
		{"webp", webpExtended, Facts{Width: 320, Height: 240}},
		{"bmp", bmpFile(320, -200), Facts{Width: 320, Height: 200}},
		{"bmp", bmpOS2(), Facts{Width: 4, Height: 3}},
		{"tiff", tiffFile(binary.BigEndian, 320, 90), Facts{Width: 320, Height: 319}},
		{"tiff", bigTIFF(), Facts{Width: 9, Height: 8}},
		{"heic", stillFile("heic", 4032, 3024), Facts{Width: 4032, Height: 3024}},
		{"mp4", mp4File("isom", "vide"), Facts{DurationMs: 2500}},
		{"webm", webmFile("webm"), Facts{DurationMs: 2500}},
		{"ogg", oggFile(vorbisHead), Facts{DurationMs: 2183}},
		{"opus", oggFile(opusHead), Facts{DurationMs: 2000}},
		{"mp3", xingMP3(), Facts{DurationMs: 26122}},
		{"mp3", mp3Frames(100), Facts{DurationMs: 2606}},
		{"wav", wavFile("RIFF"), Facts{DurationMs: 1000}},
		{"flac", flacFile(), Facts{DurationMs: 2000}},
		{"doc", oleFile(stream("WordDocument", fib(0x100))), Facts{Encrypted: true}},
		{"zip", zipFile(member{name: "a/"}, member{name: "a/\xff.txt", data: "abc"}), Facts{EntriesTotal: 2, Entries: []Entry{{"a/", 0, true}, {"a/\ufffd.txt", 3, false}}}},
		{"tgz", gzipFile("", tarFile(tar.Header{Name: "a.txt", Size: 3})), Facts{EntriesTotal: 1, Entries: []Entry{{"a.txt", 3, false}}}},
		{"7z", sevenZip("x"), Facts{Opaque: true}},
		{"rar", rar5(true, false), Facts{Opaque: true, Encrypted: true, Hold: HoldEncryptedArchive}},
	} {
		if got, err := inspectBytes(t, c.ext, c.data); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v; want %+v", c.ext, got, err, c.want)
		}
	}
}

// A reason speaks to the uploader: a sentence that names what the bytes are.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		ext, want string
		data      []byte
	}{
		{"jpg", "The name says a JPEG image, but the content is a PNG image.", pngFile()},
		{"docx", "The name says a Word document (docx), but the content is a PDF document.", pdfPages(1)},
		{"mp4", "The name says an MP4 video, but the content is a HEIC image.", stillFile("heicmif1", 3, 3)},
		{"txt", "The name says plain text, but the content is a ZIP archive.", named("a.txt")},
		{"wav", "The name says a WAV sound, but the content is something else (video/x-msvideo).", pad([]byte("RIFF\x10\x00\x00\x00AVI LIST"), 64)},
		{"pdf", "The file is a script. Executables and scripts are not accepted under any name.", []byte("#!/bin/sh\n")},
	} {
		_, err := inspectBytes(t, c.ext, c.data)
		var p *Problem
		if !errors.As(err, &p) || p.Reason != c.want {
			t.Errorf("%s: %v, want %s", c.ext, err, c.want)
		}
	}
	for _, f := range badFiles() {
		_, err := inspectBytes(t, f.ext, f.data)
		var p *Problem
		if errors.As(err, &p) && (!strings.HasSuffix(p.Reason, ".") || strings.Contains(p.Reason, "%!") || len(p.Reason) > 160) {
			t.Errorf("%s (%s): %s", f.ext, f.what, p.Reason)
		}
	}
}

// A defect in a parser is an error, not a verdict and not the end of the process.
func TestPanicIsAnError(t *testing.T) {
	typ, _ := ByExt(".txt")
	_, err := Inspect(panicking{}, 10, typ)
	var p *Problem
	if err == nil || errors.As(err, &p) {
		t.Errorf("got %v", err)
	}
}

type panicking struct{}

func (panicking) ReadAt([]byte, int64) (int, error) { panic("defect") }
