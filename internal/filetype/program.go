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

// Macros are extensions of Office formats for macros or add-ins. Those that are
// supported types are only accepted by themselves, where inspection sees that
// they have no macros: archives hide what is in them.
var Macros = ExtensionSet(`docm dotm xlsm xltm xlam xlsb xla xll xlm xlw pptm potm ppsm ppam ppa sldm wll accde accda mde mda ade adp
	slk iqy oqy dqy rqy`)

// packers are extensions of compressed files that unpack to a file of the name
// before the extension: "setup.bat.gz" becomes "setup.bat".
var packers = ExtensionSet(`gz bz2 xz zst lz lz4 lzma z br`)

// ExtensionSet returns the words of lists as a set.
func ExtensionSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, ext := range strings.Fields(list) {
			set[ext] = true
		}
	}
	return set
}

// ProgramExt returns the extension that makes a file of this name an
// executable, a script or a macro format, or "" (contract, File names).
// Systems go by the last extension, so "Introduction to Node.js.pdf" is a PDF.
// A colon ends a name like the end of the text, because Windows opens "a.exe:b"
// as "a.exe". Parts of which nothing is visible are not an extension.
func ProgramExt(name string) string {
	for file := range strings.SplitSeq(name, ":") {
		parts := strings.Split(file, ".")
		for last := len(parts) - 1; last > 0; last-- {
			ext := FoldExt(parts[last])
			if Macros[ext] || Programs[ext] {
				return ext
			}
			if ext != "" && !packers[ext] {
				break
			}
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

// programMagics are first bytes of what a system runs, loads or installs.
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
// (security, Files are checked by their bytes). A text may begin
// with the letters "MZ" if text follows, and with "#!" if no path follows.
func ProgramAt(head []byte, t Type) *Problem {
	what := programName(head)
	switch {
	case what == "", t.Kind == Text && plainStart(head):
		return nil
	case t.Kind == Text && what == "a script":
		return UnsafeFile(ReasonProgram, "The file begins with #! and the path of a program, like a script. "+
			"Scripts are not accepted. If it is a text about one, put a line before it.")
	}
	return UnsafeFile(ReasonProgram, "The file is %s. Programs and scripts are not accepted.", what)
}

// plainStart reports whether a text only looks like a program by its first two
// letters. The header of a DOS or Windows program has numbers.
func plainStart(head []byte) bool {
	switch {
	case bytes.HasPrefix(head, []byte("MZ")):
		return !bytes.ContainsFunc(head[:min(len(head), 64)], func(r rune) bool {
			return r < ' ' && r != '\t' && r != '\r' && r != '\n'
		})
	case bytes.HasPrefix(head, []byte("#!")):
		return !interpreterPath(head)
	}
	return false
}

// interpreterPath reports whether the path of a program follows "#!".
func interpreterPath(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head[2:], " \t"), []byte("/"))
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
		if !interpreterPath(head) {
			return ""
		}
	}
	return what
}
