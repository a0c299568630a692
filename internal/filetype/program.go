package filetype

import (
	"bytes"
	"strings"
	"unicode"
)

// Programs are extensions of files that a common system runs, or follows to a
// program. They are refused as the name of a file and inside an inspected
// archive (contract, createUpload).
var Programs = ExtensionSet(
	// Windows: programs, installers, what the shell or a script host opens
	`exe com scr pif cpl dll sys drv ocx ax efi msi msp mst msix msixbundle appx appxbundle appinstaller
	bat cmd ps1 ps1xml ps2 psm1 psd1 psc1 vb vbe vbs vbscript js jse mjs cjs wsf wsh wsc ws sct hta chm hlp
	lnk url scf reg inf ins isp msc gadget job shb shs settingcontent-ms library-ms search-ms searchconnector-ms appref-ms
	application diagcab rdp xbap themepack website ahk au3 a3x`,
	// macOS
	`app command scpt scptd applescript dmg pkg mpkg dylib terminal fileloc inetloc`,
	// Unix
	`sh bash zsh csh ksh fish run elf so ko deb rpm snap flatpak flatpakref appimage desktop`,
	// languages that run from source or byte code
	`py pyc pyo pyw pyz pyzw rb pl pm php php3 php4 php5 php7 php8 phtml phps phar asp aspx ashx asmx cgi fcgi jsp jspx lua tcl
	awk jar war ear class jnlp apk aab xapk apks ipa dex wasm crx xpi vsix air swf`,
)

// Macros are extensions of Office formats for macros or add-ins.
var Macros = ExtensionSet(`docm dotm xlsm xltm xlam xlsb xla xll xlm xlw pptm potm ppsm ppam ppa sldm wll accde accda mde mda ade adp
	slk iqy oqy dqy rqy`)

// InnerNames are extensions that are also common endings of words and host
// names. "example.com.pdf" and "web.app.txt" are not programs; only the last
// extension counts for them.
var InnerNames = ExtensionSet(`com app pl so run job fish air class command terminal application website`)

func ExtensionSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, ext := range strings.Fields(list) {
			set[ext] = true
		}
	}
	return set
}

// ProgramExt returns the extension in name, last or not, that makes it an
// executable, a script or a macro format (contract, unsupported_type). A colon
// separates like a dot, because Windows opens "a.exe:b" as "a.exe".
func ProgramExt(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' })
	if len(parts) < 2 {
		return ""
	}
	if strings.HasPrefix(name, ".") { // ".exe" has an extension only
		parts = append([]string{""}, parts...)
	}
	for i, part := range parts[1:] {
		ext := FoldExt(part)
		last := i == len(parts)-2
		if Macros[ext] || Programs[ext] && (last || !InnerNames[ext]) {
			return ext
		}
	}
	return ""
}

// FoldExt reduces an extension to how a file system or a person reads it: lower
// case, without spaces around it and without invisible characters.
func FoldExt(ext string) string {
	ext = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Cc) {
			return -1
		}
		return unicode.ToLower(r)
	}, ext)
	return strings.TrimSpace(ext)
}

// programProblem refuses a file for its extension.
func programProblem(ext string) *Problem {
	if Macros[ext] {
		return &Problem{Code: CodeUnsupportedType, Reason: ReasonMacroName,
			Message: "Office files that carry macros (." + ext +
				") are not accepted. Save it in a format without macros."}
	}
	return &Problem{Code: CodeUnsupportedType, Reason: ReasonProgramName,
		Message: "Programs and scripts (." + ext + ") are not accepted."}
}

// programMagics are first bytes of what a system runs, loads or installs. "MZ"
// alone is enough, although a text may begin with it: a DOS program can consist
// of printable characters.
var programMagics = []struct{ magic, what string }{
	{"MZ", "a Windows or DOS program"},
	{"\x7fELF", "a Unix program"},
	{"\xfe\xed\xfa\xce", "a macOS program"},
	{"\xfe\xed\xfa\xcf", "a macOS program"},
	{"\xce\xfa\xed\xfe", "a macOS program"},
	{"\xcf\xfa\xed\xfe", "a macOS program"},
	{"\xca\xfe\xba\xbe", "a Java class or macOS program"},
	{"\xca\xfe\xba\xbf", "a macOS program"},
	{"\xca\xfe\xd0\x0d", "packed Java classes"},
	{"\x00asm", "a WebAssembly module"},
	{"dex\n0", "an Android program"},
	{"!<arch>\n", "a program library or Debian package"},
	{"\xed\xab\xee\xdb", "an RPM package"},
	{"xar!\x00", "a macOS installer"},
	{"Cr24\x02\x00", "a browser extension"},
	{"Cr24\x03\x00", "a browser extension"},
	{"ITSF\x03\x00", "a Windows help program"},
	{"L\x00\x00\x00\x01\x14\x02\x00", "a Windows shortcut"},
	{"#!", "a script"},
	{"\xef\xbb\xbf#!", "a script"},
	{"#\x00!\x00", "a script"},
	{"\x00#\x00!", "a script"},
	{"\xff\xfe#\x00!\x00", "a script"},
	{"\xfe\xff\x00#\x00!", "a script"},
	{"#@~^", "an encoded script"},
}

// ProgramAt refuses what begins like a program, regardless of its name
// (contract: "executables and scripts are always refused").
func ProgramAt(head []byte) *Problem {
	if what := programName(head); what != "" {
		return UnsafeFile(ReasonProgram, "The file is %s. Programs and scripts are not accepted.",
			what)
	}
	return nil
}

// programName returns the kind of program that begins like head, or "".
func programName(head []byte) string {
	for _, m := range programMagics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.what
		}
	}
	return ""
}

// SurelyProgram detects programs in data without a declared type. Unlike
// ProgramAt, it does not accept two letters alone as proof, because random
// bytes often contain them.
func SurelyProgram(head []byte) string {
	what := programName(head)
	switch {
	case bytes.HasPrefix(head, []byte("MZ")):
		if len(head) < 0x40 || LittleEndian.Uint32(head[0x3c:]) < 0x40 || LittleEndian.Uint32(head[0x3c:]) > 16*MiB {
			return ""
		}
	case bytes.HasPrefix(head, []byte("#!")):
		if !bytes.HasPrefix(bytes.TrimLeft(head[2:], " \t"), []byte("/")) {
			return ""
		}
	}
	return what
}
