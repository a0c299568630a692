package inspect

import (
	"hash/crc32"
	"testing"

	"vitrine/internal/filetype"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// zipNamed returns a ZIP of files with names as stored, and an extra field.
func zipNamed(extra string, names ...string) []byte {
	var z rawZIP
	for _, name := range names {
		z.entry(name, 0, 1, 1, z.local(name, 0, "x", 1), extra)
	}
	return z.bytes()
}

// unicodeField returns the extra field of Info-ZIP with a name.
func unicodeField(stored, name string) string {
	var b buf
	b.le(uint16(0x7075), uint16(5+len(name)), byte(1), crc32.ChecksumIEEE([]byte(stored))).str(name)
	return b.String()
}

// TestZIPNames checks that names are listed in the letters in which they were
// written, whatever the encoding, and that a byte of a letter that looks like a
// backslash separates nothing.
func TestZIPNames(t *testing.T) {
	for what, c := range map[string]struct {
		encoding encoding.Encoding
		names    []string
	}{
		"cp437":     {charmap.CodePage437, []string{"Übersicht für Käufer.txt", "Größen/Straße.txt"}},
		"cp866":     {charmap.CodePage866, []string{"Отчёт за год.txt", "Документы/договор.txt"}},
		"Shift-JIS": {japanese.ShiftJIS, []string{"予定表.txt", "ソフト/表示の説明.txt", "日本語のファイル.txt"}},
		"GBK":       {simplifiedchinese.GBK, []string{"中文文件说明.txt", "我们的报告/数据.txt"}},
		"Big5":      {traditionalchinese.Big5, []string{"功能說明.txt", "我們的報告/許可.txt", "這是中文檔案.txt"}},
		"EUC-KR":    {korean.EUCKR, []string{"한국어 파일.txt", "보고서/자료.txt"}},
		"UTF-8":     {encoding.Nop, []string{"日本語.txt", "Größe.txt"}},
	} {
		var stored []string
		for _, name := range c.names {
			s, err := c.encoding.NewEncoder().String(name)
			if err != nil {
				t.Fatal(what, err)
			}
			stored = append(stored, s)
		}
		facts, err := inspectBytes(t, "zip", zipNamed("", stored...))
		if got := verdict(facts, err); got != "ok" {
			t.Errorf("%s: %s (%v)", what, got, err)
			continue
		}
		for i, e := range facts.Entries {
			if e.Name != c.names[i] {
				t.Errorf("%s: %q is listed as %q", what, c.names[i], e.Name)
			}
		}
	}
}

// TestZIPNameOfField checks that the name of Info-ZIP's extra field is listed,
// and that it is judged like the other one.
func TestZIPNameOfField(t *testing.T) {
	for _, c := range []struct{ stored, name, want string }{
		{"caf?.txt", "café.txt", "café.txt"},
		{"page.txt", "page.html", "page.txt"}, // programs without the field see a text
		{"a.txt", "a.exe", filetype.ReasonProgramName},
		{"a.txt", "../a.txt", filetype.ReasonEscapingPath},
		{"a.txt", `..\a.txt`, filetype.ReasonEscapingPath},
		{"../a.txt", "a.txt", filetype.ReasonEscapingPath},
		{"a.exe", "a.txt", filetype.ReasonProgramName},
		{"\x95\\..\\..\\a.txt", "", filetype.ReasonEscapingPath},
		{"\x83\\\\..\\a.txt", "", filetype.ReasonEscapingPath},
		{"\x95\\.exe", "", filetype.ReasonProgramName},
	} {
		extra := ""
		if c.name != "" {
			extra = unicodeField(c.stored, c.name)
		}
		facts, err := inspectBytes(t, "zip", zipNamed(extra, c.stored))
		got, _ := ruling(facts, err)
		if got == "live" {
			got = facts.Entries[0].Name
		}
		if got != c.want && got != refused+c.want {
			t.Errorf("%q with the field %q: %s, want %s", c.stored, c.name, got, c.want)
		}
	}
}
