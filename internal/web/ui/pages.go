package ui

import (
	"log/slog"

	"vitrine/internal/web/httpx"
)

// Pages renders pages.
type Pages struct {
	Server  *httpx.Server
	Log     *slog.Logger
	Scanned bool // a malware scanner is configured
}
