package ui

// ScanWords returns what a file is checked for on this server, in a sentence.
func (s *Pages) ScanWords() string {
	if s.Scanned {
		return "Every file is inspected, and ClamAV scans it for malware."
	}
	return "Every file is inspected. No malware scanner is set up on this server."
}
