package front

import (
	"fmt"
	"net/http"
	"time"

	"vitrine/internal/web/httpx"
)

// securityTextLife is how long what security.txt says is valid: less than a
// year, as RFC 9116 recommends.
const securityTextLife = 180 * 24 * time.Hour

// SecurityText says where to report a vulnerability or a dangerous file (RFC
// 9116). Without a contact there is no such page.
func (s *Handler) SecurityText(w http.ResponseWriter, _ *http.Request) error {
	if s.SecurityContact == "" {
		return httpx.ErrNoPage
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=86400")
	ends := s.Now().UTC().Add(securityTextLife).Truncate(24 * time.Hour)
	_, err := fmt.Fprintf(w, "Contact: %s\nExpires: %s\nCanonical: %s%s\n", s.SecurityContact,
		ends.Format(time.RFC3339), s.Server.PublicURL, httpx.SecurityTextRoute)
	return err
}
