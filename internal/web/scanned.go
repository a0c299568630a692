package web

import "vitrine"

// scanned reports whether a malware scanner is configured.
func (s *Server) scanned() bool { return s.Uploads.Scanner.Name() != vitrine.NoScanner{}.Name() }

// scanWords returns what a file is checked for on this server, in a sentence.
func (s *Server) scanWords() string {
	if s.scanned() {
		return "Every file is inspected, and ClamAV scans it for malware."
	}
	return "Every file is inspected. No malware scanner is configured on this server."
}
