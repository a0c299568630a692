package inspect

import (
	"strings"

	"vitrine/internal/filetype"
)

// contradictions returns ZIPs that programs can read in two ways.
func contradictions() []otherFile {
	one := func(build func(z *rawZIP)) []byte {
		var z rawZIP
		build(&z)
		return z.bytes()
	}
	bad := func(reason, what string, p []byte) otherFile { return judge(refused+reason, what, "zip", p) }
	two := named("a.txt", "b.txt")
	return []otherFile{
		bad(filetype.ReasonContradiction, "two names",
			one(func(z *rawZIP) { z.entry("a.txt", 0, 1, 1, z.local("b.txt", 0, "x", 1), "") })),
		bad(filetype.ReasonProgramName, "second name is a program",
			one(func(z *rawZIP) { z.entry("a.txt", 0, 1, 1, z.local("a.exe", 0, "x", 1), "") })),
		bad(filetype.ReasonEscapingPath, "second name escapes",
			one(func(z *rawZIP) { z.entry("a.txt", 0, 1, 1, z.local("../../.bashrc", 0, "x", 1), "") })),
		bad(filetype.ReasonProgramName, "third name is a program", one(func(z *rawZIP) {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "\x75\x70\x0a\x00\x01\x00\x00\x00\x00a.exe")
		})),
		bad(filetype.ReasonContradiction, "two methods",
			one(func(z *rawZIP) { z.entry("a.txt", 8, 1, 1, z.local("a.txt", 0, "x", 1), "") })),
		bad(filetype.ReasonContradiction, "two packed sizes",
			one(func(z *rawZIP) { z.entry("a.txt", 8, 3, 9, z.local("a.txt", 8, "xxxx", 9), "") })),
		bad(filetype.ReasonContradiction, "two unpacked sizes",
			one(func(z *rawZIP) { z.entry("a.txt", 8, 4, 9, z.local("a.txt", 8, "xxxx", 8), "") })),
		bad(filetype.ReasonContradiction, "two checksums",
			patched(zipFile(member{name: "a", data: "secret", flags: 1}), filetype.ZipLocal, 14, "abcd")),
		bad(filetype.ReasonContradiction, "encrypted in one place",
			patched(named("a.txt"), filetype.ZipLocal, 6, "\x09")),
		bad(filetype.ReasonContradiction, "stored, and yet shorter",
			one(func(z *rawZIP) { z.entry("a.txt", 0, 1, 9, z.local("a.txt", 0, "x", 9), "") })),
		bad(filetype.ReasonContradiction, "a name twice", named("a.txt", "a.txt")),
		bad(filetype.ReasonContradiction, "two end records", twoEnds()),
		bad(filetype.ReasonHiddenEntry, "unlisted between", one(func(z *rawZIP) {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			z.local("run.exe", 0, "x", 1)
			z.entry("b.txt", 0, 1, 1, z.local("b.txt", 0, "x", 1), "")
		})),
		bad(filetype.ReasonHiddenEntry, "unlisted first", one(func(z *rawZIP) {
			z.local("run.exe", 0, "x", 1)
			z.entry("b.txt", 0, 1, 1, z.local("b.txt", 0, "x", 1), "")
		})),
		bad(filetype.ReasonHiddenEntry, "unlisted last", one(func(z *rawZIP) {
			z.entry("b.txt", 0, 1, 1, z.local("b.txt", 0, "x", 1), "")
			z.local("run.exe", 0, "x", 1)
		})),
		bad(filetype.ReasonOverlap, "one in another", one(func(z *rawZIP) {
			inner := "PK\x03\x04" + strings.Repeat("\x00", 22) + "\x01\x00\x00\x00bx"
			z.entry("a", 0, uint32(len(inner)), uint32(len(inner)), z.local("a", 0, inner, uint32(len(inner))), "")
			z.entry("b", 0, 0, 0, 31, "")
		})),
		judge(held+filetype.HoldHiddenData, "other bytes between", "zip", one(func(z *rawZIP) {
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			z.str("these bytes belong to no member")
			z.entry("b.txt", 0, 1, 1, z.local("b.txt", 0, "x", 1), "")
		})),
		judge(refused+filetype.ReasonDamaged, "other bytes behind", "zip", append(two, "more"...)),
		judge(refused+filetype.ReasonOtherContent, "other bytes first", "zip", one(func(z *rawZIP) {
			z.str("#data first, as in archives that unpack themselves")
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
		})),
	}
}

