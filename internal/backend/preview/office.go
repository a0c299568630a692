package preview

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vitrine"
)

// pages converts a document to PDF and makes the parts of that PDF.
func (j *job) pages() error {
	pdf, err := j.convert("pdf", j.pdfFilter())
	if err != nil {
		return err
	}
	defer pdf.Close()
	st, err := pdf.Stat()
	if err != nil {
		return machineError{err}
	}
	if st.Size() > maxPart {
		return fmt.Errorf("a PDF of %d bytes", st.Size())
	}
	err = j.put(vitrine.PartPages, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(pdf, 0, st.Size()))
		return err
	})
	if err != nil {
		return err
	}
	return j.pdfParts(io.NewSectionReader(pdf, 0, st.Size()), st.Size())
}

// pdfFilter returns the PDF export options: images at screen resolution, no
// form fields.
func (j *job) pdfFilter() string {
	filter := "writer_pdf_Export"
	if isSlides(j.Ext) {
		filter = "impress_pdf_Export"
	}
	return "pdf:" + filter + `:{"ReduceImageResolution":{"type":"boolean","value":"true"},` +
		`"MaxImageResolution":{"type":"long","value":"200"},"Quality":{"type":"long","value":"85"},` +
		`"ExportFormFields":{"type":"boolean","value":"false"}}`
}

// oldSheets converts a spreadsheet to xlsx and reads it.
func (j *job) oldSheets() error {
	xlsx, err := j.convert("xlsx", "xlsx:Calc MS Excel 2007 XML")
	if err != nil {
		return err
	}
	defer xlsx.Close()
	st, err := xlsx.Stat()
	if err != nil {
		return machineError{err}
	}
	return j.sheets(io.NewSectionReader(xlsx, 0, st.Size()))
}

// convert converts the file to another format with LibreOffice. The profile is
// in the child's directory and is deleted with it.
func (j *job) convert(ext, filter string) (*os.File, error) {
	if j.size > maxOffice {
		return nil, fmt.Errorf("a document of %d bytes", j.size)
	}
	profile := filepath.Join(j.work("profile"), "user")
	if err := os.MkdirAll(profile, 0o700); err != nil {
		return nil, machineError{err}
	}
	if err := os.WriteFile(filepath.Join(profile, "registrymodifications.xcu"), []byte(officeConfig),
		0o600); err != nil {
		return nil, machineError{err}
	}
	from := j.work("document." + j.Ext)
	if err := j.copyTo(from); err != nil {
		return nil, err
	}
	_, err := j.exec(mib, j.Office, "-env:UserInstallation=file://"+j.work("profile"),
		"--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck", "--nofirststartwizard",
		"--convert-to", filter, "--outdir", j.work("made"), from)
	if err != nil {
		return nil, err
	}
	return os.Open(filepath.Join(j.work("made"), "document."+ext))
}

// officeConfig is the LibreOffice configuration for untrusted documents: no
// macros, active content or linked files.
const officeConfig = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="CheckDocumentEvents" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>1</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Load"><prop oor:name="UserDefinedSettings" oor:op="fuse"><value>false</value></prop></item>
<item oor:path="/org.openoffice.Office.Java/VirtualMachine"><prop oor:name="Enable" oor:op="fuse"><value>false</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings"><prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
</oor:items>
`
