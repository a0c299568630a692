package inspect

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/filetype"

	"github.com/xuri/excelize/v2"
)

const vbaType = "application/vnd.ms-office.vbaProject"

// inspectOffice inspects a file by its extension.
func inspectOffice(t *testing.T, ext string, b []byte) error {
	t.Helper()
	typ, ok := filetype.ByExt("." + ext)
	if !ok {
		t.Fatalf("unknown extension %s", ext)
	}
	_, err := Inspect(bytes.NewReader(b), int64(len(b)), typ)
	return err
}

// TestWorkbookOfExcelize checks that a workbook from excelize passes, which
// declares a type for macros without having any.
func TestWorkbookOfExcelize(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := inspectOffice(t, "xlsx", b.Bytes()); err != nil {
		t.Error(err)
	}
}

// TestMacroDeclarations checks that a declaration of macros counts if some
// program could apply it to a part
// (security, Files are checked by their bytes).
func TestMacroDeclarations(t *testing.T) {
	defaults := func(ext string) string { return `<Default Extension="` + ext + `" ContentType="` + vbaType + `"/>` }
	override := func(part string) string {
		return `<Override PartName="` + part + `" ContentType="` + vbaType + `"/>`
	}
	for about, c := range map[string]struct{ extra, part string }{
		"of the extension":       {defaults("bin"), "xl/notes.bin"},
		"of another":             {defaults("dat"), "xl/notes.DAT"},
		"in other case":          {defaults("BIN"), "xl/notes.bin"},
		"override":               {override("/xl/notes.xml"), "xl/notes.xml"},
		"override in other case": {override("/XL/Notes.xml"), "xl/notes.xml"},
		"override, escaped":      {override("/xl/not%65s.xml"), "xl/notes.xml"},
		"override of no part":    {override("/xl/none.bin"), "xl/notes.xml"},
		"none, known name":       {"", "xl/vbaProject.bin"},
		"foreign extension": {`<Default Extension="bin" x:Extension="zzz" xmlns:x="urn:x" ContentType="` +
			vbaType + `"/>`, "xl/notes.bin"},
		"foreign extension first": {`<Default x:Extension="zzz" Extension="bin" xmlns:x="urn:x" ContentType="` +
			vbaType + `"/>`, "xl/notes.bin"},
		"foreign extension alone": {`<Default x:Extension="zzz" xmlns:x="urn:x" ContentType="` + vbaType + `"/>`,
			"xl/notes.bin"},
		"extension twice": {`<Default Extension="bin" Extension="zzz" ContentType="` + vbaType + `"/>`,
			"xl/notes.bin"},
		"no extension": {`<Default ContentType="` + vbaType + `"/>`, "xl/notes.bin"},
		"foreign type": {`<Default Extension="bin" ContentType="` + vbaType +
			`" x:ContentType="application/xml" xmlns:x="urn:x"/>`, "xl/notes.bin"},
		"foreign type of no part": {`<Default Extension="zzz" ContentType="` + vbaType +
			`" x:ContentType="application/xml" xmlns:x="urn:x"/>`, "xl/notes.bin"},
		"foreign type of an override": {`<Override PartName="/xl/notes.bin" ContentType="` + vbaType +
			`" x:ContentType="application/xml" xmlns:x="urn:x"/>`, "xl/notes.bin"},
		"type twice": {`<Default Extension="zzz" ContentType="` + vbaType +
			`" ContentType="application/xml"/>`, "xl/notes.bin"},
		"element of another name":      {`<default Extension="zzz" ContentType="` + vbaType + `"/>`, "xl/notes.bin"},
		"space":                        {defaults(" bin"), "xl/notes.bin"},
		"escaped":                      {defaults("%62in"), "xl/notes.bin"},
		"dot":                          {defaults(".bin"), "xl/notes.bin"},
		"empty":                        {defaults(""), "xl/notes"},
		"part of an escaped dot":       {defaults("bin"), "xl/notes%2ebin"},
		"part of an escaped extension": {defaults("bin"), "xl/notes.b%69n"},
		"part with a dot behind":       {defaults("bin"), "xl/notes.bin."},
		"part in pieces":               {defaults("bin"), "xl/notes.bin/[0].last.piece"},
		"part in pieces, known name":   {defaults("bin"), "xl/vbaProject.bin/[0].piece"},
	} {
		err := inspectOffice(t, "xlsx", ooxmlFile("xlsx", c.extra, member{name: c.part, data: "x"}))
		if p, ok := err.(*filetype.Problem); !ok || p.Code != filetype.CodeUnsafeFile {
			t.Errorf("%s: Inspect = %v, want unsafe_file", about, err)
		}
	}
	for _, extra := range []string{defaults("bin"), defaults("BIN"),
		strings.ReplaceAll(defaults("bin"), "/>", "></Default>")} {
		if err := inspectOffice(t, "xlsx", ooxmlFile("xlsx", extra,
			member{name: "xl/notes.xml", data: "<x/>"})); err != nil {
			t.Errorf("%s without such a part: %v", extra, err)
		}
	}
}
