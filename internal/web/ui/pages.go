package ui

import "vitrine/internal/web/httpx"

// Pages renders pages.
type Pages struct {
	*httpx.Server
	Scanned bool // a malware scanner is configured
}