// twoEnds returns a ZIP with a second end record in its comment.
func twoEnds() []byte {
	p := named("a.txt")
	comment := filetype.ZipEnd + strings.Repeat("\x00", 16) + "\x09\x00short"
	p[len(p)-2] = byte(len(comment))
	return append(p, comment...)
}

// polyglots returns files of two types at once.
func polyglots() []otherFile {
	program, harmless := zipOf("setup.exe", "x"), named("a.txt")
	jar := named("META-INF/MANIFEST.MF", "data")
	bad := func(what, ext string, p []byte) otherFile {
		return judge(refused+filetype.ReasonPolyglot, what, ext, p)
	}
	hold := func(what, ext string, p []byte) otherFile { return judge(held+filetype.HoldSecondFormat, what, ext, p) }
	// A PDF whose end is in the comment of the ZIP after it.
	comment := "\n%%EOF\n"
	ended := append(behind(pdfPages(1), program), comment...)
	ended[len(ended)-len(comment)-2] = byte(len(comment))
	gif := gifFile()
	return []otherFile{
		bad("GIF and Java", "gif", behind(gif, jar)),
		bad("PNG and a ZIP with a program", "png", behind(pngFile(), program)),
		bad("JPEG and a ZIP with a program", "jpg", behind(jpegFile(), program)),
		bad("PDF and a ZIP with a program", "pdf", behind(pdfPages(1), program)),
		bad("PDF in the comment of a ZIP", "pdf", ended),
		bad("film and Java", "mp4", behind(mp4File("isom", "vide"), jar)),
		bad("Word and a ZIP with a program", "doc", behind(oleFile(stream("WordDocument", fib(0))), program)),
		bad("RTF and a ZIP with a program", "rtf", behind([]byte(`{\rtf1 hello}`), program)),
		hold("PNG and a harmless ZIP", "png", behind(pngFile(), harmless)),
		hold("sound and a harmless ZIP", "mp3", behind(mp3Frames(10), harmless)),
		hold("BMP and RAR 4", "bmp", behind(bmpFile(320, 200), rar4(0, 0))),
		hold("JPEG and RAR 5", "jpg", behind(jpegFile(), rar5(false, false))),
		hold("PNG and 7z", "png", behind(pngFile(), sevenOf(sevenFile{name: "a.txt", data: "x"}))),
		hold("film and RAR", "mp4", behind(mp4File("isom", "vide"), atom("free", rar5(false, false)))),
		hold("GIF and a page", "gif", append(gif[:len(gif)-1:len(gif)-1],
			"\x21\xfe\x20<HTML><script>alert(1)</script>\x00\x3b"...)),
		hold("BMP and a script", "bmp", append(bmpFile(4, 3), "<script>alert(1)</script>"...)),
		hold("JPEG and PHP", "jpg", append(jpegFile()[:2:2],
			append([]byte("\xff\xfe\x00\x10<?php x();  ?>"), jpegFile()[2:]...)...)),
		hold("PNG and PDF", "png", append(pngFile(), pdfPages(1)...)),
		hold("PDF and a page", "pdf", []byte(strings.Replace(string(pdfPages(1)), "\n",
			"\n%<html><script>alert(1)</script>\n", 1))),
		judge(refused+filetype.ReasonProgram, "program and PDF", "pdf", behind([]byte(peProgram()), pdfPages(1))),
		judge(refused+filetype.ReasonDataAround, "GIF and PDF", "pdf", behind(gif, pdfPages(1))),
		judge(refused+filetype.ReasonDamaged, "ZIP and PDF", "zip", behind(harmless, pdfPages(1))),
		judge(refused+filetype.ReasonOtherContent, "page and ZIP", "zip", behind([]byte("<html>"), harmless)),
	}
}

