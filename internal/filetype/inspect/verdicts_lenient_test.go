package inspect

import (
	"strings"

	"vitrine/internal/filetype"
)

// lenientFiles returns files that violate their specification but that every
// browser and reader shows. It also returns files just beyond that leniency,
// which are not shown or are dangerous.
func lenientFiles() []otherFile {
	jpeg, png, gif := jpegFile(), pngOf(9, 9), gifFile()
	webp := webpOf(webpCanvas(9, 9), webpLosslessChunk(9, 9))
	film := string(mp4File("isom", "vide"))
	fine := func(what, ext, data string) otherFile { return judgeText("live", what, ext, data) }
	padded := edited(webp, 4, (&buf{}).le(uint32(len(webp)-8+2)).String())
	return []otherFile{
		fine("film behind it", "jpg", string(jpeg)+film),
		fine("second picture behind it", "jpg", string(jpeg)+string(jpeg)),
		fine("zeros behind it", "jpg", string(jpeg)+strings.Repeat("\x00", 4096)),
		fine("picture behind it, no end", "jpg", string(jpeg[:len(jpeg)-2])+strings.Repeat("pixels", 99)),
		judge(refused+filetype.ReasonDamaged, "no pixels and no end", "jpg",
			[]byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x09\x00\x09\x03"+strings.Repeat("\x00", 9))),
		judge(refused+filetype.ReasonPolyglot, "JAR behind it", "jpg",
			append(jpegFile(), zipOf("META-INF/MANIFEST.MF", "x")...)),
		fine("data behind it", "png", string(png)+"and more"),
		fine("cut in its checksum", "png", string(png[:len(png)-14])),
		judge(refused+filetype.ReasonDamaged, "header only", "png", png[:33]),
		fine("data behind it", "gif", string(gif)+"and more"),
		fine("cut in its only picture", "gif", string(gifOf(9, 9,
			"\x2c\x00\x00\x00\x00\x09\x00\x09\x00\x00\x02\x04abcd\x09ab"))),
		judge(refused+filetype.ReasonDamaged, "cut before its pixels", "gif",
			gifOf(9, 9, "\x2c\x00\x00\x00\x00\x09\x00\x09\x00\x00\x02\x04ab")),
		fine("padding counted twice", "webp", string(padded)),
		fine("lines before it", "pdf", "HTTP/1.1 200 OK\r\nServer: a\r\n\r\n"+string(pdfPages(1))),
		fine("print job", "pdf", "\x1b%-12345X@PJL ENTER LANGUAGE=PDF\r\n"+string(pdfPages(1))),
		judge("held "+filetype.HoldSecondFormat, "page before it", "pdf",
			append([]byte("some <html><script>x</script>"), pdfPages(1)...)),
		judge(refused+filetype.ReasonDataAround, "ZIP before it", "pdf", append(named("a.txt"), pdfPages(1)...)),
		judge(refused+filetype.ReasonOtherContent, "1 KiB before it", "pdf",
			append([]byte(strings.Repeat("x", 1024)), pdfPages(1)...)),
		judge("held "+filetype.HoldLaunchAction, "lines before a launch action, packed", "zip",
			zipOf("a.pdf", "From: me\r\n"+string(pdfWith("<</S/Launch/F(a)>>")))),
	}
}
