package archive

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// macroStorages contain Visual Basic code, of the document or of an embedded
// one.
var macroStorages = map[string]bool{"macros": true, "_vba_project": true, "_vba_project_cur": true, "vba": true}

// maxProjects is the most storages that are read as projects: of a document and
// of those in it.
const maxProjects = 64

// InstallerClass is the class of Windows installer databases (msi, msp).
var InstallerClass = []byte("\x84\x10\x0c\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46")

// Check finds what is refused in any compound file: macros and installers. It
// counts projects without a macro.
func (c *Compound) Check() *filetype.Problem {
	class := c.Storage[0].Clsid
	if bytes.HasSuffix(class[:], InstallerClass[4:]) && (class[0] == 0x84 || class[0] == 0x86) && class[1] == 0x10 {
		return filetype.UnsafeFile(filetype.ReasonInstaller,
			"The file is a Windows installer. Programs and scripts are not accepted.")
	}
	harmless, looked := map[int]bool{}, 0
	for i, e := range c.Storage {
		if e.Kind == 2 || i > 0 && !macroStorages[strings.ToLower(e.Name)] {
			continue
		}
		if looked++; looked > maxProjects {
			return filetype.MacroProblem()
		}
		if entries, ok := c.emptyProject(i); ok {
			c.Projects++
			for _, i := range entries {
				harmless[i] = true
			}
		}
	}
	for i, e := range c.Storage {
		if macroStorages[strings.ToLower(e.Name)] && !harmless[i] {
			return filetype.MacroProblem()
		}
	}
	return nil
}