// goodArchives returns good archives that look like bad ones.
func goodArchives() []sample {
	pdf := pdfPages(3)
	return []sample{
		{"names that look reserved", "zip", named("contract.txt", "console/com10.txt", "auxiliary.txt", "nullable",
			"Notes: a.txt", "10:30:00.log", "a.b/c.d")},
		{"folder that ends with a dot", "zip", named("Smith Inc./", "Smith Inc./offer.pdf.txt")},
		{"name in another encoding", "zip", func() []byte {
			var z rawZIP
			z.entry("caf\x82.txt", 0, 1, 1, z.local("café.txt", 0, "x", 1), "")
			return z.bytes()
		}()},
		{"all sorts within", "zip", zipFile(member{name: "a.pdf", data: string(pdf)},
			member{name: "b.docx", data: string(ooxmlFile("docx", ""))},
			member{name: "c.tgz", data: string(gzipFile("", tarOf("a.txt", "x")))},
			member{name: "d.7z", data: string(sevenOf(sevenFile{name: "a.txt", data: "x"}))},
			member{name: "e.rar", data: string(rar5Of(rarMember{name: "a.txt", data: "x"}))},
			member{name: "f.html", data: "<p>hello"},
			member{name: "g.svg", data: "<svg></svg>"}, member{name: "h.rtf", data: `{\rtf1 hello}`},
			member{name: "i.doc", data: string(oleFile(stream("WordDocument", fib(0))))},
			member{name: "j.png", data: string(pngFile())})},
		{"large ZIP within", "zip", zipOf("a.zip",
			string(zipFile(member{name: "x.dat", data: noise(filetype.MaxNested), store: true},
				member{name: "a.txt"})))},
		{"large page within", "zip", zipOf("a.html", strings.Repeat("<p>hello\n", filetype.MaxNested/4))},
		{"broken PDF within", "zip", zipOf("a.pdf", "%PDF-1.4 and no more")},
		{"PDF called txt", "zip", zipOf("a.txt", string(pdf))},
		{"zeros between", "zip", func() []byte {
			var z rawZIP
			z.entry("a.txt", 0, 1, 1, z.local("a.txt", 0, "x", 1), "")
			z.Write(make([]byte, 300))
			z.entry("b.txt", 0, 1, 1, z.local("b.txt", 0, "x", 1), "")
			return z.bytes()
		}()},
		{"documents", "tar", tarOf("b.docx", string(ooxmlFile("docx", "")))},
		{"large document", "tgz", gzipFile("", tarOf("a.pdf",
			string(pdfWith("<</Length 8400000>>\nstream\n"+noise(8_400_000)+"\nendstream"))))},
		{"other name without PAX", "tar", paxTar("notes", "n.txt")},
		{"PDF", "gz", gzipFile("a.pdf", pdf)},
		{"packed twice", "gz", gzipFile("a.gz", gzipFile("", []byte("hello")))},
		{"LZMA", "7z", sevenWith(sevenOptions{coder: "lzma", pack: true},
			sevenFile{name: "d", dir: true, attributes: 0x10}, sevenFile{name: "d/a.txt", data: "hello"},
			sevenFile{name: "b.txt", data: filler})},
		{"LZMA2, long", "7z", sevenWith(sevenOptions{coder: "lzma2", pack: true},
			sevenFile{name: "a.txt", data: strings.Repeat(filler, 200)}, sevenFile{name: "b.pdf", data: string(pdf)})},
		{"PPMd", "7z", sevenWith(sevenOptions{coder: sevenStatesPPMd}, sevenFile{name: "a.txt", data: "x"})},
		{"modes of Unix", "7z", sevenOf(sevenFile{name: "a.txt", data: "x", attributes: 0x8000 | 0o100644<<16})},
		{"nothing", "7z", sevenFileOf(nil, nil)},
		{"packed", "rar", rar5Of(rarMember{name: "a/b.txt", data: "x", size: 9, packed: true},
			rarMember{name: "c.txt", data: "x"})},
		{"copy of another member", "rar", rar5Of(rarMember{name: "a.txt", data: "x"},
			rarMember{name: "b.txt", extra: rar5Link(5, "a.txt")})},
		{"mark of the web", "rar", rar5Of(rarMember{name: "a.txt", data: "x"},
			rarMember{name: "STM", data: "x", service: true, extra: rar5Record(7, ":Zone.Identifier")})},
		{"Windows path, RAR 4", "rar", rar4Of(2, 0x20, 0, `docs\a.txt`, "x")},
		{"Unicode name, RAR 4", "rar", rar4Of(2, 0x20, 0x200, "a?.txt\x00\x04\x40a\x3a\xc2.txt", "x")},
		{"motion photograph", "jpg", behind(jpegFile(), mp4File("mp42isom", "vide", "soun"))},
		{"attached ZIP", "pdf", pdfWith("<</Type/Filespec/F(table.zip)/EF<</F 5 0 R>>>>",
			"<</Type/EmbeddedFile/Length 200>>\nstream\n"+string(zipOf("a.txt", "x"))+"\nendstream")},
	}
}
