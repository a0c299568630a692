package ole

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// macroStorages contain Visual Basic code, of the document or of an embedded
// one.
var macroStorages = map[string]bool{"macros": true, "_vba_project": true, "_vba_project_cur": true, "vba": true}

// InstallerClass is the class of Windows installer databases (msi, msp).
var InstallerClass = []byte("\x84\x10\x0c\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46")

// Check finds what is refused in any compound file: macros and installers.
func (c *Compound) Check() *filetype.Problem {
	class := c.Storage[0].Clsid
	if bytes.HasSuffix(class[:], InstallerClass[4:]) && (class[0] == 0x84 || class[0] == 0x86) && class[1] == 0x10 {
		return filetype.UnsafeFile(filetype.ReasonInstaller,
			"The file is a Windows installer. Programs and scripts are not accepted.")
	}
	for _, e := range c.Storage {
		if macroStorages[strings.ToLower(e.Name)] {
			return filetype.MacroProblem()
		}
	}
	return nil
}
